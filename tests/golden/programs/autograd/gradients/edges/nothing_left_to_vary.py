"""Spread of one element or none, extremes among NaN and signed zeros, norms of nothing: values and gradients."""

import torch
import torch.nn.functional as F

nan, inf = float("nan"), float("inf")


def shown(text, function, *values):
    tensors = [torch.tensor(v, requires_grad=True) for v in values]
    try:
        result = function(*tensors)
        result = result[0] if isinstance(result, tuple) else result
        weights = torch.arange(1.0, result.numel() + 1).reshape(result.shape)
        gradients = torch.autograd.grad(result, tensors, weights, create_graph=True, allow_unused=True)
        print(text, result, [(g, g.requires_grad) for g in gradients])
    except Exception as error:
        print(text, f"{type(error).__name__}: {error}")


for correction in (0, 1, 2, 3):
    for name in ("var", "std"):
        for value in ([2.0], [1.0, 2.0], 1.5, [2.0, 2.0], [1.0, inf, 2.0]):
            shown(f"{name} {correction} {value}", lambda x: getattr(torch, name)(x, correction=correction), value)
            shown(
                f"{name} {correction} {value} dim", lambda x: getattr(torch, name)(x, 0, correction=correction), value
            )
for name in ("maximum", "minimum", "fmax", "fmin"):
    shown(name, getattr(torch, name), [nan, 1.0, nan, inf, 2.0, -0.0], [1.0, nan, nan, inf, 2.0, 0.0])
zeros = [0.0, -0.0, nan, -1.0, 1.0]
for function in (
    torch.relu,
    F.relu6,
    lambda x: x.clamp(min=0),
    lambda x: x.clamp(max=0),
    lambda x: x.clamp(0, 1),
    F.softshrink,
):
    shown("zeros", function, zeros)
for order in (2, 1, 0, 3, inf, -inf, -1):
    for dim in (None, 0, -1):
        shown(f"norm {order} {dim}", lambda x: torch.linalg.vector_norm(x, order, dim), [[], []])
shown("max_pool", lambda x: F.max_pool1d(x, 3), [[1.0, nan, nan, 2.0, 3.0, 3.0]])
shown("trapezoid", torch.trapezoid, [])
shown("trapezoid", torch.trapezoid, 1.0)
shown("prod", lambda x: x.prod(0), [[0.0, 2.0]])
shown("cumprod", lambda x: x.cumprod(1), [[0.0], [2.0]])
shown("logcumsumexp", lambda x: x.logcumsumexp(0), 2.0)
shown("xlogy", lambda x: torch.xlogy(x, 2), [0.0, 1.0])
shown("xlogy", lambda x: torch.xlogy(2, x), [0.5, 1.0])
shown("remainder", torch.remainder, [5.0, -5.0], [3.0, -3.0])
shown("fmod", torch.fmod, [5.0, -5.0], [3.0, -3.0])
shown("frexp", torch.frexp, [5.0, -0.75])
