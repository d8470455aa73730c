"""Formulas with their arrays filled in, where they are small enough to be read beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from gradflow.engine.picture.arrays import IN_FORMULA, Arrays, Plan, planned
from gradflow.engine.picture.formulas.mathematics import Run, width_of
from gradflow.engine.picture.marks import formula
from gradflow.engine.trace import Value

_AROUND: Final = 4.0
"""The room around an array."""


@dataclass
class Filling:
    """An array in the place of a letter."""

    value: Value
    kind: Literal["value", "gradient"]

    @cached_property
    def plan(self) -> Plan:
        return planned(IN_FORMULA, self.value)

    @property
    def is_small(self) -> bool:
        """Whether it can stand in a formula: all numbers of at most two dimensions."""
        shape, most = self.value.shape, IN_FORMULA.numbers
        rows, columns = (1, 1, *shape)[-2:]
        return bool(self.value.data) and len(shape) <= 2 and rows <= most[0] and columns <= most[1]


class Filled(NamedTuple):
    """A formula: its text, and arrays."""

    parts: tuple[list[Run] | Filling, ...]

    def width(self, size: float) -> float:
        """In one line."""
        return sum(_wide(part, size) for part in self.parts)

    @property
    def height(self) -> float:
        """Of its tallest array."""
        return max((part.plan.height for part in self.parts if isinstance(part, Filling)), default=0.0)

    def marks(self, arrays: Arrays, x: float, y: float, size: float, colour: str) -> list[str]:
        """x: its left side. y: its middle."""
        found = []
        for part in self.parts:
            if isinstance(part, Filling):
                draw = arrays.plate if part.kind == "value" else arrays.beads
                found += draw(part.plan, part.value, x + _AROUND, y - part.plan.height / 2)
            else:
                found.append(formula(x, y + 0.35 * size, part, size, colour))
            x += _wide(part, size)
        return found


def _wide(part: list[Run] | Filling, size: float) -> float:
    return part.plan.width + 2 * _AROUND if isinstance(part, Filling) else width_of(part, size)


def transposed(value: Value) -> Value:
    """A matrix the other way; all else as it is."""
    if len(value.shape) != 2 or value.data is None:
        return value
    rows, columns = value.shape
    data = [value.data[i * columns + j] for j in range(columns) for i in range(rows)]
    return Value([columns, rows], value.dtype, data)
