"""Activations: relu and its relatives, the sigmoid family, gates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.pointwise.elementwise import in_single
from gradflow.engine.registry import Array, Gradient, Operand, op
from gradflow.engine.tensor import dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
WIDE = [[-4.5, -2.5, -0.75], [0.25, 2.25, 4.75]]
KINKS = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, math.nan, math.inf, -math.inf]

RRELU_LOWER, RRELU_UPPER = 1 / 8, 1 / 3


def floating(input: np.ndarray, kernel: str, kinds: str = "f") -> np.ndarray:
    """The input itself. Raises NotImplementedError in PyTorch's words for what is not of these kinds of numbers."""
    if input.dtype.kind.replace("V", "f") not in kinds:
        raise errors.NOT_IMPLEMENTED_DTYPE(name=kernel, dtype=dtypes.of(input).legacy)
    return input


def activation_settings(gradient: Gradient, latex: str, symbol: str, samples: Any, **more: Any) -> dict[str, Any]:
    """The declaration of an elementwise function that belongs to ``torch.nn.functional``."""
    return {
        "gradients": {"input": gradient},
        "latex": latex,
        "symbol": symbol,
        "elementwise": True,
        "functions": (),
        "methods": (),
        "samples": samples,
        "edges": ((KINKS,),),
        "torch": f"nn.functional.{symbol}",
        **more,
    }


def inner_settings(gradient: str, latex: str, samples: Any) -> dict[str, Any]:
    """The declaration of a function that only formulas call."""
    return {
        "gradients": {"input": gradient},
        "latex": latex,
        "elementwise": True,
        "inplace": False,
        "functions": (),
        "methods": (),
        "samples": samples,
        "torch": None,
    }


def _ordered(input: np.ndarray) -> np.ndarray:
    """The input itself. Raises in PyTorch's words for booleans and for complex numbers."""
    if input.dtype.kind in "bc":
        raise errors.NO_ORDER() if input.dtype.kind == "c" else errors.BOOLEANS(kind="Bool", name="hardtanh")
    return input


@op(
    **activation_settings(
        "hardtanh_backward(g, input, min_val, max_val)",
        r"\operatorname{hardtanh}\left(⟨0⟩\right)",
        "hardtanh",
        ((V,), (V, -0.6, 1.0), (WIDE, 0.0, 3.0)),
        errors=((V, 2.0, 1.0, "min_val cannot be greater than max_val"),),
    )
)
def hardtanh(input: Array, min_val=-1.0, max_val=1.0):
    """The element, kept between ``min_val`` and ``max_val``, with no gradient there."""
    if min_val > max_val:
        raise errors.HARDTANH_BOUNDS()
    return np.clip(_ordered(input), input.dtype.type(min_val), input.dtype.type(max_val))


@op(
    **activation_settings(
        "hardtanh_backward(g, input, 0.0, 6.0)",
        r"\min\left(\max\left(⟨0⟩, 0\right), 6\right)",
        "relu6",
        ((V,), (WIDE,)),
        grad_fn="HardtanhBackward0",
    )
)
def relu6(input: Array):
    """The element between 0 and 6; no gradient on the bounds."""
    return np.clip(_ordered(input), ZERO[input.dtype], input.dtype.type(6))


@op(
    **activation_settings(
        "leaky_relu_backward(g, input, negative_slope)",
        r"\operatorname{leaky}\left(⟨0⟩\right)",
        "leaky",
        ((V,), (V, 0.2)),
        inplace=False,
        torch="nn.functional.leaky_relu",
    )
)
def leaky_relu(input: Array, negative_slope=0.01):
    """The element where it is positive, else a small multiple of it."""
    floating(input, "leaky_relu_cpu")
    if input.dtype == np.float16:
        return in_single(leaky_relu, input, negative_slope)
    return np.where(input > 0, input, input * input.dtype.type(negative_slope))


@op(
    **activation_settings(
        "leaky_relu_backward(g, out, negative_slope)",
        r"\operatorname{leaky}\left(⟨0⟩\right)",
        "leaky",
        ((V,), (V, 0.2)),
        grad_fn="LeakyReluBackward1",
        torch="nn.functional.leaky_relu_",
    )
)
def leaky_relu_inplace(input: Array, negative_slope=0.01):
    """`leaky_relu` in place, which remembers its result."""
    return leaky_relu(input, negative_slope)


def _prelu(function: Any, input: Any, weight: Any) -> Any:
    return function(input, weight.reshape(-1))


@op(
    refuses={"bilc": "prelu_cpu"},
    gradients={
        "input": ("prelu_input(g, input, weight)", "prelu_backward(g, input, weight)[0]"),
        "weight": ("prelu_weight(g, input, weight)", "prelu_backward(g, input, weight)[1]"),
    },
    latex=r"\operatorname{prelu}\left(⟨0⟩\right)",
    symbol="prelu",
    elementwise=True,
    inplace=False,
    functions=(),
    methods=(),
    grad_fn="PreluKernelBackward0",
    torch="prelu",
    adapt=_prelu,
    samples=((V, [[0.25]]), (V, [[0.25, -0.5, 0.1]])),
)
def prelu_kernel(input: Array, weight: Array):
    """The element where it is positive, else a learned multiple of it."""
    return np.where(input > 0, input, weight * input)


