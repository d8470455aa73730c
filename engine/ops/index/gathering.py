"""Gathering and scattering along a dimension: an index tensor says for each element where it comes from, or goes to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import fitted
from gradflow.engine.registry import REGISTRY, Array, Helper, op
from gradflow.engine.tensor import check_dim

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
W = [[1.5, 2.5, -0.75], [0.25, -2.0, 3.0]]
X = [[1.5, 2.5], [0.25, -2.0]]
AT = [[0, 1, 1], [1, 0, 1]]
SOME = [[0, 1]]
KIND = "{}(): Expected dtype int32/int64 for index"
BOUNDS = "index {} is out of bounds for dimension {} with size {}"


def composed(latex: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a helper of formulas that is made of operations: its first argument finds one of them by name.

    The form for arrays runs their bodies, the one for Tensors the functions that record themselves.
    """

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        name = body.__name__
        arrays, tensors = partial(body, lambda o: REGISTRY[o].body), partial(body, lambda o: REGISTRY[o].call)
        REGISTRY.helpers[name] = Helper(name, arrays, tensors, latex)
        return body

    return declare


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


def _places(index: np.ndarray, axis: int, length: int) -> tuple[Any, ...]:
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
    return lines[_places(index, axis, lines.shape[axis])].reshape(index.shape)


@composed("⟨0⟩")
def whole(run, gradient, shape, name):
    """A gradient as it is. Raises RuntimeError where the index did not use all of the source, which PyTorch refuses."""
    if tuple(gradient.shape) != tuple(shape):
        raise errors.INVALID_GRADIENT(name=name, index=1, actual=list(gradient.shape), expected=list(shape))
    return gradient


# -- scattering --------------------------------------------------------------------------------------------------------


def _target(input: np.ndarray, dim: int, index: np.ndarray, src: Any) -> tuple[np.ndarray, tuple[Any, ...], Any] | None:
    """A copy of the input, the places in it, and what of the source goes there; None where nothing does."""
    axis = _checked("scatter", "self", input, dim, index)
    if isinstance(src, np.ndarray) and src.dtype != input.dtype:
        raise errors.SAME_DTYPE(message="scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return None
    _check_room(input, axis, index, src)
    result = np.array(np.atleast_1d(input))
    places = _places(index, axis, result.shape[axis])
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
)
def scatter_src(input: Array, dim, index: Array, src: Array):
    """The input with elements of ``src`` written along a dimension: ``out[index[i][j]][j] = src[i][j]``."""
    found = _target(input, dim, index, src)
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
    found = _target(input, dim, index, None)
    if found is None:
        return input.copy()
    result, places, _ = found
    result[places] = fitted(value, input.dtype)
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
)
def scatter_add(input: Array, dim, index: Array, src: Array):
    """The input with elements of ``src`` added along a dimension: ``out[index[i][j]][j] += src[i][j]``."""
    return _accumulated(np.add, input, dim, index, src)


def _accumulated(function: np.ufunc, input: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    found = _target(input, dim, index, src)
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
)
def scatter(input: Array, dim, index: Array, src: Array, *, reduce):
    """The input with elements of ``src`` added or multiplied in, by the old name; it has no derivative in PyTorch."""
    return _accumulated(_old_reduction(reduce), input, dim, index, src)


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
    return _accumulated(_old_reduction(reduce), input, dim, index, src)


def _old_reduction(name: str) -> np.ufunc:
    if name not in ("add", "multiply"):
        raise errors.REDUCE_NAME(message="reduce argument must be either add or multiply.")
    return np.add if name == "add" else np.multiply


# -- with a reduction --------------------------------------------------------------------------------------------------

START: dict[str, Callable[[np.dtype], Any]] = {
    "sum": lambda kind: 0,
    "mean": lambda kind: 0,
    "prod": lambda kind: 1,
    "amax": lambda kind: -np.inf if kind.kind == "f" else False if kind == np.bool_ else np.iinfo(kind).min,
    "amin": lambda kind: np.inf if kind.kind == "f" else True if kind == np.bool_ else np.iinfo(kind).max,
}
REDUCTIONS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
ALL_WAYS = tuple(
    (V, 0, [[0, 0, 1], [0, 1, 1]], W, way, {"include_self": include})
    for way in ("sum", "prod", "mean", "amax", "amin")
    for include in (True, False)
)
TIED = ([2.0, 1.0, 0.0], 0, [0, 0, 1, 1, 2], [2.0, 2.0, 0.0, 1.0, 0.0])


