import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g, None
x = torch.ones(2, requires_grad=True)
F.apply(x)
