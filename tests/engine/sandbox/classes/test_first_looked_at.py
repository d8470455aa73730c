"""A class that the program makes is looked at before anything of the program is given it."""

from __future__ import annotations

import gc
from abc import ABCMeta

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.class_table import ClassTable
from gradflow.engine.sandbox.classes.raw_content import put

ASKED = """
import abc, collections.abc
import numpy as np
import torch
from torch import nn
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
class Peek:
    def __get__(self, held, owner):
        given.append(owner.__name__)
        return 1
given = []
try:
    {}
except Exception as error:
    print(type(error).__name__, given)
"""
KEPT = "\n        def _change(self, *parts): pass"


@pytest.mark.parametrize(
    "statement",
    [
        "class A(Shape, torch.optim.SGD):\n        area = Peek()" + KEPT,
        "class A(collections.abc.Sized, torch.optim.SGD):\n        __len__ = Peek()" + KEPT,
        "class A(Shape, torch.optim.SGD):\n        area = classmethod(property(lambda cls: given.append(cls)))" + KEPT,
        "class A(Shape, nn.Parameter):\n        area = Peek()\n        _a = 1",
        "class A(type, Shape):\n        area = Peek()\n        def __hash__(cls): given.append(cls); return 0",
        "class A(type):\n        __torch_function__ = Peek()\n        def __eq__(cls, other): return True",
        "class A(type):\n        __torch_function__ = Peek()\n        def mro(cls): return [cls, object]",
        "class A(nn.Parameter):\n        __torch_function__ = Peek()\n        _a = 1",
    ],
)
def test_no_descriptor_is_given_a_class_that_is_refused(statement: str) -> None:
    trace = run(ASKED.format(statement))
    assert (trace.error, trace.stdout) == (None, "RuntimeError []\n")


def test_a_descriptor_of_a_right_class_is_asked_as_ever() -> None:
    trace = run(ASKED.format("class A(Shape):\n        area = Peek()\n    print(A.area, A().area, set(given))"))
    assert (trace.error, trace.stdout) == (None, "1 1 {'A'}\n")


@pytest.mark.parametrize("head", ["(abc.ABC)", "(collections.abc.Sized)", "(metaclass=Meta)", ""])
def test_a_class_that_is_looked_at_twice_meets_its_own_marks(head: str) -> None:
    trace = run(f"""
import abc, collections.abc
import numpy as np
class Meta(type): pass
class Value{head}:
    def __len__(self): return 1
    def __add__(self, other): return 2 + other
    __radd__ = __add__
class Own(Value):
    def __rmul__(self, other): return 3 * other
print(1 + Value(), 2 * Own(), np.float64(1) + Own())
""")
    assert (trace.error, trace.stdout) == (None, "3 6 3.0\n")


def test_a_refused_class_is_none_of_the_program() -> None:
    seen: list[type] = []
    given = gate.adopt
    program = "class A(type):\n    def mro(cls): return [cls, object]\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "adopt", lambda cls: (seen.append(cls), given(cls)))
        assert run(program).error is not None
    assert not seen


TAKING = """
import numpy as np
class Taken:
    def __set__(self, cls, value): print("taken", cls)
    def __get__(self, cls, kind=None): raise AttributeError
class Meta(type):
    NAME = Taken()
class Items(metaclass=Meta):
    def __init_subclass__(cls): pass
    def __set_name__(self, owner, name): pass
    def __len__(self): return 1
    def __getitem__(self, index): return 1.0
    def __radd__(self, other): return 1
print(np.ones(2) + Items())
"""


@pytest.mark.parametrize("name", ["__array__", "__array_ufunc__"])
def test_no_metaclass_has_the_names_that_numpy_asks_for(name: str) -> None:
    trace = run(TAKING.replace("NAME", name))
    assert trace.error is not None
    assert trace.error.code != "internal"
    assert not trace.stdout


@pytest.mark.parametrize("name", ["__init_subclass__", "__set_name__", "__class_getitem__"])
def test_no_metaclass_takes_the_marks_of_a_class(name: str) -> None:
    trace = run(TAKING.replace("NAME", name))
    assert (trace.error, trace.stdout) == (None, "[2. 2.]\n")


