import torch
class Inplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
a = torch.ones(3, requires_grad=True)
try:
    Inplace.apply(a)
except RuntimeError as e:
    print(e)
b = a * 1
c = Inplace.apply(b)
print(c is b, b.grad_fn, b._version)
c.sum().backward()
print(a.grad)
d = a.clone()
v = d[1:]
r = Inplace.apply(v)
print(r is v, v.grad_fn, d.grad_fn, d)
d.sum().backward()
print(a.grad)
