"""What a class has under a name, read and written so that nothing of the program is asked or told.

``hasattr(cls, name)`` gives the class to a descriptor that stands there, and ``setattr`` gives it to one of the metaclass: while
a class is still being looked at, no program may have it.
"""

from __future__ import annotations

from gradflow.engine import errors


def owner_of(cls: type, name: str) -> type | None:
    """The nearest class in its line that has something under a name; None where no one has."""
    return next((each for each in cls.__mro__ if name in vars(each)), None)


def has(cls: type, name: str) -> bool:
    """Whether objects of a class find something under a name in their class."""
    return owner_of(cls, name) is not None


def put(cls: type, name: str, value: object) -> None:
    """Write into a class itself. Raises where its metaclass has a descriptor that would take it."""
    _check(cls, name)
    type.__setattr__(cls, name, value)


def take_out(cls: type, name: str) -> None:
    """Delete from a class itself. Raises as `put` does."""
    _check(cls, name)
    type.__delattr__(cls, name)


def _check(cls: type, name: str) -> None:
    owner = owner_of(type(cls), name)
    kind = None if owner is None else type(vars(owner)[name])
    if kind is not None and (has(kind, "__set__") or has(kind, "__delete__")):
        raise errors.CALL_REFUSED(name=f"a class whose metaclass has {name}")
