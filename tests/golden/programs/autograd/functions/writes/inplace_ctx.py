import torch
from torch.autograd import Function
class InplaceRelu(Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        x.mul_(mask)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        mask, = ctx.saved_tensors
        return g * mask
w = torch.tensor([1., -1.], requires_grad=True)
a = w * 2
b = InplaceRelu.apply(a)
print(a is b, a, b._version)
b.sum().backward()
print(w.grad)
class Unmarked(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
a = w * 2
c = Unmarked.apply(a)
print(c is a, a, c)
c.sum().backward()
print(w.grad)
class SaveInter(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y
q = w * 1
r = SaveInter.apply(q)
q.add_(1)
try:
    r.sum().backward()
except RuntimeError as e:
    print(e)
q = w * 1
r = SaveInter.apply(q)
r.add_(1)
try:
    r.sum().backward()
except RuntimeError as e:
    print(e)
w.grad = None
with torch.no_grad():
    w.mul_(2)
r = SaveInter.apply(w)
with torch.no_grad():
    w.mul_(2)
try:
    r.sum().backward()
except RuntimeError as e:
    print(e)
