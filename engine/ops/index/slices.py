"""Whole slices by number: `index_select` and its kin. An index is a vector of slice numbers along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast, checked_fill
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.out_rules import EXPECTED, SELF, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim, dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
TWICE = [0, 1, 1]


def _legacy(array: np.ndarray) -> str:
    return dtypes.of(array).legacy


def slices_key(axis: int, index: np.ndarray) -> tuple[Any, ...]:
    """The key of the slices with the given numbers."""
    return ((slice(None),) * axis) + (np.atleast_1d(index),)


def _is_index(index: np.ndarray) -> bool:
    return index.dtype in (np.int64, np.int32)


def _outside(index: np.ndarray, length: int, low: int = 0) -> int | None:
    """The first index that is out of range."""
    wrong = np.atleast_1d((index < low) | (index >= length))
    return int(np.atleast_1d(index)[wrong][0]) if wrong.any() else None


def _length(input: np.ndarray, axis: int) -> int:
    return input.shape[axis] if input.ndim else 1


@op(
    gradients={"input": "index_add(zeros_of(g, input.shape), dim, index, g)"},
    inplace=False,
    symbol="[idx]",
    latex=r"⟨0⟩_{⟨2⟩}",
    samples=((V, 0, TWICE), (V, 1, [2, 0]), (V, -1, [1]), (2.5, 0, [0])),
    edges=((V, 0, np.zeros(0, "int64")), ([1, 2], 0, [1]), (V, 0, np.array(TWICE, "int32")), (V, 0, 1)),
    errors=(
        (V, 0, [2], "index out of range in self"),
        (V, 0, [-1], "index out of range in self"),
        (V, 0, [0.5], "index_select(): Expected dtype int32 or int64 for index"),
        (V, 0, [[0]], "index_select(): Index is supposed to be a vector"),
        (2.5, 0, [0, 0], "index_select(): Index to scalar can have only 1 value, got 2 value(s)"),
    ),
    out=exactly(SELF, apart=0),
)
def index_select(input: Array, dim, index: Array):
    """The slices with the given numbers along a dimension."""
    axis = check_dim(dim, input.ndim)
    if index.ndim > 1:
        raise errors.INDEX_VECTOR(message="index_select(): Index is supposed to be a vector")
    if not _is_index(index):
        raise errors.INDEX_KIND(message="index_select(): Expected dtype int32 or int64 for index")
    if not input.ndim and index.size != 1:
        raise errors.INDEX_SOURCE(
            message=f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)"
        )
    if _outside(index, _length(input, axis)) is not None:
        raise errors.SLICE_RANGE(message="index out of range in self")
    return input[slices_key(axis, index)].copy() if input.ndim else input.copy()


# -- written -----------------------------------------------------------------------------------------------------------


def check_added(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, name: str) -> int:
    """The dimension. Raises as PyTorch where index and source do not fit the input."""
    axis = check_dim(dim, input.ndim)
    if index.ndim > 1:
        raise errors.INDEX_VECTOR(
            message=f"{name}: Index is supposed to be a vector, but got dim: {index.ndim} with type: {_legacy(index)} "
            f"and size: {list(index.shape)}"
        )
    if not _is_index(index):
        raise errors.INDEX_KIND(message=f"{name}: Expected dtype int32/int64 for index but got: {_legacy(index)}")
    if input.dtype != source.dtype:
        raise errors.SAME_DTYPE(
            message=f"{name}: self ({_legacy(input)}) and source ({_legacy(source)}) must have the same scalar type"
        )
    if axis and axis >= source.ndim:
        raise errors.INDEX_SOURCE(
            message=f"{name}: Indexing dim {axis} is out of bounds of the source tensor with dim {source.ndim}"
        )
    _check_slices(input, axis, index, source, name)
    wrong = _outside(index, _length(input, axis))
    if wrong is not None and input.ndim < 2 and name == "index_add_()":
        raise errors.EMBEDDING_RANGE()
    if wrong is not None:
        raise errors.GATHER_RANGE(index=wrong, dim=axis, size=_length(input, axis))
    return axis


def _check_slices(input: np.ndarray, axis: int, index: np.ndarray, source: np.ndarray, name: str) -> None:
    count = _length(source, axis) if axis < max(source.ndim, 1) else 1
    if index.size != count:
        raise errors.INDEX_SOURCE(
            message=f"{name}: Number of indices ({index.size}) should be equal to source.size(dim): ({count}), for dim: {axis}"
        )
    own, other = list(input.shape), list(source.shape)
    if own[:axis] + own[axis + 1 :] != other[:axis] + other[axis + 1 :] or (other and not own):
        raise errors.INDEX_SOURCE(
            message="source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {own} source.shape = {other}"
        )


@composed(r"\operatorname{slices}\left(⟨0⟩\right)")
def slices_of(run, g, source, dim, index):
    """The slices with the given numbers, in the shape of what was written there."""
    picked = run("index_select")(g, dim, index)
    if picked.shape != source.shape:
        return picked.reshape(source.shape)
    return run("expand")(picked, tuple(source.shape)) if source.ndim else picked


@op(
    gradients={"input": "g", "source": "slices_of(g, source, dim, index) * alpha"},
    inplace=True,
    symbol="[idx]+=",
    latex=r"⟨0⟩_{⟨2⟩} \mathrel{+}= ⟨3⟩",
    samples=(
        (V, 0, TWICE, ROWS),
        (V, 1, [2, 0], [[1.0, 2.0], [3.0, 4.0]]),
        (V, 0, [1], [[1.0, 2.0, 3.0]], {"alpha": 2}),
        ([1.0, 2.0], -1, [0, 0], [3.0, 4.0], {"alpha": -0.5}),
    ),
    edges=(([1, 2], 0, [1, 1], [7, 8]), (1.5, 0, 0, 2.5)),
    errors=(
        (V, 0, [2], [[1.0, 2.0, 3.0]], "index 2 is out of bounds for dimension 0 with size 2"),
        (
            V,
            0,
            [0],
            [[1.0, 2.0]],
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [2, 3] source.shape = [1, 2]",
        ),
        (V, 1, [0, 0], [3.0, 4.0], "index_add_(): Indexing dim 1 is out of bounds of the source tensor with dim 1"),
        ([1.0, 2.0], 0, [5], [1.0], "index out of range in self"),
        (
            V,
            0,
            [0, 1],
            [[1.0, 2.0, 3.0]],
            "index_add_(): Number of indices (2) should be equal to source.size(dim): (1), for dim: 0",
        ),
        (
            V,
            0,
            [[0]],
            [[1.0, 2.0, 3.0]],
            "index_add_(): Index is supposed to be a vector, but got dim: 2 with type: Long and size: [1, 1]",
        ),
        (V, 0, [0.5], [[1.0, 2.0, 3.0]], "index_add_(): Expected dtype int32/int64 for index but got: Float"),
        (V, 0, [0], [[1, 2, 3]], "index_add_(): self (Float) and source (Long) must have the same scalar type"),
    ),
    overlap="none",
    out=exactly(EXPECTED, apart=3),
)
def index_add(input: Array, dim, index: Array, source: Array, *, alpha=1):
    """The input with the slices of ``source``, times ``alpha``, added to its slices of the given numbers."""
    axis = check_added(input, dim, index, source, "index_add_()")
    scaled = source if alpha == 1 else source * source.dtype.type(alpha)
    result = np.array(np.atleast_1d(input))
    np.add.at(result, slices_key(axis, index), np.atleast_1d(scaled))
    return result.reshape(input.shape)


@op(
    gradients={"input": "index_fill_scalar(g, dim, index, 0)", "source": "slices_of(g, source, dim, index)"},
    inplace=True,
    symbol="[idx]=",
    latex=r"⟨0⟩_{⟨2⟩} \leftarrow ⟨3⟩",
    samples=((V, 0, [1], [[1.0, 2.0, 3.0]]), (V, 1, [2, 0], [[1.0, 2.0], [3.0, 4.0]]), ([1.0, 2.0], -1, [0], [3.0])),
    edges=(([1, 2], 0, [1], [7]), (1.5, 0, [0], [2.5])),
    errors=(
        (V, 0, [2], [[1.0, 2.0, 3.0]], "index_copy_(): index 2 is out of bounds for dimension 0 with size 2"),
        (
            V,
            0,
            [0],
            [[1.0, 2.0]],
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: 3 at dimension 0 and source slice shape: 2 at dimension 0.",
        ),
        (
            V,
            0,
            [0, 1],
            [[1.0, 2.0, 3.0]],
            "index_copy_(): Number of indices (2) should be equal to source.size(dim) (1)",
        ),
        (V, 0, [0.5], [[1.0, 2.0, 3.0]], "index_copy_(): Expected a long tensor for index, but got Float"),
        (
            V,
            0,
            [0],
            [[1, 2, 3]],
            "index_copy_(): self and source expected to have the same dtype, but got (self) Float and (source) Long",
        ),
        (
            V,
            0,
            [0],
            [1.0, 2.0, 3.0],
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality (1), destination dimensionality (2)",
        ),
    ),
    overlap="none",
    out=exactly(EXPECTED, apart=3),
)
def index_copy(input: Array, dim, index: Array, source: Array):
    """The input with its slices of the given numbers replaced by those of ``source``."""
    axis = check_dim(dim, input.ndim)
    _check_copied(input, axis, index, source)
    wrong = _outside(index, _length(input, axis))
    if wrong is not None:
        raise errors.SLICE_RANGE(
            message=f"index_copy_(): index {wrong} is out of bounds for dimension {axis} with size {_length(input, axis)}"
        )
    result = np.array(np.atleast_1d(input))
    result[slices_key(axis, index)] = np.atleast_1d(source)
    return result.reshape(input.shape)


def _check_copied(input: np.ndarray, axis: int, index: np.ndarray, source: np.ndarray) -> None:
    if index.ndim > 1:
        raise errors.INDEX_VECTOR(message=f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim and input.ndim and source.ndim != input.ndim:
        raise errors.INDEX_VECTOR(
            message="index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype != np.int64:
        raise errors.INDEX_KIND(message=f"index_copy_(): Expected a long tensor for index, but got {_legacy(index)}")
    if input.dtype != source.dtype:
        raise errors.SAME_DTYPE(
            message="index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{_legacy(input)} and (source) {_legacy(source)}"
        )
    if source.ndim and input.ndim:
        _check_copied_slices(input, axis, index, source)


def _check_copied_slices(input: np.ndarray, axis: int, index: np.ndarray, source: np.ndarray) -> None:
    own, other = list(input.shape), list(source.shape)
    own.pop(axis)
    count = other.pop(axis)
    if own != other:
        raise errors.INDEX_SOURCE(
            message="index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, own))} at dimension {axis} and source slice shape: {' '.join(map(str, other))} at dimension 0."
        )
    if index.size != count:
        raise errors.INDEX_VECTOR(
            message=f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({count})"
        )


# -- filled ------------------------------------------------------------------------------------------------------------


def _filled(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> np.ndarray:
    axis = check_dim(dim, input.ndim)
    if index.dtype != np.int64:
        raise errors.INDEX_FILL_KIND()
    if index.ndim > 1:
        raise errors.INDEX_SOURCE(message="Index has to be a vector/scalar")
    length = _length(input, axis)
    wrong = _outside(index, length, -length)
    if wrong is not None:
        raise errors.INDEX_RANGE(index=wrong, dim=axis, size=length)
    result = np.array(np.atleast_1d(input))
    result[slices_key(axis, index)] = value
    return result.reshape(input.shape)


_FILL: dict[str, Any] = {
    "functions": (), "methods": (), "inplace": True, "torch": "index_fill", "symbol": "[idx]=",
    "latex": r"⟨0⟩_{⟨2⟩} \leftarrow ⟨3⟩",
}  # fmt: skip


@op(
    gradients={"input": "index_fill_scalar(g, dim, index, 0)"},
    **_FILL,
    grad_fn="IndexFillBackward0",
    samples=((V, 0, [1], 2.5), (V, 1, [2, 0], 1), (V, -1, [-1], 0.5)),
    edges=(([1, 2], 0, [1], 7), (1.5, 0, [0], 2.5)),
    errors=(
        (V, 0, [3], 1.0, "index 3 is out of bounds for dimension 0 with size 2"),
        (V, 0, [0.5], 1.0, "index_fill_(): Expected dtype int64 for index."),
        (V, 0, [[0]], 1.0, "Index has to be a vector/scalar"),
        (V, 0, [0], 1j, "index_fill_(): Converting complex Scalar to non-complex type is not supported"),
    ),
)
def index_fill_scalar(input: Array, dim, index: Array, value):
    """The input with one number in its slices of the given numbers."""
    if isinstance(value, complex) and input.dtype.kind != "c":
        raise errors.SAME_DTYPE(message="index_fill_(): Converting complex Scalar to non-complex type is not supported")
    cast = checked_fill if input.dtype.kind == "V" else checked_cast
    return _filled(input, dim, index, cast(value, input.dtype))


@op(
    gradients={
        "input": "index_fill_scalar(g, dim, index, 0)",
        "value": "sum_all(index_select(g, dim, distinct(index, input.shape, dim)))",
    },
    **_FILL,
    grad_fn="IndexFillBackward1",
    samples=((V, 0, [1], 2.5), (V, 1, [2, 0, 0], 1.5)),
    errors=(
        (
            V,
            0,
            [0],
            [1.0, 2.0],
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
    ),
    overlap="any",
)
def index_fill_tensor(input: Array, dim, index: Array, value: Array):
    """The input with the number that a tensor holds in its slices of the given numbers."""
    if value.ndim:
        raise errors.INDEX_SOURCE(
            message="index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    return _filled(input, dim, index, value)


@op(functions=(), methods=(), torch=None)
def distinct(index: Array, shape, dim):
    """Each slice number once, counted from the front."""
    length = shape[dim] if shape else 1
    return np.unique(index % max(length, 1))
