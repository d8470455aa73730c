"""Comparison, logic and tests of elements: no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.ops.elementwise import refuse_floats
from engine.registry import Array, Operand, op


@op(latex="⟨0⟩ = ⟨1⟩", symbol="=", promote="common", methods=("eq", "__eq__"))
def eq(input: Operand, other: Operand):
    """input == other."""
    return np.equal(input, other)


@op(latex=r"⟨0⟩ \ne ⟨1⟩", symbol="≠", promote="common", methods=("ne", "__ne__"))
def ne(input: Operand, other: Operand):
    """input != other."""
    return np.not_equal(input, other)


@op(latex="⟨0⟩ < ⟨1⟩", symbol="<", promote="common", methods=("lt", "__lt__"))
def lt(input: Operand, other: Operand):
    """input < other."""
    return np.less(input, other)


@op(latex=r"⟨0⟩ \le ⟨1⟩", symbol="≤", promote="common", methods=("le", "__le__"))
def le(input: Operand, other: Operand):
    """input <= other."""
    return np.less_equal(input, other)


@op(latex="⟨0⟩ > ⟨1⟩", symbol=">", promote="common", methods=("gt", "__gt__"))
def gt(input: Operand, other: Operand):
    """input > other."""
    return np.greater(input, other)


@op(latex=r"⟨0⟩ \ge ⟨1⟩", symbol="≥", promote="common", methods=("ge", "__ge__"))
def ge(input: Operand, other: Operand):
    """input >= other."""
    return np.greater_equal(input, other)


@op(
    latex=r"⟨0⟩ \land ⟨1⟩",
    symbol="∧",
    promote="common",
    functions=("bitwise_and",),
    methods=("bitwise_and", "__and__", "__rand__"),
)
def bitwise_and(input: Operand, other: Operand):
    """input & other, for booleans and integers."""
    refuse_floats("bitwise_and", input, other)
    return np.bitwise_and(input, other)


@op(
    latex=r"⟨0⟩ \lor ⟨1⟩",
    symbol="∨",
    promote="common",
    functions=("bitwise_or",),
    methods=("bitwise_or", "__or__", "__ror__"),
)
def bitwise_or(input: Operand, other: Operand):
    """input | other, for booleans and integers."""
    refuse_floats("bitwise_or", input, other)
    return np.bitwise_or(input, other)


@op(
    latex=r"⟨0⟩ \oplus ⟨1⟩",
    symbol="⊕",
    promote="common",
    functions=("bitwise_xor",),
    methods=("bitwise_xor", "__xor__", "__rxor__"),
)
def bitwise_xor(input: Operand, other: Operand):
    """input ^ other, for booleans and integers."""
    refuse_floats("bitwise_xor", input, other)
    return np.bitwise_xor(input, other)


@op(latex=r"\lnot ⟨0⟩", symbol="¬", functions=("bitwise_not",), methods=("bitwise_not", "__invert__"))
def bitwise_not(input: Array):
    """~input, for booleans and integers."""
    if input.dtype.kind in "fc":
        raise errors.INVERT_DTYPE()
    return np.invert(input)


def _logical(name: str, latex: str) -> dict[str, Any]:
    return {"latex": latex, "symbol": name, "functions": (f"logical_{name}",), "methods": (f"logical_{name}",)}


@op(**_logical("and", r"⟨0⟩ \land ⟨1⟩"))
def logical_and(input: Operand, other: Operand):
    """Whether both are nonzero."""
    return np.logical_and(input, other)


@op(**_logical("or", r"⟨0⟩ \lor ⟨1⟩"))
def logical_or(input: Operand, other: Operand):
    """Whether one is nonzero."""
    return np.logical_or(input, other)


@op(**_logical("not", r"\lnot ⟨0⟩"))
def logical_not(input: Array):
    """Whether it is zero."""
    return np.logical_not(input)


@op(symbol="nan?")
def isnan(input: Array):
    """Whether it is not a number."""
    return np.isnan(input)


@op(symbol="inf?")
def isinf(input: Array):
    """Whether it is infinite."""
    return np.isinf(input)


@op(symbol="finite?")
def isfinite(input: Array):
    """Whether it is finite."""
    return np.isfinite(input)
