import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
print(y is x, y.grad_fn, y._base is x, y._is_view(), x.grad_fn)
y.sum().backward()
print(x.grad)
try:
    y.mul_(2)
    print(y, y.grad_fn)
except RuntimeError as e:
    print(e)
z = F.apply(x * 1)
z += 1
