"""Smooth activations: the sigmoid family, gelu, and gates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.fused import fused, is_fused, quick_fused
from gradflow.engine.numerics.libraries.gelu import BEND, SCALE
from gradflow.engine.numerics.scalars import HALF, ONE, ZERO
from gradflow.engine.ops.nn.activation import KINKS, WIDE, V, activation_settings, floating, inner_settings
from gradflow.engine.ops.pointwise.elementwise import in_single, rounded
from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import check_dim

# -- the sigmoid family ------------------------------------------------------------------------------------------------


@op(
    **activation_settings(
        "softplus_backward(g, input, beta, threshold)",
        r"\operatorname{softplus}\left(⟨0⟩\right)",
        "softplus",
        ((V,), (V, 2.0), (V, 3, 2)),
        inplace=False,
        edges=((KINKS,), ([25.0, -25.0, 700.0],)),
    )
)
def softplus(input: Array, beta=1, threshold=20):
    """log(1 + exp(beta * input)) / beta; the input itself where beta * input is above the threshold."""
    floating(input, "softplus_cpu")
    if input.dtype == np.float16:
        return in_single(softplus, input, beta, threshold)
    scalar_type = input.dtype.type
    scaled = input * scalar_type(beta)
    low = np.minimum(scaled, scalar_type(threshold))
    return np.where(scaled > threshold, input, rounded(np.log1p, rounded(np.exp, low)) / scalar_type(beta))


@op(
    **activation_settings(
        "log_sigmoid_backward(g, input)",
        r"\ln \sigma\left(⟨0⟩\right)",
        "ln σ",
        ((V,),),
        inplace=False,
        torch="nn.functional.logsigmoid",
        grad_fn="LogSigmoidBackward0",
    )
)
def logsigmoid(input: Array):
    """log(sigmoid(input)), without overflow."""
    floating(input, "log_sigmoid_cpu")
    if input.dtype == np.float16:
        return in_single(logsigmoid, input)
    return np.minimum(input, ZERO[input.dtype]) - rounded(np.log1p, rounded(np.exp, -np.abs(input)))


def _fused(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, in the precisions of PyTorch's kernels rounded once."""
    return fused(a, b, c) if is_fused(a) else a * b + c


@helper(latex=r"⟨0⟩ \odot \sigma\left(⟨1⟩\right) \odot \left(1+⟨1⟩ \odot \left(1-\sigma\left(⟨1⟩\right)\right)\right)")
def silu_backward(g, input):
    """The gradient of silu, as PyTorch's kernel computes it."""
    gate = REGISTRY["sigmoid"].body(input)
    return g * gate * _fused(input, 1 - gate, 1.0)


@helper()
def silu_pieces(g, input):
    """The gradient of silu, its sigmoid computed once."""
    gate = REGISTRY["sigmoid"].call(input)
    slope = combined("add", combined("mul", input, combined("sub", 1, gate)), 1)
    return combined("mul", combined("mul", g, gate), slope)


@op(
    **activation_settings(
        ("silu_backward(g, input)", "silu_pieces(g, input)"),
        r"⟨0⟩ \odot \sigma\left(⟨0⟩\right)",
        "silu",
        ((V,), (WIDE,)),
        edges=(([0.0, math.nan, 30.0, -30.0],),),
    )
)
def silu(input: Array):
    """input * sigmoid(input), also called swish."""
    floating(input, "silu_cpu", "fc")
    if input.dtype == np.float16:
        return silu(input.astype(np.float32)).astype(np.float16)
    return input / (ONE[input.dtype] + rounded(np.exp, -input))


@helper(
    latex=r"⟨0⟩ \odot \left(t+⟨1⟩ \odot \sigma\left(⟨1⟩\right) \odot \left(1-t \odot t\right)\right),"
    r"\; t = \tanh \operatorname{softplus}\left(⟨1⟩\right)"
)
def mish_backward(g, input):
    """The gradient of mish, as PyTorch's kernel computes it."""
    gate = REGISTRY["sigmoid"].body(input)
    curve = rounded(np.tanh, rounded(np.log1p, rounded(np.exp, input)))
    return g * _fused(input * gate, _fused(-curve, curve, 1.0), curve)


@helper()
def mish_pieces(g, input):
    """The gradient of mish, its softplus composed of the logarithm and the exponential function."""
    gate = REGISTRY["sigmoid"].call(input)
    curve = REGISTRY["tanh"].call(REGISTRY["log1p"].call(REGISTRY["exp"].call(input)))
    steep = combined("sub", 1, combined("mul", curve, curve))
    return combined("mul", g, combined("add", curve, combined("mul", combined("mul", input, gate), steep)))


@op(
    **activation_settings(
        ("mish_backward(g, input)", "mish_pieces(g, input)"),
        r"⟨0⟩ \odot \tanh \operatorname{softplus}\left(⟨0⟩\right)",
        "mish",
        ((V,), (WIDE,)),
        edges=(([0.0, math.nan, 30.0, -30.0],),),
    )
)
def mish(input: Array):
    """input * tanh(softplus(input))."""
    floating(input, "mish_cpu")
    if input.dtype == np.float16:
        return in_single(mish, input)
    return input * rounded(np.tanh, rounded(np.log1p, rounded(np.exp, input)))


