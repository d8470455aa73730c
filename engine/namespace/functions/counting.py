"""Histograms, finite differences, and the places of numbers in a shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.operands import result_class
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def _problem(text: str) -> Exception:
    return errors.MATRIX_PROBLEM(problem=text)


# -- finite differences ------------------------------------------------------------------------------------------------


def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """The derivative along each dimension by finite differences: central inside, one-sided at the ends."""
    axes = _axes(input, dim)
    steps = _steps(input, spacing, dim, axes)
    if edge_order not in (1, 2):
        raise _problem("torch.gradient only supports edge_order=1 and edge_order=2.")
    for axis in axes:
        if input._a.shape[axis] < edge_order + 1:
            raise _problem("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(_derivative(input, axis, step, edge_order) for axis, step in zip(axes, steps, strict=True))


def _axes(input: Tensor, dim: Any) -> list[int]:
    if dim is None:
        return list(range(input._a.ndim))
    axes = [check_dim(d, input._a.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
    if len(set(axes)) != len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise _problem(f"dim {twice} appears multiple times in the list of dims")
    return axes


def _steps(input: Tensor, spacing: Any, dim: Any, axes: list[int]) -> list[Any]:
    if spacing is None or isinstance(spacing, int | float):
        return [1 if spacing is None else spacing] * len(axes)
    if dim is None and len(spacing) != input._a.ndim:
        raise _problem(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{input._a.ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
        )
    if len(spacing) != len(axes):
        raise _problem(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
            f"length, but got a spacing argument of length {len(spacing)} and a dim argument of length {len(axes)}."
        )
    return list(spacing)


def _derivative(input: Tensor, axis: int, step: Any, order: int) -> Any:
    if isinstance(step, Tensor):
        return _uneven(input, axis, step, order)
    n = input._a.shape[axis]

    def at(start: int, length: int = 1) -> Any:
        return composite.narrow(input, axis, start, length)

    def weighted(*parts: tuple[float, int]) -> Any:
        """A sum of elements with weights, the right operand of each operator first, as PyTorch evaluates them."""
        *before, (weight, start) = parts
        right = _call("mul_scalar", at(start), abs(weight))
        if not before:
            return right if weight > 0 else _call("mul_scalar", at(start), weight)
        left = weighted(*before)
        return left + right if weight > 0 else left - right

    def between(start: int, end: int, length: int = 1) -> Any:
        right = at(start, length)
        return _call("div_scalar", at(end, length) - right, step)

    inner = between(0, 2, n - 2)
    if order == 1:
        first, last = between(0, 1), between(n - 2, n - 1)
    else:
        first = _call("div_scalar", weighted((-1.5, 0), (2, 1), (-0.5, 2)), step)
        last = _call("div_scalar", weighted((0.5, n - 3), (-2, n - 2), (1.5, n - 1)), step)
    return _call("cat", [first, _call("div_scalar", inner, 2), last], axis)


def _uneven(input: Tensor, axis: int, points: Tensor, order: int) -> Any:
    """Between points that are given."""
    n, shape = input._a.shape[axis], [1] * input._a.ndim

    def at(start: int, length: int = 1) -> Any:
        return composite.narrow(input, axis, start, length)

    def along(x: Tensor) -> Any:
        return composite.reshape(x, (*shape[:axis], -1, *shape[axis + 1 :]))

    gaps = composite.narrow(points, 0, 1, n - 1) - composite.narrow(points, 0, 0, n - 1)
    before, after = composite.narrow(gaps, 0, 0, n - 2), composite.narrow(gaps, 0, 1, n - 2)
    inner = (
        at(0, n - 2) * along(after * -1 / (before * (before + after)))
        + at(1, n - 2) * along((after - before) / (before * after))
        + at(2, n - 2) * along(before / (after * (before + after)))
    )
    ends = [_end(at, along, gaps, n, order, last=last) for last in (False, True)]
    return _call("cat", [ends[0], inner, ends[1]], axis)


def _end(at: Any, along: Any, gaps: Tensor, n: int, order: int, *, last: bool) -> Any:
    near = composite.narrow(gaps, 0, n - 2 if last else 0, 1)
    places = (n - 1, n - 2, n - 3) if last else (0, 1, 2)
    sign = 1 if last else -1
    if order == 1:
        return (at(places[0]) - at(places[1])) * sign / along(near)
    far = composite.narrow(gaps, 0, n - 3 if last else 1, 1)
    return (
        at(places[0]) * along((near * 2 + far) / (near * (near + far)))
        - at(places[1]) * along((near + far) / (near * far))
        + at(places[2]) * along(near / (far * (near + far)))
    ) * sign


# -- histograms --------------------------------------------------------------------------------------------------------

MOST_BINS = 2**24


def histogram(input: Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """How many elements lie in each of a number of bins, or how much they weigh; and the edges of the bins."""
    values = input._a.reshape(-1)
    weights = None if weight is None else weight._a.reshape(-1)
    if weights is not None and weight._a.shape != input._a.shape:
        raise _problem(
            "torch.histogramdd(): if weight tensor is provided it should have the same shape as the input tensor excluding "
            f"its innermost dimension, but got input with shape {[*input._a.shape, 1]} and weight with shape "
            f"{list(weight._a.shape)}"
        )
    if isinstance(bins, int) and bins < 1:
        raise _problem(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    edges = _edges(values[:, None], [bins], range)
    counts = _counts(values[:, None], edges, weights, density)
    return result_class("histogram", ("hist", "bin_edges"))(Tensor(counts), Tensor(edges[0]))


def histogramdd(input: Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """`histogram` of points, whose coordinates are along the last dimension."""
    points = input._a.reshape(-1, input._a.shape[-1])
    width = points.shape[1]
    edges = _edges(points, [bins] * width if isinstance(bins, int) else list(bins), range)
    counts = _counts(points, edges, None if weight is None else weight._a.reshape(-1), density)
    return result_class("histogramdd", ("hist", "bin_edges"))(Tensor(counts), tuple(Tensor(e) for e in edges))


def _edges(points: np.ndarray, bins: list[Any], range: Any) -> list[np.ndarray]:
    if points.dtype.kind not in "fV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="histogramdd", dtype=dtypes.of(points).legacy)
    if len(bins) != points.shape[1]:
        raise _problem(
            f"torch.histogramdd(): expected {points.shape[1]} sequences of bin edges for a {points.shape[1]}-dimensional "
            f"histogram but got {len(bins)}"
            if any(isinstance(b, Tensor) for b in bins)
            else "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    return [
        b._a
        if isinstance(b, Tensor)
        else _even_edges(points[:, i], int(b), None if range is None else range[2 * i : 2 * i + 2])
        for i, b in enumerate(bins)
    ]


def _even_edges(values: np.ndarray, count: int, limits: Any) -> np.ndarray:
    if count < 1:
        raise _problem(f"torch.histogramdd(): bins must be > 0, but got {count} for dimension 0")
    if count > MOST_BINS:
        raise MemoryError
    low, high = limits if limits is not None else (values.min(), values.max()) if values.size else (0.0, 0.0)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise _problem(f"torch.histogramdd(): dimension 0's range [{low}, {high}] is not finite")
    if low > high:
        raise _problem(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension 0"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges: np.ndarray = np.linspace(low, high, count + 1, dtype=np.float64).astype(values.dtype)
    return edges


def _counts(points: np.ndarray, edges: list[np.ndarray], weights: Any, density: bool) -> np.ndarray:
    shape = tuple(len(e) - 1 for e in edges)
    if math.prod(shape) > MOST_BINS:
        raise MemoryError
    inside = np.ones(len(points), bool)
    places = np.zeros(len(points), np.int64)
    for i, (e, n) in enumerate(zip(edges, shape, strict=True)):
        column = points[:, i]
        inside &= (column >= e[0]) & (column <= e[-1])
        found = np.where(column == e[-1], n - 1, np.searchsorted(e, column, "right") - 1)
        places = places * n + np.clip(found, 0, n - 1)
    given = None if weights is None else weights[inside].astype(np.float64)
    counts = bounded_counts.bincount(places[inside], given, math.prod(shape)).reshape(shape)
    result = counts.astype(points.dtype)
    if density:
        volume: Any = 1
        for i, e in enumerate(edges):
            volume = volume * np.diff(e).reshape([-1 if j == i else 1 for j in range(len(edges))])
        result = (result / (result.sum() * volume)).astype(points.dtype)
    return result


# -- places ------------------------------------------------------------------------------------------------------------


def unravel_index(indices: Tensor, shape: Any) -> Any:
    """The coordinates, in a shape, of the places with the given numbers: a tuple of one tensor for each dimension."""
    if has(indices, "is_complex")._a.dtype.kind not in "iu":
        raise errors.UNRAVEL_DTYPE(dtype=indices.dtype)
    sizes = [int(shape)] if isinstance(shape, int) else [int(n) for n in shape]
    if any(n < 0 for n in sizes):
        raise errors.UNRAVEL_SHAPE(shape=tuple(sizes))
    rest, places = indices._a.astype(np.int64), []
    for size in reversed(sizes):
        places.append(Tensor(np.asarray(np.remainder(rest, max(size, 1)))))
        rest = np.floor_divide(rest, max(size, 1))
    return tuple(reversed(places))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "gradient": gradient, "histogram": histogram, "histogramdd": histogramdd, "unravel_index": unravel_index,
}  # fmt: skip
"""Under ``torch``."""

METHODS: dict[str, Callable[..., Any]] = {"histogram": histogram}
"""On Tensor."""
