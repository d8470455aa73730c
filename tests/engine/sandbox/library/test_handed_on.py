"""Tracebacks that are handed on, and copies of containers of the program's."""

from __future__ import annotations

from gradflow.engine.run import run

SOURCE = """
import collections, contextlib, copy, dataclasses, sys, types, typing
def numbers():
    try: yield 1
    except ValueError as error: print("got", error); yield 2
@contextlib.contextmanager
def held():
    try: yield
    except KeyError as error: print("held", error)
a = numbers(); next(a)
try: int("q")
except ValueError: print(a.throw(*sys.exc_info()))
b = held(); b.__enter__()
try: raise KeyError("m")
except KeyError: print(b.__exit__(*sys.exc_info()))
class Wraps:
    def __enter__(self): return self
    def __exit__(self, kind, value, trace):
        raise RuntimeError("wrapped").with_traceback(trace) from value
try:
    with Wraps(): 1 / 0
except RuntimeError as error:
    print(repr(error), repr(error.__cause__), isinstance(error.__traceback__, types.TracebackType))
    print(error.with_traceback(None) is error, error.__traceback__)
for wrong in ("tb_frame", "tb_next", "tb_lasti"):
    try: 1 / 0
    except ZeroDivisionError as error:
        try: getattr(error.__traceback__, wrong)
        except AttributeError as refused: print("cannot be used" in str(refused))
try: 1 / 0
except ZeroDivisionError as error:
    try: error.with_traceback(5)
    except TypeError as wrong: print(wrong)
class Options(collections.UserDict):
    def __init__(self, tag, **given): super().__init__(**given); self.tag = tag
class Rows(collections.UserList):
    def __init__(self, given=(), n=0): super().__init__(given); self.n = n
class Counted(collections.UserDict):
    def __setitem__(self, key, value): super().__setitem__(key, value + 1)
o, r, c = Options("t", a=[1]), Rows([1, 2], n=4), Counted(a=1)
p, q, d = copy.copy(o), copy.copy(r), copy.copy(c)
p["b"] = q.n = 9
q.append(3)
print(type(p).__name__, p.tag, p, o, p["a"] is o["a"], q, q.n, r, r.n, c, d, c.copy(), o.copy().tag, r.copy().n)
print(copy.deepcopy(o).tag, copy.deepcopy(r), collections.UserDict(a=1).copy(), collections.UserList([1]).copy())
class Plain:
    def __init__(self): self.a, self.b = 1, [2]
@dataclasses.dataclass
class Held:
    d: dict
print(dataclasses.asdict(Held(vars(Plain()))), dataclasses.astuple(Held(Plain().__dict__)))
print(type[int] | None, copy.copy(type[int]) == type[int], copy.deepcopy([type[int]]))
print(type[int].__origin__ is type, type[int].__args__, type[type[int]].__args__)
"""
EXPECTED = """got invalid literal for int() with base 10: 'q'
2
held 'm'
True
RuntimeError('wrapped') ZeroDivisionError('division by zero') True
True None
True
True
True
__traceback__ must be a traceback or None
Options t {'a': [1], 'b': 9} {'a': [1]} True [1, 2, 3] 9 [1, 2] 4 {'a': 2} {'a': 2} {'a': 3} t 0
t [1, 2] {'a': 1} [1]
{'d': {'a': 1, 'b': [2]}} ({'a': 1, 'b': [2]},)
type[int] | None True [type[int]]
True (<class 'int'>,) (type[int],)
"""


def test_what_is_handed_on_is_as_in_python() -> None:
    trace = run(SOURCE)
    assert (trace.stdout, trace.error) == (EXPECTED, None)


def test_no_copy_is_written_into_an_object_of_another_class() -> None:
    source = """
import collections, copy
class Other: pass
class Own(collections.UserDict):
    data = {}
    def __new__(cls, *given): return super().__new__(cls) if armed else other
other, armed = Other(), [1]
own = Own()
del own.data
armed.clear()
copy.copy(own)
"""
    error = run(source).error
    assert error is not None
    assert "cannot be used" in error.message
