"""``super().__setattr__``, ``__delattr__``, ``__new__`` and ``__init_subclass__``, as classes of the program inherit them.

They reach further than a plain attribute, and are therefore read in a guarded form: it works on objects of the program's own
classes, on names that the program may write, and on nothing else.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.classes.own_names import shown_maker
from gradflow.engine.sandbox.gate import NOT_SPECIAL, exact_name, is_open, is_program_class, type_name
from gradflow.engine.sandbox.unbound_methods import line_of

_Super: Any = super  # its attributes are unknown to type checkers
open_objects: Final[list[type]] = []
"""Classes of the engine whose objects show their attributes to the program, and take some from it: modules."""


def _owner(value: Any, name: str) -> type | None:
    """The class that a special method comes from; None for a ``super`` without an object."""
    if isinstance(value, _Super) and value.__self_class__ is None:
        return None
    line = line_of(value if isinstance(value, type | _Super) else type(value))
    return next((kind for kind in line if name in vars(kind)), object)


def _is_given(owner: type | None) -> bool:
    """Whether this is a class of the program's, ``object``, or a type that programs may derive from."""
    return owner is object or owner is typing.Generic or is_open(owner)


def _setter(value: Any, name: str) -> Any:
    """``super().__setattr__``, ``object.__setattr__``: as a write of this attribute by the program itself."""
    owner = _owner(value, name)
    if owner is None or not (_is_given(owner) or owner in open_objects):
        return NOT_SPECIAL
    real = getattr(value, name)
    if isinstance(value, type):
        return lambda target, *given: _write(real, owner, target, *given)
    target = value.__self__ if isinstance(value, _Super) else value
    return lambda *given: _write(lambda _, *rest: real(*rest), owner, target, *given)


def _write(real: Callable[..., None], owner: type, target: object, name: object, *value: object) -> None:
    """The write itself: into an object of the program's, of a name that the program could have written."""
    line = type(target).__mro__
    if not any(map(is_program_class, line)):
        raise errors.CALL_REFUSED(name=f"__setattr__ of {type_name(target)}")
    if owner not in line and not is_program_class(owner):
        wanted = "Module" if owner in open_objects else owner.__name__
        raise TypeError(f"descriptor '__setattr__' requires a '{wanted}' object but received a '{type_name(target)}'")
    gate.check_writable(target, exact_name(name))
    gate.write_over(real, target, exact_name(name), *value)


def _maker(value: Any, name: str) -> Any:
    """``super().__new__``, ``object.__new__``, ``self.__new__``: for classes of the program only."""
    holder = value if isinstance(value, type | _Super) else type(value)
    return shown_maker(getattr(holder, name)) if _is_given(_owner(holder, name)) else NOT_SPECIAL


def _subclass_hook(value: Any, name: str) -> Any:
    """Of a class of the program, and of what it inherits from: the others stay as they are."""
    cls = value.__self__ if isinstance(value, _Super) else value
    given = isinstance(cls, type) and is_program_class(cls) and _is_given(_owner(value, name))
    return getattr(value, name) if given else NOT_SPECIAL


def _register() -> None:
    gate.read_special_by(("__setattr__", "__delattr__"), _setter)
    gate.read_special_by(("__new__",), _maker)
    gate.read_special_by(("__init_subclass__",), _subclass_hook)


_register()
