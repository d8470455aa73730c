import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    def backward(ctx, grad_out):
        x, = ctx.saved_tensors
        return grad_out * 2 * x
class SquareWrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return x ** 2
    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * 2 * ctx.x
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        return (expx - expnegx) / 2, expx, expnegx
    @staticmethod
    def backward(ctx, grad_out, _grad_out_exp, _grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        grad_input += _grad_out_exp * expx
        grad_input -= _grad_out_negexp * expnegx
        return grad_input
x = torch.tensor([1., 2.], requires_grad=True, dtype=torch.double)
for F in (Square, SquareWrong):
    y = F.apply(x)
    g, = torch.autograd.grad(y.sum(), x, create_graph=True)
    print(F.__name__, g, g.grad_fn)
    try:
        print(torch.autograd.grad(g.sum(), x))
    except RuntimeError as e:
        print(e)
def sinh(x):
    return Sinh.apply(x)[0]
print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))
print(torch.autograd.gradcheck(Square.apply, x), torch.autograd.gradgradcheck(Square.apply, x))
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_out):
        x, = ctx.saved_tensors
        return cube_backward(grad_out, x)
def cube_backward(grad_out, x):
    return grad_out * 3 * x ** 2
c = Cube.apply(x)
g, = torch.autograd.grad(c.sum(), x, create_graph=True)
print(g, torch.autograd.grad(g.sum(), x, create_graph=True))
