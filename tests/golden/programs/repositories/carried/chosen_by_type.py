import functools, torch


@functools.singledispatch
def f(x):
    return "other"


@f.register
def _(x: int):
    return "int"


@f.register(torch.Tensor)
def _(x):
    return "tensor"


@f.register(list)
def _g(x):
    return [f(i) for i in x]


print(f(1), f(torch.ones(1)), f([1, "a"]))


class A:
    def __init__(self):
        self.n = 0

    @functools.cached_property
    def v(self):
        self.n += 1
        return self.n

    @functools.singledispatchmethod
    def g(self, x):
        return "o"

    @g.register
    def _(self, x: int):
        return "i"


a = A()
print(a.v, a.v, a.n, a.g(1), a.g("s"))


@functools.total_ordering
class V:
    def __init__(s, v):
        s.v = v

    def __eq__(s, o):
        return s.v == o.v

    def __lt__(s, o):
        return s.v < o.v


print(V(1) >= V(0), f.dispatch(int) is not None)
p = functools.partial(print, "x", sep="-")
p("y")
print(p.args, p.keywords)


class B:
    def h(self, a, b):
        return a + b

    k = functools.partialmethod(h, 1)


print(B().k(2))
