import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
F.apply(x)
