"""A Function that has only a `jvp`: tangents come through it, gradients do not."""
import torch
import torch.autograd.forward_ad as fwAD


class Damped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x, ctx.y = x, y
        return x * y.sin()

    @staticmethod
    def jvp(ctx, x_t, y_t):
        return x_t * ctx.y.sin() + ctx.x * ctx.y.cos() * y_t


class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def jvp(ctx, x_t):
        (x,) = ctx.saved_tensors
        return 2 * x * x_t


with fwAD.dual_level():
    x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 1.0]))
    y = fwAD.make_dual(torch.tensor([0.5, 2.0]), torch.tensor([1.0, 1.0]))
    print(fwAD.unpack_dual(Damped.apply(x, y)).tangent)
    print(fwAD.unpack_dual(Damped.apply(x, y) * x).tangent)
print(torch.func.jvp(lambda x: Square.apply(x).sum(), (torch.tensor([1.0, 2.0]),), (torch.ones(2),)))
w = torch.ones(2, requires_grad=True)
try:
    Damped.apply(w, w).sum().backward()
except NotImplementedError as error:
    print(error)