def test_what_a_metaclass_would_take_is_not_put() -> None:
    taken: list[object] = []

    class Taking:
        def __set__(self, held: object, value: object) -> None:
            taken.append(value)

    made = type("Meta", (type,), {"mark": Taking()})("made", (), {})
    with pytest.raises(RuntimeError, match="a class whose metaclass has mark"):
        put(made, "mark", 1)
    assert not taken
    put(made, "other", 1)
    assert vars(made)["other"] == 1


def test_classes_are_known_by_what_they_are() -> None:
    class Meta(type):
        def __eq__(cls, other: object) -> bool:
            return True

        def __hash__(cls) -> int:
            return hash(int)

    posing = Meta("posing", (), {})
    table = ClassTable()
    table.add(posing)
    assert posing in table
    assert int not in table
    table.discard(posing)
    assert posing not in table


def test_a_table_lets_go_of_classes() -> None:
    table = ClassTable()
    made = type("made", (), {})
    key = id(made)
    table.add(made)
    del made
    gc.collect()
    assert key not in table._held


def test_without_a_program_abstract_classes_are_python_s() -> None:
    made = ABCMeta("made", (), {"__module__": "__main__"})
    assert not gate.is_program_class(made)


WRITTEN = """
import enum, unittest
from typing import Protocol
import torch
given = []
class Taker:
    def __get__(self, held, owner=None): return None
    def __set__(self, held, value): given.append(held)
    def __set_name__(self, owner, name):
        if "early" in name: given.append(owner.__name__)
try:
    {}
    def _change(self, *parts): pass
    class Mine({}): _change = _change
except Exception as error:
    print(type(error).__name__, given)
"""


@pytest.mark.parametrize(
    ("metaclass", "head"),
    [
        ("class Meta(type): step = Taker()", "torch.optim.SGD, metaclass=Meta"),
        ("class Meta(type): _classSetupFailed = Taker()", "unittest.TestCase, torch.optim.SGD, metaclass=Meta"),
        ("class Own:\n        early = Taker()\n    given.clear()", "Own, torch.optim.SGD"),
    ],
)
def test_nobody_who_writes_into_a_new_class_gives_it_away(metaclass: str, head: str) -> None:
    trace = run(WRITTEN.format(metaclass, head))
    assert (trace.error, trace.stdout) == (None, "RuntimeError []\n")


def test_a_protocol_is_known_before_it_reads_itself() -> None:
    program = """
import numpy as np
from typing import Protocol
class Peek:
    def __get__(self, held, owner):
        if owner.__name__ == "L":
            try: np.ones(2) + [owner.__new__(owner)]
            except Exception as error: print(error)
        return lambda *given: None
class L(Protocol):
    __init__ = Peek()
    def __len__(self): return 1
    def __getitem__(self, at): return 1.0
"""
    trace = run(program)
    assert trace.error is None
    assert "not available" in trace.stdout


def test_a_metaclass_does_not_keep_the_programs_methods_in_a_parameter() -> None:
    program = """
import torch
class Swallow:
    def __set__(self, held, value): pass
class Meta(type): detach = Swallow()
class Mine(torch.nn.Parameter, metaclass=Meta):
    def detach(self): return torch.nn.Linear
"""
    trace = run(program)
    assert trace.error is not None
    assert trace.error.code == "call-refused"


def test_what_stands_for_a_member_makes_one_of_its_enumeration_only() -> None:
    program = """
import enum
import torch
got = []
class Peek:
    def __get__(self, held, owner=None): return None
    def __set_name__(self, owner, name): got.append(owner.A)
class E(enum.Enum):
    peek = Peek()
    A = 1
class Meta(type):
    def __getattr__(cls, name): return False if name == "_use_args_" else (lambda *given: torch.ones(3))
try:
    class X(metaclass=Meta): A = got[0]
except Exception as error:
    print(type(error).__name__)
print(E.A, list(E))
"""
    trace = run(program)
    assert (trace.error, trace.stdout) == (None, "RuntimeError\nE.A [<E.A: 1>]\n")


def test_a_metaclass_does_not_answer_for_the_tables_of_the_library() -> None:
    program = """
class Meta(type):
    def __getattr__(cls, name): return name
class X(metaclass=Meta): pass
print(X.own, getattr(X, "_abc_impl", None), getattr(X, "_member_map_", None))
"""
    trace = run(program)
    assert trace.stdout == "own None None\n"


