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


class _Number:
    """A number in the place of which ``**=`` or ``<<=`` puts its result."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __ipow__(self, exponent: Any) -> Any:
        return power_in_place(self._value, exponent)

    def __ilshift__(self, places: Any) -> Any:
        return shift_in_place(self._value, places)


def _guarded(value: Any) -> Any:
    return _Number(value) if isinstance(value, int | Fraction) else value


class ItemsInPlace:
    """What stands for a container in ``container[key] **= value``: what it gives is looked at before it is computed with."""

    __slots__ = ("_container",)

    def __init__(self, container: Any) -> None:
        self._container = container

    def __getitem__(self, key: Any) -> Any:
        return _guarded(self._container[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._container[key] = value


class AttributesInPlace:
    """The same for attributes: ``writer`` reads and writes those of an object."""

    __slots__ = ("_writer",)

    def __init__(self, writer: Any) -> None:
        object.__setattr__(self, "_writer", writer)

    def __getattribute__(self, name: str) -> Any:
        return _guarded(getattr(object.__getattribute__(self, "_writer"), name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_writer"), name, value)


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
