"""The incomplete gamma functions on float64 arrays (https://dlmf.nist.gov/8.7, 8.9, 8.12)."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.special import Doubles, erfc, lgamma

_MOST: Final = 4000
_LARGE: Final = 1e5


def _log1p_minus(x: Doubles) -> Any:
    """log(1 + x) - x, exact near 0."""
    total, power = np.zeros_like(x), x * x
    for n in range(2, 26):
        total = total - (power / n if n % 2 == 0 else -power / n)
        power = power * x
    return np.where(np.abs(x) < 0.2, total, np.log1p(x) - x)


def _prefactor(a: Doubles, x: Doubles) -> Any:
    """x^a exp(-x) / Γ(a + 1)."""
    large = np.maximum(a, 20.0)
    square = 1 / (large * large)
    correction = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / large
    far = np.exp(large * _log1p_minus(np.maximum((x - large) / large, -1 + 1e-16)) - correction)
    near = np.minimum(a, 20.0)
    direct = np.exp(near * np.log(x) - x - lgamma(near + 1))
    return np.where(a > 20, far / np.sqrt(2 * math.pi * large), direct)


def _series(a: Doubles, x: Doubles) -> Any:
    """P(a, x) by its power series."""
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(1, _MOST):
        term = term * (x / (a + k))
        total = total + term
        if not np.any(term > total * 1e-17):
            break
    return total * _prefactor(a, x)


def _fraction(a: Doubles, x: Doubles) -> Any:
    """Q(a, x) by its continued fraction, evaluated forwards (Lentz's method)."""
    b = x + 1 - a
    c, d = np.full_like(x, 1e300), 1 / np.where(b == 0, 1e-300, b)
    h = d
    for k in range(1, _MOST):
        step = -k * (k - a)
        b = b + 2
        d = step * d + b
        d = 1 / np.where(d == 0, 1e-300, d)
        c = b + step / c
        c = np.where(c == 0, 1e-300, c)
        h = h * (c * d)
        if not np.any(np.abs(c * d - 1) > 1e-16):
            break
    return h * a * _prefactor(a, x)


def _uniform(a: Doubles, x: Doubles, upper: bool) -> Any:
    """For very large ``a`` the first two terms of Temme's expansion."""
    mu = (x - a) / a
    eta = np.sign(mu) * np.sqrt(np.maximum(-2 * _log1p_minus(np.maximum(mu, -1 + 1e-16)), 0))
    safe = np.abs(eta) > 1e-3
    c0 = np.where(safe, 1 / np.where(safe, mu, 1) - 1 / np.where(safe, eta, 1), -1 / 3 + eta / 12)
    rest = np.exp(-a * eta * eta / 2) / np.sqrt(2 * math.pi * a) * c0
    sign = 1 if upper else -1
    return erfc(sign * eta * np.sqrt(a / 2)) / 2 + sign * rest


def _both(a: Doubles, x: Doubles, upper: bool) -> Any:
    a, x = np.broadcast_arrays(a, x)
    usual = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    result = np.full(a.shape, np.nan)
    large = usual & (a > _LARGE)
    low = usual & ~large & (x < a + 1)
    high = usual & ~large & ~low
    if large.any():
        result[large] = _uniform(a[large], x[large], upper)
    if low.any():
        value = _series(a[low], x[low])
        result[low] = 1 - value if upper else value
    if high.any():
        value = _fraction(a[high], x[high])
        result[high] = value if upper else 1 - value
    return _limits(a, x, result, upper)


def _limits(a: Doubles, x: Doubles, result: Any, upper: bool) -> Any:
    """The values at 0 and at infinity."""
    zero, one = (1.0, 0.0) if upper else (0.0, 1.0)
    known = (a >= 0) & (x >= 0)
    result = np.where(known & (x == 0) & (a > 0), zero, result)
    result = np.where(known & (a == 0) & (x > 0), one, result)
    result = np.where(known & np.isinf(a) & np.isfinite(x), zero, result)
    return np.where(known & np.isinf(x) & np.isfinite(a), one, result)


def lower(a: Doubles, x: Doubles) -> Doubles:
    """P(a, x), from 0 to 1 for growing x."""
    return np.asarray(_both(a, x, False))


def upper(a: Doubles, x: Doubles) -> Doubles:
    """Q(a, x) = 1 - P(a, x)."""
    return np.asarray(_both(a, x, True))
