"""Tests of ``copy`` as programs have it: the same copies as Python's, and no say in how they are made."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PRELUDE = """
import collections, copy, dataclasses, datetime, enum, io, random, types
import numpy as np
import torch
from torch import nn
"""


def test_a_copy_within_a_copy() -> None:
    """Of something else, without the memo of the outer one."""
    program = """
class A:
    def __deepcopy__(self, memo):
        return [copy.deepcopy(5), copy.deepcopy([6]), copy.deepcopy([7], memo)]
    def __eq__(self, other): raise RuntimeError("asked")
print(copy.deepcopy([A(), A()]), copy.deepcopy([1]))
"""
    assert printed(program) == "[[5, [6], [7]], [5, [6], [7]]] [1]\n"


def printed(program: str) -> str:
    trace = run(PRELUDE + program)
    assert trace.error is None, trace.error
    return trace.stdout


@pytest.mark.parametrize(
    "value",
    [
        "[1, [2], (3, [4]), {5: [6]}]",
        "{'a': {1, 2}, 'b': frozenset([3])}",
        "collections.OrderedDict(a=[1])",
        "collections.defaultdict(list, a=[1])",
        "collections.deque([[1], [2]], 5)",
        "collections.Counter('aab')",
        "datetime.date(2020, 1, 1)",
        "np.arange(3)",
        "np.float32(1.5)",
        "torch.tensor([1.0, 2.0])",
        "types.SimpleNamespace(a=[1])",
        "ValueError('a', [1])",
        "P([1], 2)",
        "D([1])",
        "S('ab')",
        "L([1, [2]])",
        "W(a=[1])",
    ],
)
def test_copies_are_equal_and_apart(value: str) -> None:
    classes = """
P = collections.namedtuple('P', 'a b')
@dataclasses.dataclass
class D: a: object
class S(str): pass
class L(list): pass
class W(dict): pass
"""
    text = printed(
        classes + f"x = {value}\ny, z = copy.copy(x), copy.deepcopy(x)\nprint(repr(x) == repr(y) == repr(z))"
    )
    assert text == "True\n"


def test_what_is_shared_stays_shared_and_circles_close() -> None:
    text = printed("""
a = []
x = [a, a, (a, [a])]
a.append(x)
y = copy.deepcopy(x)
print(y[0] is y[1], y[0] is y[2][0], y[0] is a, y[0][0] is y)
class C: pass
c = C()
c.me, c.list = c, x
d = copy.deepcopy(c)
print(d.me is d, d.list[0] is not a)
""")
    assert text == "True True False True\nTrue True\n"


def test_a_method_of_the_program_fills_the_memo() -> None:
    text = printed("""
class Node:
    def __init__(self, name): self.name, self.next = name, None
    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            setattr(made, name, copy.deepcopy(value, memo))
        return made
a, b = Node('a'), Node('b')
a.next, b.next = b, a
c = copy.deepcopy(a)
print(c.next.next is c, c.next is b, c.next.name)
""")
    assert text == "True False b\n"


def test_a_memo_stands_for_tensors_that_are_not_to_be_copied() -> None:
    text = printed("""
w = nn.Parameter(torch.ones(2))
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.v = w, nn.Parameter(torch.ones(2))
m = M()
n = copy.deepcopy(m, {id(w): w})
print(n.w is w, n.v is m.v)
""")
    assert text == "True False\n"


def test_a_memo_stands_for_nothing_inside() -> None:
    text = printed("""
m = nn.Linear(2, 2)
memo = {at: {'weight': 'text'} for at in range(id(m) - 160000, id(m) + 160000, 16)}
n = copy.deepcopy(m, memo)
print(type(n).__name__, tuple(n.weight.shape))
""")
    assert text == "Linear (2, 2)\n"


def test_slots_are_those_that_the_class_was_made_with() -> None:
    text = printed("""
names = ['a']
class C:
    __slots__ = names
    def __setattr__(self, name, value):
        print('set', name)
        object.__setattr__(self, name, value)
