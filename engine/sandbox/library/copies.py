"""``copy``: copies of what a program can hold, made so that no program has a say in how.

Python's own module asks a dictionary of the program what the inner parts of an object have been copied to, takes the names of
slots from a list that the program can still change, and writes what it got into whatever object comes back. Here a program's
dictionary stands for whole values only, and attributes are written into an object of the very class that they were read from.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from re import Pattern
from sys import _getframe
from typing import Any, Final
from uuid import UUID

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import OpaqueType, is_copyable, is_program_class, type_name
from gradflow.engine.sandbox.stand_ins import TypeOf
from gradflow.engine.state import STATE

_IMMUTABLE: Final = set[type](
    {type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented), property}
    | {types.FunctionType, types.BuiltinFunctionType, types.CodeType, weakref.ref, Decimal, Fraction, UUID, Pattern}
    | {OpaqueType, TypeOf}
)
_ABSENT: Final = object()
_PROTOCOL: Final = 4
_active: list[Copies] = []


def copy_as_itself(*kinds: type) -> None:
    """From now on objects of these types are their own copies: nothing of them changes."""
    _IMMUTABLE.update(kinds)


def is_unchanging(cls: type) -> bool:
    """Whether an object of this type is its own copy."""
    return cls in _IMMUTABLE or issubclass(cls, type | np.dtype)


class Copies(dict[int, Any]):
    """The copies made so far, by the address of what they were made of. ``__deepcopy__`` of the engine's classes gets it.

    given: the dictionary that ``__deepcopy__`` of the program's classes gets. It stands for objects of the program, and for
    a tensor or an array where it has another.
    """

    def __init__(self, given: dict[Any, Any]) -> None:
        super().__init__()
        self.given = given
        self._kept: list[Any] = []

    def copy_of(self, value: Any) -> Any:
        """A copy of a value and of all that it holds."""
        cls = type(value)
        if is_unchanging(cls):
            return value
        found = self._known(value, cls)
        if found is _ABSENT:
            found = self.made(value, cls)
            self[id(value)] = found
            self._kept.append(value)
            if is_program_class(cls):
                self.given[id(value)] = found
        return found

    def _known(self, value: Any, cls: type) -> Any:
        if id(value) in self:
            return self[id(value)]
        found = self.given.get(id(value), _ABSENT)
        stands = is_program_class(cls) or (type(found) is cls and hasattr(cls, "__deepcopy__"))
        return found if stands else _ABSENT

    def made(self, value: Any, cls: type) -> Any:
        made: Any
        if cls is list:
            made = self[id(value)] = []
            made.extend(map(self.copy_of, list(value)))
            return made
        if cls is dict:
            made = self[id(value)] = {}
            made.update({self.copy_of(key): self.copy_of(each) for key, each in list(value.items())})
            return made
        if cls is tuple:
            return self._tuple(value)
        if cls is types.MethodType:
            return types.MethodType(value.__func__, self.copy_of(value.__self__))
        if cls is partial:
            named = {name: self.copy_of(each) for name, each in value.keywords.items()}
            return partial(self.copy_of(value.func), *map(self.copy_of, value.args), **named)
        if getattr(cls, "__deepcopy__", None) is None:
            return rebuilt(value, self)
        own = value.__deepcopy__
        return own(self if _is_of_engine(cls, "__deepcopy__") else self.given)

    def _tuple(self, value: tuple[Any, ...]) -> Any:
        parts = tuple(map(self.copy_of, value))
        if id(value) in self:  # it holds itself
            return self[id(value)]
        return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts


def _is_of_engine(cls: type, name: str) -> bool:
    """Whether a method is a function of the engine's: these alone get the copies that the engine makes."""
    found = next((vars(kind)[name] for kind in cls.__mro__ if name in vars(kind)), None)
    return isinstance(found, types.FunctionType) and found.__globals__["__name__"].startswith("gradflow.")


def deepcopy(x: Any, memo: Any = None) -> Any:
    """``copy.deepcopy``. Raises TypeError for what cannot be copied."""
    if memo is not None and type(memo) is not dict:
        raise errors.CALL_REFUSED(name="deepcopy() with a memo that is not a dict")
    copies = next((each for each in _active if each.given is memo), None)
    if copies is not None:
        return copies.copy_of(x)
    copies = Copies({} if memo is None else memo)
    _active.append(copies)
    try:
        made = copies.copy_of(x)
    finally:
        _active.pop()  # itself: what began meanwhile is over
    if STATE.recorder is not None:
        STATE.recorder.modules.copied(made, _getframe(1))
    return made


def copy(x: Any) -> Any:
    """``copy.copy``."""
    cls = type(x)
    if is_unchanging(cls) or cls in (tuple, frozenset, types.MethodType):
        return x
    if cls is partial:
        return partial(x.func, *x.args, **x.keywords)
    if cls in (list, dict, set):
        return cls.copy(x)
    own = getattr(cls, "__copy__", None)
    return rebuilt(x, None) if own is None else own(x)


def rebuilt(value: Any, copies: Copies | None) -> Any:
    """An object made anew from what ``__reduce_ex__`` says of it; with ``copies``, of copies."""
    reduced = value.__reduce_ex__(_PROTOCOL)
    if isinstance(reduced, str):
        return value
    make, given, state, items, pairs = (*reduced, None, None, None)[:5]
    copied: Callable[[Any], Any] = _itself if copies is None else copies.copy_of
    made = make(*map(copied, given))
    if copies is not None:
        copies[id(value)] = made
    if any(each is not None for each in (state, items, pairs)) and type(made) is not type(value):
        raise errors.CALL_REFUSED(name=f"a copy of {type_name(value)} of another class")
    if state is not None:
        _restore(made, state, copied)
    for item in items or ():
        made.append(copied(item))
    for key, each in pairs or ():
        made[copied(key)] = copied(each)
    return made


def _itself(value: Any) -> Any:
    return value


def _restore(made: Any, state: Any, copied: Callable[[Any], Any]) -> None:
    """Write what was read from an object into another of the same class."""
    own = getattr(type(made), "__setstate__", None)  # of Python's library: those of programs have another name
    if own is not None:
        own(made, _parts_copied(state, copied))
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        vars(made).update({name: copied(each) for name, each in attributes.items()})
    for name, each in (slots or {}).items():
        setattr(made, name, copied(each))


def _parts_copied(state: Any, copied: Callable[[Any], Any]) -> Any:
    """A state that is no value of the program itself: what it is made of is copied, each by itself."""
    if type(state) is dict:
        return {name: copied(each) for name, each in state.items()}
    if type(state) in (list, tuple):
        return type(state)(_parts_copied(each, copied) if type(each) is dict else copied(each) for each in state)
    return copied(state)


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """``copy`` or ``deepcopy`` of what a program can hold: data, tensors, objects of classes it may derive from."""

    def copied(x: Any, memo: Any = None) -> Any:
        if not is_copyable(type(x)) and not is_unchanging(type(x)) and type(x) is not partial:
            raise errors.CALL_REFUSED(name=f"{function.__name__}() of {type_name(x)}")
        return function(x) if memo is None else function(x, memo)

    copied.__name__ = copied.__qualname__ = function.__name__
    return copied


def members() -> dict[str, object]:
    """What is in ``copy``."""
    return {"copy": guarded(copy), "deepcopy": guarded(deepcopy)}
