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
    owner = owner_of(type(cls), name)
    if owner is not None and has(type(vars(owner)[name]), "__set__"):
        raise errors.CALL_REFUSED(name=f"a class whose metaclass has {name}")
    type.__setattr__(cls, name, value)
