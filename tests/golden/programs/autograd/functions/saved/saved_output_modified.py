import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
y.mul_(2)
y.sum().backward()
