"""Comparison, logic and tests of elements: no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.elementwise import (
    SPECIAL,
    WHOLE,
    V,
    W,
    Z,
    refuse_complex,
    refuse_floats,
    unsupported,
)
from gradflow.engine.out_rules import BOOLEAN, UNASKED, exactly
from gradflow.engine.registry import Array, Operand, op
from gradflow.engine.tensor import Tensor, dtypes

PAIRS = ((V, W), (V, 0.5), (SPECIAL, 0.0), (SPECIAL, SPECIAL), (WHOLE, V), (WHOLE, 1))
BITS = ((WHOLE, [[3], [6]]), ([True, False], [True, True]), (WHOLE, 3))


@op(
    latex="⟨0⟩ = ⟨1⟩",
    symbol="=",
    promote="common",
    methods=("eq", "__eq__"),
    edges=PAIRS,
    out=UNASKED,
)
def eq(input: Operand, other: Operand):
    """input == other."""
    return np.equal(input, other)


@op(
    latex=r"⟨0⟩ \ne ⟨1⟩",
    symbol="≠",
    promote="common",
    methods=("ne", "__ne__"),
    edges=PAIRS,
    out=UNASKED,
)
def ne(input: Operand, other: Operand):
    """input != other."""
    return np.not_equal(input, other)


@op(
    latex="⟨0⟩ < ⟨1⟩",
    symbol="<",
    promote="common",
    methods=("lt", "__lt__"),
    edges=PAIRS,
    out=UNASKED,
)
def lt(input: Operand, other: Operand):
    """input < other."""
    refuse_complex("lt_cpu", input, other)
    return np.less(input, other)


@op(
    latex=r"⟨0⟩ \le ⟨1⟩",
    symbol="≤",
    promote="common",
    methods=("le", "__le__"),
    edges=PAIRS,
    out=UNASKED,
)
def le(input: Operand, other: Operand):
    """input <= other."""
    refuse_complex("le_cpu", input, other)
    return np.less_equal(input, other)


@op(
    latex="⟨0⟩ > ⟨1⟩",
    symbol=">",
    promote="common",
    methods=("gt", "__gt__"),
    edges=PAIRS,
    out=UNASKED,
)
def gt(input: Operand, other: Operand):
    """input > other."""
    refuse_complex("gt_cpu", input, other)
    return np.greater(input, other)


@op(
    latex=r"⟨0⟩ \ge ⟨1⟩",
    symbol="≥",
    promote="common",
    methods=("ge", "__ge__"),
    edges=PAIRS,
    out=UNASKED,
)
def ge(input: Operand, other: Operand):
    """input >= other."""
    refuse_complex("ge_cpu", input, other)
    return np.greater_equal(input, other)


def _check_bits(input: Tensor, other: Any) -> None:
    """Raises RuntimeError where numbers with a fraction would be written into whole ones."""
    if input._a.dtype.kind in "fcV":
        return
    dtype = dtypes.result_type(input._a, other._a if isinstance(other, Tensor) else other)
    if dtype.kind in "fcV":
        raise errors.RESULT_CAST(result=dtypes.BY_NUMPY[dtype].legacy, output=input.dtype.legacy, subject=input)


@op(
    latex=r"⟨0⟩ \land ⟨1⟩",
    symbol="∧",
    promote="common",
    functions=("bitwise_and",),
    methods=("bitwise_and", "__and__", "__rand__"),
    edges=BITS,
    inplace=True,
    out=UNASKED,
    check_write=_check_bits,
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
    edges=BITS,
    inplace=True,
    out=UNASKED,
    check_write=_check_bits,
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
    edges=BITS,
    inplace=True,
    out=UNASKED,
    check_write=_check_bits,
)
def bitwise_xor(input: Operand, other: Operand):
    """input ^ other, for booleans and integers."""
    refuse_floats("bitwise_xor", input, other)
    return np.bitwise_xor(input, other)


@op(
    latex=r"\lnot ⟨0⟩",
    symbol="¬",
    functions=("bitwise_not",),
    methods=("bitwise_not",),
    inplace=True,
    refuses={"efc": "bitwise_not_cpu"},
    edges=((WHOLE,), ([True, False],)),
    out=UNASKED,
)
def bitwise_not(input: Array):
    """~input, for booleans and integers."""
    return np.invert(input)


def _logical(name: str, latex: str) -> dict[str, Any]:
    return {
        "latex": latex,
        "symbol": name,
        "functions": (f"logical_{name}",),
        "methods": (f"logical_{name}",),
        "inplace": True,
        "edges": ((V,), (SPECIAL,)) if name == "not" else PAIRS[::3],
    }


@op(
    **_logical("and", r"⟨0⟩ \land ⟨1⟩"),
    out=UNASKED,
)
def logical_and(input: Array, other: Array):
    """Whether both are nonzero."""
    return np.logical_and(input, other)


@op(
    **_logical("or", r"⟨0⟩ \lor ⟨1⟩"),
    out=UNASKED,
)
def logical_or(input: Array, other: Array):
    """Whether one is nonzero."""
    return np.logical_or(input, other)


@op(
    **_logical("not", r"\lnot ⟨0⟩"),
    out=UNASKED,
)
def logical_not(input: Array):
    """Whether it is zero."""
    return np.logical_not(input)


@op(
    **_logical("xor", r"⟨0⟩ \oplus ⟨1⟩"),
    out=UNASKED,
)
def logical_xor(input: Array, other: Array):
    """Whether exactly one is nonzero."""
    return np.logical_xor(input, other)


@op(symbol="nan?", edges=((SPECIAL,), (WHOLE,), (Z,)))
def isnan(input: Array):
    """Whether it is not a number."""
    return np.isnan(input)


@op(symbol="inf?", edges=((SPECIAL,), (WHOLE,), (Z,)))
def isinf(input: Array):
    """Whether it is infinite."""
    return np.isinf(input)


@op(symbol="finite?", edges=((SPECIAL,), (WHOLE,), (Z,)))
def isfinite(input: Array):
    """Whether it is finite."""
    return np.isfinite(input)


@op(
    refuses={"c": unsupported("does not support complex inputs.")},
    symbol="+inf?",
    edges=((SPECIAL,), (WHOLE,)),
    out=exactly(BOOLEAN, gradient=None),
)
def isposinf(input: Array):
    """Whether it is positive infinity."""
    return np.isposinf(input)


@op(
    refuses={"c": unsupported("does not support complex inputs.")},
    symbol="-inf?",
    edges=((SPECIAL,), (WHOLE,)),
    out=exactly(BOOLEAN, gradient=None),
)
def isneginf(input: Array):
    """Whether it is negative infinity."""
    return np.isneginf(input)


@op(symbol="≈", functions=(), methods=(), torch="isclose", edges=((V, W), (SPECIAL, SPECIAL), (V, V, 0.1, 0.0, True)))
def isclose(input: Array, other: Array, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |input - other| <= atol + rtol * |other|."""
    return np.isclose(input, other, rtol, atol, equal_nan)
