"""Arrays as the trace carries them: row-major numbers, or a summary of a large one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gradflow.engine.tensor import dtypes
from gradflow.engine.trace import Corner, Number, Summary, Value

MOST_TEXT = 200
"""Characters of a piece of source, or of a setting, that are told."""
BINS = 32
DIGITS = 9
"""Significant digits that tell every float32 apart."""


@dataclass(frozen=True)
class Detail:
    """How arrays are told: those of more than ``max_elements`` by a summary with a corner of so many rows and columns. ``short``
    numbers of at most 32 bits have no more digits than it takes to tell them apart."""

    max_elements: int
    short: bool = False
    corner: int = 8


Measures: TypeAlias = tuple[Number | None, Number | None, Number | None, Number | None, int, int, list[int]]
"""Minimum, maximum, mean and norm of the finite elements, how many are NaN or infinite, and a histogram."""


def number(value: Any) -> Number:
    """An element as JSON can carry it: NaN and the infinities as words, complex numbers as Python writes them."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value) if isinstance(value, complex) else value


def numbers(array: np.ndarray) -> list[Number]:
    """All elements, row-major."""
    flat: list[Any] = array.reshape(-1).tolist()
    if array.dtype.kind in "iub" or (array.dtype.kind in "fV" and bool(np.isfinite(array).all())):
        return flat
    return [number(v) for v in flat]


def shortened(array: np.ndarray) -> np.ndarray:
    """The same numbers in decimals that are read back as the same float32, as float64; other arrays as they are."""
    if array.dtype != np.float32:
        return array
    with np.errstate(all="ignore"):
        exact = array.astype(np.float64)
        places = DIGITS - 1 - np.floor(np.log10(np.abs(exact)))
        scale = 10.0 ** np.clip(np.abs(places), 0, 22)  # 10 ** 22 is the last that float64 has
        rounded = np.where(places >= 0, np.round(exact * scale) / scale, np.round(exact / scale) * scale)
        same = rounded.astype(np.float32) == array
    return np.where(same, rounded, exact)


def value(array: np.ndarray, detail: Detail, measured: dict[int, Measures] | None = None) -> Value:
    """An array for the trace; a summary past so many elements. measured: what is known of arrays, by their identity."""
    shape, dtype = list(array.shape), dtypes.of(array).name
    if array.size <= detail.max_elements:
        return Value(shape, dtype, numbers(shortened(array) if detail.short else array))
    return Value(shape, dtype, None, summary(array, detail, measured))


def core(array: np.ndarray) -> np.ndarray:
    """The elements that lie in memory: dimensions that were only expanded have length 1."""
    return array[
        tuple(
            slice(1) if stride == 0 and n else slice(None) for n, stride in zip(array.shape, array.strides, strict=True)
        )
    ]


def copied(array: np.ndarray) -> np.ndarray:
    """A copy that takes no more memory than the array does."""
    own = core(array)
    return array.copy() if own.size == array.size else np.broadcast_to(own.copy(), array.shape)


def summary(array: np.ndarray, detail: Detail, measured: dict[int, Measures] | None = None) -> Summary:
    """What is told of a large array. Minimum, maximum, mean and norm are those of its finite elements."""
    known = None if measured is None else measured.get(id(array))
    if known is None:
        known = _measures(array)
        if measured is not None:
            measured[id(array)] = known
    matrix = array[(0,) * (array.ndim - 2)] if array.ndim > 2 else array
    corner = matrix[tuple(slice(detail.corner) for _ in matrix.shape)]
    told = numbers(shortened(corner) if detail.short else corner)
    low, high, mean, norm, nan, inf, histogram = known
    return Summary(low, high, mean, norm, nan, inf, Corner(list(corner.shape), told), histogram)


def _measures(array: np.ndarray) -> Measures:
    own = core(array)
    times = array.size // max(own.size, 1)
    exact = (np.abs(own) if own.dtype.kind == "c" else own).astype(np.float64)
    finite = exact[np.isfinite(exact)]
    nan, inf = int(np.isnan(exact).sum()) * times, int(np.isinf(exact).sum()) * times
    low, high, mean, norm = _statistics(finite, times) if finite.size else (None,) * 4
    return low, high, mean, norm, nan, inf, _histogram(finite, times)


def _histogram(finite: np.ndarray, times: int) -> list[int]:
    """How many elements lie in each of the bins from the smallest to the largest."""
    if not finite.size:
        return []
    low, width = float(finite.min()), float(finite.max() / BINS - finite.min() / BINS)
    if not width:
        return [finite.size * times, *[0] * (BINS - 1)]
    places = np.minimum((finite / width - low / width).astype(np.int64), BINS - 1)
    counts: list[int] = (np.bincount(places, minlength=BINS) * times).tolist()
    return counts


def _statistics(finite: np.ndarray, times: int) -> tuple[Number, Number, Number, Number]:
    """Minimum, maximum, mean and norm of elements that each stand ``times`` times in the array."""
    norm = np.sqrt((finite**2).sum() * times)
    return number(float(finite.min())), number(float(finite.max())), number(float(finite.mean())), number(float(norm))
