"""Distinct elements and slices, and how often each occurs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.ops.creation import checked
from gradflow.engine.ops.reduce.sorting import V
from gradflow.engine.out_rules import exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim, dtypes


def _no_derivative(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": f"without_derivative(g, {name!r})"},
        "functions": (),
        "methods": (),
        "many": True,
        "inplace": False,
        "torch": None,
        "symbol": "unique",
    }


def _runs(first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From where each run begins: the number of the run of each element, and how long each run is."""
    starts = np.flatnonzero(first)
    return np.cumsum(first) - 1, np.diff(np.append(starts, len(first)))


def _unequal(lines: np.ndarray) -> np.ndarray:
    """Where a line differs from the one before; the first does."""
    first = np.ones(len(lines), bool)
    if len(lines) > 1:
        first[1:] = (lines[1:] != lines[:-1]).reshape(len(lines) - 1, -1).any(axis=1)
    return first


def distinct_lines(lines: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different rows in order, for each row the number of its like, and how many there are of each."""
    if not len(lines):
        return lines, np.zeros(0, np.int64), np.zeros(0, np.int64)
    flat = lines.reshape(len(lines), -1)
    order = np.lexsort(flat.T[::-1]) if flat.shape[1] else np.arange(len(lines))
    first = _unequal(flat[order])
    run, counts = _runs(first)
    inverse = np.empty(len(lines), np.int64)
    inverse[order] = run
    return lines[order][first], inverse, counts


@op(refuses={"c": "unique"}, **_no_derivative("_unique2"), grad_fn="Unique2Backward0")
def unique_all(input: Array):
    """The different elements in order, for each element the number of its like, and how many there are of each."""
    values, inverse, counts = distinct_lines(input.reshape(-1))
    return values, inverse.reshape(input.shape), counts


def _of_slices(input: np.ndarray, dim: int) -> int:
    """The dimension whose slices are compared. Raises where there is none, or where they hold nothing."""
    if not input.ndim:
        raise errors.DIM_OF_SCALAR(dim=dim)
    axis = check_dim(dim, input.ndim)
    if 0 in input.shape[:axis] + input.shape[axis + 1 :]:
        raise errors.UNIQUE_EMPTY()
    return axis


@op(refuses={"c": "unique_dim"}, **_no_derivative("unique_dim"), grad_fn="UniqueDimBackward0")
def unique_dim(input: Array, dim):
    """The different slices along a dimension in order, for each slice the number of its like, and how many there are."""
    axis = _of_slices(input, dim)
    values, inverse, counts = distinct_lines(np.moveaxis(input, axis, 0))
    return np.moveaxis(values, 0, axis).copy(), inverse, counts


@op(refuses={"c": "unique"}, **_no_derivative("unique_consecutive"), grad_fn="UniqueConsecutiveBackward0")
def unique_consecutive(input: Array, dim=None):
    """The elements (or slices) without those equal to the one before, the number of each one's run, and the lengths."""
    lines = input.reshape(-1) if dim is None else np.moveaxis(input, _of_slices(input, dim), 0)
    first = _unequal(lines)
    run, counts = _runs(first)
    if dim is None:
        return lines[first], run.reshape(input.shape), counts
    return np.moveaxis(lines[first], 0, check_dim(dim, input.ndim)).copy(), run, counts


@op(
    functions=("bincount",),
    methods=("bincount",),
    symbol="count",
    edges=(
        ([0, 2, 2, 5],),
        ([0, 2, 2], [0.5, 1.5, 2.5]),
        ([1], None, 4),
        ([],),
        (np.zeros(0, "int64"), None, 3),
        ([1, 1], [1, 2]),
    ),
    errors=(
        (V, "\"bincount_cpu\" not implemented for 'Float'"),
        ([-1], "bincount only supports 1-d non-negative integral inputs."),
        ([1], [1.0, 2.0], "weights should be 1-d and have the same length as input"),
        ([1], None, -1, "minlength should be >= 0"),
    ),
)
def bincount(input: Array, weights: Array | None = None, minlength=0):
    """How often each number 0, 1, 2, ... occurs, or the sum of the weights of its occurrences."""
    if minlength < 0:
        raise errors.COUNT_REFUSED(message="minlength should be >= 0")
    if input.dtype.kind not in "iu":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="bincount_cpu", dtype=dtypes.of(input).legacy)
    if input.ndim == 1 and not input.size:
        return np.zeros(minlength, np.int64)
    if input.ndim != 1 or (input < 0).any():
        raise errors.COUNT_REFUSED(message="bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != input.shape:
        raise errors.COUNT_REFUSED(message="weights should be 1-d and have the same length as input")
    (length,) = checked((max(int(input.max()) + 1, minlength),))
    if weights is None:
        return bounded_counts.bincount(input, minlength=length)
    dtype = np.float32 if weights.dtype == np.float32 else np.float64
    total = np.zeros(length, dtype)
    np.add.at(total, input, weights.astype(dtype))
    return total


@op(
    functions=("histc",),
    methods=("histc",),
    symbol="count",
    edges=(
        ([0.5, 1.5, 2.5, 2.5], 4),
        ([0.5, 1.5, 2.5], 4, 0, 2),
        ([1.0, 1.0], 3),
        ([0.0, 1.0, 2.0, 3.0], 3, 1, 3),
    ),
    errors=(
        (V, 0, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
        (V, 3, 2, 1, "torch.histc: max must be larger than min"),
        ([1, 2], 3, "\"histogram_cpu\" not implemented for 'Long'"),
    ),
    out=exactly(
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {r} and hist {o}",
        gradient=None,
    ),
)
def histc(input: Array, bins=100, min=0, max=0):
    """How many elements fall into each of ``bins`` equal parts of a range, by default that of the elements."""
    if input.dtype.kind != "f":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="histogram_cpu", dtype=dtypes.of(input).legacy)
    if bins <= 0:
        raise errors.COUNT_REFUSED(message=f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = float(min), float(max)
    if low == high and input.size:
        low, high = float(input.min()), float(input.max())
    if low == high:
        low, high = low - 1, high + 1
    if not np.isfinite([low, high]).all():
        raise errors.COUNT_REFUSED(message=f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise errors.COUNT_REFUSED(message="torch.histc: max must be larger than min")
    inside = input[(input >= low) & (input <= high)].astype(np.float64)
    spots = np.minimum(((inside - low) / (high - low) * bins).astype(np.int64), bins - 1)
    return bounded_counts.bincount(spots, minlength=bins).astype(input.dtype)


@op(functions=("argwhere",), methods=("argwhere",), symbol="where", edges=((V,), ([0, 1, 0, 2],), (2.5,), ([],)))
def argwhere(input: Array):
    """The indices of the elements that are not zero, one row each."""
    return np.argwhere(input).astype(np.int64)
