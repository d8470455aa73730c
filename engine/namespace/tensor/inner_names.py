"""The names under which the engine keeps something in a tensor: a program sets none of them."""

from __future__ import annotations

from typing import Final

INNER: Final[set[str]] = {"_held", "_size", "_crow", "_places", "_like", "_values", "_indices", "_coalesced"}
"""`collect` fills it, when all of the engine's classes are there, and none of the program's."""


def collect(kind: type) -> None:
    """Add the names of a class and of all that derive from it."""
    INNER.update(vars(kind), vars(kind).get("__annotations__", {}))
    derived: list[type] = kind.__subclasses__()
    for each in derived:
        collect(each)
