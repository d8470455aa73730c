"""Programs run under the gate print what they print under plain Python."""

from __future__ import annotations

import contextlib
import io
import textwrap

import pytest

from gradflow.engine.sandbox import program
from gradflow.engine.sandbox.library.numpy_module import numpy_modules
from gradflow.engine.sandbox.program import check


def output_of(source: str) -> str:
    """What a program prints under the gate, with the last line of an uncaught exception."""
    program = check(source)
    written: list[str] = []
    try:
        program.run(program.namespace((numpy_modules,), written.append))
    except Exception as error:
        written.append(f"{type(error).__name__}: {error}\n")
    return "".join(written)


def output_of_python(source: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        try:
            exec(compile(source, "<plain>", "exec", dont_inherit=True), {"__name__": "__main__"})
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return stream.getvalue()


PROGRAMS = {
    "loops": """
        total = 0
        for i in range(5):
            if i == 1: continue
            if i == 4: break
            total += i
        else:
            print("never")
        while total: total -= 1
        else:
            print(i, total)
    """,
    "functions": """
        def f(a, b=2, *rest, c, d=4, **more):
            '''doc'''
            return a, b, rest, c, d, sorted(more.items())
        print(f(1, c=3), f(1, 2, 3, 4, c=5, x=6), f(*[1, 2], **{"c": 3}), f.__name__, f.__doc__)
        print((lambda x, /, y=1: x + y)(2), (lambda *a, **k: (a, k))(1, z=2))
    """,
    "closures": """
        def counter():
            n = 0
            def step():
                nonlocal n
                n += 1
                return n
            return step
        tick = counter()
        tick()
        level = 0
        def raise_level():
            global level
            level = 5
        raise_level()
        print(tick(), level)
    """,
    "generators": """
        def gen():
            got = yield 1
            print("got", got)
            try:
                yield from (i * i for i in range(2))
            finally:
                print("closed")
        g = gen()
        print(next(g), g.send("x"), next(g))
        g.close()
        print(list(zip("ab", [1, 2])), list(map(str, [1])), list(filter(None, [0, 1])), dict(enumerate("a")))
        def stop():
            return 7
            yield
        try:
            next(stop())
        except StopIteration as e:
            print(e.value)
    """,
    "comprehensions": """
        print([x * y for x in range(3) for y in range(x) if x + y], {x: -x for x in range(2)}, {x % 2 for x in [4]})
        print([a + b for a, (b, *_) in [(1, (2, 3)), (4, (5,))]], sum(x for x in [1, 2]))
        print([y := 3, y ** 2], any((last := n) > 1 for n in [1, 2, 3]), last)
    """,
    "exceptions": """
        class Bad(ValueError):
            def __init__(self, code):
                super().__init__(f"code {code}")
                self.code = code
        def f(x):
            try:
                if x: raise Bad(x)
                return "fine"
            except (TypeError, ValueError) as e:
                print(type(e).__name__, e, e.args, e.code, isinstance(e, Exception))
                raise RuntimeError("outer") from e
            else:
                print("else")
            finally:
                print("finally")
        print(f(0))
        try:
            f(3)
        except RuntimeError as e:
            print(repr(e))
        try:
            assert 1 == 2, "unequal"
        except AssertionError as e:
            print(e)
        for bad in (lambda: {}["k"], lambda: [][0], lambda: 1 / 0, lambda: int("x"), lambda: None.x, lambda: undefined,
                    lambda: 1 + "a", lambda: [].foo, lambda: len(3), lambda: f(), lambda: "a".foo, lambda: f.foo):
            try:
                bad()
            except Exception as e:
                print(type(e).__name__, e)
    """,
    "uncaught": """
        def f(): raise KeyError("k")
        print("before")
        f()
    """,
    "classes": """
        class Base:
            '''A base.'''
            count = 0
            def __init__(self, x, *, y=1):
                self._x, self.y, self.__private = x, y, 9
                Base.count += 1
                type(self).count
            @property
            def x(self): return self._x
            @x.setter
            def x(self, value): self._x = value
            @x.deleter
            def x(self): del self._x
            @staticmethod
            def twice(a): return 2 * a
            @classmethod
            def make(cls, *args): return cls(*args)
            def private(self): return self.__private
            def __repr__(self): return f"{type(self).__name__}({self._x!r})"
            def __str__(self): return "str"
            def __eq__(self, other): return self._x == other._x
            def __hash__(self): return hash(self._x)
            def __add__(self, other): return Base(self._x + other._x)
            def __radd__(self, other): return Base(other + self._x)
            def __iadd__(self, other):
                self._x += other
                return self
            def __neg__(self): return Base(-self._x)
            def __call__(self, z): return self._x * z
            def __bool__(self): return self._x > 0
            def __lt__(self, other): return self._x < other._x
        class Derived(Base):
            names = ["a", "b"]
            def __init__(self, x):
                super().__init__(x, y=5)
                self.items = {"k": [1, 2, 3]}
            def __len__(self): return 3
            def __getitem__(self, i): return self.items["k"][i]
            def __setitem__(self, i, v): self.items["k"][i] = v
            def __delitem__(self, i): del self.items["k"][i]
            def __contains__(self, v): return v in self.items["k"]
            def __iter__(self): return iter(self.items["k"])
            def __getattr__(self, name): return "missing " + name
            def private(self): return ("derived", super().private(), Base.private(self))
        d = Derived(4)
        d.x += 3
        d[0] = 7
        d.items["k"][1] += 10
        d.new = d.y = 8
        print(d, repr(d), d.x, d.y, d.new, len(d), d[0], d[1:], list(d), 7 in d, d.private(), d.foo, d(2), bool(-d))
        print(repr(d + d), repr(1 + d), d == Derived(7), sorted([Base(2), Base(1)])[0]._x, Base.count, Derived.twice(4))
        print(Derived.make(1), isinstance(d, Base), issubclass(Derived, Base), type(d) is Derived, d.__class__.__name__)
        print(Base.__doc__, Derived.__name__, Derived.names, hash(d) == hash(7), Derived.x.__doc__)
        d += 1
        del d[0], d.x
        print(list(d), hasattr(d, "_x"), getattr(d, "zzz"), getattr(3, "real"), callable(d))
        setattr(d, "w", 1); delattr(d, "w")
        d.__private = 5
        print(d.__private)
    """,
    "context managers and iterators": """
        class Manager:
            def __enter__(self):
                print("enter"); return (1, 2)
            def __exit__(self, kind, value, trace):
                print("exit", kind.__name__ if kind else None); return True
        with Manager() as (a, b), Manager() as c:
            print(a, b, c)
            raise ValueError("swallowed")
        class Count:
            def __init__(self, n): self.n = n
            def __iter__(self): return self
            def __next__(self):
                self.n -= 1
                if self.n < 0: raise StopIteration
                return self.n
        print(list(Count(3)), sum(Count(4)), max(Count(3)), [*Count(2)], tuple(Count(1)))
        print(next(Count(0), "none"), list(reversed([1, 2])), list(iter(iter([1]).__next__, 1)))
    """,
    "builtin subclasses": """
        class Stack(list):
            def push(self, v): self.append(v); return self
        class Config(dict):
            def __getattr__(self, name): return self[name]
        print(Stack([1]).push(2), len(Stack()), Config(lr=0.1).lr, Config(a=1).items())
    """,
    "unpacking": """
        a, (b, *c), d = 1, [2, 3, 4], 5
        [e, f], g = (a, b), c
        x = y = z = [0]
        x[0], h = 6, 7
        print(a, b, c, d, e, f, g, y, z, h, [*c, *z], {**{"a": 1}, "b": 2})
        first, *rest = "abc"
        print(first, rest, *rest, sep="-")
        for k, (v, w) in {"p": (1, 2)}.items(): print(k, v, w)
    """,
    "assignments": """
        n: int = 3
        m: "int"
        n <<= 2; n **= 2; n //= 5; n %= 7; n |= 8; n ^= 1; n &= 15; n >>= 1
        items = [[1, 2], {"k": 3}]
        items[0][1] += 5; items[1]["k"] *= 2
        del items[0][0]
        print(n, items, 2 ** 10, 2 ** -1, (-2) ** 3, 2.0 ** 0.5, 1 << 5, pow(2, 5, 7), pow(2, 3), 1 < 2 <= 2 != 3)
    """,
    "strings": """
        name, value = "a", 3.14159
        print(f"{name!r:>5} {value:.2f} {value=:.1f} {'nested ' + name} {{}} {1:>{4}}", "%s %5.1f %%" % (name, value))
        print("{} {}".format(1, 2))
        print("{0.real} {x[k]} {y:>4} {z!r}".format(5, x={"k": 6}, y=7, z="q"), "{a}".format_map({"a": 1}))
        print(str.format("{}-{:03d}", 1, 2), str.upper("up"), "-".join(map(str, [1, 2])), "ab"[::-1], b"x".decode())
        print("a b".split(), "x".center(5, "*"), "Ab".swapcase(), ord("a"), chr(98))
        print(ascii("é"), repr("q"), format(3, "05d"))
    """,
    "builtins": """
        print(len("abc"), min(3, 1), max([1, 5]), sum([1, 2], 10), abs(-3), round(2.567, 2), divmod(7, 2))
        print(all([]), any([]))
        print(sorted([3, 1, 2], reverse=True), sorted("bA", key=str.lower), list(range(1, 10, 3)), int("12"))
        print(bool([]), complex(1, 2).imag, set([1, 1]), frozenset([2]), dict(a=1), tuple("ab"))
        print(hex(255), oct(8), bin(5), float("1.5"))
        print(type(1).__name__, type(1), type([]) is list, type(type(1)), type(None))
        print(isinstance(True, int), id(1) == id(1))
        print(isinstance(int, type), issubclass(bool, int), type(len).__name__, type(lambda: 0).__name__, type(...) )
        print([1, 2].index(2), {"a": 1}.get("b", 0), (1, 2).count(1), {1} | {2}, {"a": 1} | {"b": 2}, [0] * 3)
        print(1, 2, sep="", end="!\\n"); print(); print("x", file=None, flush=True)
        print(type(print).__name__ != "", slice(1, 2), NotImplemented, Ellipsis, __name__)
    """,
    "decorators": """
        from functools import wraps, partial, reduce
        def repeat(times):
            def decorate(f):
                @wraps(f)
                def inner(*args, **kwargs):
                    inner.calls += 1
                    return [f(*args, **kwargs) for _ in range(times)]
                inner.calls = 0
                return inner
            return decorate
        @repeat(2)
        def hello(x):
            'says hello'
            return "hello " + x
        def tagged(cls):
            cls.tag = cls.__name__.lower()
            return cls
        @tagged
        class Thing: pass
        print(hello("a"), hello.calls, hello.__name__, hello.__doc__, Thing.tag, partial(pow, 2)(3))
        print(reduce(lambda a, b: a * b, [1, 2, 3, 4]))
    """,
    "match": """
        def kind(v):
            match v:
                case 0 | 1: return "small"
                case int(n) if n < 0: return "negative"
                case [a, *rest]: return ("list", a, rest)
                case {"k": value, **others}: return (value, others)
                case "x" as s: return s
                case None: return "none"
                case str(): return "text"
                case _: return "other"
        print([kind(v) for v in (0, -5, [1, 2, 3], {"k": 1, "z": 2}, "x", None, "y", 2.5)])
    """,
    "imports": """
        from __future__ import print_function, division
        import math, itertools as it, collections
        from collections import OrderedDict, defaultdict, Counter, deque
        from math import *
        import numpy as np, numpy.linalg
        from typing import List, Optional
        d = defaultdict(list); d["a"].append(1)
        print(math.pi, list(it.product([1], "ab")), OrderedDict(a=1)["a"], dict(d), Counter("aab").most_common(1))
        print(deque([1, 2], maxlen=1), sqrt(16), collections.deque().maxlen, list(it.chain.from_iterable([[1], [2]])))
        def f(x: Optional[List[int]] = None) -> int: return 1
        print(np.array([[1, 2.5]]) @ np.ones((2, 1)), np.linalg.norm([3, 4]), f())
    """,
    "main guard": """
        def main(): print("main")
        if __name__ == "__main__": main()
    """,
    "underscores": """
        _a, __b, _ = 1, 2, 3
        def _f(_x, __y=2): return _x + __y
        print(_a, __b, _, _f(1), _f(1, __y=5))
    """,
    "recursion": """
        def depth(n): return depth(n + 1)
        try:
            depth(0)
        except RecursionError as e:
            print(e)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_python_prints(name: str) -> None:
    source = textwrap.dedent(PROGRAMS[name]).lstrip("\n")
    assert output_of(source) == output_of_python(source)


def test_seeded_numbers_are_those_of_numpy() -> None:
    source = "import numpy as np\nnp.random.seed(1)\nprint(np.random.randn(2), np.random.RandomState(3).rand())"
    assert output_of(source) == output_of_python(source)


@pytest.mark.parametrize(("offset", "column"), [(6, 7), (7, 7)])
def test_a_foreign_comma_behind_a_number_is_blamed_itself(offset: int, column: int) -> None:
    error = SyntaxError("invalid decimal literal", ("<program>", 1, offset, "x = [1，2]", 1, offset))
    told = program._in_our_words(error)
    assert (told.msg, told.offset) == ("invalid character '，' (U+FF0C)", column)
