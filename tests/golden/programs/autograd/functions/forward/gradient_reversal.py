import torch
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.lam, None
x = torch.ones(2, requires_grad=True)
w = torch.tensor([2., 3.], requires_grad=True)
y = Reverse.apply(x * w, 0.5)
print(y)
y.sum().backward()
print(x.grad, w.grad)
