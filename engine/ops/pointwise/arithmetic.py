"""Sums, products and quotients, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.fused import fused, is_fused
from gradflow.engine.ops.pointwise.division import INTEGERS, ZEROS
from gradflow.engine.ops.pointwise.elementwise import (
    BINARY,
    COLUMN,
    COMPLEX_PAIRS,
    INF,
    MIXED,
    SCALED,
    UNIT,
    WHOLE,
    V,
    W,
    Y,
    Z,
    refuse_bool_pair,
    scaled,
)
from gradflow.engine.out_rules import FOUND, exactly
from gradflow.engine.registry import Array, Operand, op
from gradflow.engine.tensor import dtypes


def _plus(a: Operand, b: Operand, alpha: Any) -> Any:
    """a + alpha * b."""
    if is_fused(a, b) and not isinstance(alpha, bool | complex):
        return fused(b, a.dtype.type(alpha), a)
    return a + scaled(b, alpha, a, b)


def _minus(a: Operand, b: Operand, alpha: Any) -> Any:
    """a - alpha * b."""
    if is_fused(a, b) and not isinstance(alpha, bool | complex):
        return fused(b, a.dtype.type(-alpha), a)
    return a - scaled(b, alpha, a, b)


@op(
    gradients={"input": "g", "other": "g * conj(alpha)"},
    latex=r"⟨0⟩+⟦2:⟨2⟩\,⟧⟨1⟩",
    symbol="+",
    promote="common",
    samples=SCALED,
    edges=(*MIXED, *COMPLEX_PAIRS, ([True, False], [True, True])),
)
def add(input: Operand, other: Operand, *, alpha=1):
    """input + alpha * other, broadcast."""
    return input + other if type(alpha) is int and alpha == 1 else _plus(input, other, alpha)


@op(
    gradients={"input": "g", "other": "-g * conj(alpha)"},
    latex=r"⟨0⟩-⟦2:⟨2⟩\,⟧⟨1⟩",
    symbol="−",
    promote="difference",
    samples=SCALED,
    edges=(*MIXED[:3], *MIXED[4:], *COMPLEX_PAIRS),
    errors=(([True], [False], errors.BOOL_SUBTRACT.message),),
)
def sub(input: Operand, other: Operand, *, alpha=1):
    """input - alpha * other, broadcast."""
    refuse_bool_pair(input, other)
    return input - other if type(alpha) is int and alpha == 1 else _minus(input, other, alpha)


@op(
    gradients={"input": "-g * conj(alpha)"},
    grad_fn="RsubBackward1",
    latex=r"⟨1⟩-⟦2:⟨2⟩\,⟧⟨0⟩",
    symbol="−",
    promote="difference",
    samples=((V, 2.0), (V, 3, {"alpha": 2})),
    methods=(),
    functions=(),
    inplace=False,
    torch="rsub",
    edges=((Z, 2.0), (WHOLE, 1.5)),
)
def rsub_scalar(input: Operand, other: Operand, *, alpha=1):
    """A number minus alpha * input: what ``3 - x`` runs."""
    refuse_bool_pair(input, other)
    return other - input if type(alpha) is int and alpha == 1 else _minus(other, input, alpha)


@op(
    gradients={"input": "-g * conj(alpha)", "other": "g"},
    grad_fn="RsubBackward0",
    latex=r"⟨1⟩-⟦2:⟨2⟩\,⟧⟨0⟩",
    symbol="−",
    promote="difference",
    samples=((V, W), (V, COLUMN), (V, W, {"alpha": 2})),
    methods=(),
    functions=(),
    inplace=False,
    torch="rsub",
    edges=((Z, Y), *MIXED[:1]),
    swapped=True,
)
def rsub_tensor(input: Operand, other: Operand, *, alpha=1):
    """other - alpha * input."""
    refuse_bool_pair(input, other)
    return other - input if type(alpha) is int and alpha == 1 else _minus(other, input, alpha)


@op(
    gradients={"input": "g * conj(other)", "other": "g * conj(input)"},
    latex=r"⟨0⟩ \odot ⟨1⟩",
    symbol="×",
    promote="common",
    samples=BINARY,
    edges=(*MIXED, *COMPLEX_PAIRS),
    wraps_numbers=True,
)
def mul(input: Operand, other: Operand):
    """input * other, element by element, broadcast."""
    return input * other


@op(
    gradients={"input": "g / conj(other)", "other": "-g * conj(input / other / other)"},
    latex=r"⟨0⟩ \oslash ⟨1⟩",
    symbol="÷",
    promote="float",
    samples=BINARY,
    edges=(*MIXED, *COMPLEX_PAIRS, ZEROS, *INTEGERS, (WHOLE, 0)),
    wraps_numbers=True,
)
def div(input: Operand, other: Operand):
    """input / other, element by element, broadcast; integers become floats."""
    return np.true_divide(input, other)


@op(
    gradients={"input": "-g * conj(out * out)"},
    latex=r"1 \oslash ⟨0⟩",
    symbol="1/x",
    promote="float",
    samples=((V,), (Z,)),
    edges=(([0.0, -0.0, INF],), (WHOLE,)),
)
def reciprocal(input: Operand):
    """1 / input."""
    return np.reciprocal(input)


@op(
    gradients={"input": "-g"},
    latex="-⟨0⟩",
    symbol="−",
    elementwise=True,
    samples=((V,), (Z,)),
    edges=((WHOLE,),),
    errors=(([True], errors.BOOL_NEGATIVE.message),),
    out=exactly(FOUND),
)
def neg(input: Array):
    """-input."""
    if input.dtype == np.bool_:
        raise errors.BOOL_NEGATIVE()
    return -input


# -- of three operands -------------------------------------------------------------------------------------------------

TRIPLES = ((V, W, UNIT), (V, COLUMN, W), (COLUMN, V, W, {"value": 2}), (V, W, UNIT, {"value": -0.5}))


@op(
    gradients={
        "input": "g",
        "tensor1": ("g * conj(tensor2 * value)", "g * conj(scaled(tensor2, value))"),
        "tensor2": ("g * conj(tensor1 * value)", "g * conj(scaled(tensor1, value))"),
    },
    latex=r"⟨0⟩+⟦3:⟨3⟩\,⟧⟨1⟩ \odot ⟨2⟩",
    symbol="+××",
    promote="common",
    samples=TRIPLES,
    edges=((Z, Y, Z), (WHOLE, WHOLE, WHOLE), (Z, Y, Z, {"value": 2j})),
)
def addcmul(input: Operand, tensor1: Operand, tensor2: Operand, *, value=1):
    """input + value * tensor1 * tensor2, broadcast."""
    if is_fused(input, tensor1, tensor2):
        return fused(tensor1 * tensor1.dtype.type(value), tensor2, input)
    if value == 1:
        return input + tensor1 * tensor2
    return input + _in_kind(value, input, tensor1, tensor2) * tensor1 * tensor2


def _in_kind(value: Any, *operands: Any) -> Any:
    """A factor, cut to a whole number where all operands are integers."""
    return int(value) if all(getattr(o, "dtype", np.dtype(float)).kind in "iu" for o in operands) else value


@op(
    gradients={
        "input": "g",
        "tensor1": "g * conj(value / tensor2)",
        "tensor2": "-g * conj(value * tensor1 / (tensor2 * tensor2))",
    },
    latex=r"⟨0⟩+⟦3:⟨3⟩\,⟧⟨1⟩ \oslash ⟨2⟩",
    symbol="+÷",
    promote="common",
    samples=TRIPLES,
    edges=((Z, Y, Z),),
    errors=((WHOLE, WHOLE, WHOLE, errors.ADDCDIV_INTEGERS.message),),
)
def addcdiv(input: Operand, tensor1: Operand, tensor2: Operand, *, value=1):
    """input + value * tensor1 / tensor2, broadcast."""
    if np.result_type(input, tensor1, tensor2).kind not in "fcV":
        raise errors.ADDCDIV_INTEGERS()
    if is_fused(input, tensor1, tensor2):
        return input + tensor1.dtype.type(value) * tensor1 / tensor2
    return input + value * (tensor1 / tensor2)


@op(
    gradients={"input": "g * (1 - conj(weight))", "end": "g * conj(weight)"},
    latex=r"⟨0⟩+⟨2⟩\,(⟨1⟩-⟨0⟩)",
    symbol="lerp",
    elementwise=True,
    functions=(),
    methods=(),
    torch="lerp",
    grad_fn="LerpBackward0",
    samples=((V, W, 0.25), (V, COLUMN, 0.75), (V, W, 2)),
    edges=((Z, Y, 0.5),),
    errors=((V, WHOLE, 0.5, "expected dtype float for `end` but got dtype long int"),),
)
def lerp_scalar(input: Array, end: Array, weight):
    """From ``input`` to ``end``: input + weight * (end - input)."""
    return _lerp(input, end, weight)


@op(
    gradients={"input": "g * (1 - conj(weight))", "end": "g * conj(weight)", "weight": "g * conj(end - input)"},
    latex=r"⟨0⟩+⟨2⟩ \odot (⟨1⟩-⟨0⟩)",
    symbol="lerp",
    elementwise=True,
    functions=(),
    methods=(),
    torch="lerp",
    grad_fn="LerpBackward1",
    samples=((V, W, UNIT), (V, COLUMN, UNIT)),
    edges=((Z, Y, Z),),
)
def lerp_tensor(input: Array, end: Array, weight: Array):
    """From ``input`` to ``end``, with a weight for each element."""
    return _lerp(input, end, weight)


def _lerp(start: np.ndarray, end: np.ndarray, weight: Any) -> Any:
    for name, other in (("end", end), ("weight", weight)):
        if isinstance(other, np.ndarray) and other.dtype != start.dtype:
            kinds = [dtypes.C_NAMES[dtypes.of(a).name] for a in (start, other)]
            raise errors.LERP_DTYPE(expected=kinds[0], argument=name, actual=kinds[1])
    if start.dtype.kind not in "fcV":
        kernel = "tensor" if isinstance(weight, np.ndarray) else "scalar"
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"lerp_kernel_{kernel}", dtype="Long")
    near = np.abs(weight) < 0.5  # from the nearer end, so that both ends are met exactly
    if is_fused(start, end) and start.dtype.kind == "f":
        by, difference = np.asarray(weight, start.dtype), end - start
        return np.where(near, fused(difference, by, start), fused(difference, by - by.dtype.type(1), end))
    return np.where(near, start + weight * (end - start), end - (end - start) * (1 - weight)).astype(start.dtype)
