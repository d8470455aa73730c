"""Copies, conversions and overwriting."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.strides import repeats
from gradflow.engine.ops.pointwise.elementwise import V, W
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import dtypes
from gradflow.engine.tensor.memory_format import copied


@op(gradients={"input": "g"}, latex="⟨0⟩", symbol="clone", inplace=False, samples=((V,),))
def clone(input: Array, *, memory_format=None):
    """A copy that gradients flow through."""
    return copied(input, memory_format)


@op(
    gradients={"input": "zeros_like_array(g)", "src": "g"},
    latex="⟨1⟩",
    symbol="=",
    grad_fn="CopyBackwards",
    inplace=True,
    functions=(),
    methods=(),
    samples=((V, W),),
    torch="Tensor.copy_",
)
def copy(input: Array, src: Array | None = None):
    """The elements of ``src`` in the place of those of ``input``."""
    if src is None:
        return input.copy()
    return (src.real if src.dtype.kind == "c" and input.dtype.kind != "c" else src).astype(input.dtype)


@op(
    gradients={"input": "zeros_like_array(g)"},
    latex="0",
    symbol="0",
    inplace=True,
    functions=(),
    methods=(),
    samples=((V,),),
    torch="Tensor.zero_",
    uniform=True,
)
def zero(input: Array):
    """All elements 0."""
    return np.zeros_like(input)


@op(
    gradients={"input": "zeros_like_array(g)", "value": "sum_all(g)"},
    latex="⟨1⟩",
    symbol="=",
    grad_fn="FillBackward3",
    inplace=True,
    functions=(),
    methods=(),
    samples=((V, 1.5),),
    torch="Tensor.fill_",
    overlap="any",
)
def fill_tensor(input: Array, value: Array):
    """All elements the one number that ``value`` holds: what ``y[0] = v`` writes."""
    return np.full_like(input, value)


@op(
    gradients={"input": "zeros_like_array(g)"},
    latex="⟨1⟩",
    symbol="fill",
    grad_fn="FillBackward2",
    inplace=True,
    functions=(),
    methods=(),
    samples=((V, 1.5),),
    torch="Tensor.fill_",
    uniform=True,
)
def fill(input: Array, value):
    """All elements ``value``."""
    number = value.item() if hasattr(value, "item") else value
    wide = np.dtype("float64") if input.dtype.kind == "V" else input.dtype  # where it overflows to infinity
    return np.full_like(input, checked_cast(number, wide))


def _filled(number: str) -> dict[str, Any]:
    return {
        "latex": "⟨1⟩",
        "symbol": "fill",
        "grad_fn": f"FillBackward{number}",
        "inplace": False,
        "functions": (),
        "methods": (),
        "torch": "fill",
    }


@op(**_filled("0"), gradients={"input": "zeros_like_array(g)"}, samples=((V, 1.5),))
def filled(input: Array, value):
    """All elements ``value``, in a new tensor."""
    return np.full_like(input, value)


@op(**_filled("1"), gradients={"input": "zeros_like_array(g)", "value": "sum_all(g)"}, samples=((V, 1.5),))
def filled_tensor(input: Array, value: Array):
    """All elements the one number that ``value`` holds, in a new tensor."""
    return np.full_like(input, value)


@op(
    gradients={"input": "g"},
    latex="⟨0⟩",
    symbol="dtype",
    grad_fn="ToCopyBackward0",
    functions=(),
    methods=(),
    may_be_integer=True,
    inplace=False,
    samples=((V, dtypes.float64),),
    torch="Tensor.to",
    adapt=lambda to, input, dtype: to(input, dtype, copy=True),
)
def to_dtype(input: Array, dtype, *, memory_format=None):
    """The input in another dtype. The gradient comes back in the input's."""
    parts = input.real if input.dtype.kind == "c" and dtype.numpy.kind not in "cb" else input
    converted = parts.astype(dtype.numpy, order="C" if repeats(parts) else "K")
    return converted if memory_format is None else copied(converted, memory_format)


@op(functions=(), methods=(), latex="0", torch=None)
def zeros_like_array(input: Array):
    """Zeros of the shape and dtype of the input."""
    return np.zeros_like(input)


@op(functions=(), methods=(), latex="⟨0⟩", symbol="detach", torch="detach")
def detach(input: Array):
    """The same values outside the graph."""
    return input


@op(functions=(), methods=(), latex="⟨0⟩", symbol=".data", torch=None)
def data(input: Array):
    """The same memory outside the graph, unseen by the version check."""
    return input
