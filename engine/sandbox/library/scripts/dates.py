"""``datetime``: dates, times and their differences.

The classes are Python's, but for one thing: NumPy makes no array of objects of them (`gradflow.engine.sandbox.array_elements`).
"""

from __future__ import annotations

import _strptime  # type: ignore[import-not-found]  # noqa: F401  # what `strptime` would import when it is called
import datetime
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, is_public, type_name
from gradflow.engine.sandbox.stand_ins import OpaqueType

_LEFT_OUT: Final = frozenset({"dst", "max", "min", "resolution", "utcoffset"})
"""What gives an object of Python's own class."""
_OPERATORS: Final = "add radd sub rsub mul rmul truediv floordiv mod divmod neg pos abs"


class timedelta(datetime.timedelta):
    """A difference of two times."""

    __array_ufunc__ = None

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"


class _Told:
    """Made of numbers alone. The classes of the library take a state, too, as it was written by ``pickle``, and look at a part of it."""

    def __new__(cls, *given: Any, **named: Any) -> Any:
        if given and isinstance(given[0], bytes | str):
            raise TypeError(f"'{type_name(given[0])}' object cannot be interpreted as an integer")
        return super().__new__(cls, *given, **named)

    def __reduce_ex__(self, protocol: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """What a copy is made of."""
        cls, fold = type(self), getattr(self, "fold", 0)
        return (partial(cls, fold=fold) if fold else cls), self._numbers()

    def _numbers(self) -> tuple[Any, ...]:
        raise NotImplementedError


class _Dates(type):
    """Times are dates, too: ``isinstance(datetime.now(), date)``."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime.date)


class date(_Told, datetime.date, metaclass=_Dates):
    """A day."""

    __array_ufunc__ = None

    def _numbers(self) -> tuple[Any, ...]:
        return self.year, self.month, self.day

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"


class time(_Told, datetime.time):
    """A time of the day."""

    def _numbers(self) -> tuple[Any, ...]:
        return self.hour, self.minute, self.second, self.microsecond, self.tzinfo

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"


class timestamp(_Told, datetime.datetime):
    """A day and a time: ``datetime.datetime``."""

    __array_ufunc__ = None

    def _numbers(self) -> tuple[Any, ...]:
        return self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond, self.tzinfo

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"

    @classmethod
    def strptime(cls, date_string: Any, format: Any, /) -> Any:
        """The time that a text tells in this format."""
        return super().strptime(_text(date_string, 1), _text(format, 2))

    def date(self) -> Any:
        """The day."""
        return date(self.year, self.month, self.day)

    def time(self) -> Any:
        """The time of the day."""
        return time(self.hour, self.minute, self.second, self.microsecond, fold=self.fold)


def _text(given: Any, place: int) -> str:
    if isinstance(given, str):
        return str.__str__(given)
    raise TypeError(f"strptime() argument {place} must be str, not {type_name(given)}")


_CLASSES: Final[dict[str, type[Any]]] = {"date": date, "datetime": timestamp, "time": time, "timedelta": timedelta}


def members() -> dict[str, object]:
    """What is in ``datetime``."""
    return {**_CLASSES, "timezone": datetime.timezone, "MINYEAR": datetime.MINYEAR, "MAXYEAR": datetime.MAXYEAR} | {
        "UTC": datetime.UTC,
        "tzinfo": OpaqueType(datetime.tzinfo),
    }


def _own(result: Any) -> Any:
    """A difference of Python's own class as one of this module's."""
    if type(result) is datetime.timedelta:
        return timedelta(result.days, result.seconds, result.microseconds)
    return tuple(map(_own, result)) if type(result) is tuple else result


def _operator(real: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: _own(real(self, *others))


def _allow(cls: type[Any]) -> None:
    names = [name for name in dir(cls) if is_public(name) and name not in _LEFT_OUT]
    for each in (cls, *cls.__mro__[1:-1]):  # what a class inherits stays under the rules of its origin
        allow(each, names, shown_as=cls, copyable=True)


def _register() -> None:
    for cls in (date, timestamp, timedelta):
        for name in _OPERATORS.split():
            if hasattr(cls, f"__{name}__"):
                setattr(cls, f"__{name}__", _operator(getattr(cls, f"__{name}__")))
    for name, cls in reversed(_CLASSES.items()):
        cls.__name__ = cls.__qualname__ = name
        cls.__module__ = "datetime"
        _allow(cls)
    _allow(datetime.timezone)


_register()
