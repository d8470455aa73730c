"""What a trace does without, to stay within its budget."""

from __future__ import annotations

from dataclasses import dataclass

from gradflow.engine.trace.values import Number


@dataclass(frozen=True, slots=True)
class Budget:
    """``bytes``: how long the JSON of the trace may be; None where nothing limits it. ``summarised``: how many of its
    arrays are summaries. ``turns_left_out``: how many turns of loops were not written; `Trace.left_out` has a row of
    scalars for those that had a pass."""

    bytes: int | None
    summarised: int
    turns_left_out: int


@dataclass(frozen=True, slots=True)
class LeftOutTurn:
    """A turn that was left out: the id of its pass, the value that the pass began at, where that was one number, and
    the norms of the gradients that it added into leaves, by their names."""

    pass_id: str
    loss: Number | None
    norms: dict[str, Number]
