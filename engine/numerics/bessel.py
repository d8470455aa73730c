"""Bessel functions and the Airy function on float64 arrays.

Near the origin their integrals are sums by the trapezoidal rule, which converges geometrically for periodic and for fast
vanishing integrands (https://dlmf.nist.gov/10.9, 10.32); far from it, and for Airy's function, asymptotic and Taylor
series (10.17, 9.7).
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.special import Doubles, i0e, i1e

_FAR: Final = 25.0
_NODES: Final = 160
_ANGLES: Final = (np.arange(_NODES // 4) + 0.5) * (2 * math.pi / _NODES)
_TERMS: Final = np.arange(1, 38)


@cache
def _weights(order: int, second: bool) -> Any:
    """What each node of the trapezoidal rule counts for."""
    k = _TERMS[:, None]
    signs = np.where(k % 2, -1.0, 1.0)
    if not second:
        return (np.ones_like(_ANGLES) if order == 0 else np.sin(_ANGLES)) * (4 / _NODES)
    if order == 0:
        return (signs / k * np.cos(2 * k * _ANGLES)).sum(0) * (4 / _NODES)
    return (signs * (2 * k + 1) / (k * (k + 1)) * np.sin((2 * k + 1) * _ANGLES)).sum(0) * (4 / _NODES)


def _near(x: Doubles, order: int, second: bool) -> Any:
    total = np.zeros_like(x)
    wave = np.sin if order else np.cos
    for weight, sine in zip(_weights(order, second), np.sin(_ANGLES), strict=True):
        total += weight * wave(x * sine)
    return total


def _hankel(x: Doubles, order: int) -> tuple[Any, Any]:
    """The two sums of Hankel's expansion."""
    sums, term = [np.ones_like(x), np.zeros_like(x)], np.ones_like(x)
    for k in range(1, 30):
        term = term * ((4 * order * order - (2 * k - 1) ** 2) / (8.0 * k)) / x
        sums[k % 2] = sums[k % 2] + (term if k % 4 < 2 else -term)
    return sums[0], sums[1]


def _far(x: Doubles, order: int, second: bool) -> Any:
    even, odd = _hankel(x, order)
    sine, cosine = np.sin(x), np.cos(x)
    # cos and sin of x - (2 order + 1) pi / 4, without the loss of that difference
    c, s = (cosine + sine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    root = np.sqrt(math.pi * x)
    return (even * s + odd * c) / root if second else (even * c - odd * s) / root


def _first_kind(x: Doubles, order: int) -> Doubles:
    size = np.abs(x)
    near, far = np.minimum(size, _FAR), np.maximum(size, _FAR)
    result = np.where(size < _FAR, _near(near, order, False), _far(far, order, False))
    result = np.where(np.isinf(size), np.nan, result)
    return np.asarray(result * np.sign(x) if order else result)


def j0(x: Doubles) -> Doubles:
    """J₀(x)."""
    return np.where(np.abs(x) < 1e-4, 1 - x * x / 4, _first_kind(x, 0))


def j1(x: Doubles) -> Doubles:
    """J₁(x)."""
    tiny = np.abs(x) < 1e-4
    return np.where(tiny, x * (0.5 - x * x / 16), _first_kind(x, 1))


def _second_kind(x: Doubles, order: int) -> Doubles:
    near, far = np.clip(x, 1e-300, _FAR), np.maximum(x, _FAR)
    logarithm = 2 / math.pi * (np.log(near / 2) + np.euler_gamma - order)
    head = logarithm * (j1(near) if order else j0(near)) - (4 - 2 * order) / math.pi * _near(near, order, True)
    if order:
        head = head - 2 / (math.pi * near) * j0(near)
    result = np.where(x < _FAR, head, _far(far, order, True))
    return np.where(x > 0, np.where(np.isinf(x), np.nan, result), np.where(x == 0, -np.inf, np.nan))


def y0(x: Doubles) -> Doubles:
    """Y₀(x)."""
    return _second_kind(x, 0)


def y1(x: Doubles) -> Doubles:
    """Y₁(x)."""
    return _second_kind(x, 1)


# -- modified Bessel functions -----------------------------------------------------------------------------------------


def scaled_k(x: Doubles, order: float) -> Doubles:
    """exp(x) · K(x) of an order, for x of 1/2 and more: ∫ exp(-x (cosh t - 1)) cosh(order t) dt from 0."""
    width = np.arccosh(1 + 45 / x) / 36
    total = np.full_like(x, 0.5)
    for k in range(1, 38):
        t = k * width
        total = total + np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t)
    return np.asarray(total * width)


