"""The functions, methods and operators that sparse tensors have, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradflow.engine.namespace.sparse.operations import NUMBERS, add, addmm, div, matmul, mm, mul, mv, neg, pow, sub
from gradflow.engine.namespace.sparse.parts import (
    clone,
    getitem,
    index_select,
    norm,
    select,
    sparse_mask,
    sum,
    t,
    to,
    to_sparse,
    transpose,
    type_of,
)
from gradflow.engine.namespace.sparse.sparse_tensor import SparseTensor
from gradflow.engine.tensor import Tensor, dtypes


def conversion(dtype: dtypes.dtype) -> Callable[[SparseTensor], SparseTensor]:
    def convert(self: SparseTensor, *, memory_format: Any = None) -> SparseTensor:
        return to(self, dtype)

    convert.__doc__ = f"The tensor as {dtype!r}."
    return convert


KEEP_ZERO: Final = [
    "abs",
    "asin",
    "asinh",
    "atan",
    "ceil",
    "deg2rad",
    "erf",
    "expm1",
    "floor",
    "log1p",
    "rad2deg",
    "relu",
    "round",
    "sign",
    "sgn",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
"""Functions that are 0 at 0, so that they are taken of the values alone."""


def _of_values(name: str) -> Callable[..., SparseTensor]:
    def function(input: SparseTensor) -> SparseTensor:
        tensor = input.coalesce()
        values: Any = tensor._held
        return tensor.over(getattr(values, name)())

    function.__doc__ = f"``{name}`` of the values."
    return function


def operator(function: Callable[..., Any], *, numbers: bool = True) -> Callable[[SparseTensor, Any], Any]:
    """A binary operator: NotImplemented for operands that are no tensor and no number, so that Python says which."""
    kinds = (Tensor, *NUMBERS) if numbers else (Tensor,)
    return lambda self, other: function(self, other) if isinstance(other, kinds) else NotImplemented


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "mm": mm,
    "matmul": matmul,
    "mv": mv,
    "spmm": mm,
    "addmm": addmm,
    "add": add,
    "sub": sub,
    "subtract": sub,
    "mul": mul,
    "multiply": mul,
    "div": div,
    "divide": div,
    "true_divide": div,
    "neg": neg,
    "negative": neg,
    "pow": pow,
    "sum": sum,
    "norm": norm,
    "t": t,
    "transpose": transpose,
    "swapaxes": transpose,
    "select": select,
    "index_select": index_select,
    "clone": clone,
    "sparse_mask": sparse_mask,
    **{name: _of_values(name) for name in KEEP_ZERO},
}
"""The functions of ``torch`` that take sparse tensors, by name."""

KINDS: Final = {
    **dtypes.ALIASES,
    "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool_,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
}
METHODS: Final[dict[str, Callable[..., Any]]] = {
    **FUNCTIONS,
    **{name: conversion(kind) for name, kind in KINDS.items()},
    "to": to,
    "type": type_of,
    "to_sparse": to_sparse,
    "to_sparse_coo": to_sparse,
    "__getitem__": getitem,
    "__matmul__": operator(matmul, numbers=False),
    "__rmatmul__": operator(lambda self, other: matmul(other, self), numbers=False),
    "__add__": operator(add),
    "__radd__": operator(lambda self, other: add(other, self)),
    "__sub__": operator(sub),
    "__rsub__": operator(lambda self, other: sub(other, self)),
    "__mul__": operator(mul),
    "__rmul__": operator(mul),
    "__truediv__": operator(div),
    "__neg__": neg,
    "__pow__": pow,
    "__abs__": FUNCTIONS["abs"],
}
