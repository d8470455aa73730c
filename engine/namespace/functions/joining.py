"""Functions that join tensors, broadcast them, and lay out grids of them, as PyTorch composes them of others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.functions.composite import flatten, reshape
from gradflow.engine.namespace.tensor.indexing import copy_into, fill_tensor
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.out_rules import JOINED, OutRule, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Size, Tensor, dtypes

_MESHGRID_WARNING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4215.)"
)


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def _tensors(values: tuple[Any, ...]) -> Sequence[Tensor]:
    """``f(a, b)`` and ``f([a, b])`` as one sequence."""
    given = tuple(values[0]) if len(values) == 1 and isinstance(values[0], (tuple, list)) else values
    for index, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise errors.SEQUENCE_ELEMENT(index=index, argument=0, actual=type_title(each))
    return given


# -- joining -----------------------------------------------------------------------------------------------------------


def block_diag(*tensors: Any) -> Tensor:
    """Matrices, vectors as rows and numbers along the diagonal of a matrix of zeros."""
    given = _tensors(tensors)
    return _call("block_diag", list(given)) if given else Tensor(np.zeros((1, 0), dtypes.DEFAULT))


def _raised(least: int, raise_one: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    def raise_all(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return raise_one(tensors[0])
        return tuple(raise_one(t) for t in _tensors(tensors))

    raise_all.__doc__ = f"Tensors with at least {least} dimension{'s' * (least > 1)}."
    return raise_all


def _one(input: Tensor) -> Tensor:
    return input if input._a.ndim else reshape(input, (1,))


def _two(input: Tensor) -> Tensor:
    if not input._a.ndim:
        return reshape(input, (1, 1))
    return _call("unsqueeze", input, 0) if input._a.ndim == 1 else input


def _three(input: Tensor) -> Tensor:
    if not input._a.ndim:
        return reshape(input, (1, 1, 1))
    row = _call("unsqueeze", input, 0) if input._a.ndim == 1 else input
    return _call("unsqueeze", row, -1) if row._a.ndim == 2 else row


atleast_1d, atleast_2d, atleast_3d = _raised(1, _one), _raised(2, _two), _raised(3, _three)


def _nonempty(name: str, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    if not tensors:
        raise errors.JOIN_REFUSED(message=f"{name} expects a non-empty TensorList")
    return tensors


@has_out(OutRule(JOINED, gradient="cat"))
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined side by side: along dimension 1, vectors along dimension 0."""
    rows = [_one(t) for t in _nonempty("hstack", tensors)]
    return _call("cat", rows, 0 if rows[0]._a.ndim == 1 else 1)


@has_out(OutRule(JOINED, gradient="cat"), "row_stack")
@has_out(OutRule(JOINED, gradient="cat"))
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined on top of each other, vectors as rows."""
    return _call("cat", [_two(t) for t in _nonempty("vstack", tensors)], 0)


@has_out(OutRule(JOINED, gradient="cat"))
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the third dimension."""
    return _call("cat", [_three(t) for t in _nonempty("dstack", tensors)], 2)


@has_out(OutRule(JOINED, gradient="cat"))
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined side by side, vectors as columns."""
    given = _nonempty("column_stack", tensors)
    return hstack([reshape(t, (t._a.size, 1)) if t._a.ndim < 2 else t for t in given])


# -- grids -------------------------------------------------------------------------------------------------------------


def broadcast_tensors(*tensors: Any) -> Any:
    """Tensors expanded to their common shape."""
    given = _tensors(tensors)
    for a, b in itertools.pairwise(given):
        check_broadcast(a._a.shape, b._a.shape)
    shape = np.broadcast_shapes(*(t._a.shape for t in given))
    return tuple(t if t._a.shape == shape else _call("expand", t, *shape) for t in given)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which shapes broadcast."""
    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result = [1] * max(map(len, given), default=0)
    for index, shape in enumerate(given):
        for offset in range(-1, -1 - len(shape), -1):
            n = shape[offset]
            if n < 0:
                raise errors.BROADCAST_LENGTH()
            if n not in (1, result[offset]):
                if result[offset] != 1:
                    raise errors.JOIN_REFUSED(
                        message=f"Attempting to broadcast a dimension of length {n} at {offset}! Mismatching argument at "
                        f"index {index} had {shape}; but expected shape should be broadcastable to {result}"
                    )
                result[offset] = n
    return Size(result)


