"""The traceback of an exception: it can be handed on, and shows no frames: no rule of the gate gives anything of it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from gradflow.engine.sandbox.gate import read_special_by
from gradflow.engine.sandbox.rules import NOT_SPECIAL


def _read(value: Any, name: str) -> Any:
    """``__traceback__``, and ``with_traceback``, which leaves an exception as it is but for ``None``: where it was raised is known."""
    if not isinstance(value, BaseException):
        return NOT_SPECIAL
    if name == "__traceback__":
        return value.__traceback__

    def with_traceback(tb: Any, /) -> BaseException:
        if tb is None:
            return BaseException.with_traceback(value, None)
        if type(tb) is not TracebackType:
            raise TypeError("__traceback__ must be a traceback or None")
        return value

    return with_traceback


def exc_info() -> tuple[Any, Any, Any]:
    """``sys.exc_info``, whose traceback is as the others."""
    return sys.exc_info()


read_special_by(("__traceback__", "with_traceback"), _read)
