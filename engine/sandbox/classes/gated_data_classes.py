"""A second copy of Python's ``dataclasses``, whose methods read and write the fields of an object as the program itself could.

Python's own writes methods that read ``self.format`` past the gate. A class derived later may have another base there, a field
may have changed its name, and the program's code runs while a class is made. So nothing is decided beforehand: each method looks at
the class of what it is called with. In a line of classes of the program alone there is nothing that the gate would not show; an
object of any other class is read and written through the gate.
"""

from __future__ import annotations

import abc
import copy
import dataclasses
import functools
import re
import typing
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.classes import class_statements
from gradflow.engine.sandbox.classes.kept_whole import HEAP
from gradflow.engine.sandbox.gate import (
    Writer,
    check_writable,
    is_program_class,
    read_attribute,
    target_of,
    write_attribute,
)
from gradflow.engine.sandbox.rules import is_closed, write_over
from gradflow.engine.sandbox.special_names import is_bindable, is_special

_PLAIN: Final = frozenset({object, typing.Generic, typing.Protocol, abc.ABC})
"""Bases without a name that a field could have."""
_HOLDERS: Final = frozenset({dict, list, tuple, set, frozenset, str, bytes, int, float, complex})
"""Bases that keep nothing among the attributes of their objects."""
_COMPARING: Final = frozenset({"__eq__", "__lt__", "__le__", "__gt__", "__ge__"})
_LOOKED: Final = _COMPARING | {"__init__", "__repr__", "__hash__"}
"""What Python writes and what reads or writes fields; the ``__setattr__`` of frozen classes names an attribute that was checked."""
_ABSENT: Final = object()
_FIRST: Final = "if __dataclass_type__({name}) not in {seen}: {name}=__dataclass_through__({name},{seen})"
_WORD: Final = re.compile(r"\w+")


class _Seen(set[type]):
    """The classes of which a method may read and write objects as they are. ``names``: all names in its body."""

    def __init__(self, body: Iterable[str]) -> None:
        super().__init__()
        self.names = frozenset(name for line in body for name in _WORD.findall(line) if not is_special(name))


def _through(value: Any, seen: _Seen) -> Any:
    """A value to read fields of and to write them into."""
    kind = type(value)
    if (
        is_program_class(kind)
        and all(is_program_class(base) or _is_bare(base, seen.names) for base in kind.__mro__)
        and not any(is_closed(kind, name) for name in seen.names)
    ):
        seen.add(kind)
        return value
    return _Fields(value)


def _is_bare(base: type, names: frozenset[str]) -> bool:
    """Whether a base has none of the names, neither itself nor in its objects."""
    if base in _PLAIN:
        return True
    own = base in _HOLDERS or (issubclass(base, BaseException) and not base.__flags__ & HEAP)
    return own and names.isdisjoint(vars(base))


def _gated(name: str, arguments: Any, body: Any, given: dict[str, Any] | None) -> tuple[list[str], dict[str, Any]]:
    """The lines with which a method begins that goes through the gate, and all names that it knows."""
    known = {} if given is None else given
    if name not in _LOOKED:
        return [], known
    seen = f"__dataclass_seen{name}"  # from Python 3.13 on the methods of a class know the same names
    known |= {"__dataclass_type__": type, "__dataclass_through__": _through, seen: _Seen(body)}
    objects = arguments if name in _COMPARING else list(arguments)[:1]  # the rest are fields
    return [_FIRST.format(name=each, seen=seen) for each in objects], known


