import torch
from torch.autograd import Function
class Inc(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
a = torch.tensor([1., 2.], requires_grad=True)
b = a * 2
c = Inc.apply(b)
print(c is b, b, c.grad_fn.name(), b._version)
c.sum().backward()
print(a.grad)
try:
    Inc.apply(a)
except RuntimeError as e:
    print(e)
v = (a * 2).view(2, 1)
w = Inc.apply(v)
print(w)
class Bad(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x + 1
    @staticmethod
    def backward(ctx, g):
        return g
try:
    Bad.apply(a * 2)
except RuntimeError as e:
    print(e)
class ArgSort(Function):
    @staticmethod
    def forward(ctx, x):
        s, i = x.sort()
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        return s, i
    @staticmethod
    def backward(ctx, g, gi):
        print(g, gi)
        i, = ctx.saved_tensors
        out = torch.zeros_like(g)
        out[i] = g
        return out
s, i = ArgSort.apply(torch.tensor([3., 1., 2.], requires_grad=True))
print(s, i, i.requires_grad)
s.sum().backward()
class Mat(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2 if g1 is not None else g2 * 3
p, q = Mat.apply(a)
q.sum().backward()