@op(
    **activation_settings(
        "rrelu_backward(g, input, noise)",
        r"\operatorname{rrelu}\left(⟨0⟩\right)",
        "rrelu",
        ((V, [[0.25, 0.5, 0.1], [0.2, 0.3, 0.125]]), (V, 0.2)),
        grad_fn="RreluWithNoiseBackward0",
        torch=None,
        edges=(),
    )
)
def rrelu(input: Array, noise: Operand):
    """The element where it is positive, else a multiple of it: one slope for all, or one for each element."""
    floating(input, "leaky_relu_cpu")
    return np.where(input > 0, input, input * np.asarray(noise, input.dtype))


@op(
    **activation_settings(
        "above_backward(g, input, threshold)",
        r"\operatorname{threshold}\left(⟨0⟩\right)",
        "threshold",
        ((V, 0.6, 20.0), (V, -1.0, 2)),
        edges=((KINKS, 0.5, 0.25),),
        functions=("threshold",),
        inplace=False,
    )
)
def threshold(input: Array, threshold, value):
    """The element where it lies above the threshold, else ``value``."""
    floating(input, "threshold_cpu", "fiu")
    return np.where(input <= checked_cast(threshold, input.dtype), checked_cast(value, input.dtype), input)


@op(
    **activation_settings(
        "above_backward(g, input, threshold)",
        r"\operatorname{threshold}\left(⟨0⟩\right)",
        "threshold",
        ((V, 0.6, 20.0),),
        edges=((KINKS, 0.5, 0.25),),
        grad_fn="ThresholdBackward1",
        torch="nn.functional.threshold_",
    )
)
def threshold_inplace(input: Array, threshold, value):
    """`threshold` in place."""
    floating(input, "threshold_cpu", "fiu")
    return np.where(input <= checked_cast(threshold, input.dtype), checked_cast(value, input.dtype), input)


@op(
    **activation_settings(
        "hardshrink_backward(g, input, lambd)",
        r"\operatorname{hardshrink}\left(⟨0⟩\right)",
        "shrink",
        ((V, 0.4), (V, 0.7)),
        inplace=False,
        functions=("hardshrink",),
        methods=("hardshrink",),
        torch="nn.functional.hardshrink",
    )
)
def hardshrink(input: Array, lambd=0.5):
    """The element where its absolute value is above ``lambd``, else 0."""
    floating(input, "hardshrink_cpu")
    return np.where((input >= -lambd) & (input <= lambd), ZERO[input.dtype], input)


@op(
    **activation_settings(
        "softshrink_backward(g, input, lambd)",
        r"\operatorname{softshrink}\left(⟨0⟩\right)",
        "shrink",
        ((V, 0.4), (V, 0.7)),
        inplace=False,
        torch="nn.functional.softshrink",
    )
)
def softshrink(input: Array, lambd=0.5):
    """The element brought nearer to 0 by ``lambd``, 0 where it was nearer than that."""
    floating(input, "softshrink_check")
    if not 0 <= lambd <= np.finfo(input.dtype).max:
        top = format(float(np.finfo(input.dtype).max), "g")
        raise errors.SOFTSHRINK_LAMBDA(top=top, dtype=dtypes.of(input).legacy, found=format(lambd, "g"))
    shift = input.dtype.type(lambd)
    inside = input * ZERO[input.dtype]  # which keeps the sign, and NaN
    return np.where(input > shift, input - shift, np.where(input < -shift, input + shift, inside))


@op(
    **activation_settings(
        "hardsigmoid_slope(g, input)",
        r"\operatorname{hardsigmoid}\left(⟨0⟩\right)",
        "hardsigmoid",
        ((V,), (WIDE,)),
    )
)
def hardsigmoid(input: Array):
    """(input + 3) / 6, kept between 0 and 1."""
    floating(input, "hardsigmoid_cpu")
    if input.dtype == np.float16:
        return in_single(hardsigmoid, input)
    scalar_type = input.dtype.type
    return np.minimum(np.maximum(input + scalar_type(3), scalar_type(0)), scalar_type(6)) / scalar_type(6)


@op(
    **activation_settings(
        "hardswish_backward(g, input)",
        r"\operatorname{hardswish}\left(⟨0⟩\right)",
        "hardswish",
        ((V,), (WIDE,)),
    )
)
def hardswish(input: Array):
    """input * (input + 3) / 6 between -3 and 3, 0 below, the input itself above."""
    floating(input, "hardswish_cpu")
    if input.dtype == np.float16:
        return in_single(hardswish, input)
    scalar_type = input.dtype.type
    return input * np.minimum(np.maximum(input + scalar_type(3), scalar_type(0)), scalar_type(6)) / scalar_type(6)
