import torch
class V(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.view(2, 2) * 3
x = torch.ones(2, 2, requires_grad=True)
y = V.apply(x)
print(y._base is x, y.grad_fn)
try:
    y.mul_(2)
except RuntimeError as e:
    print(e)
b = x * 1
y = V.apply(b)
try:
    y.mul_(2)
except RuntimeError as e:
    print(e)
b.mul_(2)
print(y.grad_fn)
class V2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1), x[0]
    @staticmethod
    def backward(ctx, g, h):
        return g.view(2, 2) * 3
b = x * 1
y, z = V2.apply(b)
z.add_(1)