def test_a_class_that_failed_half_way_remembers_for_itself() -> None:
    program = """
import collections.abc
made = []
class Fails:
    def __set_name__(self, owner, name):
        made.append(owner)
        print(isinstance({}, owner))
        raise ValueError
try:
    class A(collections.abc.Mapping): fails = Fails()
except Exception as error:
    print(type(error).__name__)
print(isinstance({}, made[0]), isinstance({}, collections.abc.Mapping))
"""
    first, after = run(program), run("import collections.abc\nprint(isinstance({}, collections.abc.Mapping))")
    assert first.error is None
    assert first.stdout.split() in (["False", kind, "False", "True"] for kind in ("RuntimeError", "ValueError"))
    assert after.stdout == "True\n"


@pytest.mark.parametrize("cls", ["torch.optim.LBFGS", "Protocol", "torch.nn.Module", "Generic"])
def test_only_classes_of_the_program_are_made_known_to_their_bases(cls: str) -> None:
    trace = run(f"import torch\nfrom typing import Generic, Protocol\n{cls}.__init_subclass__()")
    assert trace.error is not None
    assert trace.error.type in ("AttributeError", "RuntimeError")


def test_a_constant_is_not_made_anew() -> None:
    program = "from torch.distributions import constraints\nconstraints.{}.__init__({})"
    for name, given in (("positive", "5.0"), ("unit_interval", "2, 3"), ("nonnegative_integer", "3")):
        trace = run(program.format(name, given))
        assert trace.error is not None
        assert trace.error.code == "call-refused"
    made = run("from torch.distributions import constraints as c\nprint(c.greater_than(2.0), c.positive)")
    assert made.stdout == "GreaterThan(lower_bound=2.0) GreaterThan(lower_bound=0.0)\n"


def test_what_is_written_after_the_run_asks_nothing_of_the_program() -> None:
    program = """
import torch
class F(float):
    def __float__(self): print("asked"); return 2.0
class L(list):
    def __getitem__(self, at): print("asked"); return []
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, more): return x * 2
    @staticmethod
    def backward(ctx, grad): return grad * 2, None, None
x = torch.ones(2, requires_grad=True)
y = Double.apply(x, F(2.0), L([1]))
y.sum().backward()
print("over")
"""
    trace = run(program)
    assert trace.json()
    assert trace.stdout == "over\n"


@pytest.mark.parametrize(
    "made",
    [
        "type('A', (collections.abc.Sized,), {'<first>': 1, '__len__': Peek(), '_a': 1})",
        "dataclasses.make_dataclass('A', [], namespace={'<first>': 1, 'peek': Peek()})",
        "Meta('A', (torch.optim.SGD,), {'<first>': 1, 'step': lambda *given: None, '_change': print})",
    ],
)
def test_nothing_takes_the_place_of_the_first_look(made: str) -> None:
    program = f"""
import collections.abc, dataclasses
import torch
given = []
class Peek:
    def __get__(self, held, owner=None): given.append(owner)
class Taker:
    def __set__(self, held, value): given.append(held)
    def __delete__(self, held): given.append(held)
class Meta(type): step = Taker()
setattr(Meta, "<first>", Taker())
try: {made}
except Exception as error: print(type(error).__name__)
print([each for each in given if issubclass(each, torch.optim.Optimizer)])
"""
    trace = run(program)
    assert trace.error is None
    assert trace.stdout.splitlines()[-1] == "[]"


def test_the_name_of_the_first_look_is_nobodys() -> None:
    program = """
import re
class Refused(Exception): pass
class Fails:
    def __set_name__(self, owner, name): raise Refused(sorted(dir(owner))[:1])
for head in ("", "(dict)"):
    try: exec(f"class A{head}: fails = Fails()")
    except Exception as error:
        while error is not None:
            print(re.findall("<[0-9a-f]{8,}>", repr(error)))
            error = error.__cause__ or error.__context__
"""
    trace = run(program)
    assert trace.error is None
    assert set(trace.stdout.split()) == {"[]"}


def test_a_data_class_with_slots_is_looked_at_again() -> None:
    program = """
import abc, dataclasses
made = []
class Peek:
    def __get__(self, held, owner=None):
        made.append(owner)
        return 1
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
@dataclasses.dataclass(slots=True)
class Square(Shape):
    side: float = 2.0
    area = Peek()
print(Square(), Square.area, [isinstance(each(), Shape) for each in made[:3]])
"""
    trace = run(program)
    assert (trace.error, trace.stdout) == (None, "Square(side=2.0) 1 [True, True, True]\n")
