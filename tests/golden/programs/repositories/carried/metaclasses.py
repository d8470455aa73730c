from abc import ABCMeta, abstractmethod


class M(type):
    def __new__(cls, name, bases, attrs):
        attrs["tag"] = name.lower()
        return type.__new__(cls, name, bases, attrs)

    def __init__(cls, name, bases, attrs):
        type.__init__(cls, name, bases, attrs)
        cls.n = 5

    def hello(cls):
        return "hi " + cls.__name__

    def __len__(cls):
        return 3

    def __iter__(cls):
        return iter([1, 2])

    def __getitem__(cls, k):
        return k

    @property
    def p(cls):
        return cls.n


class A(metaclass=M):
    def __init__(self, v=1):
        self.v = v


class B(A):
    pass


print(
    A.tag,
    B.tag,
    B.hello(),
    len(B),
    list(B),
    B["x"],
    B.p,
    B.n,
    type(B),
    type(M),
    isinstance(B, M),
    isinstance(B, type),
    B(3).v,
)
C = M("C", (A,), {"q": 1})
print(C, C.q, C.tag, M.__name__)
import torch.nn as nn


class NetMeta(type):
    registry = {}

    def __call__(cls, *a, **k):
        obj = super().__call__(*a, **k)
        obj.built = True
        return obj


class Net(nn.Module, metaclass=NetMeta):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)


print(Net().built, Net())
try:
    A.zz
except AttributeError as e:
    print(e)


class S(type):
    def __init__(self, *args, **kwargs):
        self.__instance = None
        super().__init__(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if self.__instance is None:
            self.__instance = super().__call__(*args, **kwargs)
        return self.__instance


class D(metaclass=S):
    pass


print(D() is D())


class E(type):
    def __getattr__(cls, n):
        return n + "!"


class F(metaclass=E):
    pass


print(F.abc)
