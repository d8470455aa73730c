"""The gradients of activations, as functions of their own: what PyTorch names ``...BackwardBackward0``.

Each takes the upstream gradient first, then what the activation has saved. With ``create_graph`` it is recorded as one
function, whose gradients give the second derivative.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.fused import fused, quick_fused
from gradflow.engine.numerics.libraries.gelu import BEND, SCALE, gelu_slope
from gradflow.engine.numerics.scalars import HALF, ONE, ZERO
from gradflow.engine.ops.nn.composed_backward import without_second
from gradflow.engine.ops.pointwise.elementwise import Z, in_single, rounded
from gradflow.engine.registry import REGISTRY, Array, Gradient, Operand, helper, op
from gradflow.engine.tensor import Tensor

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
UNIT = [[0.5, 0.25, 0.9], [0.75, 0.1, 0.3]]
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_ZERO: Final = "zeros_like_array(g)"


def rule(name: str, latex: str, samples: Any, **gradients: Gradient) -> dict[str, Any]:
    """The declaration of a function that only formulas call. ``name``: of the function whose gradient it is."""
    return {
        "gradients": gradients,
        "grad_fn": f"{name}BackwardBackward0",
        "latex": latex,
        "inplace": False,
        "functions": (),
        "methods": (),
        "samples": samples,
        "torch": None,
    }


def _gate(name: str, where: str, own: str, samples: Any) -> dict[str, Any]:
    """That of a function of straight pieces: the gradient is let through, scaled or not."""
    return rule(name, rf"⟨0⟩ \odot [{where}]", samples, input=own, saved=_ZERO)


# -- the sigmoid family ------------------------------------------------------------------------------------------------


@op(
    **rule(
        "Sigmoid",
        r"⟨0⟩ \odot (1-⟨1⟩) \odot ⟨1⟩",
        ((V, UNIT), (Z, Z)),
        input="sigmoid_backward(g, conj(saved))",
        saved=("conj(g) * input * (1 - 2 * conj(saved))", "conj(g) * input * (-2 * conj(saved) + 1)"),
    )
)
def sigmoid_backward(input: Array, saved: Array):
    """The gradient through a sigmoid with this result."""
    if saved.dtype.kind == "c":
        return input * ((ONE[saved.dtype] - saved) * saved).conj()
    return input * (ONE[saved.dtype] - saved) * saved


@op(
    **rule(
        "Tanh",
        r"⟨0⟩ \odot (1-⟨1⟩ \odot ⟨1⟩)",
        ((V, UNIT), (Z, Z)),
        input="tanh_backward(g, conj(saved))",
        saved="conj(g) * (-2 * conj(saved) * input)",
    )
)
def tanh_backward(input: Array, saved: Array):
    """The gradient through a hyperbolic tangent with this result."""
    if saved.dtype is _SINGLE:  # PyTorch rounds the product and the difference once: near 1 they cancel
        wide = saved.astype(_DOUBLE)
        slope = (ONE[_DOUBLE] - wide * wide).astype(_SINGLE)
    elif saved.dtype is _DOUBLE:
        slope = fused(-saved, saved, ONE[_DOUBLE])
    else:
        slope = ONE[saved.dtype] - saved * saved
    return input * (slope.conj() if slope.dtype.kind == "c" else slope)


@op(
    **rule(
        "LogSigmoid",
        r"⟨0⟩ \odot \sigma(-⟨1⟩)",
        ((V, W),),
        input="log_sigmoid_backward(g, saved)",
        saved=("-(g * input * sigmoid(saved) * sigmoid(-saved))", "log_sigmoid_twice(g, input, saved)"),
    )
)
def log_sigmoid_backward(input: Array, saved: Array):
    """The gradient through log(sigmoid(saved))."""
    if input.dtype == np.float16:
        return in_single(log_sigmoid_backward, input, saved)
    one = ONE[saved.dtype]
    tail = rounded(np.exp, -np.abs(saved))
    tail = tail / (one + tail)
    return input * np.where(saved < 0, one - tail, tail)


@op(
    **rule(
        "Softplus",
        r"⟨0⟩ \odot \sigma(⟨1⟩)",
        ((V, W, 1, 20), (V, W, 2.0, 3.5)),
        input="softplus_backward(g, saved, beta, threshold)",
        saved=(
            "where(saved * beta > threshold, 0.0, g * input * beta * sigmoid(saved * beta) * sigmoid(-(saved * beta)))",
            "softplus_twice(g, input, saved, beta, threshold)",
        ),
    )
)
def softplus_backward(input: Array, saved: Array, beta, threshold):
    """The gradient through softplus(saved)."""
    if input.dtype == np.float16:
        return in_single(softplus_backward, input, saved, beta, threshold)
    scaled = saved * saved.dtype.type(beta)
    grown = rounded(np.exp, np.minimum(scaled, saved.dtype.type(threshold)))
    return np.where(scaled > threshold, input, input * grown / (grown + ONE[saved.dtype]))


@op(
    **rule(
        "Gelu",
        r"⟨0⟩ \odot \operatorname{gelu}'\left(⟨1⟩\right)",
        ((V, W),),
        input="gelu_exact_backward(g, saved)",
        saved=("g * input * (normal_density(saved) * (2 - saved * saved))", "gelu_twice(g, input, saved)"),
    )
)
def gelu_exact_backward(input: Array, saved: Array):
    """The gradient through the exact gelu(saved)."""
    if saved.dtype == np.float16:
        return in_single(gelu_exact_backward, input, saved)
    if saved.dtype is _SINGLE and saved.size > 1:
        return input * gelu_slope(saved)
    return input * quick_fused(saved, REGISTRY["normal_density"].body(saved), REGISTRY["normal_cdf"].body(saved))


@op(
    **rule(
        "Gelu",
        r"⟨0⟩ \odot \operatorname{gelu}'\left(⟨1⟩\right)",
        ((V, W),),
        input="gelu_tanh_backward(g, saved)",
        saved="g * input * gelu_tanh_curvature(saved)",
    )
)
def gelu_tanh_backward(input: Array, saved: Array):
    """The gradient through gelu(saved) as approximated by a hyperbolic tangent."""
    if input.dtype == np.float16:
        return in_single(gelu_tanh_backward, input, saved)
    one, half, scalar_type = ONE[saved.dtype], HALF[saved.dtype], saved.dtype.type
    curve = REGISTRY["gelu_curve"].body(saved)
    steep = quick_fused(-curve, curve, one)
    inner = scalar_type(SCALE) * quick_fused(saved * saved, scalar_type(3) * scalar_type(BEND), one)
    return input * (half * (one + curve) + half * saved * steep * inner)


def _curvature(x: Any) -> Any:
    """The second derivative, for arrays and for Tensors."""
    curve = REGISTRY["gelu_curve"].call(x) if isinstance(x, Tensor) else REGISTRY["gelu_curve"].body(x)
    bend, inner = 1 - curve * curve, (x * x * 0.134145 + 1) * SCALE
    return bend * inner + x * 0.5 * bend * ((x * 0.26829) * SCALE - curve * inner * inner * 2)


@helper(latex=r"\operatorname{gelu}''\left(⟨0⟩\right)")
def gelu_tanh_curvature(saved):
    """The second derivative of gelu as approximated by a hyperbolic tangent."""
    return _curvature(saved)


# -- straight pieces ---------------------------------------------------------------------------------------------------


@op(
    **_gate(
        "LeakyRelu", "⟨1⟩ > 0 ? 1 : ⟨2⟩", "leaky_relu_backward(g, saved, negative_slope)", ((V, W, 0.01), (V, W, 0.5))
    )
)
def leaky_relu_backward(input: Array, saved: Array, negative_slope):
    """The gradient where the input, or the result, was positive, else a multiple of it."""
    if input.dtype == np.float16:
        return in_single(leaky_relu_backward, input, saved, negative_slope)
    return np.where(saved > 0, input, input * input.dtype.type(negative_slope))


@op(**_gate("RreluWithNoise", "⟨1⟩ > 0 ? 1 : ⟨2⟩", "rrelu_backward(g, saved, noise)", ((V, W, UNIT),)))
def rrelu_backward(input: Array, saved: Array, noise: Operand):
    """The gradient where the input was positive, else a multiple of it."""
    return np.where(saved > 0, input, input * np.asarray(noise, input.dtype))


@op(
    **_gate(
        "Hardtanh", r"⟨2⟩ < ⟨1⟩ < ⟨3⟩", "hardtanh_backward(g, saved, low, high)", ((V, W, -1.0, 1.0), (V, W, 0.0, 2.0))
    )
)
def hardtanh_backward(input: Array, saved: Array, low, high):
    """The gradient strictly between two bounds, else 0."""
    return np.where((saved <= low) | (saved >= high), ZERO[input.dtype], input)


@op(**_gate("Threshold", r"⟨1⟩ > ⟨2⟩", "above_backward(g, saved, threshold)", ((V, W, 0.5),)))
def above_backward(input: Array, saved: Array, threshold):
    """The gradient above a threshold, else 0."""
    return np.where(saved <= threshold, ZERO[input.dtype], input)


def _outside(input: np.ndarray, saved: np.ndarray, lambd: float) -> np.ndarray:
    return np.where((saved >= -lambd) & (saved <= lambd), ZERO[input.dtype], input)


@op(**_gate("Hardshrink", r"|⟨1⟩| > ⟨2⟩", "hardshrink_backward(g, saved, lambd)", ((V, W, 0.6),)))
def hardshrink_backward(input: Array, saved: Array, lambd):
    """The gradient where the input was farther from 0 than ``lambd``, else 0."""
    return _outside(input, saved, lambd)


@op(**_gate("Softshrink", r"|⟨1⟩| > ⟨2⟩", "softshrink_backward(g, saved, lambd)", ((V, W, 0.6),)))
def softshrink_backward(input: Array, saved: Array, lambd):
    """The gradient where the input was farther from 0 than ``lambd``, else 0."""
    return _outside(input, saved, lambd)


@op(
    **rule(
        "PreluKernel",
        r"⟨0⟩ \odot [⟨1⟩ > 0 \;?\; 1 : ⟨2⟩]",
        ((V, W, UNIT), (V, W, [[0.25]])),
        input="prelu_input(g, saved, weight)",
        saved=_ZERO,
        weight="where(saved > 0, 0.0, input * g)",
    )
)
def prelu_input(input: Array, saved: Array, weight: Array):
    """The gradient of prelu for its input."""
    return np.where(saved > 0, input, weight * input)


@op(
    **rule(
        "PreluKernel",
        r"⟨0⟩ \odot ⟨1⟩ \odot [⟨1⟩ \le 0]",
        ((V, W, UNIT),),
        input="prelu_weight(g, saved, weight)",
        saved="where(saved > 0, 0.0, input * g)",
        weight=_ZERO,
    )
)
def prelu_weight(input: Array, saved: Array, weight: Array):
    """The gradient of prelu for its weight, before the sum over what the weight was broadcast to."""
    return np.where(saved > 0, ZERO[input.dtype], saved * input)


def _only_once(g: Tensor, saved: Tensor) -> Tensor:
    return without_second(hardsigmoid_slope(g._a, saved._a), "hardsigmoid_backward", g, saved)


@helper(latex=r"⟨0⟩ \odot \tfrac16 [|⟨1⟩| < 3]", tensors=_only_once)
def hardsigmoid_slope(g, saved):
    """The gradient through hardsigmoid(saved), a sixth in single precision in every dtype; PyTorch has no second one."""
    return np.where(np.abs(saved) < 3, g * g.dtype.type(np.float32(1 / 6)), ZERO[g.dtype])


@op(
    **rule(
        "Hardswish",
        r"⟨0⟩ \odot \operatorname{hardswish}'\left(⟨1⟩\right)",
        ((W, V), (V, [[-4.0, 3.5, 1.0]])),
        input="hardswish_backward(g, saved)",
        saved="where(abs(saved) < 3, g * input / 3, 0.0)",
    )
)
def hardswish_backward(input: Array, saved: Array):
    """The gradient through hardswish(saved)."""
    if input.dtype == np.float16:
        return in_single(hardswish_backward, input, saved)
    scalar_type = input.dtype.type
    return np.where(
        saved <= -3, scalar_type(0), np.where(saved < 3, input * (saved / scalar_type(3) + scalar_type(0.5)), input)
    )


# -- exponential units -------------------------------------------------------------------------------------------------


@op(
    **rule(
        "Elu",
        r"⟨0⟩ \odot \operatorname{elu}'\left(⟨1⟩\right)",
        ((V, W, 0.5, 1.0, 1.0, False), (V, W, 1.5, 2.0, 0.5, True)),
        input="elu_backward(g, saved, alpha, scale, input_scale, is_result)",
        saved=(
            "elu_curvature(g * input, saved, alpha, scale, input_scale, is_result)",
            "elu_twice(g, input, saved, alpha, scale, input_scale, is_result)",
        ),
    )
)
def elu_backward(input: Array, saved: Array, alpha, scale, input_scale, is_result):
    """The gradient through a scaled elu, from its input or from its result."""
    if input.dtype == np.float16:
        return in_single(elu_backward, input, saved, alpha, scale, input_scale, is_result)
    scalar_type = input.dtype.type
    low = np.minimum(saved, scalar_type(0))
    inner, outer = input * scalar_type(input_scale), scalar_type(alpha * scale)
    curve = inner * (low + outer) if is_result else inner * outer * rounded(np.exp, low * scalar_type(input_scale))
    return np.where(saved <= 0, curve, input * scalar_type(scale))


@op(
    **rule(
        "Elu",
        r"⟨0⟩ \odot \operatorname{elu}''\left(⟨1⟩\right)",
        ((V, W, 0.5, 1.0, 1.0, False), (V, W, 1.5, 2.0, 0.5, True)),
        input="elu_curvature(g, saved, alpha, scale, input_scale, is_result)",
        saved="elu_curvature(g * input * elu_rate(input_scale, is_result), saved, alpha, scale, input_scale, is_result)",
    )
)
def elu_curvature(input: Array, saved: Array, alpha, scale, input_scale, is_result):
    """The second derivative of a scaled elu, times the input."""
    scalar_type = input.dtype.type
    if is_result:
        return np.where(saved < 0, input * scalar_type(input_scale), scalar_type(0))
    curve = rounded(np.exp, np.minimum(saved, scalar_type(0)) * scalar_type(input_scale))
    return np.where(saved < 0, input * curve * scalar_type(alpha * scale * input_scale * input_scale), scalar_type(0))


@helper()
def elu_rate(input_scale, is_result):
    """By what the second derivative grows: it is constant in the result."""
    return 0.0 if is_result else input_scale
