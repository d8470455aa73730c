"""a * b + c rounded once, as processors have it and PyTorch's kernels use it. NumPy rounds the product first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

_DROPPED: Final = (1 << 29) - 1
"""The bits of a float64 that a float32 has no room for."""
_BLOCK: Final = 16384
"""So many elements stay in the cache in double precision."""


def fused(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    """``a * b + c`` in the dtype of ``a``, broadcast; float32 and float64 are rounded once."""
    if a.dtype == np.float64:
        return _fused_double(a, b, c)
    return _by_blocks(_rounded_once, a, np.asarray(b, np.float32), np.asarray(c, np.float32))


def quick_fused(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    """`fused` in a third of the time for float32, rounded twice: one result in 500 million is on the wrong side."""
    if a.dtype == np.float64:
        return _fused_double(a, b, c)
    return _by_blocks(rounded_twice, a, np.asarray(b, np.float32), np.asarray(c, np.float32))


def rounded_twice(a: Any, b: Any, c: Any) -> np.ndarray:
    """``a * b + c`` of float32, added in double precision: `quick_fused` for arrays that are small, or numbers."""
    return np.asarray((np.multiply(a, b, dtype=np.float64) + c).astype(a.dtype))


def _by_blocks(fuse: Callable[..., np.ndarray], a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    if a.size <= _BLOCK or a.ndim != max(a.ndim, b.ndim, c.ndim):
        return fuse(a, b, c)
    result = np.empty(np.broadcast_shapes(a.shape, b.shape, c.shape), a.dtype)
    wide = [np.broadcast_to(each, result.shape) for each in (a, b, c)]
    step = max(_BLOCK * len(result) // result.size, 1)
    for start in range(0, len(result), step):
        result[start : start + step] = fuse(*(each[start : start + step] for each in wide))
    return result


def _rounded_once(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    product = np.multiply(a, b, dtype=np.float64)  # exact
    total = np.asarray(product + c)
    halfway = (total.view(np.int64) & _DROPPED) == 1 << 28
    if halfway.any():  # what the sum itself lost decides
        part = total - product
        lost = (product - (total - part)) + (c - part)
        total = np.where(halfway & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return np.asarray(total.astype(a.dtype))


def _fused_double(a: np.ndarray, b: np.ndarray | float, c: np.ndarray | float) -> np.ndarray:
    product = a * b
    (high, low), (other_high, other_low) = _split(a), _split(np.asarray(b, np.float64))
    lost = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    total = product + c
    part = total - product
    lost = ((product - (total - part)) + (c - part)) + lost
    return np.asarray(total + np.where(np.isfinite(lost), lost, 0))


def _split(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A float64 as two of half the digits (T. Dekker, 1971)."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = a * 134217729.0
        high = scaled - (scaled - a)
    return high, a - high


def is_fused(*operands: Any) -> bool:
    """Whether all are arrays of single or of double precision: of these kinds PyTorch's kernels round once."""
    kinds = {operand.dtype if isinstance(operand, np.ndarray | np.generic) else None for operand in operands}
    return len(kinds) == 1 and kinds <= {np.dtype(np.float32), np.dtype(np.float64)}
