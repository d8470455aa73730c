import torch
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
x = torch.tensor(0., requires_grad=True)
y = Exp.apply(x)
for _ in range(3):
    y, = torch.autograd.grad(y, x, create_graph=True)
    print(y)
