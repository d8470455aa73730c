"""Sorting, selecting by rank, and searching in what is sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.selection import SMALL, Before, Line
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim, dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
TIED = [[1.0, 2.0, 1.0, 2.0, 0.0], [3.0, 3.0, -1.0, 3.0, -1.0]]
LARGEST: Final = 20_000
"""Elements of a tensor up to which equal ones are told apart as PyTorch does."""
NAN, INF = float("nan"), float("inf")
SPECIAL = [1.0, NAN, -INF, INF, 0.0, NAN, -0.0]
CUBE = [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]]


# -- sorted ------------------------------------------------------------------------------------------------------------


def _order(input: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The places of the elements from the smallest to the largest; NaN is the largest, equal ones keep their order."""
    if not descending:
        return np.argsort(input, axis=axis, kind="stable")
    backwards = np.flip(input, axis)
    order = np.flip(np.argsort(backwards, axis=axis, kind="stable"), axis)
    return input.shape[axis] - 1 - order


def _sorted(input: np.ndarray, dim: int, descending: bool, stable: Any = True) -> tuple[np.ndarray, np.ndarray]:
    axis = check_dim(dim, input.ndim)
    if input.dtype.kind == "c":
        raise errors.UNSORTABLE(message=" Sort does not support complex dtypes on CPU")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    order = _order(input, axis, descending)
    if not stable and input.shape[axis] > SMALL:  # shorter lines are sorted by insertion, which is stable
        order = _selected(input, order, axis, descending, Line.in_order)
    return np.take_along_axis(input, order, axis), order.astype(np.int64)


_RANKED: dict[str, Any] = {
    "gradients": {"input": "put_along(g, indices, input.shape, dim, True)"}, "outputs": ("values", "indices"),
    "methods": (), "inplace": False,
}  # fmt: skip
_SORT: dict[str, Any] = {
    **_RANKED,
    "functions": ("sort",),
    "latex": r"\operatorname{sort}\left(⟨0⟩\right)",
    "symbol": "sort",
}


@op(
    **_SORT,
    samples=((V,), (V, 0), (V, 1, True), (CUBE, 1)),
    edges=(
        (TIED,),
        (TIED, -1, True),
        (TIED, 0),
        (SPECIAL,),
        (SPECIAL, 0, True),
        ([3, 1, 2, 1],),
        ([3, 1, 2, 1], 0, True),
        (2.5,),
        ([],),
        ([True, False, True], 0, True),
    ),
    errors=((V, 2, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),),
)
def sort(input: Array, dim=-1, descending=False):
    """The elements along a dimension in order, and where they were."""
    return _sorted(input, dim, descending, stable=False)


@op(
    **{**_SORT, "gradients": {"input": "put_along(g, indices, input.shape, dim, True)"}},
    grad_fn="SortBackward1",
    samples=((V, {"stable": True}), (V, {"stable": True, "dim": 0, "descending": True})),
    edges=((TIED, {"stable": True, "descending": True}),),
)
def sort_stable(input: Array, *, stable, dim=-1, descending=False):
    """The elements along a dimension in order, equal ones as they stood, and where they were."""
    return _sorted(input, dim, descending, stable)


def _selected(
    input: np.ndarray,
    order: np.ndarray,
    axis: int,
    largest: bool,
    select: Callable[[Line], list[int]],
    *,
    always: bool = False,
) -> np.ndarray:
    """The places found by a stable sort, those of lines with equal elements as PyTorch's own algorithm finds them.

    In very large tensors the stable order stands.
    """
    order = order.astype(np.int64)
    if input.size > LARGEST or not order.size:
        return order
    lines, places = np.moveaxis(input, axis, -1), np.moveaxis(order, axis, -1)
    for spot in np.ndindex(lines.shape[:-1]):
        line = lines[spot]
        if len(np.unique(line)) < len(line) or always:
            places[spot] = select(Line(len(line), _before(line.tolist(), largest)))
    return order


def _before(values: list[Any], largest: bool) -> Before:
    """Whether an element comes before another, NaN being the largest."""
    if largest:
        return lambda a, b: (values[a] != values[a] and values[b] == values[b]) or values[a] > values[b]
    return lambda a, b: (values[b] != values[b] and values[a] == values[a]) or values[a] < values[b]


# -- by rank -----------------------------------------------------------------------------------------------------------


