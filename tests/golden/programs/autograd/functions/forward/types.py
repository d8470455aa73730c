import torch
from torch.autograd import Function
class Many(Function):
    @staticmethod
    def forward(ctx, x, n, s="a", flag=True, l=None, d=None, f=None):
        ctx.info = (n, s, flag, l, d)
        return f(x) if f else x * n
    @staticmethod
    def backward(ctx, g):
        print(ctx.info, ctx.needs_input_grad)
        return (g,) + (None,) * 6
x = torch.tensor([1., 2.], requires_grad=True)
Many.apply(x, 2).sum().backward() if False else None
try:
    Many.apply(x, 2).sum().backward()
except RuntimeError as e:
    print(e)
Many.apply(x, 3, "b", False, [1], {"k": 1}, None).sum().backward()
print(x.grad)
Many.apply(x, 3, "b", False, [x], {"k": x}, lambda t: t * 5).sum().backward()
print(x.grad)
class Lists(Function):
    @staticmethod
    def forward(ctx, *xs):
        ctx.n = len(xs)
        return sum(xs)
    @staticmethod
    def backward(ctx, g):
        return tuple(g * i for i in range(ctx.n))
a, b, c = (torch.ones(1, requires_grad=True) for _ in range(3))
Lists.apply(a, b, c).backward()
print(a.grad, b.grad, c.grad)
class Ret(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, None, 5, "s"
    @staticmethod
    def backward(ctx, *gs):
        print(gs)
        return gs[0]
out = Ret.apply(x)
print(out)
out[0].sum().backward()
class IntIn(Function):
    @staticmethod
    def forward(ctx, x, i):
        ctx.save_for_backward(i)
        print(ctx.needs_input_grad)
        return x[i]
    @staticmethod
    def backward(ctx, g):
        i, = ctx.saved_tensors
        r = torch.zeros(2)
        r[i] = g
        return r, None
IntIn.apply(x, torch.tensor([1])).backward()
print(x.grad)
class Attr(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.a = 1
        ctx.b = [2]
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        print(ctx.a, ctx.b, hasattr(ctx, "c"))
        try:
            ctx.c
        except AttributeError as e:
            print(e)
        return g
Attr.apply(x).sum().backward()
