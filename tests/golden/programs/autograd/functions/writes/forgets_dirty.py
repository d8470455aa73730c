import torch
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
a = torch.ones(3, requires_grad=True)
b = a * 1
c = Bad.apply(b)
print(c is b, c.grad_fn, b.grad_fn, b._version, c._is_view())
c.sum().backward()
print(a.grad)
class Dirty2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g * 2
b = a * 1
try:
    c = Dirty2.apply(b)
    print(c.grad_fn, b.grad_fn)
except RuntimeError as e:
    print(e)
