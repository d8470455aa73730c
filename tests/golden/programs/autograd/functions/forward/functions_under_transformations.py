import torch
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp(); ctx.save_for_backward(y); return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
x = torch.tensor([0., 1.], requires_grad=True)
y = Exp.apply(x); print(y, y.grad_fn, type(y.grad_fn).__name__, y.grad_fn.name())
y.sum().backward(); print(x.grad)
J = torch.autograd.functional.jacobian(Exp.apply, x); print(J)
try:
    torch.func.grad(lambda x: Exp.apply(x).sum())(x)
except RuntimeError as e:
    print(e)
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(x): return x ** 2
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g): return 2 * ctx.saved_tensors[0] * g
    @staticmethod
    def jvp(ctx, t): return 2 * t
print(torch.func.grad(lambda x: Sq.apply(x).sum())(x))
try:
    print(torch.func.vmap(Sq.apply)(x))
except RuntimeError as e:
    print(e)
print(torch.autograd.gradcheck(Sq.apply, (torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True),)))
