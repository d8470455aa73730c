"""Uniform samples to normal ones, with PyTorch's bits: in float32 by its vectorised polynomials, in float64 by libm.

The single precision logarithm, sine and cosine are those of Cephes (S. Moshier, logf.c and sinf.c), evaluated with fused
multiply-adds. NumPy has none, so each is made of a float64 sum that is rounded to float32 once.
Source of the method: G. Box and M. Muller (1958).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from gradflow.engine.numerics.fused import fused

BLOCK: Final = 16
"""Normal samples are made in blocks of this size; within one, element j pairs with element j + 8."""

_PIECE: Final = 1 << 14
"""So many are made at a time: their intermediate values stay in the processor's cache."""

_LOG: Final = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG_TWO: Final = (-2.12194440e-4, 0.693359375)
"""The logarithm of two in two parts, the small one first."""
_COS: Final = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_SIN: Final = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_QUARTER: Final = (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
"""A quarter of pi in three parts, the sign changed."""
f32 = np.float32


def _polynomial(x: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = fused(result, x, coefficient)
    return result


def _log(x: np.ndarray) -> np.ndarray:
    mantissa, exponent = np.frexp(x)
    small = mantissa < f32(math.sqrt(0.5))
    power = (exponent - small).astype(f32)
    x = mantissa - f32(1)
    x = np.where(small, x + mantissa, x)
    square = x * x
    y = fused(_polynomial(x, _LOG) * x, square, power * f32(_LOG_TWO[0]))
    return fused(power, _LOG_TWO[1], x + fused(-square, 0.5, y))


def _cos_and_sin(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of angles from 0 up: those within an eighth of a turn, exchanged and with signs by the octant."""
    octant = ((x * f32(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in _QUARTER:
        x = fused(octant.astype(f32), part, x)
    square = x * x
    cos = fused(_polynomial(square, _COS) * square, square, -(square * f32(0.5))) + f32(1)
    sin = fused(_polynomial(square, _SIN) * square, x, x)
    exchanged = (octant & 2) != 0
    cos, sin = np.where(exchanged, sin, cos), np.where(exchanged, cos, sin)
    return np.where((octant - 2) & 4, cos, -cos), np.where(octant & 4, -sin, sin)


def box_muller(uniform: np.ndarray, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Whole blocks of uniform samples as normal ones."""
    if uniform.size <= _PIECE:
        return _transformed(uniform, mean, std)
    starts = range(0, uniform.size, _PIECE)
    return np.concatenate([_transformed(uniform[start : start + _PIECE], mean, std) for start in starts])


def _transformed(uniform: np.ndarray, mean: float, std: float) -> np.ndarray:
    pairs = uniform.reshape(-1, 2, BLOCK // 2)
    scalar_type = uniform.dtype.type
    first, second = scalar_type(1) - pairs[:, 0], pairs[:, 1]
    if scalar_type is f32:
        radius, (cos, sin) = np.sqrt(f32(-2) * _log(first)), _cos_and_sin(f32(2 * math.pi) * second)
    else:
        first, second = first.astype(np.float64), second.astype(np.float64)
        radius, angle = np.sqrt(-2.0 * np.log(first)), 2.0 * math.pi * second
        cos, sin = np.cos(angle), np.sin(angle)
    samples = np.stack([radius * cos, radius * sin], axis=1).reshape(-1)
    if (mean, std) != (0.0, 1.0):
        samples = fused(samples, std, mean)
    return samples.astype(scalar_type, copy=False)
