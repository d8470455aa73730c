"""``np.bincount``, ``np.repeat`` and ``np.tile`` that refuse what they would make too many of, diagonals and transforms of what is there.

NumPy adds the counts up in 64 bits, without a look at what does not fit, and writes beyond the memory it then has. All that
asks a program's objects comes before the check, and what is checked is a copy: it stays as it was.

It negates the number of a diagonal as a C ``int``, in which the lowest has no negative: its view then lies far beyond the array.

Of an axis without elements its inverse transforms of halves (`irfft`, `hfft` and those of several axes) take the first one, and count those behind
it, without a look at how many there are. Padded with one zero, an axis is what it stands for.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final

import numpy as np

from gradflow.engine import errors

_MOST: Final = 2**60
_NO_INT: Final = 2**31
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


def diagonal(array: np.ndarray, offset: int, axis1: int, axis2: int) -> np.ndarray:
    """``array.diagonal(...)`` of any number: beyond the corners it is empty, as in PyTorch."""
    rows, columns = array.shape[axis1], array.shape[axis2]
    if not -rows < offset < columns:  # one more than there are: where NumPy leaves its view at the first element
        offset = columns + 1 if offset > 0 else -rows - 1
    if abs(offset) < _NO_INT:
        return array.diagonal(offset, axis1, axis2)
    key = [slice(None)] * array.ndim
    key[axis2 if offset > 0 else axis1] = slice(abs(offset), None)
    return array[tuple(key)].diagonal(0, axis1, axis2)


def checked_offset(array: np.ndarray, offset: Any) -> int:
    """The number of a diagonal, as NumPy can take it. Raises OverflowError for what is no C ``int``."""
    number = operator.index(offset)
    if number != -_NO_INT:
        return number  # NumPy itself refuses those beyond
    if max(array.shape, default=0) >= _NO_INT:
        raise OverflowError("Python int too large to convert to C int")
    return number + 1  # as empty as the other


def padded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``numpy.fft``, which is never given an axis to transform that has no elements."""
    signature = inspect.signature(function)

    @wraps(function)
    def transform(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        array = np.asarray(bound.arguments["a"])
        if 0 in array.shape and (bound.arguments.get("n"), bound.arguments.get("s")) != (None, None):
            array = np.zeros(_filled(array.shape, bound.arguments), array.dtype)
        bound.arguments["a"] = array
        return function(*bound.args, **bound.kwargs)

    return transform


def _filled(shape: tuple[int, ...], arguments: Mapping[str, Any]) -> list[int]:
    """The shape with 1 for each axis without elements, of those that are transformed; all where that is not said plainly."""
    axes: Any = arguments["axes"] if "axes" in arguments else [arguments["axis"]]
    count, lengths = len(shape), arguments.get("s")
    if axes is None and isinstance(lengths, list | tuple) and len(lengths) <= count:
        axes = list(range(count - len(lengths), count))
    if not isinstance(axes, list | tuple) or not all(type(one) is int and -count <= one < count for one in axes):
        axes = range(count)
    places = {one % count for one in axes}
    return [size or int(k in places) for k, size in enumerate(shape)]
