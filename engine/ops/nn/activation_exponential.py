"""Activations that are linear above 0 and exponential below: ELU, SELU and CELU."""

from __future__ import annotations

from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.nn.activation import V, activation_settings, floating, inner_settings
from gradflow.engine.ops.pointwise.elementwise import in_single, rounded
from gradflow.engine.registry import Array, helper, op

SELU_ALPHA: Final = 1.6732632423543772848170429916717


SELU_SCALE: Final = 1.0507009873554804934193349852946


@op(**inner_settings("where(input < 0, g, 0.0)", r"\min\left(⟨0⟩, 0\right)", ((V,),)))
def negative_part(input: Array):
    """The element where it is negative, else 0: the argument of an exponential that cannot overflow."""
    return np.where(input < 0, input, ZERO[input.dtype])


def _elu(input: np.ndarray, alpha: float, scale: float, input_scale: float) -> np.ndarray:
    floating(input, "elu_cpu")
    if input.dtype == np.float16:
        return in_single(_elu, input, alpha, scale, input_scale)
    scalar_type = input.dtype.type
    curve = rounded(np.expm1, negative_part(input) * scalar_type(input_scale)) * scalar_type(alpha * scale)
    return np.where(input < 0, curve, input * scalar_type(scale))


@op(
    **activation_settings(
        "elu_backward(g, input, alpha, 1.0, 1.0, False)",
        r"\operatorname{elu}\left(⟨0⟩\right)",
        "elu",
        ((V,), (V, 0.5), (V, 2.0)),
        inplace=False,
    )
)
def elu(input: Array, alpha=1.0):
    """The element where it is positive, else alpha * (exp(input) - 1)."""
    return _elu(input, alpha, 1.0, 1.0)


@op(
    **activation_settings(
        "elu_backward(g, out, alpha, 1.0, 1.0, True)",
        r"\operatorname{elu}\left(⟨0⟩\right)",
        "elu",
        ((V,), (V, 0.5)),
        grad_fn="EluBackward1",
        torch="nn.functional.elu_",
    )
)
def elu_inplace(input: Array, alpha=1.0):
    """`elu` in place, which remembers its result."""
    return _elu(input, alpha, 1.0, 1.0)


@op(
    **activation_settings(
        f"elu_backward(g, input, {SELU_ALPHA}, {SELU_SCALE}, 1.0, False)",
        r"\operatorname{selu}\left(⟨0⟩\right)",
        "selu",
        ((V,),),
        inplace=False,
        grad_fn="EluBackward0",
        functions=("selu",),
    )
)
def selu(input: Array):
    """A scaled elu that keeps mean 0 and variance 1 (Klambauer et al. 2017)."""
    return _elu(input, SELU_ALPHA, SELU_SCALE, 1.0)


@op(
    **activation_settings(
        f"elu_backward(g, out, {SELU_ALPHA}, {SELU_SCALE}, 1.0, True)",
        r"\operatorname{selu}\left(⟨0⟩\right)",
        "selu",
        ((V,),),
        grad_fn="EluBackward1",
        torch="nn.functional.selu_",
    )
)
def selu_inplace(input: Array):
    """`selu` in place, which remembers its result."""
    return selu(input)


@helper(latex=r"1 / ⟨0⟩")
def inverse_in_single(alpha):
    """1 / alpha, which PyTorch's gradient of celu takes of the number in single precision, also for float64."""
    return 1.0 / float(np.float32(alpha))


_CELU_ZERO: Final = "ZeroDivisionError: alpha cannot be 0 for CELU"


@op(
    **activation_settings(
        "elu_backward(g, input, alpha, 1.0, inverse_in_single(alpha), False)",
        r"\operatorname{celu}\left(⟨0⟩\right)",
        "celu",
        ((V,), (V, 0.5), (V, 2.0)),
        inplace=False,
        functions=("celu",),
        errors=((V, 0.0, _CELU_ZERO),),
    )
)
def celu(input: Array, alpha=1.0):
    """The element where it is positive, else alpha * (exp(input / alpha) - 1)."""
    floating(input, "elu_cpu")
    if alpha == 0:
        raise errors.CELU_ALPHA()
    return _elu(input, alpha, 1.0, 1.0 / alpha)


@op(
    **activation_settings(
        "elu_backward(g, out, alpha, 1.0, inverse_in_single(alpha), True)",
        r"\operatorname{celu}\left(⟨0⟩\right)",
        "celu",
        ((V,), (V, 0.5)),
        grad_fn="CeluBackward1",
        torch="nn.functional.celu_",
    )
)
def celu_inplace(input: Array, alpha=1.0):
    """`celu` in place, which remembers its result."""
    return celu(input, alpha)
