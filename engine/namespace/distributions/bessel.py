"""Logarithms of modified Bessel functions as PyTorch's distributions have them: polynomials, chosen between by the argument.

Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), 9.8.1 to 9.8.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradflow.engine.namespace.distributions.utils import where

_BORDER = 3.75
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (
        0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
        0.392377e-2,
    ),
    (
        0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
        -0.420059e-2,
    ),
)  # fmt: skip
"""Coefficients from the constant one on, for the orders 0 and 1."""


def log_bessel(x: Any, order: int) -> Any:
    """The logarithm of ``I_order(x)`` for positive x, to about seven digits."""
    ratio = x / _BORDER
    small = _polynomial(ratio * ratio, _SMALL[order])
    small = (x.abs() * small if order else small).log()
    inverse = _BORDER / x
    large = x - 0.5 * x.log() + _polynomial(inverse, _LARGE[order]).log()
    return where(x < _BORDER, small, large)


def _polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    result: Any = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + x * result
    return result
