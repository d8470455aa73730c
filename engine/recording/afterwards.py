"""What comes after a program, where it is told of: looking at its objects can run its code, which is no part of its run any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from gradflow.engine.collector import CollectorOff
from gradflow.engine.recording.entries import KeptGradient, TensorEntry
from gradflow.engine.sandbox.interpreter.caches import forget_keys
from gradflow.engine.state import STATE


@contextmanager
def afterwards() -> Iterator[None]:
    """A block in which nothing is recorded and nothing is printed, whatever the program's code does there, and of which nothing
    is left for the next run."""
    before = STATE.recorder, STATE.recorder_outside, STATE.warner, STATE.write
    STATE.recorder = STATE.recorder_outside = STATE.warner = None
    STATE.write = _nowhere
    try:
        with CollectorOff():
            yield
    finally:
        if before[-1] is None:  # the run itself is over
            STATE.reset()
        STATE.recorder, STATE.recorder_outside, STATE.warner, STATE.write = before
        forget_keys()


def _nowhere(text: str) -> None:
    """Where a program prints that has come to its end."""


class LastGradients:
    """The gradients that tensors have as their run ends. They are copied if they are written into later."""

    def __init__(self, entries: Iterable[TensorEntry]) -> None:
        self._kept: Final[dict[int, KeptGradient]] = {}
        for entry in entries:
            grad = entry.tensor._grad
            if grad is not None and id(entry.tensor) not in self._kept:
                kept = self._kept[id(entry.tensor)] = KeptGradient(grad._a)
                if grad._st.memory.exposed:
                    kept.freeze()
                else:
                    grad._st.watch(kept)

    def of(self, entry: TensorEntry) -> np.ndarray | None:
        """That of the tensor of an entry."""
        kept = self._kept.get(id(entry.tensor))
        return None if kept is None else kept.array
