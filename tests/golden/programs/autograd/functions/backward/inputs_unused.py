import torch
class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2, None
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
First.apply(a, b).sum().backward()
print(a.grad, b.grad)
print(torch.autograd.grad(First.apply(a, b).sum(), b, allow_unused=True))
