"""The one place that says when Python's cyclic collector runs. It never runs over objects of a program that could run code.

Before the collector ends what it has found, it clears all weak references to it, also those by which a class of CPython knows the classes
derived from it, and by which what has been looked up in these is forgotten when a base changes. Code of a program that runs then, because a suspended
generator, a buffer or a reference with a callback ends, reads memory that is no more. There are too many ways to such an end to
close each. So the collector is off while a program runs, and while anything is told of it; and

- a process that serves programs switches it off for good (`stop`), and ends without Python's own end (`leave`), which collects too;
- in any other, it is on again only after what a run has left was looked at: if an end of any of that could run code, all that there
  is is frozen first (`gc.freeze`), and goes when nothing refers to it any more, or with the process.

Nobody else calls `gc.enable`, `gc.collect` or `gc.freeze` (`tests/engine/sandbox/test_collector.py`).
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from io import BytesIO, StringIO
from types import AsyncGeneratorType, BuiltinFunctionType, CoroutineType, FunctionType, GeneratorType
from typing import Any, Final
from weakref import KeyedRef, WeakKeyDictionary, WeakSet, ref

_FRAMES: Final = {GeneratorType: "gi", CoroutineType: "cr", AsyncGeneratorType: "ag"}
_PLAIN_KEYS: Final = (int, str, bytes, type(None))
_MRO: Final = vars(type)["__mro__"]
_NAMES: Final = vars(type)["__dict__"]
_PLAIN_CALLBACKS: Final[set[int]] = {
    id(each.__code__) for each in (vars(WeakKeyDictionary())["_remove"], vars(WeakSet())["_remove"])
}


class CollectorOff:
    """A block in which a program runs, or is told of."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        if self._was_on:
            gc.disable()
            gc.collect(0)  # from here on all that is young was made in this block

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            if _may_run_code(gc.get_objects(0)):
                gc.freeze()
            gc.enable()


def only_ours(callback: Any) -> Any:
    """A function for `weakref.ref` that runs no code of a program."""
    _PLAIN_CALLBACKS.add(id(callback.__code__))
    return callback


def stop() -> None:
    """For good, in a process that serves programs. What there is before them is no garbage, and is not looked at again."""
    gc.disable()
    gc.freeze()


def collect_harmless(most: int) -> None:
    """Between two runs, where the first left more than ``most`` objects: collect them if that runs no code of the program."""
    if gc.get_count()[0] > most and not _may_run_code(gc.get_objects()):
        gc.collect()


def collect_plain() -> None:
    """After plain programs, or our own: they have nothing that runs as it ends."""
    gc.collect()


def freeze_loaded() -> None:
    """Keep what has been loaded out of the collector's sight. No program has run yet but our own."""
    gc.collect()
    gc.freeze()


def leave(work: Callable[[], object]) -> None:
    """Do what a process is for, and end it: nothing is collected."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _may_run_code(objects: Iterable[object]) -> bool:
    """Whether the end of one of these could run code of a program. Nothing of theirs is asked."""
    objects = list(objects)
    kinds = {id(kind): kind for kind in map(type, objects)}
    suspect = {each for each, kind in kinds.items() if _has_an_end(kind)}
    return bool(suspect) and any(_ends_in_code(each) for each in objects if id(type(each)) in suspect)


def _has_an_end(kind: type) -> bool:
    return any(base is ref or "__del__" in _NAMES.__get__(base) for base in _MRO.__get__(kind))


def _ends_in_code(each: Any) -> bool:
    kind = type(each)
    if kind in _FRAMES:
        prefix = _FRAMES[kind]
        return getattr(each, f"{prefix}_frame") is not None and not getattr(each, f"{prefix}_running")
    if kind in (StringIO, BytesIO):
        return bool(vars(each))
    if kind not in (ref, KeyedRef):
        return True
    callback = each.__callback__
    if callback is None or _is_plain(callback):
        return False
    return kind is ref or type(each.key) not in _PLAIN_KEYS


def _is_plain(callback: Any) -> bool:
    """Whether what is called back when an object is gone asks for nothing but the hash that a reference has kept."""
    if type(callback) is BuiltinFunctionType:
        return callback.__name__ == "_destroy"  # of what an abstract class remembers
    return type(callback) is FunctionType and id(callback.__code__) in _PLAIN_CALLBACKS
