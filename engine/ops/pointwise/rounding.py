"""Signs, absolute values and rounding, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.scalars import ZERO
from gradflow.engine.ops.pointwise.elementwise import (
    COMPLEX_INPUTS,
    INF,
    NAN,
    SPECIAL,
    WHOLE,
    V,
    W,
    Z,
    named,
    refuse_whole,
    rounded,
    unsupported,
)
from gradflow.engine.out_rules import BOOLEAN, FOUND, UNASKED, OutRule, exactly
from gradflow.engine.registry import Array, Operand, helper, op
from gradflow.engine.tensor import dtypes

AWAY = [[0.3, -1.2, 2.4], [1.6, 0.7, -0.4]]
HALVES = [0.5, 1.5, 2.5, -0.5, -1.5, 2.6, -2.4]
FLAT: dict[str, Any] = {
    "gradients": {"input": "zeros_like_array(g)"}, "elementwise": True, "samples": ((AWAY,),),
    "edges": ((HALVES,), (SPECIAL,), (WHOLE,)),
}  # fmt: skip
"""The declaration of a function that is constant between its jumps."""


@op(
    refuses={"b": "abs_cpu"},
    gradients={"input": "g * sgn(input)"},
    latex=r"\left|⟨0⟩\right|",
    symbol="|x|",
    elementwise=True,
    samples=((V,), (Z,)),
    edges=((SPECIAL,), (WHOLE,), ([0j, 3 + 4j],)),
    out=exactly(FOUND),
)
def abs(input: Array):
    """Absolute value. The gradient at 0 is 0."""
    return np.hypot(input.real, input.imag) if input.dtype.kind == "c" else np.abs(input)


@op(
    gradients={"input": "sgn_backward(input, g, out)"},
    latex=r"\operatorname{sgn}\left(⟨0⟩\right)",
    symbol="sgn",
    elementwise=True,
    samples=((V,), (Z,)),
    edges=((SPECIAL,), ([0j, 3 + 4j],), ([True, False],)),
    out=exactly(FOUND),
)
def sgn(input: Array):
    """-1, 0 or 1: the sign; for complex numbers z / |z|."""
    if input.dtype == np.bool_:
        return input.copy()
    if input.dtype.kind != "c":
        return (
            np.where(np.isnan(input), ZERO[input.dtype], np.sign(input)) if input.dtype.kind == "f" else np.sign(input)
        )
    size = np.hypot(input.real, input.imag)
    return np.where(size == 0, 0, input / np.where(size == 0, 1, size)).astype(input.dtype)


@op(
    **FLAT,
    latex=r"\operatorname{sgn}\left(⟨0⟩\right)",
    errors=((Z, errors.SIGN_COMPLEX.message),),
    out=exactly(FOUND),
)
def sign(input: Array):
    """-1, 0 or 1: the sign."""
    if input.dtype.kind == "c":
        raise errors.SIGN_COMPLEX()
    return sgn(input)


@op(
    refuses={"c": errors.SIGNBIT_COMPLEX},
    latex=r"\left[⟨0⟩ < 0\right]",
    edges=((SPECIAL,), (WHOLE,), (V,)),
    out=exactly(BOOLEAN, gradient=None),
)
def signbit(input: Array):
    """Whether the sign bit is set: also for -0."""
    return np.signbit(input) if input.dtype.kind == "f" else input < 0


def _keeps_integers(function: Any, input: np.ndarray, name: str) -> np.ndarray:
    if input.dtype.kind == "b":
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_vml_cpu", dtype="Bool")
    result: np.ndarray = function(input) if input.dtype.kind == "f" else input.copy()
    return result


@op(
    refuses={"c": COMPLEX_INPUTS},
    **FLAT,
    latex=r"\left\lfloor ⟨0⟩ \right\rfloor",
    symbol="⌊x⌋",
    out=exactly(FOUND),
)
def floor(input: Array):
    """The largest whole number that is not larger."""
    return _keeps_integers(np.floor, input, "floor")


@op(
    refuses={"c": COMPLEX_INPUTS},
    **FLAT,
    latex=r"\left\lceil ⟨0⟩ \right\rceil",
    symbol="⌈x⌉",
    out=exactly(FOUND),
)
def ceil(input: Array):
    """The smallest whole number that is not smaller."""
    return _keeps_integers(np.ceil, input, "ceil")


@op(
    refuses={"c": COMPLEX_INPUTS},
    **FLAT,
    latex=named("trunc"),
    out=exactly(FOUND),
)
def trunc(input: Array):
    """Rounded towards 0."""
    return _keeps_integers(np.trunc, input, "trunc")


@op(
    refuses={"c": "round_vml_cpu"},
    **FLAT,
    latex=named("round"),
    functions=(),
    methods=(),
    name="round_whole",
    torch="round",
    grad_fn="RoundBackward0",
)
def round_whole(input: Array):
    """The nearest whole number; halves go to the even one."""
    return _keeps_integers(np.rint, input, "round")


@op(
    refuses={"bilc": "round_cpu"},
    gradients={"input": "zeros_like_array(g)"},
    elementwise=True,
    latex=named("round", 2),
    functions=(),
    methods=(),
    torch="round",
    adapt=lambda f, input, decimals: f(input, decimals=decimals),
    grad_fn="RoundBackward1",
    samples=((AWAY, -1), ([0.33, -1.28, 2.41], 1)),
    edges=((V, 1), ([1.25, 2.345, -1.55, 1234.5], 2), ([1.25, 1234.5], -2), ([INF, NAN], 1)),
)
def round_decimals(input: Array, decimals):
    """Rounded to a number of decimals."""
    scale = input.dtype.type(10.0 ** np.abs(decimals))
    return np.rint(input * scale) / scale if decimals >= 0 else np.rint(input / scale) * scale


@op(
    gradients={"input": "g"},
    elementwise=True,
    latex=r"⟨0⟩-\operatorname{trunc}\left(⟨0⟩\right)",
    samples=((AWAY,),),
    out=exactly(FOUND),
)
def frac(input: Array):
    """What is left of rounding towards 0; has the sign of the input."""
    if input.dtype.kind != "f":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="frac_cpu", dtype=dtypes.of(input).legacy)
    return input - np.trunc(input)


@op(
    refuses={"c": "copysign_cpu"},
    gradients={
        "input": ("g * where(input == 0, 0.0, out / input)", "g * masked_fill(out / input, input == 0, 0.0)"),
        "other": "zeros_like_array(g)",
    },
    promote="float",
    grad_fn="CopysignBackward0",
    samples=((V, W), (V, [[2.5], [-1.5]])),
    latex=named("copysign", 2),
    functions=(),
    methods=(),
    edges=(([0.0, -0.0, 1.0, INF], [-1.0, 1.0, -0.0, -INF]), (WHOLE, V)),
    torch="copysign",
)
def copysign_tensor(input: Operand, other: Operand):
    """The size of the input with the sign of another tensor."""
    return np.copysign(input, other)


@op(
    refuses={"c": "copysign_cpu"},
    gradients={"input": ("g * where(input == 0, 0.0, out / input)", "g * masked_fill(out / input, input == 0, 0.0)")},
    promote="float",
    grad_fn="CopysignBackward1",
    torch="copysign",
    samples=((V, -2.0), (V, 3)),
    latex=named("copysign", 2),
    functions=(),
    methods=(),
    edges=((SPECIAL, -1.0),),
)
def copysign_scalar(input: Operand, other: Operand):
    """The size of the input with the sign of a number."""
    return np.copysign(input, np.asarray(other, np.asarray(input).dtype))


@op(
    refuses={"c": unsupported("is not yet implemented for complex tensors.")},
    gradients={"input": "no_derivative(g, 'heaviside')", "values": "no_derivative(g, 'heaviside')"},
    grad_fn="NotImplemented",
    elementwise=True,
    latex=named("heaviside", 2),
    symbol="H",
    inplace=False,
    edges=((V, W), (SPECIAL, [0.5] * 7), (WHOLE, WHOLE), ([0.0, 1.0], [2.5]), (V, WHOLE)),
    out=UNASKED,
)
def heaviside(input: Array, values: Array):
    """0 for negative elements, 1 for positive ones, ``values`` at 0."""
    if input.dtype != values.dtype:
        raise errors.HEAVISIDE_DTYPES()
    return np.where(input == 0, values, (input > 0) & ~np.isnan(input)).astype(input.dtype)


@op(
    refuses={"c": unsupported("is not yet implemented for complex tensors.", name="heaviside")},
    gradients={"input": "no_derivative(g, 'heaviside_')", "values": "no_derivative(g, 'heaviside_')"},
    grad_fn="NotImplemented",
    elementwise=True,
    latex=named("heaviside", 2),
    symbol="H",
    inplace=True,
    functions=(),
    methods=(),
    torch="Tensor.heaviside_",
    edges=((V, W), (SPECIAL, [0.5] * 7), (WHOLE, WHOLE), ([0.0, 1.0], [2.5]), (V, WHOLE)),
)
def heaviside_written(input: Array, values: Array):
    """0 for negative elements, 1 for positive ones, ``values`` at 0, in place."""
    return heaviside(input, values)


@op(
    refuses={"bilc": "nextafter_cpu"},
    gradients={"input": "where(input == other, 0.0, g)", "other": "zeros_like_array(g)"},
    promote="common",
    latex=named("nextafter", 2),
    samples=((V, W),),
    edges=(
        ([0.5, 1.0], [0.5, -1.0]),
        ([0.0, 1.0], [INF, -INF]),
    ),
)
def nextafter(input: Operand, other: Operand):
    """The next floating point number in the direction of ``other``."""
    return np.nextafter(input, other)


def _two_to_of_tensor(exponent: Any) -> Any:
    return type(exponent)(two_to(exponent._a))


@helper(latex=r"2^{⟨0⟩}", tensors=_two_to_of_tensor)
def two_to(exponent):
    """2 to a whole power, of which no gradient is wanted."""
    return np.asarray(np.exp2(exponent.astype(dtypes.DEFAULT)))


@op(
    gradients={"input": "g / two_to(exponent)"},
    outputs=("mantissa", "exponent"),
    symbol="frexp",
    latex=named("frexp"),
    inplace=False,
    samples=((AWAY,),),
    edges=((V,), ([1.0, 0.0, 6.5, 1e-30],)),
    errors=((WHOLE, errors.FREXP_DTYPE.message),),
    out=exactly(
        "torch.frexp() expects mantissa to have dtype {r} but got {o}"
        "|torch.frexp() expects exponent to have {r} dtype but got {o}"
    ),
)
def frexp(input: Array):
    """Mantissa in [0.5, 1) and whole exponent of 2 for each element."""
    if input.dtype.kind != "f":
        raise errors.FREXP_DTYPE()
    return np.frexp(input)


@op(
    gradients={
        "other": (
            "sum_to_size(g * conj(out) * 0.6931471805599453, other.shape)",
            "g * conj(out) * 0.6931471805599453",
        ),
        "input": ("sum_to_size(g * conj(exp2(other)), input.shape)", "g * conj(pow_base(2, other))"),
    },
    latex=r"⟨0⟩ \odot 2^{⟨1⟩}",
    symbol="x2ʸ",
    promote="float",
    samples=((V, W), (V, [[1.5], [-2.0]]), (Z, Z)),
    edges=(([1, 2], [3, -1]), (V, [1, 2, 3])),
    out=OutRule("{name} can't be cast to the desired output type {O}"),
    check_write=refuse_whole("ldexp can't be cast to the desired output type {own}"),
)
def ldexp(input: Operand, other: Operand):
    """input * 2 ** other."""
    return input * np.asarray(rounded(np.exp2, np.asarray(other)), np.asarray(input).dtype)
