"""Copies of what views show, parts of memory replaced, and indices as numbers: functions around `gradflow.engine.ops.shape.view_copies`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.memory import strided_arguments
from gradflow.engine.namespace.tensor import indexing
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


def _call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def squeeze_copy(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of length 1, copied."""
    if dim is None:
        return _call("squeeze_all_copy", input)
    return _call("squeeze_dims_copy" if isinstance(dim, tuple | list) else "squeeze_dim_copy", input, dim)


def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The view with the given shape and strides of the memory behind a tensor, copied."""
    return _call("as_strided_copied", input, *strided_arguments(input, size, stride, storage_offset))


def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The input with a strided part of it replaced by ``src``."""
    size, stride, offset = strided_arguments(input, size, stride, storage_offset)
    return _call("strided_scatter", input, src, size, stride, offset)


def fill(input: Tensor, value: Any) -> Tensor:
    """All elements ``value``, in a new tensor."""
    if not isinstance(value, Tensor):
        return _call("filled", input, value)
    if value._a.ndim:
        raise errors.FILL_DIMENSIONS(dimensions=value._a.ndim)
    return _call("filled_tensor", input, value)


def zero_(input: Tensor) -> Tensor:
    """All elements 0, in place."""
    _write("zero", input)
    return input


def fill_(input: Tensor, value: Any) -> Tensor:
    """All elements ``value``, in place."""
    if isinstance(value, Tensor):
        indexing.fill_tensor(input, value)
    else:
        _write("fill", input, value)
    return input


def _write(name: str, *args: Any) -> None:
    call = REGISTRY[name].call_inplace
    assert call is not None
    call(*args)


# -- indices -----------------------------------------------------------------------------------------------------------


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The coordinates of the elements that are not 0, cut or filled up to ``size`` of them."""
    if size < 0:
        raise errors.CUT_REFUSED(message="nonzero_static: 'size' must be an non-negative integer")
    found = np.argwhere(input._a)[:size] if input._a.ndim else np.zeros((min(size, int(bool(input._a))), 0), np.int64)
    result = np.full((size, input._a.ndim), fill_value, np.int64)
    result[: len(found)] = found
    return Tensor(result)


_TABLE = globals()
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: _TABLE[name]
    for name in (
        "squeeze_copy",
        "as_strided_copy",
        "as_strided_scatter",
        "fill",
        "zero_",
        "fill_",
        "nonzero_static",
    )
} | {"diagonal_copy": REGISTRY["diagonal_copy"].call}
"""Under ``torch``."""

METHODS: dict[str, Callable[..., Any]] = {name: _TABLE[name] for name in ("as_strided_scatter", "nonzero_static")}
"""On Tensor."""
