"""Indexing: the operations that `x[...]` and `x[...] = v` are made of (`gradflow.engine.namespace.tensor.indexing`)."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import check_dim, dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]


def _at(axis: int, part: Any) -> tuple[Any, ...]:
    return (builtins.slice(None),) * axis + (part,)


@op(
    gradients={"input": "select_backward(g, input.shape, dim, index)"},
    latex="⟨0⟩_{⟨2⟩}",
    symbol="[i]",
    view=True,
    samples=((V, 0, 1), (V, 1, -1), (V, -1, 0)),
)
def select(input: Array, dim, index):
    """One slice along a dimension, as a view."""
    if not input.ndim:
        raise errors.SELECT_SCALAR()
    axis = check_dim(dim, input.ndim)
    if not -input.shape[axis] <= index < input.shape[axis]:
        raise errors.SELECT_RANGE(index=index, shape=list(input.shape), dim=dim)
    return input[(*_at(axis, index), ...)]


@op(
    gradients={"input": "select(g, dim, index)"},
    functions=(),
    methods=(),
    symbol="put",
    latex=r"\operatorname{put}_{⟨3⟩}\left(⟨0⟩\right)",
    samples=(([1.0, 2.0], (2, 3), 1, 2),),
    torch=None,
)
def select_backward(input: Array, shape, dim, index):
    """Zeros with the given slice along a dimension."""
    result = np.zeros(shape, input.dtype)
    result[_at(dim % len(shape), index)] = input
    return result


@op(
    gradients={"input": "slice_backward(g, input.shape, dim, start, end, step)"},
    latex="⟨0⟩_{⟦2:⟨2⟩⟧:⟦3:⟨3⟩⟧}",
    symbol="[:]",
    view=True,
    functions=(),
    methods=(),
    samples=((V, 1, 0, 2, 1), (V, 1, 0, 3, 2), (V, 0, 1, 1, 1)),
    torch="ops.aten.slice",
)
def slice(input: Array, dim, start, end, step):
    """The elements start, start + step, ... below end along a dimension, as a view."""
    return input[_at(dim % input.ndim, builtins.slice(start, end, step))]


@op(
    gradients={"input": "slice(g, dim, start, end, step)"},
    functions=(),
    methods=(),
    symbol="put",
    latex=r"\operatorname{put}_{⟦3:⟨3⟩⟧:⟦4:⟨4⟩⟧}\left(⟨0⟩\right)",
    samples=((V, (2, 5), 1, 1, 4, 1),),
    torch=None,
)
def slice_backward(input: Array, shape, dim, start, end, step):
    """Zeros with the given elements along a dimension."""
    result = np.zeros(shape, input.dtype)
    result[_at(dim % len(shape), builtins.slice(start, end, step))] = input
    return result


@op(
    gradients={"input": "index_accumulate(g, input.shape, indices)"},
    latex="⟨0⟩_{⟨1⟩}",
    symbol="[idx]",
    functions=(),
    methods=(),
    samples=((V, (np.array([0, 1, 1]), np.array([2, 0, 0]))), (V, (None, np.array([0, 0])))),
    keeps=("indices",),
    torch="ops.aten.index",
)
def index(input: Array, indices):
    """The elements at index arrays, one for each leading dimension, None for a dimension taken whole."""
    return np.ascontiguousarray(input[_key(indices, input.shape)])


@op(
    gradients={"input": "index(g, indices)"},
    functions=(),
    methods=(),
    symbol="put",
    grad_fn="IndexPutImplBackward0",
    latex=r"\operatorname{put}_{⟨2⟩}\left(⟨0⟩\right)",
    keeps=("indices",),
    samples=(
        ([1.0, 2.0, 3.0], (2, 3), (np.array([0, 1, 1]), np.array([2, 0, 0]))),
        ([[1.0, 2.0], [3.0, 4.0]], (2, 3), (None, np.array([0, 0]))),
    ),
    torch=None,
)
def index_accumulate(input: Array, shape, indices):
    """Zeros with each value added at its index."""
    result = np.zeros(shape, input.dtype)
    np.add.at(result, _key(indices, shape), input)
    return result


@op(
    gradients={
        "input": ("index_keep(g, indices, accumulate)", "index_kept(g, indices, accumulate)"),
        "values": "index(g, indices)",
    },
    functions=(),
    methods=(),
    symbol="[idx]=",
    latex=r"⟨0⟩_{⟨1⟩} \leftarrow ⟨2⟩",
    inplace=True,
    keeps=("indices",),
    samples=(
        (V, (np.array([0, 1]), np.array([2, 0])), [1.0, 2.0]),
        (V, (np.array([0, 1]), np.array([2, 0])), 3.0),
        (V, (np.array([0, 0, 1]), np.array([2, 2, 0])), [1.0, 2.0, -1.0], True),
        (V, (None, np.array([0, 2])), [[1.5], [2.5]]),
    ),
    torch="ops.aten.index_put",
    overlap="none",
)
def index_put(input: Array, indices, values: Array, accumulate=False):
    """The input with ``values`` written (or added) at index arrays."""
    result = input.copy()
    key = _key(indices, input.shape, values)
    _check_values(values, result[key].shape)
    if values.dtype != input.dtype:
        raise errors.INDEX_PUT_DTYPE(destination=_legacy(input), source=_legacy(values))
    if accumulate:
        np.add.at(result, key, values)
    else:
        result[key] = values
    return result


@op(
    gradients={"input": "index_keep(g, indices, accumulate)"},
    functions=(),
    methods=(),
    symbol="keep",
    grad_fn="IndexPutBackward0",
    latex=r"\operatorname{zero}_{⟨1⟩}\left(⟨0⟩\right)",
    keeps=("indices",),
    samples=((V, (np.array([0, 1]), np.array([2, 0])), False), (V, (np.array([0]),), True)),
    torch=None,
)
def index_keep(input: Array, indices, accumulate):
    """The input with the indexed elements 0, or as it is where values were added."""
    result = input.copy()
    if not accumulate:
        result[_key(indices, input.shape)] = 0
    return result


@helper()
def index_kept(g, indices, accumulate):
    """`index_keep`, which is nothing where values were added."""
    return g if accumulate else REGISTRY["index_keep"].call(g, indices, accumulate)


def _fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def _legacy(array: np.ndarray) -> str:
    return dtypes.of(array).legacy


def _key(indices: Any, shape: tuple[int, ...], values: Array | None = None) -> tuple[Any, ...]:
    """NumPy's key. Raises IndexError in PyTorch's words for an index that is out of range, once ``values`` fit."""
    key = tuple(builtins.slice(None) if part is None else part for part in indices)
    found: tuple[int, int, int, int] | None = None  # the place, the number of the index, the index, the length
    number = 0
    for dim, part in enumerate(key):
        if not isinstance(part, np.ndarray):
            continue
        if part.size and part.dtype != np.bool_ and _outside(part, shape[dim]):
            if not shape[dim]:
                raise errors.INDEX_EMPTY()
            flat = part.reshape(-1)
            place = int(np.argmax((flat < -shape[dim]) | (flat >= shape[dim])))
            if found is None or place < found[0]:
                found = place, number, int(flat[place]), shape[dim]
        number += 1
    if found is not None and values is not None and 0 not in shape:
        _check_values(values, _result_shape(key, shape))
    if found is not None and 0 not in shape:
        raise errors.INDEX_RANGE(dim=found[1], index=found[2], size=found[3])
    if found is not None:
        return tuple(np.zeros_like(part) if isinstance(part, np.ndarray) else part for part in key)
    return key


def _result_shape(key: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what a key takes, whether or not its indices are in range."""
    inside = tuple(
        np.zeros_like(part) if isinstance(part, np.ndarray) and part.dtype != np.bool_ else part for part in key
    )
    return np.broadcast_to(np.False_, shape)[inside].shape


def _check_values(values: Array, target: tuple[int, ...]) -> None:
    """Raises RuntimeError where values cannot be broadcast to the shape they are written to."""
    if not _fits(values.shape, target):
        raise errors.INDEX_PUT_SHAPE(values=list(values.shape), target=list(target))


def _outside(index: np.ndarray, length: int) -> bool:
    return int(index.min()) < -length or int(index.max()) >= length
