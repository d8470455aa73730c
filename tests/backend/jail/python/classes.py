import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import numbers
import typing


@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
    y: list = dataclasses.field(default_factory=list)


class Colour(enum.Enum):
    RED = enum.auto()
    BLUE = enum.auto()


class Bits(enum.IntFlag):
    A = 1
    B = 2


class Named(typing.NamedTuple):
    a: int = 1


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


@functools.lru_cache
def twice(x):
    return 2 * x


@contextlib.contextmanager
def opened():
    yield 5


Pair = collections.namedtuple("Pair", "a b", defaults=[2])
with opened() as five, contextlib.suppress(KeyError):
    print(five, {}["a"])
print(Point(1), dataclasses.asdict(Point(1)), Point(1) < Point(2), dataclasses.replace(Point(1), x=3))
print(Colour.RED, Colour(2), Colour["BLUE"], list(Colour), Bits.A | Bits.B, Bits(2))
print(Pair(1), Pair(1)._replace(a=5), Named(), twice(4), functools.reduce(max, [1, 3, 2]))
print(collections.Counter("abca"), collections.OrderedDict(a=1), collections.deque([1, 2], maxlen=2))
print(
    copy.deepcopy({"a": [1, {2}]}),
    isinstance(2, numbers.Integral),
    int | None,
    typing.get_args(list[int]),
)
print(list(itertools.permutations("ab")), [(k, len(list(g))) for k, g in itertools.groupby("aab")])
for attempt in (lambda: Shape(), lambda: Colour(9), lambda: setattr(Point(1), "x", 2)):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__)
