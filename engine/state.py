"""What the engine knows beyond its tensors: the grad mode and the recorder. One process runs one program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.record import Recorder


class State:
    """Mutable settings of the run in progress."""

    __slots__ = ("grad", "recorder")

    def __init__(self) -> None:
        self.grad = True
        self.recorder: Recorder | None = None


STATE: Final = State()
sequence: Final = count()
"""Functions are numbered as they are made; a backward pass runs them from the highest number down."""


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Record gradients, or not, inside the block."""
    before, STATE.grad = STATE.grad, enabled
    try:
        yield
    finally:
        STATE.grad = before


@contextmanager
def unrecorded() -> Iterator[None]:
    """Leave the operations inside the block out of the trace."""
    before, STATE.recorder = STATE.recorder, None
    try:
        yield
    finally:
        STATE.recorder = before


def warn(message: str, category: str = "UserWarning", *, once: bool = False) -> None:
    """Note a warning in the trace, once for each place or once for the whole run."""
    if STATE.recorder is not None:
        STATE.recorder.warn(category, message, once)
