"""Samples of the gamma distribution, and how they move with its parameters, in double precision.

Sources: G. Marsaglia and W. Tsang, A simple method for generating gamma variables (2000); M. Figurnov, S. Mohamed and
A. Mnih, Implicit reparameterization gradients (2018); H. Takahasi and M. Mori, Double exponential formulas (1974).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.mersenne_twister import MersenneTwister
from gradflow.engine.numerics.special import Doubles, digamma

_F64: Final = np.dtype(np.float64)
_THIRD: Final = float(np.float32(1 / 3))
"""In single precision, as PyTorch has it."""


def gamma(source: MersenneTwister, concentrations: np.ndarray) -> np.ndarray:
    """One sample with rate 1 for each concentration."""
    return np.array([_gamma(source, alpha) for alpha in concentrations.tolist()], np.float64)


def _uniform(source: MersenneTwister) -> float:
    """A sample from (0, 1]."""
    return 1.0 - float(source.uniform(1, _F64)[0])


def _gamma(source: MersenneTwister, alpha: float) -> float:
    if math.isnan(alpha) or alpha == 0:
        return alpha
    scale = 1.0
    if alpha < 1:
        scale, alpha = _uniform(source) ** (1.0 / alpha), alpha + 1.0
    d = alpha - _THIRD
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x, root = 0.0, 0.0
        while root <= 0:
            x = float(source.normal_pairs(1)[0])
            root = 1.0 + c * x
        cube, u, square = root**3, _uniform(source), x * x
        if u < 1.0 - 0.0331 * square * square:
            return scale * d * cube
        if math.log(u) < 0.5 * square + d * (1.0 - cube + math.log(cube)):
            return scale * d * cube


def dirichlet(source: MersenneTwister, concentrations: np.ndarray) -> np.ndarray:
    """Probabilities for each row of concentrations."""
    parts = gamma(source, concentrations.reshape(-1)).reshape(concentrations.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(parts / parts.sum(-1, keepdims=True))


# -- implicit gradients ------------------------------------------------------------------------------------------------

_STEP: Final = 1 / 16
_ABSCISSAS: Final = np.arange(-4.5, 4.5 + _STEP / 2, _STEP)
_NODES: Final = np.exp(math.pi / 2 * np.sinh(_ABSCISSAS))
_WEIGHTS: Final = _STEP * math.pi / 2 * np.cosh(_ABSCISSAS) * _NODES
"""For integrals from 0 to infinity of what falls off exponentially beyond 1."""


def _integral(integrand: Any, width: Doubles) -> Doubles:
    """The integral from 0 to infinity, for each width at which the integrand has begun to fall."""
    s = _NODES * np.asarray(width)[..., None]
    with np.errstate(all="ignore"):
        values = np.nan_to_num(integrand(s), nan=0.0, posinf=0.0, neginf=0.0)
    return np.asarray((values * _WEIGHTS).sum(-1) * width)


def _digamma(x: Doubles) -> Doubles:
    with np.errstate(all="ignore"):
        return np.asarray(digamma(x))


def gamma_slope(alpha: Doubles, x: Doubles) -> Doubles:
    """How a sample ``x`` of the gamma distribution moves with the concentration while its probability stays the same."""
    alpha, x = np.broadcast_arrays(np.asarray(alpha, np.float64), np.asarray(x, np.float64))
    below, flat = x < alpha, np.abs(alpha - x)
    side = np.where(below, 1.0, -1.0)
    width = 1 / (flat + np.sqrt(np.maximum(np.minimum(alpha, x), 1e-300)) + np.where(below, 0.0, 1.0))
    start = np.log(x) - _digamma(alpha)

    def integrand(s: Doubles) -> Doubles:
        a, y, t = alpha[..., None], x[..., None], s * side[..., None]
        return np.asarray(y * np.exp(-a * t - y * np.expm1(-t)) * (start[..., None] - t))

    return np.asarray(-side * _integral(integrand, width))


def beta_slope(x: Doubles, a: Doubles, b: Doubles) -> Doubles:
    """How a sample ``x`` of the beta distribution moves with the first concentration."""
    x, a, b = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in (x, a, b)))
    below = x * (a + b) < a
    start = _digamma(a) - _digamma(a + b)
    rest = 1 - x
    near, rate = np.where(below, x, rest), np.where(below, a, b)
    other, far = np.where(below, b, a), np.where(below, rest, x)
    fall = np.abs(rate - (other - 1) * near / far)
    width = 1 / (fall + np.sqrt(np.maximum(rate * near, 1e-300)) + 1e-300)

    def integrand(s: Doubles) -> Doubles:
        n, f = near[..., None], far[..., None]
        grown = -np.expm1(-s) * n
        power = np.exp(-rate[..., None] * s + (other[..., None] - 1) * np.log1p(grown / f))
        moved = np.where(below[..., None], np.log(n) - s, np.log(f + grown))
        return np.asarray(n * power * (moved - start[..., None]))

    return np.asarray(np.where(below, -1.0, 1.0) * _integral(integrand, width))
