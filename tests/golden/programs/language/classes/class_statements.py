from abc import ABC, ABCMeta, abstractmethod
from enum import Enum


class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return self if instance is None else instance.__dict__.get(self.name, 0)

    def __set__(self, instance, value):
        instance.__dict__[self.name] = value * 2


class Point:
    x = Field()

    def __class_getitem__(cls, item):
        return f"Point[{item}]"


p = Point()
p.x = 4
print(p.x, Point["int"], vars(p), p.__dict__)


class Layer(ABC):
    @property
    @abstractmethod
    def size(self): ...


class Dense(Layer):
    size = 3


print(Dense().size, [kind.__name__ for kind in Dense.__mro__], issubclass(Dense, Layer))


class Plain(metaclass=ABCMeta):
    @abstractmethod
    def run(self): ...


try:
    Plain()
except TypeError as error:
    print(error)


class Plugin:
    found = []

    def __init_subclass__(cls, tag="none", **rest):
        super().__init_subclass__(**rest)
        cls.tag = tag
        Plugin.found.append((cls.__name__, cls.tag))


class A(Plugin, tag="a"): ...


class B(A): ...


print(Plugin.found, B.tag)


class Mode(Enum):
    FAST = 1
    SLOW = 2

    @property
    def label(self):
        return self.name.lower()

    def __str__(self):
        return f"<{self.label}>"


def describe(mode):
    match mode:
        case Mode.FAST:
            return "fast"
        case Mode.SLOW | "slow":
            return "slow"
        case [Mode.FAST, n] if n > 1:
            return f"fast {n}"
    return "other"


print(Mode.FAST, [str(m) for m in Mode], [describe(m) for m in (Mode.FAST, Mode.SLOW, "slow", [Mode.FAST, 2], [Mode.FAST, 1])])


class Default(dict):
    def __missing__(self, key):
        return key * 2

    def __getattr__(self, name):
        return self[name]


print(Default(a=1)["a"], Default()[4], Default(lr=0.1).lr)


class Distance(float):
    def __new__(cls, value, unit="m"):
        made = super().__new__(cls, value)
        made.unit = unit
        return made


print(Distance(2.5, "km") + 1, Distance(2).unit)


class Frozen:
    def __init__(self, x):
        object.__setattr__(self, "x", x)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot set {name}")

    def __delattr__(self, name):
        print("delete", name)
        super().__delattr__(name)


f = Frozen(3)
del f.x
f.y = 4
