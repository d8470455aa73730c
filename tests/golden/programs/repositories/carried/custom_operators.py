import torch


@torch.library.custom_op("mylib::f", mutates_args=())
def f(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


@f.register_fake
def _(x):
    return torch.empty_like(x)


def setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def bw(ctx, g):
    (x,) = ctx.saved_tensors
    return g * x.cos()


f.register_autograd(bw, setup_context=setup)
x = torch.ones(2, requires_grad=True)
y = f(x)
y.sum().backward()
print(y, x.grad)
print(torch.ops.mylib.f(torch.zeros(1)))


@torch.library.custom_op("mylib::no_formula", mutates_args=())
def no_formula(x: torch.Tensor) -> torch.Tensor:
    return x * 2


try:
    no_formula(x).sum().backward()
except RuntimeError as error:
    print(error)
