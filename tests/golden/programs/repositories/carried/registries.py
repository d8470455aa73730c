from abc import ABCMeta, abstractmethod, ABC


class Meta(type):
    reg = {}

    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, ns)
        mcs.reg[name] = cls
        return cls


class A(metaclass=Meta):
    pass


class B(A):
    x = 1


print(sorted(Meta.reg))


class Base(metaclass=ABCMeta):
    @abstractmethod
    def f(self): ...


try:
    Base()
except TypeError as e:
    print(e)


class Plugin:
    registry = {}

    def __init_subclass__(cls, name=None, **kw):
        super().__init_subclass__(**kw)
        cls.registry[name or cls.__name__.lower()] = cls


class P1(Plugin, name="one"):
    pass


class P2(Plugin):
    pass


print(Plugin.registry)


class Singleton(type):
    _i = {}

    def __call__(cls, *a, **k):
        if cls not in cls._i:
            cls._i[cls] = super().__call__(*a, **k)
        return cls._i[cls]


class Cfg(metaclass=Singleton):
    def __init__(self):
        self.v = 1


print(Cfg() is Cfg())


class RegMeta(ABCMeta):
    def __init__(cls, name, bases, ns):
        super().__init__(name, bases, ns)
        print("made", name)


class Q(metaclass=RegMeta):
    pass
