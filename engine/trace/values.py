"""Arrays and places in the source, as a trace carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Number: TypeAlias = bool | int | float | str
"""An element: a number, or ``"NaN"``, ``"Infinity"``, ``"-Infinity"``."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the source. Lines count from 1, columns from 0 in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Corner:
    """The leading rows and columns (of the last two dimensions, all others at index 0) of a large array."""

    shape: list[int]
    data: list[Number]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told of a large array. NaN and infinities count apart. ``histogram`` counts the finite elements in 32 bins
    of equal width from ``min`` to ``max``; it is empty where there are none."""

    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nan: int
    inf: int
    corner: Corner
    histogram: list[int]


@dataclass(frozen=True, slots=True)
class Value:
    """An array: row-major ``data``, or a ``summary`` where it is too large to be sent. Exactly one of the two is set."""

    shape: list[int]
    dtype: str
    data: list[Number] | None = None
    summary: Summary | None = None
