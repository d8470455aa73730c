"""Names that the engine and the library keep for themselves in the classes that programs derive from.

``self._place(index)`` in a class of the engine is meant to be the engine's own: under a method of the program's it would
check nothing any more, or hand out what only the engine may have. So a class of the program defines no such name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from types import FunctionType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.rules import KEEPERS

_METHODS: Final = (FunctionType, property, cached_property, classmethod, staticmethod)
_MEANT: Final = frozenset({"_apply", "_ff_block", "_from_iterable", "_get_name", "_hash", "_mha_block", "_sa_block"})
"""What PyTorch's and Python's classes call of the classes derived from them; they are given tensors, or what is the program's."""


@cache
def _kept_by(base: type) -> frozenset[str]:
    """The methods and properties with an underscore that a base defines and programs do not see."""
    return frozenset(
        name
        for name, held in vars(base).items()
        if name.startswith("_")
        and not name.endswith("_")  # which are Python's, for enumerations to define
        and isinstance(held, _METHODS)
        and name not in _MEANT
        and not gate._class_readable(base, name)
    )


def refuse_kept(cls: type) -> None:
    """Raises for a new class of the program that defines what a base needs for itself."""
    for name in vars(cls):
        if (base := _keeper_of(cls, name)) is not None:
            raise errors.CALL_REFUSED(name=f"a class derived from {base.__name__} with a {name} of its own")
    refuse_fields(cls, getattr(cls, "__dataclass_fields__", ()))


def refuse_fields(cls: type, names: Iterable[str]) -> None:
    """Raises where a field of a data class has its value from a base: the library would read it past the gate."""
    for name in names:
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if hasattr(cls, name) and (owner is None or not (owner is cls or gate.is_program_class(owner))):
            raise errors.CALL_REFUSED(name=f"a dataclass with a field {name} that a base has")


def _keeper_of(cls: type, name: str) -> type | None:
    """The class, none of the program's, that keeps a name for itself, where this class derives from one."""
    if not name.startswith("_"):
        return None
    return next((base for base in cls.__mro__[1:] if not gate.is_program_class(base) and name in _kept_by(base)), None)


KEEPERS.append(lambda cls, name: _keeper_of(cls, name) is not None)