def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    """Vectors as coordinates of a grid: one tensor of the grid's shape for each."""
    if indexing is None:
        warn(_MESHGRID_WARNING, once=True)
    return _grids(_tensors(tensors), indexing or "ij")


def _grids(given: Sequence[Tensor], indexing: str) -> Any:
    if not given:
        raise errors.JOIN_REFUSED(message="meshgrid expects a non-empty TensorList")
    for each in given:
        if each._a.ndim > 1:
            raise errors.JOIN_REFUSED(
                message=f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {each!r}"
            )
        if each._a.dtype != given[0]._a.dtype:
            raise errors.JOIN_REFUSED(message="meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise errors.JOIN_REFUSED(
            message=f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    order = list(range(len(given)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shape = [given[i]._a.size for i in order]
    places = [[n if order[d] == i else 1 for d, n in enumerate(shape)] for i in range(len(given))]
    return tuple(_call("expand", _call("view", t, *p), *shape) for t, p in zip(given, places, strict=True))


def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of elements of vectors, one row each."""
    given = _tensors(tensors)
    for each in given:
        if each._a.ndim != 1:
            raise errors.JOIN_REFUSED(message=f"Expect a 1D vector, but got shape {list(each._a.shape)}")
    if len(given) == 1:
        return given[0]
    return _call("stack", [flatten(grid) for grid in _grids(given, "ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All selections of ``r`` elements of a vector, one row each."""
    if input._a.ndim != 1:
        raise errors.JOIN_REFUSED(message=f"Expect a 1D vector, but got shape {list(input._a.shape)}")
    if r < 0:
        raise errors.JOIN_REFUSED(message=f"Expect a non-negative number, but got {r}")
    if r == 0:
        return Tensor(np.zeros(0, input._a.dtype))
    places = np.indices((input._a.size,) * r)
    kept = np.ones(places.shape[1:], bool)
    for a, b in itertools.pairwise(places):
        kept &= (a <= b) if with_replacement else (a < b)
    mask = Tensor(kept)
    return _call("stack", [_call("masked_select", grid, mask) for grid in _grids([input] * r, "ij")], 1)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element of a vector, in rows; the highest first."""
    if x._a.ndim != 1:
        raise errors.JOIN_REFUSED(message="x must be a one-dimensional tensor.")
    count = x._a.size if N is None else N
    if count < 0:
        raise errors.JOIN_REFUSED(message="N must be non-negative.")
    dtype = x._a.dtype if x._a.dtype.kind in "fcV" else np.dtype("int64")
    result = Tensor(np.zeros((x._a.size, count), dtype))
    if count:
        fill_tensor(_call("select", result, 1, 0), Tensor(np.asarray(1, dtype)))
    if count > 1:
        copy_into(_call("slice", result, 1, 1, count, 1), _call("unsqueeze", x, 1))
        copy_into(_call("slice", result, 1, 1, count, 1), _call("cumprod", _call("slice", result, 1, 1, count, 1), 1))
    return result if increasing else _call("flip", result, (1,))


# -- names -------------------------------------------------------------------------------------------------------------

_NAMES = (
    "block_diag", "atleast_1d", "atleast_2d", "atleast_3d", "hstack", "vstack", "dstack", "column_stack",
    "broadcast_tensors", "broadcast_shapes", "meshgrid", "cartesian_prod", "combinations", "vander",
)  # fmt: skip
_TABLE = globals()

FUNCTIONS: dict[str, Callable[..., Any]] = {**{name: _TABLE[name] for name in _NAMES}, "row_stack": vstack}
"""Under ``torch``."""