@op(
    **{**_RANKED, "methods": ("topk",)},
    functions=("topk",),
    latex=r"\operatorname{top}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="topk",
    samples=((V, 2), (V, 1, 0), (V, 2, 1, False), (CUBE, 1, -2)),
    edges=(([3, 1, 2], 2), (2.5, 1), (V, 0), ([1.0, NAN, 3.0], 2), ([1.0, NAN, 3.0], 2, 0, False)),
    errors=((V, 4, "selected index k out of range"), (V, -1, "selected index k out of range")),
    out=exactly(EXPECTED),
)
def topk(input: Array, k, dim=-1, largest=True, sorted=True):
    """The ``k`` largest (or smallest) elements along a dimension, in order, and where they were."""
    axis = check_dim(dim, input.ndim)
    if not 0 <= k <= (input.shape[axis] if input.ndim else 1):
        raise errors.SELECTION_RANGE(message="selected index k out of range")
    if input.dtype.kind == "c":
        raise errors.UNSORTABLE(message=" topk does not support complex dtypes on CPU")
    if input.dtype.kind == "b":
        raise errors.UNSORTABLE(message="topk does not support bool dtypes on CPU")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    key = (slice(None),) * axis + (slice(k),)
    order = _order(input, axis, largest)[key]
    order = _selected(input, order, axis, largest, lambda line: line.top(k, sorted), always=not sorted)
    return np.take_along_axis(input, order, axis), order


@op(
    refuses={"bc": "kthvalue_cpu"},
    gradients={"input": "put_along(g, indices, input.shape, dim, keepdim)"},
    outputs=("values", "indices"),
    inplace=False,
    functions=("kthvalue",),
    methods=("kthvalue",),
    latex=r"⟨0⟩_{(⟨1⟩)}",
    symbol="kth",
    samples=((V, 2), (V, 1, 0), (V, 3, -1, True), (CUBE, 2, 1)),
    edges=(([3, 1, 2], 2), (2.5, 1), ([1.0, NAN, 3.0], 3)),
    errors=(
        (V, 0, "kthvalue(): selected number k out of range for dimension 1"),
        (V, 5, "kthvalue(): selected number k out of range for dimension 1"),
        ([], 1, "kthvalue(): Expected reduction dim 0 to have non-zero size."),
    ),
    out=exactly("output values must be of same type as input|output indices must be of scalar type {R}", apart=0),
)
def kthvalue(input: Array, k, dim=-1, keepdim=False):
    """The ``k``-th smallest element along a dimension, and where it was."""
    axis = check_dim(dim, input.ndim)
    if input.ndim and not input.shape[axis]:
        raise errors.SELECTION_EMPTY(message=f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= (input.shape[axis] if input.ndim else 1):
        raise errors.SELECTION_RANGE(message=f"kthvalue(): selected number k out of range for dimension {axis}")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    place = np.take(_order(input, axis, descending=False), [k - 1], axis)
    place = _selected(input, place, axis, False, lambda line: [line.ranked(k - 1)])
    value = np.take_along_axis(input, place, axis)
    return (value, place) if keepdim else (value.squeeze(axis), place.squeeze(axis))


# -- found -------------------------------------------------------------------------------------------------------------


@op(
    functions=(),
    methods=(),
    symbol="search",
    torch="searchsorted",
    edges=(
        ([1.0, 3.0, 5.0], [0.0, 1.0, 4.0, 9.0]),
        ([1.0, 3.0, 5.0], [[1.0, 3.0]], {"right": True}),
        ([1, 3], [2]),
        ([[1.0, 3.0], [2.0, 4.0]], [[3.0, 0.0], [3.0, 9.0]]),
        ([1.0, 3.0], 3.0),
        ([1.0, 3.0], [NAN], {"out_int32": True}),
    ),
)
def searchsorted(boundaries: Array, input: Array, *, out_int32=False, right=False):
    """Where elements would have to stand among sorted boundaries, before equal ones (or behind)."""
    common = np.zeros(0, dtypes.result_type(boundaries, input))
    if common.dtype.kind in "bc":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="searchsorted_out_cpu", dtype=dtypes.of(common).legacy)
    side: Literal["left", "right"] = "right" if right else "left"
    if boundaries.ndim == 1:
        found = np.searchsorted(boundaries, input, side)
    else:
        rows = boundaries.reshape(-1, boundaries.shape[-1])
        values = input.reshape(len(rows), -1)
        found = (
            np.stack([np.searchsorted(r, v, side) for r, v in zip(rows, values, strict=True)]) if rows.size else values
        )
    return np.asarray(found).reshape(input.shape).astype(np.int32 if out_int32 else np.int64)


@op(
    refuses={"bc": errors.ISIN_DTYPE},
    functions=(),
    methods=(),
    symbol="isin",
    torch="isin",
    edges=(
        ([[1, 2], [3, 4]], [2, 3]),
        ([[1.5, 2.5]], [2.5], {"invert": True}),
        ([1, 2], []),
        (2, [1, 2]),
        ([NAN], [NAN]),
    ),
)
def isin(elements: Array, test_elements: Array, *, assume_unique=False, invert=False):
    """Which elements are among those of another tensor."""
    return np.isin(elements, test_elements, invert=invert)
