import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.saved_tensors[0] ** 2 * g


x = torch.tensor([1.0, 2.0])
print(torch.func.grad(lambda t: Cube.apply(t).sum())(x))
y = x.clone().requires_grad_()
Cube.apply(y).sum().backward()
print(y.grad, torch.func.grad(lambda t: Cube.apply(t).sum())(y))
