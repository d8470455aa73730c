"""Data classes of programs behave as Python's, with the same words where something is wrong, whatever they derive from."""

from __future__ import annotations

import contextlib
import io
from typing import Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import abc, copy, dataclasses, enum, inspect
from dataclasses import KW_ONLY, InitVar, asdict, astuple, dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar
def tried(call):
    try: print(call())
    except (AttributeError, TypeError, ValueError) as error: print(type(error).__name__, error)
"""
PROGRAMS: Final = """
@dataclass
class Settings:
    rate: float = 1e-3
    sizes: list = field(default_factory=lambda: [1, 2])
    kind: ClassVar[str] = 'c'
    def __post_init__(self): self.total = sum(self.sizes)
print(Settings(), Settings(0.1).total, Settings() == Settings(), Settings() == 5, inspect.signature(Settings), Settings.__doc__)
tried(lambda: Settings(1, 2, 3)); tried(lambda: Settings(other=3)); tried(lambda: hash(Settings()))
---
@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 2
print(Point(1) < Point(2), hash(Point(1)) == hash(Point(1, 2)), sorted([Point(3), Point(1)]), replace(Point(1), y=7), asdict(Point(1)), astuple(Point(1)))
tried(lambda: Point()); tried(lambda: setattr(Point(1), 'x', 3)); tried(lambda: delattr(Point(1), 'x')); tried(lambda: Point(1) < 3)
match Point(1, 5):
    case Point(a, b): print(a, b)
---
@dataclass(slots=True, frozen=True)
class Slots:
    x: int
    y: list = field(default_factory=list)
print(Slots(1), copy.copy(Slots(1)), copy.deepcopy(Slots(1)) == Slots(1))
@dataclass(slots=True)
class Fixed:
    x: int = 4
    z: int = field(init=False, default=9)
print(Fixed(), Fixed().z); tried(lambda: setattr(Fixed(), 'q', 1))
class Base:
    seen = []
    def __init_subclass__(cls): Base.seen.append(cls.__name__)
@dataclass(slots=True)
class Below(Base):
    x: int = 1
print(Below(), Base.seen)
---
@dataclass
class Keys:
    a: int
    _: KW_ONLY
    b: int = 3
    c: int
print(Keys(1, c=2)); tried(lambda: Keys(1)); tried(lambda: Keys(1, 2))
@dataclass
class Start:
    n: InitVar[int]
    m: InitVar[int] = 5
    v: int = field(init=False)
    def __post_init__(self, n, m): self.v = n * m
print(Start(3), replace(Start(3), n=4)); tried(lambda: replace(Start(3))); tried(lambda: replace(Start(3), n=1, v=3))
---
@dataclass
class Base:
    a: int = 1
@dataclass
class Below(Base):
    b: int = 2
class Plain(Below):
    def sum(self): return self.a + self.b
print(Plain(5), Plain(5).sum(), Plain(5) == Plain(5), Below(5) == Plain(5), [each.name for each in fields(Plain)])
def frozen():
    @dataclass(frozen=True)
    class Bad(Base): pass
def mutable():
    @dataclass
    class Bad:
        x: list = []
def order():
    @dataclass
    class Bad:
        x: int = 1
        y: int
tried(frozen); tried(mutable); tried(order)
---
T = TypeVar('T')
@dataclass
class Box(Generic[T]):
    item: T
print(Box[int](3), Box(3) == Box[int](3))
@dataclass
class Shape(abc.ABC):
    side: int = 0
    @abc.abstractmethod
    def area(self): ...
@dataclass
class Square(Shape):
    def area(self): return self.side**2
tried(lambda: Shape()); print(Square(3).area())
---
@dataclass
class Body:
    mass: float
    radius: float
class Planet(Body, enum.Enum):
    EARTH = 1.0, 2.0
    MARS = 3.0, 4.0
print(Planet.EARTH.mass, list(Planet), Planet.EARTH.value, Planet.MARS == Planet.MARS)
@dataclass
class Failed(Exception):
    code: int
    args: tuple = ()
try: raise Failed(3, (1, 2))
except Failed as error: print(repr(error), error.code, error.args)
@dataclass
class Table(dict):
    name: str = 'x'
print(Table(), Table('y').name, Table() == Table())
---
@dataclass
class Node:
    value: int
    kids: list['Node'] = field(default_factory=list)
    parent: Any = field(default=None, repr=False, compare=False)
tree = Node(1, [Node(2), Node(3, [Node(4)])])
print(tree, asdict(tree), astuple(tree))
tree.kids.append(tree); print(tree)
@dataclass
class Names:
    format: str = 'png'
    type: int = 3
    self: int = 4
    object: int = 5
    hash: int = 6
print(Names(), Names() == Names(), Names('a'))
---
class Sized:
    def __set_name__(self, owner, name): self.n = '_' + name
    def __get__(self, held, owner=None): return 7 if held is None else getattr(held, self.n)
    def __set__(self, held, value): setattr(held, self.n, value)
@dataclass
class Described:
    x: int = Sized()
print(Described(), Described(3).x)
@dataclass
class Told:
    x: int
    def __setattr__(self, name, value): print('set', name); super().__setattr__(name, value)
    def __getattr__(self, name): return name + '!'
print(Told(3), Told(3).other)
made = dataclasses.make_dataclass('Made', [('x', int), ('y', int, 5)])
print(made(1), made(1) == made(1, 5))
""".strip().split("\n---\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_data_classes_are_those_of_python(program: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(PRELUDE + program, "<python>", "exec", dont_inherit=True), {"__name__": "__main__"})
    trace = run(PRELUDE + program)
    assert (trace.error, trace.stdout) == (None, printed.getvalue())


def test_a_field_that_stands_in_two_classes_has_a_name_in_each() -> None:
    shared = "f = field(default=1)\n@dataclass\nclass A:\n    x: int = f\n@dataclass\nclass B:\n    y: int = f\n"
    trace = run(f"{PRELUDE}{shared}print(A(), B(), fields(A)[0].name, fields(B)[0].name, replace(A(), x=2))")
    assert (trace.error, trace.stdout) == (None, "A(x=1) B(y=1) x y A(x=2)\n")


def test_a_model_may_be_one() -> None:
    program = """
import torch
from torch import nn
@dataclass(eq=False)
class Net(nn.Module):
    width: int = 2
    def __post_init__(self):
        super().__init__()
        self.lin = nn.Linear(self.width, 1)
    def forward(self, x): return self.lin(x)
@dataclass(eq=False)
class Held(torch.utils.data.Dataset):
    xs: list
    def __len__(self): return len(self.xs)
    def __getitem__(self, i): return self.xs[i]
net = Net(3)
print(net(torch.ones(1, 3)).shape, len(list(net.parameters())), net.width, next(iter(torch.utils.data.DataLoader(Held([1.0, 2.0]), 2))))
"""
    trace = run(PRELUDE + program)
    assert (trace.error, trace.stdout) == (None, "torch.Size([1, 1]) 2 3 tensor([1., 2.], dtype=torch.float64)\n")