class _Fields(Writer):
    """An object through which its fields are read and written as a program does."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        held = target_of(self)
        if name == "args" and isinstance(held, BaseException):  # a tuple, whatever is given
            setattr(held, name, value)
        else:
            write_attribute(held, name, value)


class _Object:
    """Stands for ``object``, by whose ``__setattr__`` objects of frozen classes get their fields."""

    @staticmethod
    def __setattr__(target: Any, name: str, value: Any) -> None:  # type: ignore[override]  # it is read on the class
        if type(target) is not _Fields:
            object.__setattr__(target, name, value)
            return
        held = target_of(target)
        check_writable(held, name)
        write_over(object.__setattr__, held, name, value)


def _read(holder: Any, name: str, default: Any = _ABSENT) -> Any:
    """``getattr`` of the library: a default is what a class of the program has, and a field is read through the gate."""
    if is_special(name):
        return getattr(holder, name) if default is _ABSENT else getattr(holder, name, default)
    if not isinstance(holder, type):
        return read_attribute(holder, name)
    owner = next((kind for kind in holder.__mro__ if name in vars(kind)), None)
    if owner is None or (issubclass(owner, BaseException) and not is_program_class(owner)):  # ``args``
        return default
    if not is_program_class(owner):
        raise errors.CALL_REFUSED(name=f"a dataclass with a field {name} that a base has")
    return getattr(holder, name, default)


def _state(held: Any) -> list[Any]:
    """``__getstate__`` of a frozen class with slots."""
    return [read_attribute(held, field.name) for field in dataclasses.fields(held)]


def _restore(held: Any, state: Any) -> None:
    """``__setstate__`` of it."""
    for field, value in zip(dataclasses.fields(held), state, strict=False):
        _Object.__setattr__(_Fields(held), field.name, value)


def _function_maker(real: Callable[..., Any]) -> Callable[..., Any]:
    def create(name: str, args: Any, body: Any, *, globals: Any = None, locals: Any = None, **options: Any) -> Any:
        first, known = _gated(name, args, body, locals)
        return real(name, args, [*first, *body], globals=globals, locals=known, **options)

    return create


def _method_adder(real: Callable[..., Any]) -> Callable[..., Any]:
    """The same from Python 3.13 on, where several methods are written at once."""

    def add_fn(self: Any, name: str, args: Any, body: Any, *, locals: Any = None, **options: Any) -> Any:
        first, known = _gated(name, args, body, locals)
        return real(self, name, args, [*(f"  {line}" for line in first), *body], locals=known, **options)

    return add_fn


def _library() -> Any:
    """The copy: the same functions over other globals. Fields and marks are those of Python's own module, which others know."""
    made: Any = ModuleType("dataclasses")
    moved = vars(made)
    moved.update(vars(dataclasses))
    moved.update({name: _moved(value, moved) for name, value in vars(dataclasses).items()})
    moved["_hash_action"] = {key: held and moved[held.__name__] for key, held in moved["_hash_action"].items()}
    moved.update(object=_Object, getattr=_read, _dataclass_getstate=_state, _dataclass_setstate=_restore)
    if "_create_fn" in moved:
        made._create_fn = _function_maker(made._create_fn)
    else:
        builder = {name: _moved(value, moved) for name, value in vars(made._FuncBuilder).items()}
        made._FuncBuilder = type("_FuncBuilder", (), builder | {"add_fn": _method_adder(builder["add_fn"])})
    moved["_add_slots"] = _moved(dataclasses._add_slots, moved | {"type": _maker_of})  # type: ignore[attr-defined]  # it is there
    return made


def _maker_of(cls: type) -> Callable[..., Any]:
    """``type(cls)`` in ``type(cls)(name, bases, content)``, by which a data class gets slots: as a class statement makes classes."""
    return functools.partial(class_statements.made, type(cls))


def _moved(value: Any, names: dict[str, Any]) -> Any:
    """A function of Python's module that finds its names among these; all else as it is."""
    if type(value) is not FunctionType or value.__globals__ is not vars(dataclasses):
        return value
    made = FunctionType(value.__code__, names, value.__name__, value.__defaults__, value.__closure__)
    made.__kwdefaults__ = value.__kwdefaults__
    return made


LIBRARY: Final = _library()
"""What data classes of programs are made by."""


def own_fields(cls: type) -> None:
    """Give a class fields of its own where its body has one that stands elsewhere, too: the library writes names into them."""
    for name, value in list(vars(cls).items()):
        if type(value) is dataclasses.Field and value.name is not None:
            type.__setattr__(cls, name, copy.copy(value))


def check_fields(cls: type) -> None:
    """Raises where the table of a class has a field under another name than its own: the program's code ran while it was made."""
    table = vars(cls)["__dataclass_fields__"]
    if any(key != field.name or not is_bindable(key) for key, field in table.items()):
        raise errors.CALL_REFUSED(name="a dataclass with fields of other names")