def divided(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Means from sums and counts; of integers rounded down."""
    counts = np.maximum(count, 1)
    return total / counts.astype(total.dtype) if total.dtype.kind in "fc" else total // counts.astype(total.dtype)


@op(
    gradients={
        "input": "kept_by_reduction(g, input, src, index, out, dim, reduce, include_self)",
        "src": "whole(taken_by_reduction(g, input, src, index, out, dim, reduce, include_self), src.shape, 'ScatterReduceBackward0')",
    },
    latex=r"\operatorname{⟨4⟩}_{⟨2⟩}\left(⟨0⟩, ⟨3⟩\right)",
    symbol="scatter",
    inplace=True,
    samples=(
        *ALL_WAYS,
        (V, 1, [[2, 2], [1, 2]], X, "sum"),
        (V, -1, [[1]], [[4.0]], "prod"),
        ([0.5, 2.0], 0, [1], [3.0], "mean"),
    ),
    edges=(
        *((*TIED, way, {"include_self": include}) for way in REDUCTIONS for include in (True, False) if way != "prod"),
        ([2.0, 1.0], 0, [0, 0, 1], [0.0, 3.0, 2.0], "prod"),
        ([0.0, 1.0], 0, [0, 0, 1], [4.0, 3.0, 2.0], "prod"),
        *(
            ([7, 8], 0, [0, 0, 1], [3, 1, 2], way, {"include_self": include})
            for way in REDUCTIONS
            for include in (True, False)
        ),
        ([1.0, float("nan")], 0, [0, 1], [float("nan"), 2.0], "amax"),
        (V, 0, np.zeros((0, 3), "int64"), W, "sum"),
    ),
    errors=(
        (V, 0, SOME, W, "foo", "reduce argument must be either sum, prod, mean, amax or amin, got foo"),
        (V, 0, [[4]], W, "sum", BOUNDS.format(4, 0, 2)),
    ),
)
def scatter_reduce(input: Array, dim, index: Array, src: Array, reduce, *, include_self=True):
    """The input with elements of ``src`` combined into it along a dimension, by their sum, product, mean or extreme."""
    if reduce not in REDUCTIONS:
        raise errors.REDUCE_NAME(message=f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    found = _target(input, dim, index, src)
    if found is None:
        return input.copy()
    result, places, values = found
    if not include_self:
        result[places] = START[reduce](input.dtype)
    REDUCTIONS[reduce].at(result, places, values)
    if reduce == "mean":
        count = np.full(result.shape, int(include_self))
        count_at(count, places, include_self)
        result = divided(result, count)
    return result.reshape(input.shape)


def count_at(count: np.ndarray, places: tuple[Any, ...], include_self: bool) -> None:
    """Add 1 for every element that goes to a place; places that get none count the tensor's own element."""
    np.add.at(count, places, 1)
    if not include_self:
        count[count == 0] = 1


def _of_result(run: Any, g: Any, input: Any, src: Any, index: Any, out: Any, dim: int) -> tuple[Any, Any, Any]:
    """For extremes: what one of the equal elements gets, and where they stand in the input and in the source."""
    theirs = run("same")(src, run("gather")(out, dim, index))
    own = run("same")(input, out)
    return g / run("scatter_add")(own, dim, index, theirs), own, theirs


@composed(r"\operatorname{keep}_{⟨3⟩}\left(⟨0⟩\right)")
def kept_by_reduction(run, g, input, src, index, out, dim, reduce, include_self):
    """The gradient of `scatter_reduce` for the input."""
    if reduce == "sum":
        own = g
    elif reduce == "mean":
        own = g / run("share")(g, dim, index, include_self)
    elif reduce == "prod":
        whole = run("masked_fill")(input, input == 0, 1.0)
        own = g * run("scatter_reduce")(whole, dim, index, src, reduce, include_self=include_self) / whole
    else:
        each, mine, _ = _of_result(run, g, input, src, index, out, dim)
        own = mine * each
    return own if include_self else run("scatter_value")(own, dim, index, 0)


@composed(r"\operatorname{take}_{⟨3⟩}\left(⟨0⟩\right)")
def taken_by_reduction(run, g, input, src, index, out, dim, reduce, include_self):
    """The gradient of `scatter_reduce` for the source."""
    gather = run("gather")
    if reduce == "sum":
        return gather(g, dim, index)
    if reduce == "mean":
        return gather(g / run("share")(g, dim, index, include_self), dim, index)
    if reduce == "prod":
        return _factors(run, g, input, src, index, out, dim, include_self)
    each, _, theirs = _of_result(run, g, input, src, index, out, dim)
    return theirs * gather(each, dim, index)


def _factors(run: Any, g: Any, input: Any, src: Any, index: Any, out: Any, dim: int, include_self: bool) -> Any:
    """The product of all other elements at a place: by division, and where one element is 0 without it."""
    gather = run("gather")
    single = run("single_zero")(input, src, index, dim)
    filled = run("masked_fill")(src, single, 1.0)
    without = run("scatter_reduce")(input, dim, index, filled, "prod", include_self=include_self)
    quotient = gather(g * out, dim, index) / run("masked_fill")(src, src == 0, 1.0)
    return run("where")(single, gather(g * without, dim, index), quotient)


@op(functions=(), methods=(), latex="[⟨0⟩ = ⟨1⟩]", torch=None)
def same(input: Array, other: Array):
    """1 where two elements are equal, else 0."""
    return (input == other).astype(input.dtype)


@op(functions=(), methods=(), latex="n", torch=None)
def share(input: Array, dim, index: Array, include_self):
    """How many elements a mean was taken of, at each place."""
    count = np.full(np.atleast_1d(input).shape, int(include_self), input.dtype)
    count_at(count, _places(index, check_dim(dim, input.ndim), count.shape[check_dim(dim, input.ndim)]), include_self)
    return count.reshape(input.shape)


@op(functions=(), methods=(), latex="[⟨1⟩ = 0]", torch=None)
def single_zero(input: Array, src: Array, index: Array, dim):
    """Where an element of the source is 0 and no other one that goes to its place is."""
    zeros = (src == 0).astype(input.dtype)
    counts = _accumulated(np.add, np.zeros_like(input), dim, index, zeros)
    return (src == 0) & (gather(counts, dim, index) == 1)


@composed("")
def without_derivative(run, g, name):
    """Raises NotImplementedError: PyTorch has no derivative of this operation."""
    raise errors.WITHOUT_DERIVATIVE(name=name)
