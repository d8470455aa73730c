"""Tensors cut along a dimension: `split`, `chunk`, `tensor_split`, `narrow`, `unbind`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.ops.shape.slice_scatter import narrowed
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Pieces of one size, or of the given sizes, along a dimension, as views."""
    has(tensor, "split")
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, given("split_with_sizes", tensor, split_size_or_sections)[1], dim)
    plain = isinstance(split_size_or_sections, int | np.integer)
    if not plain and not (isinstance(split_size_or_sections, Tensor) and split_size_or_sections._a.size == 1):
        split_size_or_sections = given("split_with_sizes", tensor, split_size_or_sections)[1]
    size = int(split_size_or_sections)
    if not tensor._a.ndim:
        raise errors.CUT_REFUSED(message="split expects at least a 1-dimensional tensor")
    if size < 0:
        raise errors.CUT_REFUSED(message=f"split expects split_size be non-negative, but got split_size={size}")
    length = tensor._a.shape[check_dim(dim, tensor._a.ndim)]
    if size == 0 and length:
        raise errors.CUT_REFUSED(
            message=f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}"
        )
    return _call("split_size", tensor, size, dim)


def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Any:
    """Pieces of the given lengths along a dimension, as views."""
    sizes = [int(n) for n in split_sizes]
    if not input._a.ndim:
        raise errors.CUT_REFUSED(message="split expects at least a 1-dimensional tensor")
    if any(n < 0 for n in sizes):
        raise errors.CUT_REFUSED(
            message=f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    return _call("split_sizes", input, tuple(sizes), dim)


def _chunk_size(input: Tensor, chunks: int, dim: int) -> int:
    if not input._a.ndim:
        raise errors.CUT_REFUSED(message="chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise errors.CHUNK_COUNT(chunks=chunks)
    return -(-input._a.shape[check_dim(dim, input._a.ndim)] // chunks) or 1


def method_split(self: Tensor, split_size: Any, dim: int = 0) -> Any:
    """`split` as a method, whose parameter has another name."""
    return split(self, split_size, dim)


method_split.__name__, method_split.__qualname__ = "split", "Tensor.split"


def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """At most ``chunks`` pieces of equal size along a dimension, the last one perhaps smaller, as views."""
    size = _chunk_size(input, chunks, dim)
    if not input._a.shape[dim]:
        return _call("split_sizes", input, (0,) * chunks, dim)
    return _call("split_size", input, size, dim)


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """`chunk` whose pieces may each be written in place."""
    size = _chunk_size(input, chunks, dim)
    if not input._a.shape[dim]:
        return _call("unsafe_split_with_sizes", input, (0,) * chunks, dim)
    return _call("unsafe_split", input, size, dim)


def tensor_split(
    input: Tensor, sections: Any = None, dim: int = 0, *, indices: Any = None, tensor_indices_or_sections: Any = None
) -> Any:
    """``n`` pieces of nearly equal size, or pieces cut at the given places, along a dimension, as views."""
    where = next(w for w in (sections, indices, tensor_indices_or_sections) if w is not None)
    if not input._a.ndim:
        raise errors.CUT_REFUSED(
            message="tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    axis = check_dim(dim, input._a.ndim)
    if isinstance(where, Tensor):
        where = _from_tensor(where)
    ends = _even_ends(input._a.shape[axis], where) if isinstance(where, int) else list(where)
    starts = [0, *ends]
    return tuple(_cut(input, axis, a, b) for a, b in zip(starts, [*ends, input._a.shape[axis]], strict=True))


def _from_tensor(where: Tensor) -> Any:
    if where._a.dtype != np.int64:
        raise errors.INDEX_KIND(
            message="tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            f"{where.dtype.legacy}"
        )
    if where._a.ndim > 1:
        raise errors.CUT_REFUSED(
            message="tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
            f"tensor, but got a tensor with {where._a.ndim} dims"
        )
    return where._a.tolist()


def _even_ends(length: int, sections: int) -> list[int]:
    """Where all pieces but the last end: the first ones are longer by 1 where they do not come out even."""
    if sections <= 0:
        raise errors.CUT_REFUSED(message=f"number of sections must be larger than 0, got {sections}")
    size, more = divmod(length, sections)
    return list(itertools.accumulate(size + (i < more) for i in range(sections - 1)))


def _cut(input: Tensor, axis: int, start: int, end: int) -> Tensor:
    first, last, _ = slice(start, end).indices(input._a.shape[axis])
    return _call("slice", input, axis, first, max(first, last), 1)


def _along(name: str, least: int, axis: int) -> Callable[..., Any]:
    """`hsplit` and its kin: `tensor_split` along a fixed dimension."""

    def cut(input: Tensor, sections: Any = None, *, indices: Any = None) -> Any:
        where = indices if sections is None else sections
        ndim = input._a.ndim
        if ndim < least:
            raise errors.CUT_REFUSED(
                message=f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {ndim} "
                "dimensions!"
            )
        dim = min(axis, ndim - 1)
        size = input._a.shape[dim]
        if isinstance(where, int) and (where == 0 or size % where):
            raise errors.CUT_REFUSED(
                message=f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {size} is "
                f"not divisible by the split_size {where}!"
            )
        return tensor_split(input, where, dim)

    cut.__name__ = cut.__qualname__ = name
    cut.__doc__ = f"`tensor_split` along dimension {axis}."
    return cut


hsplit, vsplit, dsplit = _along("hsplit", 1, 1), _along("vsplit", 2, 0), _along("dsplit", 3, 2)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` slices from ``start`` along a dimension, as a view."""
    if isinstance(start, Tensor) and (start._a.ndim or start._a.dtype.kind not in "iu"):
        raise errors.CUT_REFUSED(message="start must be an 0-dim integral Tensor.")
    axis, begin = narrowed(input._a, dim, int(start), length)
    return _call("slice", input, axis, begin, begin + length, 1)


def unbind(input: Tensor, dim: int = 0) -> Any:
    """The slices along a dimension, as views."""
    if not input._a.ndim:
        raise errors.DIM_OF_SCALAR(dim=dim)
    return _call("unbind", input, dim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        split,
        split_with_sizes,
        chunk,
        unsafe_chunk,
        tensor_split,
        hsplit,
        vsplit,
        dsplit,
        narrow,
        unbind,
    )
}
"""Under ``torch``, and on Tensor."""
