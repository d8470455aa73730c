"""Arrays as the trace carries them: row-major numbers, or a summary of a large one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtypes
from engine.trace import Corner, Number, Summary, Value

CORNER = 8
"""Rows and columns shown of a large array."""


def number(value: Any) -> Number:
    """An element as JSON can carry it: NaN and the infinities as words, complex numbers as Python writes them."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value) if isinstance(value, complex) else value  # type: ignore[no-any-return]  # bool or int


def numbers(array: np.ndarray) -> list[Number]:
    """All elements, row-major."""
    flat: list[Any] = array.reshape(-1).tolist()
    if array.dtype.kind in "iub" or (array.dtype.kind == "f" and bool(np.isfinite(array).all())):
        return flat
    return [number(v) for v in flat]


def value(array: np.ndarray, max_elements: int) -> Value:
    """An array for the trace; a summary past ``max_elements``."""
    shape, dtype = list(array.shape), dtypes.of(array).name
    if array.size <= max_elements:
        return Value(shape, dtype, numbers(array))
    return Value(shape, dtype, None, summary(array))


def summary(array: np.ndarray) -> Summary:
    """What is told of a large array. Minimum, maximum, mean and norm are those of its finite elements."""
    real = np.abs(array) if array.dtype.kind == "c" else array
    exact = real.astype(np.float64)
    finite = exact[np.isfinite(exact)]
    nan, inf = int(np.isnan(exact).sum()), int(np.isinf(exact).sum())
    matrix = array[(0,) * (array.ndim - 2)] if array.ndim > 2 else array
    corner = matrix[tuple(slice(CORNER) for _ in matrix.shape)]
    told: list[Number | None] = [None] * 4
    if finite.size:
        told = [number(float(f)) for f in (finite.min(), finite.max(), finite.mean(), np.sqrt((finite**2).sum()))]
    return Summary(*told, nan=nan, inf=inf, corner=Corner(list(corner.shape), numbers(corner)))
