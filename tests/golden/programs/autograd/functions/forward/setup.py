import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        result = x ** 3
        dx = 3 * x ** 2
        return result, dx
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)
    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x
def cube(x):
    return Cube.apply(x)[0]
x = torch.tensor([2., 3.], dtype=torch.float64, requires_grad=True)
y = cube(x)
print(y)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
gg, = torch.autograd.grad(g.sum(), x)
print(gg)
print(torch.autograd.gradcheck(cube, (x,)), torch.autograd.gradgradcheck(cube, (x,)))
print(torch.func.grad(lambda t: cube(t).sum())(x.detach()))
print(torch.func.vmap(torch.func.grad(cube))(x.detach()))
