"""Passes that PyTorch runs at once, for a whole batch: here one runs for each row, and the trace tells which is which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Row


def new_batch() -> int:
    """The number of a batch that begins."""
    STATE.batches += 1
    return STATE.batches - 1


@contextmanager
def row_of(batch: int, index: int, count: int) -> Iterator[None]:
    """The passes inside are those of one row of a batch, which may itself be inside of a row of another."""
    outer, STATE.rows = STATE.rows, (*STATE.rows, Row(batch, index, count))
    try:
        yield
    finally:
        STATE.rows = outer


def unit_seeds(outputs: Sequence[Tensor]) -> Iterator[tuple[int, list[Tensor]]]:
    """For each element of all outputs: the number of its output, and gradients that are 1 at that element alone."""
    for number, output in enumerate(outputs):
        for index in range(output._a.size):
            seeds = [np.zeros_like(each._a, shape=each._a.size) for each in outputs]
            seeds[number][index] = 1
            yield number, [Tensor(s.reshape(each._a.shape)) for s, each in zip(seeds, outputs, strict=True)]
