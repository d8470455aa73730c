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
    """Line on which it begins, from 1."""
    column: int
    """Column at which it begins, from 0, in code points."""
    end_line: int
    """Line on which it ends, from 1."""
    end_column: int
    """Column behind its last character, from 0, in code points."""


@dataclass(frozen=True, slots=True)
class Corner:
    """The leading rows and columns (of the last two dimensions, all others at index 0) of a large array."""

    shape: list[int]
    """Lengths of the dimensions that are left: at most two, of at most 8 each."""
    data: list[Number]
    """The elements, row-major; complex numbers as Python writes them, ``"(1+2j)"``."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told of a large array. NaN and infinities count apart; of complex numbers the moduli are told."""

    min: Number | None
    """The smallest finite element; null where there is none."""
    max: Number | None
    """The largest finite element; null where there is none."""
    mean: Number | None
    """The mean of the finite elements; null where there are none."""
    norm: Number | None
    """The Euclidean norm of the finite elements; null where there are none."""
    nan: int
    """How many elements are NaN."""
    inf: int
    """How many elements are infinite, of either sign."""
    corner: Corner
    """The first elements as they are."""
    histogram: list[int]
    """How many finite elements lie in each of 32 bins of equal width from ``min`` to ``max``; empty where there are none."""


@dataclass(frozen=True, slots=True)
class Value:
    """An array: its elements, or a summary where it is too large to be sent. Exactly one of the two is set."""

    shape: list[int]
    """Length of each dimension; empty for a single number."""
    dtype: str
    """The dtype as PyTorch names it without ``torch.``, such as ``float32``."""
    data: list[Number] | None = None
    """The elements, row-major, complex numbers as Python writes them, ``"(1+2j)"``; null where there is a summary."""
    summary: Summary | None = None
    """What is told of an array that is too large; null where there are the elements."""