def _k_series(x: Doubles, order: int) -> Any:
    """K₀ or K₁ up to 2."""
    quarter, term = x * x / 4, np.ones_like(x)
    total, harmonic = np.zeros_like(x), 0.0
    for k in range(24):
        if k:
            term = term * quarter / (k * (k + order))
            harmonic += 1 / k
        total = total + term * (2 * harmonic + order / (k + 1) - 2 * np.euler_gamma)
    logarithm = np.log(x / 2)
    if order == 0:
        return total / 2 - logarithm * i0e(x) * np.exp(x)
    return 1 / x + logarithm * i1e(x) * np.exp(x) - x / 4 * total


def k(x: Doubles, order: int, scaled: bool) -> Doubles:
    """K₀(x) or K₁(x), or exp(x) times it."""
    near, far = np.clip(x, 1e-300, 2), np.maximum(x, 2)
    series = _k_series(near, order) * (np.exp(near) if scaled else 1)
    rest = scaled_k(np.minimum(far, 1e300), float(order)) * (1 if scaled else np.exp(-far))
    result = np.where(x <= 2, series, np.where(np.isinf(x), 0.0, rest))
    return np.where(x > 0, result, np.where(x == 0, np.inf, np.nan))


def spherical_j0(x: Doubles) -> Doubles:
    """sin(x) / x."""
    square = x * x
    near = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    safe = np.where((x == 0) | np.isinf(x), 1.0, x)
    return np.where(np.isinf(x), 0.0, np.where(np.abs(x) < 0.5, near, np.sin(safe) / safe))


# -- the Airy function -------------------------------------------------------------------------------------------------

_STEP: Final = 0.25
_LEAST: Final = -20.0
_AIRY: Final = (0.355028053887817239, -0.258819403792806798)


def _taylor(x: Any, value: Any, slope: Any, count: int = 26) -> list[Any]:
    """The coefficients around ``x`` of the solution of y'' = x y."""
    terms = [value, slope, x * value / 2]
    for n in range(1, count):
        terms.append((x * terms[n] + terms[n - 1]) / ((n + 2) * (n + 1)))
    return terms


@cache
def _grid() -> Any:
    """The function and its slope at multiples of the step, from 2 down."""
    values = {0: _AIRY}
    for start, stop, by in ((0, 8, 1), (0, int(_LEAST / _STEP), -1)):
        for i in range(start, stop, by):
            terms = _taylor(i * _STEP, *values[i])
            h = by * _STEP
            value = sum(term * h**n for n, term in enumerate(terms))
            slope = sum(n * term * h ** (n - 1) for n, term in enumerate(terms) if n)
            values[i + by] = (value, slope)
    first = int(_LEAST / _STEP)
    return np.array([values[i] for i in range(first, 9)]), first


def airy_ai(x: Doubles) -> Doubles:
    """Ai(x)."""
    table, first = _grid()
    inner = np.clip(np.where(np.isnan(x), 0, x), _LEAST, 1.0)
    places = np.rint(inner / _STEP).astype(np.int64)
    value, slope = np.moveaxis(table[places - first], -1, 0)
    middle, power = np.zeros_like(inner), np.ones_like(inner)
    h = inner - places * _STEP
    for term in _taylor(places * _STEP, value, slope, 16):
        middle, power = middle + term * power, power * h
    result = np.where(x > 1, _airy_right(np.maximum(x, 1.0)), np.where(x < _LEAST, _airy_left(x), middle))
    return np.where(np.isfinite(x), result, np.nan)


def _airy_right(x: Doubles) -> Any:
    x = np.minimum(x, 1e9)
    zeta = 2 / 3 * x * np.sqrt(x)
    return np.sqrt(x / 3) / math.pi * scaled_k(zeta, 1 / 3) * np.exp(-zeta)


def _airy_left(x: Doubles) -> Any:
    size = np.maximum(-np.where(np.isfinite(x), x, _LEAST), -_LEAST)
    zeta = 2 / 3 * size * np.sqrt(size)
    sums, term = [np.ones_like(size), np.zeros_like(size)], np.ones_like(size)
    for j in range(1, 20):
        term = term * ((6 * j - 5) * (6 * j - 1) / (72.0 * j)) / zeta
        sums[j % 2] = sums[j % 2] + (term if j % 4 < 2 else -term)
    angle = zeta - math.pi / 4
    return (np.cos(angle) * sums[0] + np.sin(angle) * sums[1]) / (math.sqrt(math.pi) * size**0.25)
