"""``np.bincount``, ``np.repeat`` and ``np.tile`` that refuse what they would make too many of.

NumPy adds the counts up in 64 bits, without a look at what does not fit, and writes beyond the memory it then has. All that
asks a program's objects comes before the check, and what is checked is a copy: it stays as it was.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from gradflow.engine import errors

_MOST: Final = 2**60
MOST_IN_VIEW: Final = 2**36
"""Elements that a view may show of fewer in memory: NumPy adds up lengths along an axis without a look, too, of operands that take none."""


def _check(elements: float) -> None:
    if not elements < _MOST:
        raise MemoryError(f"Unable to allocate an array of {elements:.3g} elements")


def check_view(shape: Sequence[int], itemsize: int) -> None:
    """Raises RuntimeError, as PyTorch does for memory that there is not, where a view would show too many elements."""
    if math.prod(shape) > MOST_IN_VIEW:
        raise errors.ALLOCATION(bytes=math.prod(shape) * itemsize)


def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> np.ndarray:
    """``np.bincount``."""
    least, array = operator.index(minlength), np.array(x)
    scale = None if weights is None else np.array(weights, np.float64)
    if array.size and array.dtype.kind in "iub":
        _check(float(array.max()))
    return np.bincount(array, scale, least)


def tile(A: Any, reps: Any) -> np.ndarray:
    """``np.tile``, which repeats by itself."""
    given = tuple(reps) if hasattr(type(reps), "__iter__") else (reps,)
    try:
        counts = tuple(map(operator.index, given))
    except Exception:
        all(count == 1 for count in given)  # NumPy asks that first, and refuses what has no answer in its words
        raise
    array = np.array(A)
    _check(math.prod(float(abs(count)) for count in counts if count) * max(array.size, 1))
    return np.tile(array, counts)


def repeat(a: Any, repeats: Any, axis: Any = None) -> np.ndarray:
    """``np.repeat``."""
    along = None if axis is None else operator.index(axis)
    array, counts = np.asarray(a), np.array(repeats)
    if counts.dtype.kind in "iub":
        _check(float(counts.astype(np.float64).sum()) * max(array.size, 1))
    return np.repeat(array, counts, along)
