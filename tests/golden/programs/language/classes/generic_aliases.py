"""Aliases of generic classes whose ``__new__`` or metaclass is the program's own."""

from typing import Annotated, Dict, Generic, List, Optional, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
K = TypeVar("K")


class Box(Generic[T]):
    def __new__(cls, *given):
        return super().__new__(cls)

    def __init__(self, *given):
        self.given = given


class Registry(type):
    made = []

    def __call__(cls, *given):
        cls.made.append(cls.__name__)
        return super().__call__(*given)


class Table(Generic[K, T], metaclass=Registry):
    def __init__(self, key=None):
        self.key = key


class IntBox(Box[int]):
    pass


class Wide(Table[str, T], Box[T]):
    pass


print(Box[int], get_args(Box[int]), get_origin(Box[int]) is Box, IntBox.__orig_bases__)
print(Table[str, int], get_args(Table[str, int]), get_origin(Table[str, int]) is Table)
print(get_args(Table[str, T][int]), get_args(Table[str, List[T]][int]), get_args(Box[Optional[T]][int]))
print(Box[int] == Box[int], Box[int] == Box[str], hash(Box[int]) == hash(Box[int]), len({Box[int], Box[int], Box[str]}))
print(get_args(Dict[str, Box[int]]), get_args(Union[Box[int], None]), get_args(Optional[Box[int]]))
for one in (Box[int](1), Box[T](2), Table[str, int]("k"), IntBox(3), Wide[int]("w"), Annotated[Box, "note"](4)):
    print(type(one).__name__, vars(one).get("given", vars(one).get("key")), isinstance(one, Box))
print(Registry.made, issubclass(IntBox, Box), [c.__name__ for c in Wide.__mro__])
for wrong in (
    lambda: isinstance(Box[int](), Box[int]),
    lambda: issubclass(IntBox, Box[int]),
    lambda: Box[int, str],
    lambda: Box[int][str],
    lambda: List[int](),
):
    try:
        print(wrong())
    except TypeError as error:
        print("TypeError", error)


def name(x):
    return x


print(Annotated[name, 1](5), Annotated[dict, "d"](a=1))


class Held(Generic[T]):
    def __new__(cls, what):
        return what


print(Held[int](3), Held[str]("s"), Held[list]([1]))


class Stack(Generic[T]):
    limit = 3

    def __new__(cls):
        return super().__new__(cls)

    @classmethod
    def create(cls):
        return cls()

    @staticmethod
    def twice(x):
        return 2 * x


one = Stack[int]()
print(
    Stack[int].create().limit, Stack[int].twice(2), Stack[int].limit, one.__orig_class__, get_args(one.__orig_class__)
)


class Asked(Generic[T]):
    asked = []

    def __class_getitem__(cls, item):
        cls.asked.append(item)
        return super().__class_getitem__(item)


print(Asked[int], Asked.asked, get_args(Asked[str]), type(Asked[int]()).__name__)
