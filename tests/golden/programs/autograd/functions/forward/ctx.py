import torch
from torch.autograd import Function
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b, c=None):
        print("needs", ctx.needs_input_grad)
        ctx.save_for_backward(a, b)
        ctx.extra = c
        return a * b
    @staticmethod
    def backward(ctx, g):
        print("needs", ctx.needs_input_grad, ctx.extra, g)
        a, b = ctx.saved_tensors
        ga = gb = None
        if ctx.needs_input_grad[0]:
            ga = g * b
        if ctx.needs_input_grad[1]:
            gb = g * a
        return ga, gb, None
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.])
z = Mul.apply(x, y)
print(z, z.grad_fn.name(), z.grad_fn.next_functions)
print(z.grad_fn.saved_tensors, z.grad_fn.needs_input_grad)
z.sum().backward()
print(x.grad, y.grad)
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
try:
    z.grad_fn.saved_tensors
except RuntimeError as e:
    print(e)
w = Mul.apply(y, x, "hi")
w.sum().backward()
print(Mul.apply(y, y).requires_grad)
with torch.no_grad():
    q = Mul.apply(x, y)
    print(q.requires_grad, q.grad_fn)
print(type(z.grad_fn))
print(Mul, Mul.__name__)
