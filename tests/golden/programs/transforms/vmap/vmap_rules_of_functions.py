import torch
from torch.func import grad, vmap


class Tripled(torch.autograd.Function):
    """The rule for batches gives another number than forward, and says that it was called."""

    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, upstream):
        return upstream * 7, None

    @staticmethod
    def vmap(info, in_dims, x, factor):
        print(info, in_dims, tuple(x.shape), info.batch_size, info.randomness)
        return x * 100, in_dims[0]


class Products(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y, x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, first, second):
        x, y = ctx.saved_tensors
        return first * y + second, first * x + second

    @staticmethod
    def vmap(info, in_dims, x, y):
        x = x.expand(info.batch_size, *x.shape) if in_dims[0] is None else x.movedim(in_dims[0], 0)
        y = y.expand(info.batch_size, *y.shape) if in_dims[1] is None else y.movedim(in_dims[1], 0)
        first, second = Products.apply(x, y)
        return (first * 10, second), (0, 0)


class Short(Tripled):
    @staticmethod
    def vmap(info, in_dims, x, factor):
        return x


class Long(Tripled):
    @staticmethod
    def vmap(info, in_dims, x, factor):
        return x, 0, 1


x, y = torch.arange(6.0).reshape(2, 3), torch.tensor([1.0, -2.0, 3.0])
print(vmap(lambda row: Tripled.apply(row, 2))(x))
print(vmap(lambda column: Tripled.apply(column, 2), in_dims=1)(x))
print(vmap(grad(lambda row: Tripled.apply(row, 2).sum()))(x))
print(vmap(Products.apply)(x, x * 2))
print(vmap(Products.apply, in_dims=(0, None))(x, y))
print(vmap(lambda row: Products.apply(row, row + 1)[0])(x))
print(vmap(lambda row: Products.apply(row, row)[0] + Products.apply(row, y)[1])(x))
print(vmap(lambda a: vmap(lambda b: Products.apply(a, b))(y))(x[:, 1]))
print(grad(lambda whole: vmap(Products.apply)(whole, whole)[0].sum())(x))
leaf = x.clone().requires_grad_()
vmap(lambda row: Products.apply(row, y)[0].sum())(leaf).sum().backward()
print(leaf.grad)
for wrong in (Short, Long):
    try:
        vmap(lambda row, wrong=wrong: wrong.apply(row, 2))(x)
    except RuntimeError as error:
        print(error)
