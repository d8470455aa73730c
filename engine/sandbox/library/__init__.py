"""The parts of Python's library that programs can import: what only computes, and stand-ins for what looks outside."""

from __future__ import annotations

from gradflow.engine.sandbox.importer import Members, standard_members
from gradflow.engine.sandbox.library import (
    copies,
    data_classes,
    data_codecs,
    enums,
    exact_numbers,
    generic_functions,
    plain_modules,
    pools,
    scripts,
    sys_os_time,
    text_modules,
    threads,
    typing_modules,
    warning_filters,
    weak_references,
)
from gradflow.engine.sandbox.library.files import temporary
from gradflow.engine.sandbox.library.scripts.tables import Output


def _discard(text: str) -> None:
    """What goes to standard error is not shown."""


def members(write: Output) -> dict[str, Members]:
    """The modules by name with what is in them, fresh for one run that prints by ``write``."""
    plain = plain_modules.members()
    unseen = Output(_discard, "stderr")
    plain["contextlib"] |= {"redirect_stdout": write.redirected, "redirect_stderr": unseen.redirected}
    standard = standard_members()
    return {
        **standard,
        "functools": {**standard["functools"], **generic_functions.GENERIC},
        "operator": {**standard["operator"], **generic_functions.OPERATORS},
        **plain,
        **data_codecs.members(),
        **exact_numbers.members(),
        **data_classes.members(),
        **enums.members(),
        **threads.members(),
        **pools.members(),
        **text_modules.members(),
        **typing_modules.members(),
        **warning_filters.members(),
        **sys_os_time.members(write, unseen),
        **temporary.members(),
        "copy": copies.members(),
        "weakref": weak_references.members(),
        **scripts.members(write, unseen),
    }
