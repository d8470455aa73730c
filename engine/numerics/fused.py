"""a * b + c rounded once, as processors have it and PyTorch's kernels use it. NumPy rounds the product first."""

from __future__ import annotations

from typing import Any

import numpy as np


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c for arrays of one real dtype, broadcast. float64 is rounded once but where the sum falls midway between two numbers."""
    if a.dtype != np.float64:
        return np.asarray((a.astype(np.float64) * b + c).astype(a.dtype))
    product = a * b
    (high, low), (top, rest) = _halves(a), _halves(b)
    lost = ((high * top - product) + high * rest + low * top) + low * rest
    total = product + c
    of_c = total - product
    lost = lost + ((product - (total - of_c)) + (c - of_c))
    return np.asarray(total + np.where(np.isfinite(lost), lost, 0))


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of half the digits with this sum. Source: T. Dekker (1971)."""
    with np.errstate(over="ignore", invalid="ignore"):
        shifted = a * 134217729.0
        high = shifted - (shifted - a)
    return high, a - high


def is_fused(*operands: Any) -> bool:
    """Whether all are arrays of single or of double precision: of these kinds PyTorch's kernels round once."""
    kinds = {operand.dtype if isinstance(operand, np.ndarray | np.generic) else None for operand in operands}
    return len(kinds) == 1 and kinds <= {np.dtype(np.float32), np.dtype(np.float64)}