x = C()
x.a = [1]
names[:] = ['__class__', '__init__']
y = copy.deepcopy(x)
print(y.a, y.a is x.a)
""")
    assert text == "set a\nset a\n[1] False\n"


def test_attributes_are_written_into_the_same_class_only() -> None:
    trace = run(
        PRELUDE
        + """
class C:
    def __new__(cls): return held
x = object.__new__(C)
x._parameters = 1
held = nn.Linear(1, 1)
copy.copy(x)
"""
    )
    assert trace.error is not None
    assert trace.error.message == "a copy of C of another class cannot be used in this playground"


def test_other_memos_are_refused() -> None:
    trace = run(PRELUDE + "class M(dict): pass\ncopy.deepcopy([1], M())")
    assert trace.error is not None
    assert trace.error.message == "deepcopy() with a memo that is not a dict cannot be used in this playground"


def test_attributes_of_tensors_are_copied_with_them() -> None:
    text = printed("""
class C:
    def __deepcopy__(self, memo):
        print(type(memo).__name__)
        return self
t = torch.ones(2)
t.note = [C()]
u = copy.deepcopy(t)
print(u.note is t.note, u.note[0] is t.note[0])
""")
    assert text == "dict\nFalse True\n"


def test_data_classes_become_dictionaries() -> None:
    text = printed("""
@dataclasses.dataclass
class P:
    a: int
    b: object
print(dataclasses.asdict(P(1, [P(2, {'k': P(3, None)})])), dataclasses.astuple(P(1, (P(2, 3),))))
print(dataclasses.asdict(P(1, collections.defaultdict(list, a=[1]))))
""")
    assert text == (
        "{'a': 1, 'b': [{'a': 2, 'b': {'k': {'a': 3, 'b': None}}}]} (1, ((2, 3),))\n"
        "{'a': 1, 'b': defaultdict(<class 'list'>, {'a': [1]})}\n"
    )


@pytest.mark.parametrize(
    "value",
    [
        "torch.float32",
        "torch.device('cpu')",
        "torch.strided",
        "torch.contiguous_format",
        "np.dtype('float32')",
        "nn.Linear",
        "len",
        "...",
        "slice(1, 2)",
        "decimal.Decimal('1.5')",
        "fractions.Fraction(1, 3)",
        "re.compile('a')",
        "logging.getLogger('q')",
    ],
)
def test_what_never_changes_is_its_own_copy(value: str) -> None:
    program = f"import decimal, fractions, logging, pickle, re\nv = {value}\nb = io.BytesIO()\ntorch.save([v], b)\nb.seek(0)\n"
    copies = "copy.copy(v), copy.deepcopy(v), copy.deepcopy([v])[0], pickle.loads(pickle.dumps(v)), torch.load(b, weights_only=False)[0]"
    assert printed(f"{program}print([each == v for each in ({copies})])") == "[True, True, True, True, True]\n"


def test_what_files_of_settings_hold_is_saved() -> None:
    values = "argparse.Namespace(a=1), pathlib.Path('a/b'), datetime.timedelta(3), functools.partial(max, 3), collections.UserDict(a=1)"
    program = f"""import argparse, collections, functools, pathlib
b = io.BytesIO()
torch.save([{values}], b)
b.seek(0)
print(torch.load(b, weights_only=False))
"""
    expected = (
        "[Namespace(a=1), PosixPath('a/b'), datetime.timedelta(days=3), functools.partial(<built-in function max>, 3),"
        " {'a': 1}]\n"
    )
    assert printed(program) == expected


def test_copies_of_generators_go_on_from_the_same_state() -> None:
    program = """g = torch.Generator().manual_seed(3)
r = random.Random(3)
h, s = copy.deepcopy(g), copy.deepcopy(r)
print(torch.equal(torch.rand(2, generator=g), torch.rand(2, generator=h)), r.random() == s.random())
"""
    assert printed(program) == "True True\n"
