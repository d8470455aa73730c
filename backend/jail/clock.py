"""The alarm of a run: what it ends depends on what is at work when it rings."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.errors.stopped import stop
from gradflow.engine.sandbox.program import PROGRAM_FILE
from gradflow.engine.state import STATE

_TICK: Final = 0.05
_AGAIN: Final = 0.005
_GRACE: Final = 0.25
"""Until an alarm is repeated that ended no stage: Python drops an exception that is raised in a finalizer."""
_PATIENCE: Final = 40
"""How often a program that has reached a limit may catch the exception that says so."""

_PATIENCE_AFTER: Final = 4
"""How often its methods may catch the one that ends a stage after it."""


class Late(BaseException):
    """A stage after the program has taken too long."""


class Clock:
    """Rings while a program runs and while its run is told of. ``give_up`` is called, where it is set, when a program has
    caught the exception that ends it too often; it does not return."""

    def __init__(self) -> None:
        self.give_up: Callable[[BaseException], object] | None = None
        self._seconds = 0.0
        self._deadline = self._end = 0.0
        self._rings: Callable[[FrameType | None], object] = _nothing
        self._refusals = self._ignored = 0

    def install(self) -> None:
        """From now on in this process, and in those forked from it."""
        signal.signal(signal.SIGALRM, lambda number, frame: self._rings(frame))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # is for the service; what a program raises is its own
        # `Late` in a finalizer, or what a program raises in one: to print it, Python would open the files it came through
        sys.unraisablehook = _dropped

    @contextmanager
    def program(self, limit: float, told: float, late: float) -> Iterator[None]:
        """A program that may run for ``limit`` seconds, of which it is told ``told``; 0 sets no limit.

        After ``late`` seconds what the engine does without it is late.
        """
        self._seconds, self._refusals, self._ignored = told, 0, 0
        self._end = monotonic() + late
        with self._ringing(self._program_rings, limit, min(_TICK, limit)):
            yield

    def program_ended(self) -> None:
        """What follows is a stage, until `program` is left."""
        if self._deadline:
            self._rings = self._stage_rings

    @contextmanager
    def stage(self, limit: float) -> Iterator[None]:
        """What comes after the program. Raises `Late` when the time is over. 0 sets no limit."""
        self._end = monotonic() + limit
        with self._ringing(self._stage_rings, limit, limit):
            yield

    @contextmanager
    def _ringing(self, rings: Callable[[FrameType | None], object], limit: float, first: float) -> Iterator[None]:
        self._deadline, self._rings = limit and monotonic() + limit, rings
        signal.setitimer(signal.ITIMER_REAL, first, _TICK)
        try:
            yield
        finally:
            self._rings = _nothing
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _program_rings(self, frame: FrameType | None) -> None:
        stopped, now = STATE.stopped, monotonic()
        if stopped is None and now < self._deadline:
            return
        if not _in_program(frame):
            self._stage_rings(frame)
            return
        self._refusals += 1
        if stopped is not None and self._refusals > _PATIENCE and self.give_up is not None:
            self.give_up(stopped)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
        stop(errors.TIME_LIMIT, seconds=f"{self._seconds:g}")

    def _stage_rings(self, frame: FrameType | None) -> None:
        now = monotonic()
        if now < self._end:
            return
        if not _in_program(frame):  # code of the program, in a method that the stage called, can catch it at once
            self._end = now + _GRACE
        else:
            self._ignored += 1
            if self._ignored > _PATIENCE_AFTER and self.give_up is not None:
                self.give_up(errors.TIME_LIMIT(seconds=f"{self._seconds:g}"))
        raise Late


def _nothing(frame: FrameType | None) -> None:
    pass


def _dropped(unraisable: sys.UnraisableHookArgs) -> None:
    pass


def _in_program(frame: FrameType | None) -> bool:
    """Whether the program is at work, and not the engine at the trace of it."""
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM_FILE:
            return True
        frame = frame.f_back
    return False
