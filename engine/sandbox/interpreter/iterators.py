"""Iterators of ``itertools`` that call the program, each asked by one at a time.

CPython's let go of the iterator that they go through when it ends, of a key or of a sum when there is another one, also
where a call within that very iterator, comparison or addition has brought it about: what goes on there goes on in memory
that is no more. So an iterator that is asked while it answers refuses, as generators do.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar, Final

from gradflow.engine.sandbox.gate import allow


class Single:
    """An iterator of Python's own that is asked by one at a time. Raises ValueError where it is asked within an answer."""

    __slots__ = ("_busy", "_real")
    _make: ClassVar[Callable[..., Any]]

    def __init__(self, *given: Any, **named: Any) -> None:
        self._busy = False
        self._real: Any = self._make(*given, **named)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._asked(self._real)

    def _asked(self, real: Any) -> Any:
        if self._busy:
            raise ValueError(f"{type(self).__name__} already executing")
        self._busy = True
        try:
            return next(real)
        finally:
            self._busy = False


class chain(Single):
    """``itertools.chain``."""

    __slots__ = ()
    _make = itertools.chain

    @classmethod
    def from_iterable(cls, iterable: Any, /) -> Any:
        """``itertools.chain.from_iterable``."""
        made = cls()
        made._real = itertools.chain.from_iterable(iterable)
        return made


class count(Single):
    """``itertools.count``."""

    __slots__ = ()
    _make = itertools.count

    def __repr__(self) -> str:
        return repr(self._real)


class groupby(Single):
    """``itertools.groupby``. The groups go through the same items as it does itself, so they are asked with it."""

    __slots__ = ()
    _make = itertools.groupby

    def __next__(self) -> Any:
        key, group = self._asked(self._real)
        return key, _Group(self, group)


class _Group:
    """The items of one key."""

    __slots__ = ("_owner", "_real")

    def __init__(self, owner: groupby, real: Any) -> None:
        self._owner, self._real = owner, real

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._owner._asked(self._real)


def _plain(name: str) -> type[Any]:
    return type(name, (Single,), {"__slots__": (), "_make": vars(itertools)[name]})


_NAMES: Final = ("accumulate", "batched", "cycle", "islice", "pairwise", "zip_longest")
_CLASSES: Final[dict[str, type[Any]]] = {
    "chain": chain,
    "count": count,
    "groupby": groupby,
    **{name: _plain(name) for name in _NAMES if name in vars(itertools)},
}


def members() -> dict[str, object]:
    """What is in ``itertools`` in place of Python's own."""
    return dict(_CLASSES)


def _register() -> None:
    for name, cls in _CLASSES.items():
        cls.__name__ = cls.__qualname__ = name
        cls.__module__ = "itertools"
        allow(cls, ("from_iterable",) if cls is chain else (), shown_as=cls)
    _Group.__name__ = _Group.__qualname__ = "_grouper"
    _Group.__module__ = "itertools"
    allow(_Group)


_register()
