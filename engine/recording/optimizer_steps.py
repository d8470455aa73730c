"""What a step of an optimizer tells: the settings of its groups, and its buffers before and after."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.namespace.optim.optimizer import Optimizer
    from gradflow.engine.recording.chronology import EventEntry

SMALL = 36
"""Buffers with more elements are not told."""

Buffers = dict[tuple[Tensor, str], np.ndarray]


class OptimizerStep:
    """A step in progress: its optimizer, the engine's function that the program called for it, the buffers before."""

    def __init__(self, optimizer: Optimizer, called: FrameType | None, event: EventEntry, before: Buffers) -> None:
        self.optimizer, self.called, self.event, self.before = optimizer, called, event, before
        self.written: dict[Tensor, None] = {}
        self.unseen: dict[Tensor, None] = {}  # of these, what was written since the closure was called


class OptimizerSteps:
    """The steps of a run. A buffer is copied once for each value that it has had."""

    def __init__(self) -> None:
        self.running: list[OptimizerStep] = []
        self._copies: dict[Tensor, tuple[int, np.ndarray]] = {}

    def begin(self, optimizer: Optimizer, called: FrameType | None, event: EventEntry) -> OptimizerStep:
        """A step begins."""
        step = OptimizerStep(optimizer, called, event, self._buffers(optimizer))
        self.running.append(step)
        return step

    def end(self, step: OptimizerStep) -> None:
        """A step is over."""
        self.running.remove(step)
        step.called = None

    def of(self, called: FrameType | None) -> OptimizerStep | None:
        """The step that a write belongs to: the one that the program called, and not a closure that it calls."""
        return self.running[-1] if self.running and self.running[-1].called is called else None

    def _buffers(self, optimizer: Optimizer) -> Buffers:
        """The small tensors in the state of each parameter."""
        return {
            (p, name): self._copy(held)
            for group in optimizer.param_groups
            for p in tensors_of(group)
            for name, held in (optimizer.state[p].items() if p in optimizer.state else ())
            if isinstance(held, Tensor) and held._a.size <= SMALL
        }

    def _copy(self, held: Tensor) -> np.ndarray:
        known = self._copies.get(held)
        if known is None or known[0] != held._st.version:
            known = self._copies[held] = held._st.version, held._a.copy()
        return known[1]

    def told(self, step: OptimizerStep, entry_of: Callable[[Tensor], TensorEntry]) -> dict[str, Any]:
        """What the event of a step tells."""
        from gradflow.engine.namespace.optim.rules import rule_of, settings_of

        optimizer = step.optimizer
        own = [
            (group, [entry_of(p) for p in tensors_of(group) if p in step.written]) for group in optimizer.param_groups
        ]
        buffers = {at: after for at, after in self._buffers(optimizer).items() if at[0] in step.written}
        return {
            "optimizer": type(optimizer).__name__,
            "tensors": [entry for _, changed in own for entry in changed],
            "idle": [
                p
                for group in optimizer.param_groups
                for p in tensors_of(group)
                if p._grad is None and p not in step.written
            ],
            "groups": [(changed, settings_of(group), rule_of(optimizer, group)) for group, changed in own],
            "buffers": [(entry_of(p), name, step.before.get((p, name)), held) for (p, name), held in buffers.items()],
        }


def tensors_of(group: dict[str, Any]) -> list[Tensor]:
    """The parameters of a group: without what a program put among them."""
    return [p for p in group["params"] if isinstance(p, Tensor)]