# -- gelu --------------------------------------------------------------------------------------------------------------

_erf = np.frompyfunc(math.erf, 1, 1)


def error_function(input: np.ndarray, scale: float) -> np.ndarray:
    """The error function of scale * input, rounded once."""
    return np.asarray(_erf(np.multiply(input, scale, dtype=np.float64)), input.dtype)


@op(**inner_settings("g * normal_density(input)", r"\Phi\left(⟨0⟩\right)", ((V,),)))
def normal_cdf(input: Array):
    """The standard normal distribution function."""
    return (0.5 * (1 + error_function(input.astype(np.float64), math.sqrt(0.5)))).astype(input.dtype)


@op(**inner_settings("-g * (input * out)", r"\varphi\left(⟨0⟩\right)", ((V,),)))
def normal_density(input: Array):
    """The standard normal density."""
    exact = input.astype(np.float64)
    return (np.exp(-0.5 * exact * exact) / math.sqrt(2 * math.pi)).astype(input.dtype)


@op(
    **activation_settings(
        "gelu_exact_backward(g, input)",
        r"⟨0⟩ \odot \Phi\left(⟨0⟩\right)",
        "gelu",
        ((V,), (WIDE,)),
        edges=(([0.0, math.nan, 30.0, -30.0],),),
        grad_fn="GeluBackward0",
        torch="nn.functional.gelu",
        inplace=False,
    )
)
def gelu_exact(input: Array):
    """input times the standard normal distribution function of it."""
    floating(input, "GeluKernelImpl")
    if input.dtype == np.float16:
        return in_single(gelu_exact, input)
    return input * HALF[input.dtype] * (ONE[input.dtype] + error_function(input, math.sqrt(0.5)))


@op(
    **inner_settings(
        "g * (1 - out * out) * (0.7978845608028654 * (1 + 0.134145 * (input * input)))",
        r"\tanh\left(\sqrt{2/\pi}\left(⟨0⟩+0.044715\,⟨0⟩^3\right)\right)",
        ((V,),),
    )
)
def gelu_curve(input: Array):
    """tanh(sqrt(2 / pi) * (input + 0.044715 * input ** 3))."""
    scalar_type, cube = input.dtype.type, input * input * input
    return rounded(np.tanh, scalar_type(SCALE) * quick_fused(cube, scalar_type(BEND), input))


def _with_tanh(function: Any, input: Any) -> Any:
    return function(input, approximate="tanh")


@op(
    **activation_settings(
        "gelu_tanh_backward(g, input)",
        r"\tfrac12 ⟨0⟩ \odot \left(1+\tanh\left(\sqrt{2/\pi}\left(⟨0⟩+0.044715\,⟨0⟩^3\right)\right)\right)",
        "gelu",
        ((V,), (WIDE,)),
        edges=(([0.0, math.nan, 30.0, -30.0],),),
        grad_fn="GeluBackward0",
        inplace=False,
        torch="nn.functional.gelu",
        adapt=_with_tanh,
    )
)
def gelu_tanh(input: Array):
    """The approximation of gelu by a hyperbolic tangent (Hendrycks and Gimpel 2016)."""
    floating(input, "GeluKernelImpl")
    if input.dtype == np.float16:
        return in_single(gelu_tanh, input)
    return HALF[input.dtype] * input * (ONE[input.dtype] + gelu_curve(input))


# -- gates -------------------------------------------------------------------------------------------------------------


def _halves(input: Any, dim: int) -> tuple[Any, Any]:
    axis = dim % input.ndim
    half = input.shape[axis] // 2
    before = (slice(None),) * axis
    return input[(*before, slice(None, half))], input[(*before, slice(half, None))]


def _recorded_glu(g: Any, input: Any, dim: int) -> Any:
    return REGISTRY["glu_backward"].call(g, input, dim)


@helper(latex=r"\left[⟨0⟩ \odot \sigma(b),\; ⟨0⟩ \odot a \odot \sigma'(b)\right]", tensors=_recorded_glu)
def glu_rule(g, input, dim):
    """The gradient for the halves a and b of the input of a * sigmoid(b)."""
    value, gate = _halves(input, dim)
    open_ = REGISTRY["sigmoid"].body(gate)
    return np.concatenate([open_ * g, (1 - open_) * open_ * value * g], dim)


@op(
    gradients={"input": "glu_rule(g, input, dim)"},
    latex=r"a \odot \sigma\left(b\right),\; \left[a, b\right] = ⟨0⟩",
    symbol="glu",
    functions=(),
    methods=(),
    torch="nn.functional.glu",
    samples=(([[0.5, -1.25, 2.0, 1.0]],), (V, 0), ([[0.5, -1.25], [1.5, 0.75]], -1)),
    errors=((V, "Halving dimension must be even, but dimension 1 is size 3"),),
)
def glu(input: Array, dim=-1):
    """The first half along a dimension times the sigmoid of the second half."""
    if not input.ndim:
        raise errors.GLU_SCALAR()
    axis = check_dim(dim, input.ndim)
    if input.shape[axis] % 2:
        raise errors.GLU_ODD(dim=axis, size=input.shape[axis])
    value, gate = _halves(floating(input, "glu_cpu"), axis)
    return value * REGISTRY["sigmoid"].body(gate)
