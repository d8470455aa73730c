"""The functions of Python's own that the steps of a graph call: those that programs have under these names, and no others."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine.sandbox import integer_limits
from gradflow.engine.sandbox.builtin_functions import read_named

GETATTR: Final[Callable[..., Any]] = read_named
_NAMES: Final = {function: name for name, function in integer_limits.OPERATORS.items()} | {GETATTR: "getattr"}
_NO_SIGNS: Final = frozenset({"attrgetter", "call", "itemgetter", "methodcaller"})


def operator_named(name: str) -> Callable[..., Any] | None:
    """A function of `operator` as programs have it; None where there is none of this name."""
    if name.startswith("_") or name in _NO_SIGNS:
        return None
    found = integer_limits.OPERATORS.get(name) or getattr(operator, name, None)
    return found if callable(found) else None


def name_of(function: Any) -> str:
    """What PyTorch calls a function."""
    try:
        return _NAMES.get(function) or function.__name__
    except TypeError:  # an object of the program that has no hash
        return str(function.__name__)
