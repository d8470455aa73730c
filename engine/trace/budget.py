"""What a trace does without, to stay within its budget."""

from __future__ import annotations

from dataclasses import dataclass

from gradflow.engine.trace.values import Number


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a trace may be, and what became of what did not fit."""

    bytes: int | None
    """How long the JSON of the trace may be, in bytes; null where nothing limits it."""
    summarised: int
    """How many of the run's arrays are summaries in this trace."""
    turns_left_out: int
    """How many turns of loops were not written; ``Trace.left_out`` has a row of scalars for those that had a pass."""


@dataclass(frozen=True, slots=True)
class LeftOutTurn:
    """A turn of a loop that was left out, by scalars of the last of its passes that added into a ``.grad``."""

    pass_id: str
    """Id of that backward pass; the trace has no such pass."""
    loss: Number | None
    """The value that the pass began at; null where that was not one number."""
    norms: dict[str, Number]
    """By a leaf's name: the norm of the gradient that the pass added into it, for at most 16 leaves."""
