"""Orthogonal polynomials on arrays, by their recurrences (https://dlmf.nist.gov/18.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

MOST_STEPS: Final = 20_000
"""No degree above this one is followed: the value is NaN."""

Next = Callable[[Any, Any, Any, int], Any]
"""The polynomial of degree k + 1, from the argument and those of degrees k and k - 1."""


def _run(x: Any, n: Any, first: Any, following: Next) -> Any:
    x, n = np.broadcast_arrays(np.asarray(x), np.asarray(n))
    degree = np.where(np.isfinite(n), np.clip(np.trunc(n), -1, MOST_STEPS + 1), -1).astype(np.int64)
    before, value = np.ones_like(x), np.asarray(first(x))
    result = np.where(degree == 0, before, np.where(degree < 0, 0, value)).astype(x.dtype)
    for k in range(1, min(int(degree.max(initial=0)), MOST_STEPS)):
        before, value = value, following(x, value, before, k)
        result = np.where(degree == k + 1, value, result)
    return np.where(degree > MOST_STEPS, np.nan, result).astype(x.dtype)


def _doubling(x: Any, value: Any, before: Any, k: int) -> Any:
    return 2 * x * value - before


def chebyshev_t(x: Any, n: Any) -> Any:
    """T_n(x)."""
    return _run(x, n, lambda x: x, _doubling)


def chebyshev_u(x: Any, n: Any) -> Any:
    """U_n(x)."""
    return _run(x, n, lambda x: 2 * x, _doubling)


def chebyshev_v(x: Any, n: Any) -> Any:
    """V_n(x)."""
    return _run(x, n, lambda x: 2 * x - 1, _doubling)


def chebyshev_w(x: Any, n: Any) -> Any:
    """W_n(x)."""
    return _run(x, n, lambda x: 2 * x + 1, _doubling)


def hermite_h(x: Any, n: Any) -> Any:
    """H_n(x), the physicists' polynomials."""
    return _run(x, n, lambda x: 2 * x, lambda x, value, before, k: 2 * x * value - 2 * k * before)


def hermite_he(x: Any, n: Any) -> Any:
    """He_n(x), the probabilists' polynomials."""
    return _run(x, n, lambda x: x, lambda x, value, before, k: x * value - k * before)


def laguerre_l(x: Any, n: Any) -> Any:
    """L_n(x)."""
    return _run(x, n, lambda x: 1 - x, lambda x, value, before, k: ((2 * k + 1 - x) * value - k * before) / (k + 1))


def legendre_p(x: Any, n: Any) -> Any:
    """P_n(x)."""
    return _run(x, n, lambda x: x, lambda x, value, before, k: ((2 * k + 1) * x * value - k * before) / (k + 1))


def shifted(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A polynomial of 2 x - 1."""
    return lambda x, n: function(2 * np.asarray(x) - 1, n)
