"""Types of PyTorch of which programs make no objects: all that there are are made when the engine is loaded."""

from __future__ import annotations

from typing import Final, Self

_closed: Final = set[type]()


class Closed:
    """A base of such a type."""

    __slots__ = ()

    def __new__(cls, *given: object, **named: object) -> Self:
        """Raises TypeError once the type is closed."""
        if not _closed.isdisjoint(cls.__mro__):
            raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")
        return super().__new__(cls)


def close(*types: type) -> None:
    """All objects of these types are made."""
    _closed.update(types)
