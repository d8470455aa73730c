import torch
from torch.autograd import gradcheck, gradgradcheck
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
print(gradcheck(lambda t: t ** 2, (x,)))
print(gradcheck(lambda t: t ** 2, x))
print(gradcheck(Wrong.apply, (x,), raise_exception=False))
try:
    gradcheck(Wrong.apply, (x,))
except Exception as e:
    print(type(e).__name__, e)
try:
    gradcheck(lambda t: t * 2, (torch.ones(2),))
except Exception as e:
    print(type(e).__name__, e)
try:
    gradcheck(lambda t: (t > 1), (x,))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(gradcheck(lambda t: t.detach() * 2, (x,)))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(gradgradcheck(Wrong.apply, (x,)))
except Exception as e:
    print(type(e).__name__, e)
print(gradcheck(lambda t: t.exp(), (x,), eps=1e-6, atol=1e-4))
print(gradgradcheck(torch.sin, (x,)))
z = torch.tensor([1 + 2j, 2 - 1j], dtype=torch.complex128, requires_grad=True)
print(gradcheck(lambda t: t * t.conj(), (z,)))
print(gradcheck(lambda t: t.abs(), (z,)))
f = torch.tensor([1., 2.], requires_grad=True)
try:
    print(gradcheck(lambda t: t ** 2, (f,)))
except Exception as e:
    print(type(e).__name__, e)
