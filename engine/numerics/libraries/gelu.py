"""The slope of gelu in float32 as oneDNN computes it, which PyTorch asks: an approximation that is good to six digits.

The error function is a rational one of Abramowitz and Stegun (7.1.26), the exponential a polynomial of degree 5. Both
stand here with the constants of oneDNN in single precision, of which that of T is one unit below the root of 1 / pi.
Steps within a polynomial are not rounded.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

SCALE: Final = math.sqrt(2 / math.pi)
BEND: Final = 0.044715
"""What the approximation by a hyperbolic tangent multiplies its argument, and the cube in it, with."""


def _single(value: float) -> np.ndarray:
    return np.array(value, np.float32)


def _wide(*values: float) -> tuple[np.ndarray, ...]:
    """Numbers of single precision in double."""
    return tuple(np.array(np.float32(value), np.float64) for value in values)


_ROOT_HALF, _SHARE = _single(0.70710678), _single(0.56418955)
_HALF, _ONE = _single(0.5), _single(1)
(_STEP,) = _wide(0.3275911)
_ERF: Final = _wide(1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_EXP: Final = _wide(0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999701, 1)
_LOG2_E, _LN_2, _LOWEST = _wide(1.44269504, 0.693147182, -87.3365448)
_WIDE_HALF, _WIDE_ONE = _wide(0.5, 1)


def gelu_slope(x: np.ndarray) -> np.ndarray:
    """The derivative of x * Phi(x) for float32."""
    scaled = x * _ROOT_HALF
    power = _negative_exponential(scaled * scaled)
    inverse = _ONE / (np.abs(scaled) * _STEP + _WIDE_ONE).astype(np.float32)
    rest = np.multiply(power * inverse, _polynomial(_ERF, inverse), dtype=np.float64)
    erf = np.copysign((_WIDE_ONE - rest).astype(np.float32), scaled)
    middle = scaled * _SHARE * power + _HALF
    return np.asarray((erf * _WIDE_HALF + middle).astype(np.float32))


def _negative_exponential(square: np.ndarray) -> np.ndarray:
    """exp(-square): a power of 2 times a polynomial of the rest."""
    argument = np.maximum(-square, _LOWEST)
    whole = np.floor(argument * _LOG2_E + _WIDE_HALF)
    rest = (argument - whole * _LN_2).astype(np.float32)
    return np.asarray(np.ldexp(_polynomial(_EXP, rest), whole.astype(np.int32)))


def _polynomial(factors: tuple[np.ndarray, ...], x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    total = factors[0] * wide
    for factor in factors[1:-1]:
        total += factor
        total *= wide
    total += factors[-1]
    return total.astype(np.float32)
