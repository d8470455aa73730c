"""Sums, products, quotients and remainders, element by element."""

from __future__ import annotations

import numpy as np

from engine import errors
from engine.ops.elementwise import BINARY, SCALED, V, refuse_bool_pair, refuse_zero
from engine.registry import Array, Operand, op


@op(
    gradients={"input": "g", "other": "g * alpha"},
    latex="⟨0⟩+⟨1⟩", symbol="+", promote="common", samples=SCALED,
)  # fmt: skip
def add(input: Operand, other: Operand, *, alpha=1):
    """input + alpha * other, broadcast."""
    return input + other if alpha == 1 else input + alpha * other


@op(
    gradients={"input": "g", "other": "-g * alpha"},
    latex="⟨0⟩-⟨1⟩", symbol="−", promote="common", samples=SCALED,
)  # fmt: skip
def sub(input: Operand, other: Operand, *, alpha=1):
    """input - alpha * other, broadcast."""
    refuse_bool_pair(input, other)
    return input - other if alpha == 1 else input - alpha * other


@op(
    gradients={"input": "-g * alpha", "other": "g"}, grad_fn="RsubBackward1",
    latex="⟨1⟩-⟨0⟩", symbol="−", promote="common", samples=SCALED, methods=(), functions=("rsub",), inplace=False,
)  # fmt: skip
def rsub(input: Operand, other: Operand, *, alpha=1):
    """other - alpha * input: what ``3 - x`` runs."""
    return other - input if alpha == 1 else other - alpha * input


@op(
    gradients={"input": "g * other", "other": "g * input"},
    latex=r"⟨0⟩ \odot ⟨1⟩", symbol="×", promote="common", samples=BINARY,
)  # fmt: skip
def mul(input: Operand, other: Operand):
    """input * other, element by element, broadcast."""
    return input * other


@op(
    gradients={"input": "g / other", "other": "-g * input / (other * other)"},
    latex=r"⟨0⟩ \oslash ⟨1⟩", symbol="÷", promote="float", samples=BINARY,
)  # fmt: skip
def div(input: Operand, other: Operand):
    """input / other, element by element, broadcast; integers become floats."""
    return np.true_divide(input, other)


@op(
    gradients={"input": "-g * (out * out)"}, latex=r"1 \oslash ⟨0⟩", symbol="1/x", promote="float",
    samples=((V,),),
)  # fmt: skip
def reciprocal(input: Operand):
    """1 / input."""
    return np.reciprocal(input)


@op(gradients={"input": "-g"}, latex="-⟨0⟩", symbol="−", elementwise=True, samples=((V,),))
def neg(input: Array):
    """-input."""
    if input.dtype == np.bool_:
        raise errors.BOOL_NEGATIVE()
    return -input


@op(grad_fn="NotImplemented", symbol="//", promote="common", inplace=False)
def floor_divide(input: Operand, other: Operand):
    """input / other, rounded down."""
    refuse_zero(input, other)
    return np.floor_divide(input, other)


@op(
    gradients={"input": "g", "other": "-g * floor_quotient(input, other)"}, grad_fn="RemainderBackward0",
    symbol="mod", promote="common", samples=((V, [[1.5, 2.5, -0.6], [0.35, -2.0, 3.0]]), (V, 0.8), (2.5, [0.7, -0.8])), inplace=True,
)  # fmt: skip
def remainder(input: Operand, other: Operand):
    """What is left of input / other rounded down; has the sign of ``other``."""
    refuse_zero(input, other)
    return np.remainder(input, other)


@op(latex=r"\left\lfloor ⟨0⟩ \oslash ⟨1⟩ \right\rfloor", promote="common", torch=None)
def _floor_quotient(input: Operand, other: Operand):
    """floor(input / other), without a gradient."""
    return np.floor(np.true_divide(input, other))
