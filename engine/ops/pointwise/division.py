"""Quotients that are rounded, and what is left of them, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.elementwise import (
    COLUMN,
    INF,
    MIXED,
    NAN,
    WHOLE,
    V,
    W,
    refuse_zero,
)
from gradflow.engine.registry import Operand, helper, op

DIVISORS = [[1.5, 2.5, -0.6], [0.35, -2.0, 3.0]]


ZEROS = ([1.0, -1.0, 0.0, INF, NAN, 5.0], [0.0, 0.0, 0.0, 2.0, 2.0, INF])


INTEGERS = ((WHOLE, [[3, -2, 2], [3, 3, -7]]), (WHOLE, 3), (WHOLE, -2.5), (np.array([5, 250], "uint8"), 7))


BY_ZERO = ((WHOLE, 0, "ZeroDivisionError"),)


MODES = ({"rounding_mode": "floor"}, {"rounding_mode": "trunc"})


@op(
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    latex=r"\left[⟨0⟩ \oslash ⟨1⟩\right]",
    symbol="÷",
    promote="common",
    functions=(),
    methods=(),
    grad_fn="DivBackward2",
    saves=("input", "other"),
    wraps_numbers=True,
    torch="div",
    samples=((V, DIVISORS, MODES[0]), (V, [[2.2], [-1.3]], MODES[1]), (V, 0.8, MODES[0]), (V, -0.7, MODES[1])),
    edges=[(*pair, mode) for pair in (ZEROS, MIXED[0], *INTEGERS, (V, 0.0), (V, NAN)) for mode in MODES],
    errors=(
        (WHOLE, WHOLE, MODES[0], "ZeroDivisionError"),
        (V, W, {"rounding_mode": "up"}, errors.ROUNDING_MODE.message.format(mode="up")),
    ),
)
def div_rounded(input: Operand, other: Operand, *, rounding_mode):
    """input / other, rounded down (``floor``) or towards 0 (``trunc``)."""
    return _quotient(input, other, rounding_mode)


def _quotient(input: Any, other: Any, rounding_mode: str) -> Any:
    if rounding_mode not in ("floor", "trunc"):
        raise errors.ROUNDING_MODE(mode=rounding_mode)
    refuse_zero(input, other)
    if rounding_mode == "floor":
        return floor_quotient_of(input, other)
    dtype = np.result_type(input, other)
    if dtype.kind == "f":
        return np.trunc(np.true_divide(input, other))
    a, b = np.asarray(input), np.asarray(other, dtype)
    return ((a - np.fmod(a, b)) // b).astype(dtype)


def floor_quotient_of(input: Any, other: Any) -> Any:
    """``//``; by a zero of floats as ``/``."""
    result = np.floor_divide(input, other)
    if np.asarray(result).dtype.kind == "f":
        return np.where(np.asarray(other) == 0, np.true_divide(input, other), result)
    return result


@op(
    grad_fn="NotImplemented",
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    symbol="//",
    promote="common",
    inplace=False,
    functions=(),
    methods=(),
    torch="floor_divide",
    edges=(*INTEGERS,),
    errors=BY_ZERO,
)
def floor_divide(input: Operand, other: Operand):
    """input / other, rounded down."""
    refuse_zero(input, other)
    return floor_quotient_of(input, other)


@op(
    gradients={"input": "no_derivative(g, 'floor_divide_')", "other": "no_derivative(g, 'floor_divide_')"},
    grad_fn="NotImplemented",
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    symbol="//",
    promote="common",
    functions=(),
    methods=(),
    torch="Tensor.floor_divide_",
    edges=(*INTEGERS, (V, 0.8), (V, W)),
)
def floor_divide_written(input: Operand, other: Operand):
    """input / other, rounded down, in place."""
    refuse_zero(input, other)
    return floor_quotient_of(input, other)


@helper(latex=r"\text{no derivative}")
def no_derivative(g, name):
    """Raises RuntimeError: PyTorch has no derivative of the operation."""
    raise errors.NOT_DIFFERENTIABLE(name=name)


def _remainder_of(latex: str, other: str, name: str, number: int, samples: Any) -> dict[str, Any]:
    gradients = {"input": "g"} if number == 0 else {"input": "g", "other": f"-g * {other}"}
    edges = (*INTEGERS, ZEROS) if number else ((V, 0.0), (WHOLE, 3))
    return {
        "gradients": gradients,
        "grad_fn": f"{name.capitalize()}Backward{number}",
        "symbol": "mod",
        "latex": latex,
        "promote": "common",
        "functions": (),
        "methods": (),
        "torch": name,
        "samples": samples,
        "edges": edges,
        "errors": BY_ZERO,
    }


PAIRS = ((V, DIVISORS), (COLUMN, DIVISORS))


@op(**_remainder_of(r"⟨0⟩ \bmod ⟨1⟩", "floor_quotient(input, other)", "remainder", 1, PAIRS))
def remainder_tensor(input: Operand, other: Operand):
    """What is left of input / other rounded down; has the sign of ``other``."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


@op(**_remainder_of(r"⟨0⟩ \bmod ⟨1⟩", "", "remainder", 0, ((V, 0.8), (V, -0.7))))
def remainder_scalar(input: Operand, other: Operand):
    """What is left of input / number rounded down; has the sign of the number."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


def _remainder(input: Any, other: Any) -> Any:
    rest = np.fmod(input, other)
    turned = (rest != 0) & ((np.asarray(rest) < 0) != (np.asarray(other) < 0))
    return np.where(turned, rest + other, rest)


@op(
    grad_fn="NotImplemented",
    symbol="mod",
    promote="common",
    functions=(),
    methods=(),
    edges=((2.5, WHOLE),),
    torch="remainder",
)
def remainder_base(input: Operand, other: Operand):
    """What is left of a number / other rounded down: PyTorch has no derivative for it."""
    refuse_zero(input, other, "remainder_cpu")
    return _remainder(input, other)


@op(**_remainder_of(r"\operatorname{fmod}\left(⟨0⟩, ⟨1⟩\right)", "trunc_quotient(input, other)", "fmod", 1, PAIRS))
def fmod_tensor(input: Operand, other: Operand):
    """What is left of input / other rounded towards 0; has the sign of the input."""
    refuse_zero(input, other, "fmod_cpu")
    return np.fmod(input, other)


@op(**_remainder_of(r"\operatorname{fmod}\left(⟨0⟩, ⟨1⟩\right)", "", "fmod", 0, ((V, 0.8), (V, -0.7))))
def fmod_scalar(input: Operand, other: Operand):
    """What is left of input / number rounded towards 0; has the sign of the input."""
    refuse_zero(input, other, "fmod_cpu")
    return np.fmod(input, other)


@op(
    latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor",
    promote="common",
    torch=None,
    inplace=False,
    samples=((V, DIVISORS),),
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    grad_fn="DivBackward2",
    saves=("input", "other"),
)
def _floor_quotient(input: Operand, other: Operand):
    """The quotient rounded down, without a gradient."""
    return floor_quotient_of(input, other)


@op(
    latex=r"\operatorname{trunc}\left(⟨0⟩ \oslash ⟨1⟩\right)",
    promote="common",
    torch=None,
    inplace=False,
    samples=((V, DIVISORS),),
    gradients={"input": "zeros_like_array(g)", "other": "zeros_like_array(g)"},
    grad_fn="DivBackward2",
    saves=("input", "other"),
)
def _trunc_quotient(input: Operand, other: Operand):
    """The quotient rounded towards 0, without a gradient."""
    return np.trunc(np.true_divide(input, other))
