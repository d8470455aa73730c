import torch
from torch.autograd import Function, forward_ad
from torch.func import grad, hessian, jacfwd, jvp


class Scaled(Function):
    """Its three rules tell what they are by their factors."""

    @staticmethod
    def forward(x, factor):
        print("forward", factor)
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, upstream):
        print("backward", ctx.factor)
        return upstream * 7, None

    @staticmethod
    def jvp(ctx, tangent, nothing):
        print("jvp", nothing)
        return tangent * 50

    @staticmethod
    def vmap(info, in_dims, x, factor):
        return Scaled.apply(x, factor), in_dims[0]


class Blend(Function):
    @staticmethod
    def forward(a, b):
        return a * b * b, a - b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, first, second):
        a, b = ctx.saved_tensors
        return first * b * b + second, 2 * first * a * b - second

    @staticmethod
    def jvp(ctx, da, db):
        a, b = ctx.saved_tensors
        return 10 * (da * b * b + 2 * a * b * db), 10 * (da - db)


class Reversed(Function):
    """Has no forward rule."""

    @staticmethod
    def forward(x):
        return x.flip(0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, upstream):
        return upstream.flip(0)


def scaled(x):
    return Scaled.apply(x, 3.0)


x, t = torch.tensor([1.0, -2.0, 0.5]), torch.tensor([0.25, 1.0, -1.0])
print(jvp(scaled, (x,), (t,)))
print(jvp(lambda v: scaled(v * v) * 2, (x,), (t,)))
print(jvp(Blend.apply, (x, t), (t, x)))
print(jvp(lambda v: Blend.apply(v, t), (x,), (t,)))
print(jacfwd(scaled)(x))
print(torch.autograd.functional.jacobian(scaled, x, strategy="forward-mode", vectorize=True))
print(grad(lambda v: scaled(v).sum())(x), torch.autograd.functional.jvp(scaled, x, t))
print(hessian(lambda v: (scaled(v) ** 2).sum())(x))
print(jvp(grad(lambda v: (scaled(v) ** 2).sum()), (x,), (t,)))
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, t)
    y = scaled(dual)
    print(forward_ad.unpack_dual(y), forward_ad.unpack_dual(y + dual).tangent)
    print([forward_ad.unpack_dual(part).tangent for part in Blend.apply(t, dual)])
    print(forward_ad.unpack_dual(scaled(x)).tangent)


def refused(call):
    try:
        print(call())
    except (NotImplementedError, RuntimeError) as error:
        print(type(error).__name__, error)


refused(lambda: jvp(Reversed.apply, (x,), (t,)))
refused(lambda: jacfwd(Reversed.apply)(x))
refused(lambda: torch.autograd.functional.jacobian(Reversed.apply, x, strategy="forward-mode", vectorize=True))
refused(lambda: jvp(lambda v: v + Reversed.apply(t), (x,), (t,)))
with forward_ad.dual_level():
    refused(lambda: Reversed.apply(forward_ad.make_dual(x, t)))
