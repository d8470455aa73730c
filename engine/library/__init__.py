"""The parts of Python's library that programs can import: what only computes, and stand-ins for what looks outside."""

from __future__ import annotations

from collections.abc import Callable

from engine.library import data_classes, enums, plain, process, typings, warning_filters
from engine.modules import Members, standard_members


def members(write: Callable[[str], None]) -> dict[str, Members]:
    """The modules by name with what is in them, fresh for one run that prints by ``write``."""
    return {
        **standard_members(),
        **plain.members(),
        **data_classes.members(),
        **enums.members(),
        **typings.members(),
        **warning_filters.members(),
        **process.members(write),
    }
