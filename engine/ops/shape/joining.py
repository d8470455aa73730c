"""Tensors joined along a dimension, and cut along one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import as_image_lies, has_channels_last
from gradflow.engine.ops.shape.views import V
from gradflow.engine.out_rules import JOINED, OutRule
from gradflow.engine.registry import REGISTRY, Array, Arrays, helper, op
from gradflow.engine.tensor import check_dim


@op(
    gradients={"tensors": "cut(g, tensors.shape, dim)"},
    latex=r"\operatorname{cat}\left(⟨0⟩\right)",
    symbol="cat",
    promote="common",
    elementwise=False,
    inplace=False,
    methods=(),
    samples=(([V, V], 0), ([V, [[1.0], [2.0]]], 1), ([V, [[1.0], [2.0]], V], -1)),
    out=OutRule(JOINED, apart=0),
)
def cat(tensors: Arrays, dim=0):
    """Tensors joined along an existing dimension."""
    if not tensors:
        raise errors.CAT_EMPTY()
    for index, each in enumerate(tensors):
        if not each.ndim:
            raise errors.JOIN_REFUSED(message=f"zero-dimensional tensor (at position {index}) cannot be concatenated")
    real = [a for a in tensors if a.shape != (0,)] or list(tensors)
    first = real[0]
    axis = check_dim(dim, first.ndim)
    for index, other in enumerate(tensors):
        if other.shape == (0,):
            continue
        if other.ndim != first.ndim:
            raise errors.CAT_DIMENSIONS(a=first.ndim, b=other.ndim)
        for i, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)):
            if i != axis and a != b:
                raise errors.CAT_SIZE(dim=axis, expected=a, actual=b, index=index)
    return _joined(real, axis)


def _joined(tensors: Sequence[np.ndarray], axis: int) -> np.ndarray:
    """With the channels of images together where they are so in all of them."""
    joined = np.concatenate(tensors, axis)
    return as_image_lies(joined, tensors[:1] if all(map(has_channels_last, tensors)) else ())


def _cut_tensor(g: Any, shapes: list[tuple[int, ...]], dim: int) -> list[Any]:
    narrow = REGISTRY["slice"].call
    starts = _starts(shapes, dim)
    return [
        narrow(g, dim, start, start + shape[dim % len(shape)], 1) if shape != (0,) else g.new_zeros(0)
        for shape, start in zip(shapes, starts, strict=True)
    ]


def _starts(shapes: list[tuple[int, ...]], dim: int) -> list[int]:
    lengths = [shape[dim % len(shape)] if shape != (0,) else 0 for shape in shapes]
    return [sum(lengths[:i]) for i in range(len(lengths))]


@helper(latex=r"\operatorname{split}\left(⟨0⟩\right)", tensors=_cut_tensor)
def cut(g, shapes, dim):
    """The pieces that were joined."""
    if g.ndim == 0 or all(shape == (0,) for shape in shapes):
        return [g for _ in shapes]
    axis = dim % g.ndim
    return [
        g[(slice(None),) * axis + (slice(start, start + shape[axis]),)] if shape != (0,) else np.zeros(0, g.dtype)
        for shape, start in zip(shapes, _starts(shapes, dim), strict=True)
    ]


@op(
    gradients={"tensors": "unbind_list(g, dim)"},
    latex=r"\operatorname{stack}\left(⟨0⟩\right)",
    symbol="stack",
    promote="common",
    elementwise=False,
    inplace=False,
    methods=(),
    samples=(([V, V], 0), ([V, V], -1)),
    out=OutRule(JOINED, apart=0),
)
def stack(tensors: Arrays, dim=0):
    """Tensors of one shape joined along a new dimension."""
    if not tensors:
        raise errors.STACK_EMPTY()
    axis = check_dim(dim, tensors[0].ndim + 1)
    for index, other in enumerate(tensors):
        if other.shape != tensors[0].shape:
            raise errors.STACK_SIZE(a=list(tensors[0].shape), b=list(other.shape), index=index)
    if axis < tensors[0].ndim:
        return _joined(tensors, axis).reshape(*(shape := tensors[0].shape)[:axis], len(tensors), *shape[axis:])
    return np.ascontiguousarray(np.stack(list(tensors), axis))


def _unbind_tensor(g: Any, dim: int) -> list[Any]:
    return [REGISTRY["select"].call(g, dim, index) for index in range(g._a.shape[dim])]


@helper(latex=r"\operatorname{unbind}\left(⟨0⟩\right)", tensors=_unbind_tensor)
def unbind_list(g, dim):
    """The slices along a dimension."""
    return list(np.moveaxis(g, dim, 0))


def _stack_tensor(g: list[Any], dim: int) -> Any:
    return REGISTRY["stack"].call(g, dim)


@helper(latex=r"\operatorname{stack}\left(⟨0⟩\right)", tensors=_stack_tensor)
def stack_list(g, dim):
    """Slices joined along a new dimension."""
    return np.stack(g, dim)


@op(
    gradients={"input": "stack_list(g, dim)"},
    latex=r"\operatorname{unbind}\left(⟨0⟩\right)",
    symbol="unbind",
    view=True,
    many=True,
    samples=((V, 0), (V, 1)),
)
def unbind(input: Array, dim=0):
    """The slices along a dimension, as views."""
    axis = check_dim(dim, input.ndim)
    return [input[(slice(None),) * axis + (i, ...)] for i in range(input.shape[axis])] if input.ndim else [input]


def _cat_tensor(g: list[Any], dim: int) -> Any:
    return REGISTRY["cat"].call(g, dim)


@helper(latex=r"\operatorname{cat}\left(⟨0⟩\right)", tensors=_cat_tensor)
def cat_list(g, dim):
    """Pieces joined along a dimension."""
    return np.concatenate(g, dim)


def _split_op(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "cat_list(g, dim)"},
        "latex": r"\operatorname{split}\left(⟨0⟩\right)",
        "symbol": "split",
        "view": True,
        "many": True,
        "functions": (),
        "methods": (),
        "grad_fn": name,
    }


@op(**_split_op("SplitBackward0"), samples=((V, 1, 1), (V, 2, 1)), torch="split")
def split_size(input: Array, split_size, dim=0):
    """Pieces of ``split_size`` along a dimension, the last one shorter if need be, as views."""
    axis = check_dim(dim, input.ndim)
    length, step = input.shape[axis], max(int(split_size), 1)
    starts = range(0, length, step) if length else range(1)
    return [input[(slice(None),) * axis + (slice(s, min(s + step, length)),)] for s in starts]


@op(**_split_op("SplitWithSizesBackward0"), samples=((V, (1, 2), 1),), torch="split")
def split_sizes(input: Array, split_sizes, dim=0):
    """Pieces of the given lengths along a dimension, as views."""
    axis = check_dim(dim, input.ndim)
    if sum(split_sizes) != input.shape[axis]:
        raise errors.SPLIT_SIZES(size=input.shape[axis], dim=axis, sizes=list(split_sizes))
    ends = np.cumsum(split_sizes).tolist()
    return [input[(slice(None),) * axis + (slice(e - n, e),)] for e, n in zip(ends, split_sizes, strict=True)]
