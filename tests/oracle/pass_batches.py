"""The passes of a trace that are rows of a batch, joined to the one pass that PyTorch runs for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

from gradflow.engine.trace import Pass, Step, Value


@dataclass(frozen=True)
class Stacked:
    """A gradient in every row. PyTorch has them in one tensor, or has one where it depends on no row."""

    rows: Sequence[Any]

    def readings(self) -> Iterator[Value]:
        """What PyTorch may have of it: all rows, and the one that all are."""
        for same in zip(*map(_readings, self.rows), strict=True):
            first = same[0]
            if all(one.data is not None for one in same):
                yield Value([len(same), *first.shape], first.dtype, list(chain.from_iterable(one.data for one in same)))
            if all(one == first for one in same):
                yield first


def _readings(value: Any) -> Iterator[Value]:
    return value.readings() if isinstance(value, Stacked) else iter([value])


def joined(passes: Sequence[Pass], depth: int = 0) -> list[Pass]:
    """The passes, with one for each batch whose values are `Stacked`."""
    found: list[Pass] = []
    for batch, group in groupby(passes, lambda one: one.rows[depth].batch if len(one.rows) > depth else None):
        own = list(group)
        by_row = groupby(own, lambda one: one.rows[depth].index) if batch is not None else ()
        rows = [joined(list(row), depth + 1) for _, row in by_row]
        alike = len({tuple(len(one.steps) for one in row) for row in rows}) == 1
        found += map(_one_of, zip(*rows, strict=True)) if alike else own
    return found


def _one_of(rows: Sequence[Pass]) -> Pass:
    return replace(rows[0], steps=[_step(steps) for steps in zip(*(one.steps for one in rows), strict=True)])


def _step(rows: Sequence[Step]) -> Step:
    edges = zip(*(step.grad_inputs for step in rows), strict=False)
    return replace(
        rows[0],
        grad_outputs=[_stacked(each) for each in zip(*(step.grad_outputs for step in rows), strict=True)],
        grad_inputs=[replace(each[0], value=_stacked([one.value for one in each])) for each in edges],
        freed=rows[-1].freed,  # until then the graph is kept
    )


def _stacked(each: Sequence[Any]) -> Any:
    return None if each[0] is None else Stacked(each)
