"""Elements combined into a tensor where an index says: `scatter_reduce` and its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.ops.index.gathering import BOUNDS, SOME, V, W, X, accumulated, gather, key_of, scatter_target
from gradflow.engine.ops.index.slices import ROWS, TWICE, check_added, slices_key
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim

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
    return total / counts.astype(total.dtype) if total.dtype.kind in "fcV" else total // counts.astype(total.dtype)


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
    overlap="none",
    out=exactly(EXPECTED),
)
def scatter_reduce(input: Array, dim, index: Array, src: Array, reduce, *, include_self=True):
    """The input with elements of ``src`` combined into it along a dimension, by their sum, product, mean or extreme."""
    if reduce not in REDUCTIONS:
        raise errors.REDUCE_NAME(message=f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    found = scatter_target(input, dim, index, src)
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
        return gather(g, dim, index) / gather(run("share")(g, dim, index, include_self), dim, index)
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
    filled = run("masked_fill")(src, src == 0, 1.0)
    quotient = gather(g * out, dim, index) / filled
    return run("where")(single, gather(g * without, dim, index), quotient)


@op(functions=(), methods=(), latex="[⟨0⟩ = ⟨1⟩]", torch=None)
def same(input: Array, other: Array):
    """1 where two elements are equal, else 0."""
    return (input == other).astype(input.dtype)


@op(functions=(), methods=(), latex="n", torch=None)
def share(input: Array, dim, index: Array, include_self):
    """How many elements a mean was taken of, at each place."""
    count = np.full(np.atleast_1d(input).shape, int(include_self), input.dtype)
    count_at(count, key_of(index, check_dim(dim, input.ndim), count.shape[check_dim(dim, input.ndim)]), include_self)
    return count.reshape(input.shape)


@op(functions=(), methods=(), latex="[⟨1⟩ = 0]", torch=None)
def single_zero(input: Array, src: Array, index: Array, dim):
    """Where an element of the source is 0 and no other one that goes to its place is."""
    zeros = (src == 0).astype(input.dtype)
    counts = accumulated(np.add, np.zeros_like(input), dim, index, zeros)
    return (src == 0) & (gather(counts, dim, index) == 1)


@op(
    gradients={
        "input": "kept_by_index_reduce(g, input, source, index, out, dim, reduce, include_self)",
        "source": "taken_by_index_reduce(g, input, source, index, out, dim, reduce, include_self)",
    },
    inplace=True,
    symbol="[idx]",
    latex=r"\operatorname{⟨4⟩}_{⟨2⟩}\left(⟨0⟩, ⟨3⟩\right)",
    samples=tuple(
        (V, 0, TWICE, ROWS, way, {"include_self": include})
        for way in ("prod", "mean", "amax", "amin")
        for include in (True, False)
    ),
    errors=(
        (
            V,
            0,
            [0],
            [[1.0, 2.0, 3.0]],
            "foo",
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got foo.",
        ),
    ),
    overlap="none",
)
def index_reduce(input: Array, dim, index: Array, source: Array, reduce, *, include_self=True):
    """The input with the slices of ``source`` combined into its slices of the given numbers."""
    if reduce not in REDUCTIONS or reduce == "sum":
        raise errors.REDUCE_NAME(
            message=f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    axis = check_added(input, dim, index, source, "index_reduce_()")
    result = np.array(np.atleast_1d(input))
    key = slices_key(axis, index)
    if not include_self:
        result[key] = START[reduce](input.dtype)
    REDUCTIONS[reduce].at(result, key, np.atleast_1d(source))
    if reduce == "mean":
        count = np.full(result.shape, int(include_self))
        count_at(count, key, include_self)
        result = divided(result, count)
    return result.reshape(input.shape)


@op(functions=(), methods=(), torch=None)
def spread_index(source: Array, dim, index: Array):
    """The slice numbers as an index for each element of the source."""
    axis = check_dim(dim, source.ndim)
    shape = [-1 if d == axis else 1 for d in range(source.ndim)]
    return np.broadcast_to(index.reshape(shape), source.shape).astype(np.int64)


@composed(r"\operatorname{keep}_{⟨3⟩}\left(⟨0⟩\right)")
def kept_by_index_reduce(run, g, input, source, index, out, dim, reduce, include_self):
    """The gradient of `index_reduce` for the input: that of `scatter_reduce`."""
    each = run("spread_index")(source, dim, index)
    return kept_by_reduction(run, g, input, source, each, out, dim, reduce, include_self)


@composed(r"\operatorname{take}_{⟨3⟩}\left(⟨0⟩\right)")
def taken_by_index_reduce(run, g, input, source, index, out, dim, reduce, include_self):
    """The gradient of `index_reduce` for the source: that of `scatter_reduce`."""
    each = run("spread_index")(source, dim, index)
    return taken_by_reduction(run, g, input, source, each, out, dim, reduce, include_self)
