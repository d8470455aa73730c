"""Functions and properties read on a class: ``Base.__init__``, to be called with an object, ``Base.size``.

A function of the engine or of the library trusts its first argument to be of its class, and reads and writes attributes
of it that are closed to programs; one that Cython made reads its memory, whatever that is. So does a property, which a
program can put into a class of its own. Python itself checks this for the methods and the attributes of its own types only:
whatever else a class of a library has that can be called, or that is asked for an attribute, is given in a form that checks it.

What a class of a library keeps and could be changed, a list or an array, is given as a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

PROGRAM_FILE: Final = "<program>"
_REMEMBERED: Final = 1 << 14
"""More than there are in all classes: ``torch.Tensor.mul`` is the same each time that it is read."""
_SLOTS: Final = (GetSetDescriptorType, MemberDescriptorType)
_SAFE: Final = (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
    classmethod,
    staticmethod,
)
"""What checks in C which object it is called with, and what is not called with an object of the class."""
_CHANGING: Final = (list, dict, set, bytearray, np.ndarray)


def line_of(holder: Any) -> tuple[type, ...]:
    """The classes that an attribute of a class or of a ``super`` is looked for in, in their order."""
    if isinstance(holder, type):
        return holder.__mro__
    if holder.__self_class__ is None:
        return ()
    whole: tuple[type, ...] = holder.__self_class__.__mro__
    return whole[whole.index(holder.__thisclass__) + 1 :]


def read_of_class(holder: Any, name: str, is_own: Callable[[type], bool]) -> Any:
    """`unbound`, of whichever class has the name. ``is_own``: whether the program defined a class."""
    owner = next((kind for kind in line_of(holder) if name in vars(kind)), None)
    return unbound(holder, name, owner, owner is not None and is_own(owner))


def unbound(holder: Any, name: str, owner: type | None, own: bool = False) -> Any:
    """``kind.name``, or ``super(kind, kind).name``; what the program did not write takes objects of the class that it stands in only.

    ``own``: whether that is a class of the program, whose properties, and all that it put there, the program could have anyway.
    """
    found = getattr(holder, name)
    if owner is None or name not in vars(owner):
        return found
    kept = vars(owner)[name]
    checked, slot = (_checked.__wrapped__, _slot.__wrapped__) if own else (_checked, _slot)  # those remember the owner
    if type(kept) is FunctionType:
        return found if found is not kept or kept.__code__.co_filename == PROGRAM_FILE else checked(kept, owner)
    if type(kept) in _SLOTS:
        return slot(kept, owner) if found is kept else found
    if own or type(kept) in _SAFE or isinstance(kept, type):
        return found
    if isinstance(kept, property):
        return _checked_property(kept, owner) if found is kept else found
    return _of_library(kept, found, owner)


def _of_library(kept: Any, found: Any, owner: type) -> Any:
    """Whatever else stands in a class of a library: ``kept`` there, and ``found`` where it is read on the class."""
    if not hasattr(type(kept), "__get__"):
        return unshared_constant(found)
    if isinstance(found, property):
        return _checked_property(found, owner)
    if callable(found):
        return _method(kept, owner)
    return _slot(kept, owner) if found is kept else unshared_constant(found)


def unshared_constant(value: Any) -> Any:
    """A constant of a library, as a copy where a program could change it for all who come after."""
    return value.copy() if isinstance(value, _CHANGING) else value


@lru_cache(_REMEMBERED)
def _method(kept: Any, owner: type) -> Callable[..., Any]:
    """A method that is no function of Python's: one of Cython's, or a `partialmethod`."""
    return _checked(kept.__get__(None, owner), owner)


@lru_cache(_REMEMBERED)
def _slot(found: Any, owner: type) -> property:
    """An attribute that a type of Python's own keeps, ``ValueError.args``, or one that is computed once: it is read, and nothing
    is written by it into another object."""

    def read(value: Any) -> Any:
        return found.__get__(value, type(value))

    read.__name__ = read.__qualname__ = str(getattr(found, "__name__", "attribute"))
    return property(_checked(read, owner), None, None, found.__doc__)


@lru_cache(_REMEMBERED)
def _checked_property(found: property, owner: type) -> property:
    def accessor(function: Callable[..., Any] | None) -> Callable[..., Any] | None:
        return None if function is None else _checked(function, owner)

    kind = type(found)
    made = kind.__new__(kind)
    property.__init__(made, accessor(found.fget), accessor(found.fset), accessor(found.fdel), found.__doc__)
    if kind is not property:  # what such a property tells of itself
        vars(made).update(vars(found))
    return made


@lru_cache(_REMEMBERED)
def _checked(function: Callable[..., Any], owner: type) -> Callable[..., Any]:
    def method(*arguments: Any, **keywords: Any) -> Any:
        if arguments and owner not in type(arguments[0]).__mro__:
            given = type(arguments[0]).__name__
            raise TypeError(f"descriptor '{name}' requires a '{owner.__name__}' object but received a '{given}'")
        if not arguments and (keywords or type(function) is not FunctionType):  # Python's own say what is missing
            raise TypeError(f"unbound method {owner.__name__}.{name}() needs an argument")
        return function(*arguments, **keywords)

    name = getattr(function, "__name__", "attribute")  # an accessor can be an object that is called
    method.__name__, method.__qualname__ = name, getattr(function, "__qualname__", name)
    method.__doc__, method.__module__ = function.__doc__, getattr(function, "__module__", owner.__module__)
    return method
