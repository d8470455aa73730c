import torch
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.lo, ctx.hi = lo, hi
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g.clamp(ctx.lo, ctx.hi), None, None
x = torch.tensor([1., 2., 3.], requires_grad=True)
(Clip.apply(x, -1, 1) * torch.tensor([-5., 0.5, 5.])).sum().backward()
print(x.grad)
