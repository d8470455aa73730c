"""Gathering and scattering along a dimension: an index tensor says for each element where it comes from, or goes to."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.75], [0.25, -2.0, 3.0]]
X = [[1.5, 2.5], [0.25, -2.0]]
AT = [[0, 1, 1], [1, 0, 1]]
SOME = [[0, 1]]
KIND = "{}(): Expected dtype int32/int64 for index"
BOUNDS = "index {} is out of bounds for dimension {} with size {}"


# -- places ------------------------------------------------------------------------------------------------------------


def _checked(name: str, subject: str, input: np.ndarray, dim: int, index: np.ndarray) -> int:
    """The dimension. Raises RuntimeError where the index is not one for this tensor."""
    axis = check_dim(dim, input.ndim)
    if index.dtype not in (np.int64, np.int32) and index.size:
        raise errors.INDEX_KIND(message=KIND.format(name))
    if max(index.ndim, 1) != max(input.ndim, 1) and index.size:
        raise errors.GATHER_SHAPE(message=f"Index tensor must have the same number of dimensions as {subject} tensor")
    return axis


def _outgrown(index: np.ndarray, other: np.ndarray, axis: int | None) -> bool:
    """Whether the index is longer than another tensor, in a dimension other than ``axis``."""
    pairs = zip(np.atleast_1d(index).shape, np.atleast_1d(other).shape, strict=False)
    return any(own > n for d, (own, n) in enumerate(pairs) if d != axis)


def key_of(index: np.ndarray, axis: int, length: int) -> tuple[Any, ...]:
    """NumPy's key for the elements. Raises RuntimeError for an index out of range."""
    index = np.atleast_1d(index)
    wrong = (index < 0) | (index >= length)
    if wrong.any():
        raise errors.GATHER_RANGE(index=int(index[wrong][0]), dim=axis, size=length)
    grid = np.ogrid[tuple(slice(n) for n in index.shape)]
    return tuple(index if d == axis else part for d, part in enumerate(grid))


