import torch
from torch.autograd.function import once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x
x = torch.tensor(3., requires_grad=True)
y = F.apply(x)
z = y * x
g, = torch.autograd.grad(z, x, create_graph=True)
print(g)
torch.autograd.grad(g, x)
