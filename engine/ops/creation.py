"""Tensors from nothing: constants, ranges, the identity. They have no inputs, so they are leaves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast, checked_fill
from gradflow.engine.registry import op
from gradflow.engine.tensor import dtypes


def _dtype(dtype: Any, default: np.dtype | None = None) -> np.dtype:
    return (dtypes.DEFAULT if default is None else default) if dtype is None else dtype.numpy


def checked(size: tuple[int, ...]) -> tuple[int, ...]:
    """A size without negative lengths. Raises RuntimeError otherwise, or where its bytes cannot be counted."""
    for n in size:
        if n < 0:
            raise errors.NEGATIVE_DIMENSION(size=n, shape=list(size))
    if math.prod(size) > 2**61:
        raise errors.STORAGE_OVERFLOW(shape=list(size))
    return size


def _filled(size: tuple[int, ...], value: Any, dtype: np.dtype) -> np.ndarray:
    value = checked_cast(value, dtype) if dtype.kind == "V" else checked_fill(value, dtype)
    try:
        return np.full(checked(size), value, dtype)
    except (MemoryError, ValueError):
        raise errors.ALLOCATION(bytes=math.prod(size) * dtype.itemsize) from None


@op(functions=(), methods=(), symbol="tensor", torch="tensor")
def tensor(data):
    """A tensor from an array that is already of the right dtype."""
    return data


@op(functions=(), methods=(), symbol="full", torch="full")
def full(size, fill_value, dtype=None):
    """A tensor filled with one value."""
    if dtype is not None:
        return _filled(size, fill_value, dtype.numpy)
    element_dtype = dtypes.category(fill_value) if not isinstance(fill_value, np.generic) else dtypes.FLOAT
    return _filled(size, fill_value, dtypes.default_for(element_dtype))


@op(functions=(), methods=(), symbol="arange", torch="arange")
def arange(start, end, step=1, dtype=None):
    """start, start + step, ... below end; int64 for integers, else the default float."""
    whole = all(isinstance(v, int) for v in (start, end, step))
    if dtype is not None and dtype.name == "int64" and not whole and all(map(math.isfinite, (start, end, step))):
        start, end, step = (int(checked_cast(v, dtype.numpy)) for v in (start, end, step))
        if step == 0:
            raise errors.STEP_CUT_OFF()
    if step == 0:
        raise errors.ZERO_STEP()
    if (end - start) * step < 0:
        raise errors.FRACTIONAL_STEP()
    if not (math.isfinite(start) and math.isfinite(end)):
        raise errors.INFINITE_RANGE(start=start, end=end)
    count = math.ceil((end - start) / step)
    checked((count,))
    values = start + np.arange(count) * step
    return values.astype(_dtype(dtype, np.dtype("int64") if whole else dtypes.DEFAULT))


@op(functions=(), methods=(), symbol="linspace", torch="linspace")
def linspace(start, end, steps, dtype=None):
    """``steps`` numbers from start to end, both included, evenly apart."""
    imaginary = isinstance(start, complex) or isinstance(end, complex)
    element_dtype = _dtype(dtype, dtypes.DEFAULT_COMPLEX if imaginary else None)
    if steps < 0:
        raise errors.NEGATIVE_STEPS()
    checked((steps,))
    if steps < 2:
        return np.full(steps, start, element_dtype)
    return evenly(checked_cast(start, element_dtype), checked_cast(end, element_dtype), steps).astype(element_dtype)


def evenly(start: np.ndarray, end: np.ndarray, steps: int) -> np.ndarray:
    """Numbers evenly apart, two or more, from both ends towards the middle, in their dtype; integers in double precision.

    As in PyTorch's kernel a product and the sum it goes into are rounded once, as processors do it.
    """
    exact = start.dtype.type if start.dtype.kind in "fcV" else np.float64
    low, high = exact(start), exact(end)
    step, wide = exact((high - low) / exact(steps - 1)), _WIDER.get(exact, exact)
    index = np.arange(steps).astype(wide)
    front = wide(low) + wide(step) * index
    back = wide(high) - wide(step) * index[::-1]
    return np.where(np.arange(steps) < steps // 2, front, back).astype(exact)


_WIDER: dict[Any, Any] = {
    np.float32: np.float64, np.float64: np.longdouble, np.complex64: np.complex128, np.complex128: np.clongdouble,
}  # fmt: skip


@op(functions=(), methods=(), symbol="eye", torch="eye")
def eye(n, m=None, dtype=None):
    """The identity matrix."""
    checked((n, n if m is None else m))
    return np.eye(n, m, dtype=_dtype(dtype))
