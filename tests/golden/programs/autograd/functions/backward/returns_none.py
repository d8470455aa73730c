import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return None
x = torch.ones(2, requires_grad=True)
y = x * 3
F.apply(y).sum().backward()
print(x.grad)
