"""The rows of scalars that a trace tells in the place of turns that it leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from gradflow.engine.recording.budget.turns import Turn
from gradflow.engine.recording.entries import TensorEntry, pass_id, tensor_id
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.values import number
from gradflow.engine.trace import LeftOutTurn

MOST_ROWS: Final = 2000
_MOST_LEAVES: Final = 16
_LONGEST_NAME: Final = 64


class Rows:
    """The rows of one run that is over, each written once: a run is written several times until it fits its budget."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: dict[int, LeftOutTurn] = {}

    def of(self, turns: Iterable[Turn]) -> list[LeftOutTurn]:
        """A row of scalars for each turn with a pass that was left out; of very many, for every k-th."""
        told = [turn for turn in turns if turn.passes]
        step = max(1, -(-len(told) // MOST_ROWS))
        with np.errstate(all="ignore"):
            return [self._row(self._telling(turn)) for turn in told[::step]]

    def _telling(self, turn: Turn) -> int:
        """Which pass of a turn stands for it: the last that added into a leaf's ``.grad``."""
        adding = [index for index in turn.passes if self._recorder.passes[index].accumulations]
        return (adding or turn.passes)[-1]

    def _row(self, index: int) -> LeftOutTurn:
        known = self._known.get(index)
        if known is None:
            entry = self._recorder.passes[index]
            root = entry.roots[0][0].array
            loss = number(root.item()) if root.size == 1 else None
            norms = {_title(leaf): _norm(incoming) for leaf, _, incoming, _, _ in entry.accumulations[:_MOST_LEAVES]}
            known = self._known[index] = LeftOutTurn(pass_id(index), loss, norms)
        return known


def _title(leaf: TensorEntry) -> str:
    return leaf.first.names[0][:_LONGEST_NAME] if leaf.first.names else tensor_id(leaf)


def _norm(array: np.ndarray) -> Any:
    """The Euclidean norm of all elements, in float64, to six digits."""
    flat = array.reshape(-1).astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return number(float(f"{math.sqrt(np.vdot(flat, flat).real):.6g}"))
