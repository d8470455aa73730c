"""What stands for the traceback of an exception: it can be handed on, and shows no frames."""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine.sandbox.gate import allow, read_special_by
from gradflow.engine.sandbox.rules import NOT_SPECIAL


class Traceback:
    """``error.__traceback__``."""

    __slots__ = ()


Traceback.__name__, Traceback.__qualname__, Traceback.__module__ = "traceback", "traceback", "builtins"
TRACEBACK: Final = Traceback()


def _read(value: Any, name: str) -> Any:
    """``__traceback__``, and ``with_traceback``, which leaves an exception as it is: where it was raised is known."""
    if not isinstance(value, BaseException):
        return NOT_SPECIAL
    if name == "__traceback__":
        return None if value.__traceback__ is None else TRACEBACK

    def with_traceback(tb: Any, /) -> BaseException:
        if tb is not None and tb is not TRACEBACK:
            raise TypeError("__traceback__ must be a traceback or None")
        return value

    return with_traceback


allow(Traceback)
read_special_by(("__traceback__", "with_traceback"), _read)
