"""What comes after a program: stages that may fail, and then the trace is a plainer one that says so.

The objects of a program are still looked at here, and so code of the program can still run, raise what it likes, go as
deep as it likes, and find the memory used up.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from time import monotonic
from typing import Final, TypeVar

from gradflow.backend.jail.clock import Late
from gradflow.engine.run import InvalidRequest
from gradflow.engine.sandbox.program import PROGRAM_FILE

T = TypeVar("T")

_RESERVE: Final = 48 << 20
_PLACES: Final = 6
_SHORTEST: Final = 0.1


class Stages:
    """The stages of one answer, which has ``seconds``; ``notes`` tells for the log which have failed, and where."""

    def __init__(self, seconds: float) -> None:
        self.notes: list[str] = []
        self._end = monotonic() + seconds
        self._reserve: mmap.mmap | None = None

    def seconds_left(self) -> float:
        """Never quite none: a stage is at least begun."""
        return max(_SHORTEST, self._end - monotonic())

    def reserve_memory(self) -> None:
        """Keep some of the memory that a program may use, which is counted as it is mapped, for what comes after it."""
        try:
            self._reserve = mmap.mmap(-1, _RESERVE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, MemoryError):  # there is so little that the program will not go far
            self._reserve = None

    def free_reserve(self) -> None:
        """The program has ended."""
        if self._reserve is not None:
            self._reserve.close()
            self._reserve = None

    def attempt(self, name: str, work: Callable[[], T], instead: Callable[[str], T]) -> T:
        """What ``work`` gives, or where it fails what ``instead`` makes of the reason."""
        try:
            return work()
        except InvalidRequest:
            raise
        except BaseException as error:
            self.note(name, error)
            reason = _reason(error)
        return instead(reason)

    def note(self, name: str, error: BaseException) -> None:
        """For the log, which shows nothing of a program: the kind of the failure, and where in our files it was."""
        self.notes.append(f"{name}: {_kind(error)} at {', '.join(_places(error)) or 'no place of ours'}")


def _reason(error: BaseException) -> str:
    """In a word for the reader."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "out of time" if isinstance(error, Late) else _kind(error)


def _kind(error: BaseException) -> str:
    cls = type(error)
    return "an exception of the program's" if cls.__module__ == "__main__" else cls.__name__


def _places(error: BaseException) -> list[str]:
    """The innermost calls of ours."""
    found, place = [], error.__traceback__
    while place is not None:
        code = place.tb_frame.f_code
        if code.co_filename != PROGRAM_FILE:
            module = place.tb_frame.f_globals.get("__name__")
            found.append(f"{module}, line {place.tb_lineno}")
        place = place.tb_next
    return found[-_PLACES:]
