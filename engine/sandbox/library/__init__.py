"""The parts of Python's library that programs can import: what only computes, and stand-ins for what looks outside."""

from __future__ import annotations

from collections.abc import Callable

from gradflow.engine.sandbox.importer import Members, standard_members
from gradflow.engine.sandbox.library import (
    data_classes,
    enums,
    plain_modules,
    sys_os_time,
    typing_modules,
    warning_filters,
)


def members(write: Callable[[str], None]) -> dict[str, Members]:
    """The modules by name with what is in them, fresh for one run that prints by ``write``."""
    return {
        **standard_members(),
        **plain_modules.members(),
        **data_classes.members(),
        **enums.members(),
        **typing_modules.members(),
        **warning_filters.members(),
        **sys_os_time.members(write),
    }
