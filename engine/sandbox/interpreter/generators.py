"""Suspended generators of a program: they end with its run, while all that they know is alive.

The collector ends those that it finds after it has cleared the weak references to what goes with them, classes of the program
among them: code that ran then would find classes that nobody knows any more.
"""

from __future__ import annotations

import contextlib
import gc
from types import GeneratorType
from typing import Any, Final

from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

_ROUNDS: Final = 3
"""So often those are ended that began as others ended."""


def end_generators() -> None:
    """End all of the program's that are suspended. What their blocks raise is lost, as it is where Python ends them. One that
    does not end is left where it is: the collector does not come by (`engine/collector.py`)."""
    for _ in range(_ROUNDS):
        found = _suspended()
        if not found:
            return
        for each in found:
            with contextlib.suppress(BaseException):
                each.close()


def _suspended() -> list[Any]:
    objects = gc.get_objects()
    return [
        each
        for each in objects
        if type(each) is GeneratorType and each.gi_suspended and each.gi_code.co_filename == PROGRAM_FILE
    ]
