def f():
    "doc"


f.__name__ = "g"
f.__doc__ = "new"
f.__qualname__ = "Q.g"
print(f.__name__, f.__doc__, f.__qualname__)


class A:
    pass


A.__name__ = "B"
A.__qualname__ = "B"
A.__doc__ = "d"
print(A, A.__name__, A.__doc__)


def deco(fn):
    def w(*a):
        return fn(*a)

    w.__name__ = fn.__name__
    w.__doc__ = fn.__doc__
    w.__wrapped__ = fn
    return w


@deco
def h():
    "hd"


print(h.__name__, h.__doc__)
f.__defaults__, f.__kwdefaults__
print(f.__annotations__, f.__module__, f.__code__.co_varnames, f.__defaults__)