@op(
    gradients={"input": "scatter_add(zeros_like_array(input), dim, index, g)"},
    inplace=False,
    latex=r"⟨0⟩_{⟨2⟩}",
    symbol="gather",
    samples=((V, 0, AT), (V, 1, [[0, 0], [2, 1]]), (V, -1, SOME), ([1.0, 2.0, 3.0], 0, [2, 2, 0, 1]), (2.5, 0, [0, 0])),
    edges=((V, 0, np.zeros((0, 3), "int64")), ([1, 2], 0, [1]), (V, 0, np.array(AT, "int32")), (2.5, 0, 0)),
    errors=(
        (V, 0, [0, 1], "Index tensor must have the same number of dimensions as input tensor"),
        (V, 0, [[5]], BOUNDS.format(5, 0, 2)),
        (V, 1, [[-1]], BOUNDS.format(-1, 1, 3)),
        (
            V,
            0,
            [[0, 1, 0, 1]],
            "Size does not match at dimension 1 expected index [1, 4] to be no larger than self [2, 3] apart from dimension 0",
        ),
        (V, 0, V, KIND.format("gather")),
        (V, 2, SOME, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ),
    out=exactly(EXPECTED, apart=0),
)
def gather(input: Array, dim, index: Array, *, sparse_grad=False):
    """Elements picked along a dimension: ``out[i][j] = input[index[i][j]][j]`` for dimension 0."""
    axis = _checked("gather", "input", input, dim, index)
    if not index.size:
        return np.zeros(index.shape, input.dtype)
    for d, (own, n) in enumerate(zip(np.atleast_1d(index).shape, np.atleast_1d(input).shape, strict=True)):
        if own > n and d != axis:
            raise errors.GATHER_SHAPE(
                message=f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than "
                f"self {list(input.shape)} apart from dimension {axis}"
            )
    lines = np.atleast_1d(input)
    return lines[key_of(index, axis, lines.shape[axis])].reshape(index.shape)


@composed("⟨0⟩")
def whole(run, gradient, shape, name):
    """A gradient as it is. Raises RuntimeError where the index did not use all of the source, which PyTorch refuses."""
    if tuple(gradient.shape) != tuple(shape):
        raise errors.INVALID_GRADIENT(name=name, index=1, actual=list(gradient.shape), expected=list(shape))
    return gradient


# -- scattering --------------------------------------------------------------------------------------------------------


def scatter_target(
    input: np.ndarray, dim: int, index: np.ndarray, src: Any
) -> tuple[np.ndarray, tuple[Any, ...], Any] | None:
    """A copy of the input, the places in it, and what of the source goes there; None where nothing does."""
    axis = _checked("scatter", "self", input, dim, index)
    if isinstance(src, np.ndarray) and src.dtype != input.dtype:
        raise errors.SAME_DTYPE(message="scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return None
    _check_room(input, axis, index, src)
    result = np.array(np.atleast_1d(input))
    places = key_of(index, axis, result.shape[axis])
    if isinstance(src, np.ndarray):
        src = np.atleast_1d(src)[tuple(slice(n) for n in np.atleast_1d(index).shape)]
    return result, places, src


def _check_room(input: np.ndarray, axis: int, index: np.ndarray, src: Any) -> None:
    given = isinstance(src, np.ndarray)
    if given and max(src.ndim, 1) != max(index.ndim, 1):
        raise errors.GATHER_SHAPE(message="Index tensor must have the same number of dimensions as src tensor")
    if _outgrown(index, input, axis) or (given and _outgrown(index, src, None)):
        message = f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {axis}"
        more = f" and to be no larger size than src {list(src.shape)}" if given else ""
        raise errors.GATHER_SHAPE(message=message + more)


_SCATTER: dict[str, Any] = {"latex": r"⟨0⟩_{⟨2⟩} \leftarrow ⟨3⟩", "symbol": "scatter", "inplace": True}
_REFUSALS = (
    (V, 0, [[3]], W, BOUNDS.format(3, 0, 2)),
    (V, 0, [0], W, "Index tensor must have the same number of dimensions as self tensor"),
    (V, 0, [[0.5]], W, KIND.format("scatter")),
    (
        V,
        0,
        [[0, 1], [1, 0]],
        [[1.0]],
        "Expected index [2, 2] to be no larger than self [2, 3] apart from dimension 0 and to be no larger size than src [1, 1]",
    ),
    (V, 0, SOME, [[1, 2, 3]], "scatter(): Expected self.dtype to be equal to src.dtype"),
)


@op(
    gradients={
        "input": "scatter_value(g, dim, index, 0)",
        "src": "whole(gather(g, dim, index), src.shape, 'ScatterBackward0')",
    },
    **_SCATTER,
    functions=(),
    methods=(),
    grad_fn="ScatterBackward0",
    torch="scatter",
    errors=_REFUSALS,
    samples=(
        (V, 0, [[0, 1, 1]], [[1.0, 2.0, 3.0]]),
        (V, 1, [[2, 0], [1, 2]], X),
        (V, -1, [[1]], [[4.0]]),
        ([1.0, 2.0], 0, [1], [5.0]),
    ),
    edges=((V, 0, [[0, 1, 1]], W), (V, 0, np.zeros((0, 3), "int64"), W), ([1, 2], 0, [1], [7, 8])),
    overlap="none",
)
def scatter_src(input: Array, dim, index: Array, src: Array):
    """The input with elements of ``src`` written along a dimension: ``out[index[i][j]][j] = src[i][j]``."""
    found = scatter_target(input, dim, index, src)
    if found is None:
        return input.copy()
    result, places, values = found
    result[places] = values
    return result.reshape(input.shape)


@op(
    gradients={"input": "scatter_value(g, dim, index, 0)"},
    **_SCATTER,
    functions=(),
    methods=(),
    grad_fn="ScatterBackward1",
    torch="scatter",
    samples=((V, 0, [[0, 1, 1]], 1.5), (V, 1, [[2, 0], [1, 2]], 3)),
    edges=(([1, 2], 0, [1], 7),),
    errors=(
        (V, 0, [[0, 0, 0, 0]], 1.0, "Expected index [1, 4] to be no larger than self [2, 3] apart from dimension 0"),
    ),
)
def scatter_value(input: Array, dim, index: Array, value):
    """The input with one number written along a dimension: ``out[index[i][j]][j] = value``."""
    found = scatter_target(input, dim, index, None)
    if found is None:
        return input.copy()
    result, places, _ = found
    result[places] = checked_cast(value, input.dtype)
    return result.reshape(input.shape)


@op(
    gradients={"input": "g", "src": "whole(gather(g, dim, index), src.shape, 'ScatterAddBackward0')"},
    **{**_SCATTER, "symbol": "scatter+"},
    errors=_REFUSALS,
    samples=(
        (V, 0, AT, W),
        (V, 1, [[2, 2], [1, 2]], X),
        (V, -1, [[1]], [[4.0]]),
        ([1.0, 2.0], 0, [1, 1, 1], [5.0, 6.0, 7.0]),
    ),
    edges=((V, 0, np.zeros((0, 3), "int64"), W), ([1, 2], 0, [1, 1], [7, 8]), (1.5, 0, 0, 2.5)),
    overlap="none",
    out=exactly(EXPECTED, apart=3),
)
def scatter_add(input: Array, dim, index: Array, src: Array):
    """The input with elements of ``src`` added along a dimension: ``out[index[i][j]][j] += src[i][j]``."""
    return accumulated(np.add, input, dim, index, src)


def accumulated(function: np.ufunc, input: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    """The input with elements of the source combined into it by a function of NumPy."""
    found = scatter_target(input, dim, index, src)
    if found is None:
        return input.copy()
    result, places, values = found
    function.at(result, places, values)
    return result.reshape(input.shape)


@op(
    functions=(),
    methods=(),
    torch="scatter",
    inplace=True,
    symbol="scatter",
    edges=(
        (V, 0, AT, W, {"reduce": "add"}),
        (V, 0, AT, W, {"reduce": "multiply"}),
    ),
    overlap="none",
)
def scatter(input: Array, dim, index: Array, src: Array, *, reduce):
    """The input with elements of ``src`` added or multiplied in, by the old name; it has no derivative in PyTorch."""
    return accumulated(_old_reduction(reduce), input, dim, index, src)


@op(
    functions=(),
    methods=(),
    torch="scatter",
    inplace=True,
    symbol="scatter",
    edges=(
        (V, 0, AT, 2.0, {"reduce": "add"}),
        (V, 0, AT, 2.0, {"reduce": "multiply"}),
    ),
)
def scatter_value_reduce(input: Array, dim, index: Array, value, *, reduce):
    """The input with a number added or multiplied in; it has no derivative in PyTorch."""
    src = np.full(index.shape, value).astype(input.dtype)
    return accumulated(_old_reduction(reduce), input, dim, index, src)


def _old_reduction(name: str) -> np.ufunc:
    if name not in ("add", "multiply"):
        raise errors.REDUCE_NAME(message="reduce argument must be either add or multiply.")
    return np.add if name == "add" else np.multiply


@composed("")
def without_derivative(run, g, name):
    """Raises NotImplementedError: PyTorch has no derivative of this operation."""
    raise errors.WITHOUT_DERIVATIVE(name=name)
