"""Functions and properties read on a class: ``Base.__init__``, to be called with an object, ``Base.size``.

A function of the engine or of the library trusts its first argument to be of its class, and reads and writes attributes
of it that are closed to programs. So does a property, which a program can put into a class of its own. Python itself
checks this for the methods and the attributes of its own types only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final

PROGRAM_FILE: Final = "<program>"
_REMEMBERED: Final = 1024
_SLOTS: Final = (GetSetDescriptorType, MemberDescriptorType)


def line_of(holder: Any) -> tuple[type, ...]:
    """The classes that an attribute of a class or of a ``super`` is looked for in, in their order."""
    if isinstance(holder, type):
        return holder.__mro__
    if holder.__self_class__ is None:
        return ()
    whole: tuple[type, ...] = holder.__self_class__.__mro__
    return whole[whole.index(holder.__thisclass__) + 1 :]


def unbound(holder: Any, name: str, owner: type | None, own: bool = False) -> Any:
    """``kind.name``, or ``super(kind, kind).name``; what the program did not write takes objects of the class that it stands in only.

    ``own``: whether that is a class of the program, whose properties the program made.
    """
    found = getattr(holder, name)
    if owner is None or vars(owner).get(name) is not found:
        return found
    if type(found) is property:
        return found if own else _checked_property(found, owner)
    if type(found) in _SLOTS:
        return _slot(found, owner)
    if type(found) is not FunctionType or found.__code__.co_filename == PROGRAM_FILE:
        return found
    return _checked(found, owner)


@lru_cache(_REMEMBERED)
def _slot(found: Any, owner: type) -> property:
    """An attribute that a type of Python's own keeps, ``ValueError.args``: it is read, and nothing is written by it."""

    def read(value: Any) -> Any:
        return found.__get__(value)

    read.__name__ = read.__qualname__ = found.__name__
    return property(_checked(read, owner), None, None, found.__doc__)


@lru_cache(_REMEMBERED)
def _checked_property(found: property, owner: type) -> property:
    def accessor(function: Callable[..., Any] | None) -> Callable[..., Any] | None:
        return None if function is None else _checked(function, owner)

    return property(accessor(found.fget), accessor(found.fset), accessor(found.fdel), found.__doc__)


@lru_cache(_REMEMBERED)
def _checked(function: Callable[..., Any], owner: type) -> Callable[..., Any]:
    def method(*arguments: Any, **keywords: Any) -> Any:
        if arguments and owner not in type(arguments[0]).__mro__:
            given = type(arguments[0]).__name__
            raise TypeError(f"descriptor '{name}' requires a '{owner.__name__}' object but received a '{given}'")
        if not arguments and keywords:
            raise TypeError(f"unbound method {owner.__name__}.{name}() needs an argument")
        return function(*arguments, **keywords)

    name = getattr(function, "__name__", "attribute")  # an accessor can be an object that is called
    method.__name__, method.__qualname__ = name, getattr(function, "__qualname__", name)
    method.__doc__, method.__module__ = function.__doc__, function.__module__
    return method
