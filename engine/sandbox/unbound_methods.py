"""Functions read on a class: ``Base.__init__``, to be called with an object.

A function of the engine or of the library trusts its first argument to be of its class, and reads and writes attributes
of it that are closed to programs. Python itself checks this for the methods of its own types only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

PROGRAM_FILE: Final = "<program>"
_REMEMBERED: Final = 1024


def unbound(cls: type, name: str, owner: type | None) -> Any:
    """``kind.name``; a function that the program did not write takes objects of the class that it stands in only."""
    found = getattr(cls, name)
    if type(found) is not FunctionType or found.__code__.co_filename == PROGRAM_FILE:
        return found
    return _checked(found, owner) if owner is not None and vars(owner).get(name) is found else found


@lru_cache(_REMEMBERED)
def _checked(function: FunctionType, owner: type) -> Callable[..., Any]:
    def method(*arguments: Any, **keywords: Any) -> Any:
        if arguments and owner not in type(arguments[0]).__mro__:
            given = type(arguments[0]).__name__
            raise TypeError(f"descriptor '{name}' requires a '{owner.__name__}' object but received a '{given}'")
        if not arguments and keywords:
            raise TypeError(f"unbound method {owner.__name__}.{name}() needs an argument")
        return function(*arguments, **keywords)

    name = function.__name__
    method.__name__, method.__qualname__, method.__doc__ = name, function.__qualname__, function.__doc__
    method.__module__ = function.__module__
    return method
