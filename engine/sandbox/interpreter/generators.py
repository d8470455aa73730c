"""Suspended generators of a program: they end with its run, while all that they know is alive.

The collector ends those that it finds after it has cleared the weak references to what goes with them, classes of the program
among them: code that ran then would find classes that nobody knows any more.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
from types import GeneratorType
from typing import Any, Final

from gradflow.engine.sandbox.unbound_methods import PROGRAM_FILE

_ROUNDS: Final = 3
"""So often those are ended that began as others ended."""
_WAYS: Final = (map, zip, filter, enumerate, tuple, list, itertools.chain, itertools.islice)
_MOST: Final = 1000


def end_generators() -> None:
    """End all of the program's that are suspended. What their blocks raise is lost, as it is where Python ends them. One that
    does not end is left where it is: the collector does not come by (`engine/collector.py`)."""
    for _ in range(_ROUNDS):
        found = _suspended()
        if not found:
            return
        for each in _outer_first(found):
            with contextlib.suppress(BaseException):
                each.close()


def _outer_first(found: list[Any]) -> list[Any]:
    """In the order in which they were made, but each that another one goes through right after that one, as where Python ends
    them: what it goes through ends as it has ended."""
    known = {id(each): each for each in found}
    within = {key: [part for part in _gone_through(each) if id(part) in known] for key, each in known.items()}
    inner = {id(part) for parts in within.values() for part in parts}
    todo = [each for each in reversed(found) if id(each) in inner] + [
        each for each in reversed(found) if id(each) not in inner
    ]
    ordered: dict[int, Any] = {}
    while todo:
        each = todo.pop()
        if id(each) not in ordered:
            ordered[id(each)] = each
            todo += reversed(within[id(each)])
    return list(ordered.values())


def _gone_through(generator: Any) -> list[Any]:
    """The generators that a suspended one refers to from its frame, also by way of `map`, `zip` and the like."""
    found, todo = [], list(gc.get_referents(generator))
    for each in todo:
        if type(each) is GeneratorType:
            found.append(each)
        elif type(each) in _WAYS:
            todo += gc.get_referents(each)
        if len(todo) > _MOST:
            break
    return found


def _suspended() -> list[Any]:
    objects = gc.get_objects()
    return [
        each
        for each in objects
        if type(each) is GeneratorType and each.gi_suspended and each.gi_code.co_filename == PROGRAM_FILE
    ]
