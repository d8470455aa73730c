"""Operators on Python integers whose result can be larger than the machine.

Python cannot be interrupted inside of one operation, so an integer power or shift with a huge result is refused before
it begins. All other operands are left to their own operators.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from gradflow.engine import errors

MAX_BITS: Final = 1_000_000


def power(base: Any, exponent: Any) -> Any:
    """``base ** exponent``."""
    _check_power(base, exponent)
    return base**exponent


def power_in_place(base: Any, exponent: Any) -> Any:
    """``base **= exponent``."""
    _check_power(base, exponent)
    base **= exponent
    return base


def _check_power(base: object, exponent: object) -> None:
    exponent = _of_python(exponent)
    if isinstance(base, int | Fraction) and isinstance(exponent, int) and abs(exponent) > 1:
        size = max(abs(base.numerator), base.denominator)
        bits = 0 if size < 2 else size.bit_length() * abs(exponent)
        if bits > MAX_BITS and (exponent > 0 or isinstance(base, Fraction)):
            raise errors.INTEGER_LIMIT(operator="**", bits=MAX_BITS)


def shift(value: Any, places: Any) -> Any:
    """``value << places``."""
    _check_shift(value, places)
    return value << places


def shift_in_place(value: Any, places: Any) -> Any:
    """``value <<= places``."""
    _check_shift(value, places)
    value <<= places
    return value


def _check_shift(value: object, places: object) -> None:
    places = _of_python(places)
    if isinstance(value, int) and isinstance(places, int) and value and value.bit_length() + places > MAX_BITS:
        raise errors.INTEGER_LIMIT(operator="<<", bits=MAX_BITS)


def _of_python(number: object) -> object:
    """An integer of NumPy's as one of Python's: an operator takes it for that."""
    return number.item() if isinstance(number, np.integer) else number


OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "pow": power,
    "ipow": power_in_place,
    "lshift": shift,
    "ilshift": shift_in_place,
}
"""Those of `operator` that programs get, by its names."""
