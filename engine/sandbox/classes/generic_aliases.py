"""``Box[int]``: what is called by such a name writes ``__orig_class__`` into what comes back, whatever that is.

A program decides what that is: by ``__new__``, by a metaclass, or by what it gives to ``Annotated``. Here it is written into
objects of the program's own classes only. The names of Python's own types, ``list[int]``, cannot be kept from it. Where no
program runs, Python does as ever.
"""

from __future__ import annotations

import abc
import typing
from contextlib import suppress
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final

from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.raw_content import has, owner_of, put
from gradflow.engine.sandbox.gate import NOT_SPECIAL, is_program_class
from gradflow.engine.sandbox.unbound_methods import line_of

_ASKED: Final = "__class_getitem__"
_MAKERS: Final = (type, abc.ABCMeta)
_Super: Any = super  # its attributes are unknown to type checkers
_ALIAS: Final[Any] = type(typing.ClassVar[int])
_ALIASES: Final[Any] = next(kind for kind in _ALIAS.__mro__ if "__call__" in vars(kind))
"""What all aliases of ``typing`` derive from."""


def _call(self: Any, /, *arguments: Any, **keywords: Any) -> Any:
    if not self._inst:
        wanted = f"use {self.__origin__.__name__}() instead"
        raise TypeError(f"Type {self._name} cannot be instantiated; {wanted}")
    made = self.__origin__(*arguments, **keywords)
    if not isinstance(made, type) and (is_program_class(type(made)) or _is_foreign(made, self.__origin__)):
        with suppress(AttributeError):
            made.__orig_class__ = self
    return made


def _is_foreign(made: object, origin: object) -> bool:
    """Whether this was made of a class that is neither the program's nor the engine's, by itself."""
    return type(made) is origin and not type(made).__module__.startswith(("gradflow.", "torch"))


def _itself(cls: type, item: object) -> type:
    return cls


def leave_parameters_out(cls: type) -> None:
    """Have ``cls[int]`` be the class itself, where the alias would be one of Python's own types and the program decides what a
    call of the class gives."""
    decides = type(cls) not in _MAKERS or any("__new__" in vars(each) for each in cls.__mro__ if is_program_class(each))
    if decides and _ASKED not in vars(cls) and has(cls, _ASKED) and not _is_safe(cls):
        alias: Any = classmethod(_itself)
        put(cls, _ASKED, alias)


def _is_safe(cls: type) -> bool:
    """Whether the nearest base that answers is the program's, or gives an alias of ``typing``."""
    answers = next(each for each in cls.__mro__ if _ASKED in vars(each))
    return is_program_class(answers) or answers is typing.Generic


def _of_class(alias: Any, name: str) -> bool:
    """``Box[int].create``: what the program itself defined in a class is read by the alias, too."""
    origin = alias.__origin__
    if not isinstance(origin, type) or hasattr(type(alias), name) or name in vars(alias):
        return False
    owner = owner_of(origin, name)
    return (
        owner is not None
        and is_program_class(owner)
        and type(vars(owner)[name]) not in (GetSetDescriptorType, MemberDescriptorType)
    )


def _bases(value: Any, name: str) -> Any:
    """``__orig_bases__`` of a class of the program: aliases, and classes that programs may derive from."""
    if not isinstance(value, type):
        return NOT_SPECIAL
    owner = owner_of(value, name)
    found = None if owner is None or not is_program_class(owner) else vars(owner)[name]
    whole = type(found) is tuple and all(isinstance(each, _ALIASES) or gate.is_open(each) for each in found)
    return found if whole else NOT_SPECIAL


def _alias_of(value: Any, name: str) -> Any:
    """``__orig_class__`` of an object of the program: the alias by which it was made."""
    found = vars(value).get(name) if is_program_class(type(value)) and hasattr(value, "__dict__") else None
    return found if isinstance(found, _ALIASES) else NOT_SPECIAL


def _inherited(value: Any, name: str) -> Any:
    """``super().__class_getitem__`` in a class of the program."""
    cls = value.__self__ if isinstance(value, _Super) else None
    if not isinstance(cls, type) or not is_program_class(cls):
        return NOT_SPECIAL
    owner = next((each for each in line_of(value) if name in vars(each)), None)
    return (lambda item: getattr(value, name)(item)) if owner is typing.Generic else NOT_SPECIAL


def _register() -> None:
    _ALIASES.__call__ = _call
    gate.allow(_ALIAS, readable=_of_class)
    gate.read_special_by(("__orig_bases__",), _bases)
    gate.read_special_by(("__orig_class__",), _alias_of)
    gate.read_special_by((_ASKED,), _inherited)


_register()
