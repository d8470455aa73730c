"""Classes by what they are, not by what they say: a `WeakSet` would ask a metaclass of the program which ones are equal."""

from __future__ import annotations

import weakref

from gradflow.engine.collector import only_ours


class ClassTable:
    """A set of classes that lets go of those that nobody else holds."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[int, weakref.ref[type]] = {}

    def __contains__(self, cls: object) -> bool:
        held = self._held.get(id(cls))
        return held is not None and held() is cls

    def add(self, cls: type) -> None:
        """Take a class up."""
        key = id(cls)
        self._held[key] = weakref.ref(cls, only_ours(lambda gone: self._forget(key, gone)))

    def discard(self, cls: type) -> None:
        """Let a class go, if it is there."""
        self._held.pop(id(cls), None)

    def _forget(self, key: int, gone: weakref.ref[type]) -> None:
        if self._held.get(key) is gone:  # else another class has its place by now
            del self._held[key]
