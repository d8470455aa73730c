"""What a class has under a name, read and written so that nothing of the program is asked or told.

``hasattr(cls, name)`` gives the class to a descriptor that stands there, and ``setattr`` gives it to one of the metaclass: while
a class is still being looked at, no program may have it.
"""

from __future__ import annotations

from typing import Final

from gradflow.engine import errors

_MISSING: Final = object()


def found_in(cls: type, name: str) -> object:
    """What the nearest class in its line has under a name, as it stands there."""
    return next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), _MISSING)


def has(cls: type, name: str) -> bool:
    """Whether objects of a class find something under a name in their class."""
    return found_in(cls, name) is not _MISSING


def put(cls: type, name: str, value: object) -> None:
    """Write into a class itself. Raises where its metaclass has a descriptor that would take it."""
    if has(type(found_in(type(cls), name)), "__set__"):
        raise errors.CALL_REFUSED(name=f"a class whose metaclass has {name}")
    type.__setattr__(cls, name, value)
