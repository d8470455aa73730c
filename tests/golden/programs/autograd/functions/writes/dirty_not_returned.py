import torch
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(2, requires_grad=True)
Bad.apply(x * 1)
