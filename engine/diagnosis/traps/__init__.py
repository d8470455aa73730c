"""Traps: mistakes that raise no error, found in the record of a run and told at their line.

A trap is told only where the run shows that something went wrong, or cannot go right; what may be meant is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from gradflow.engine.diagnosis.traps import (
    data,
    habits,
    indexing,
    layers,
    losses,
    meanings,
    modes,
    passes,
    policies,
    sequences,
    sharing,
    statements,
    training,
    unmoved,
    unrecorded,
    warnings,
    writes,
)
from gradflow.engine.diagnosis.traps.overlooked import (
    aliases,
    alike,
    averages,
    cadence,
    conditions,
    conventions,
    defaults,
    directions,
    draws,
    graphs,
    logarithms,
    loops,
    numbers,
    probabilities,
    quotients,
    softmaxes,
    unused,
)
from gradflow.engine.diagnosis.traps.parameters import (
    closures,
    first_turn,
    mixed_derivatives,
    named_only,
    rebound,
    samples,
)
from gradflow.engine.diagnosis.traps.proven import (
    bootstraps,
    copies,
    cuts,
    drifting,
    elbos,
    handed_back,
    held,
    orders,
    schedules,
    shuffles,
    signs,
    silenced,
    sources,
    straight,
    targets,
    totals,
    turns,
    undefined,
)
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.trace import Note, Span

if TYPE_CHECKING:
    from gradflow.engine.recording.trace_builder import TraceBuilder

__all__ = ["MODULES", "Record", "Trap", "notes"]

MODULES: Final = (
    writes,
    training,
    unmoved,
    unrecorded,
    modes,
    probabilities,
    losses,
    passes,
    data,
    statements,
    named_only,
    closures,
    first_turn,
    sharing,
    indexing,
    layers,
    meanings,
    rebound,
    habits,
    policies,
    sequences,
    graphs,
    mixed_derivatives,
    loops,
    softmaxes,
    aliases,
    alike,
    averages,
    cadence,
    conditions,
    conventions,
    defaults,
    directions,
    draws,
    logarithms,
    numbers,
    quotients,
    unused,
    bootstraps,
    copies,
    cuts,
    drifting,
    elbos,
    handed_back,
    held,
    orders,
    samples,
    schedules,
    shuffles,
    signs,
    silenced,
    sources,
    straight,
    targets,
    totals,
    turns,
    undefined,
    warnings,
)
FINDERS: Final[tuple[Callable[[Record], Iterator[Note]], ...]] = tuple(
    finder for module in MODULES for finder in module.TRAPS
)
SAME_CAUSE: Final = {
    "derivative-cut-off": {"loss-term-without-graph"},
    "last-sample-of-steps": {"batch-read-as-steps"},
    "loss-of-numbers": {"parameter-cut-off"},
    "penalty-is-a-number": {"loss-term-without-graph"},
    "number-of-tensor-in-graph": {"loss-of-numbers", "loss-kept-with-graph", "loss-term-of-numbers"},
    "loss-is-nan": {"log-of-zero-probability", "log-of-masked-probability"},
    "state-dict-is-no-copy": {"kept-values-change"},
    "scheduler-before-optimizer": {"schedule-of-other-optimizer"},
    "graph-older-than-step": {"optimizer-holds-old-tensor"},
    "parameter-never-used": {"parameter-cut-off"},
    "parameter-without-optimizer": {"parameter-replaced", "module-without-optimizer", "optimizer-of-other-module"},
    "data-changed-in-every-turn": {"source-written-through-name"},
    "learning-rate-is-zero": {"rate-factor-rounded"},
    "two-shuffles": {"shuffled-apart"},
    "parameter-cut-off": {"straight-through-turned", "straight-through-gradient"},
    "choice-has-no-derivative": {"straight-through-gradient"},
    "dropout-while-predicting": {"batch-statistics-while-predicting"},
    "gradient-always-zero": {"units-all-alike", "hidden-units-alike", "straight-through-gradient"},
    "softmax-across-samples-chosen": {"softmax-across-samples-drawn"},
}
"""What need not be told beside others, which tell why."""
MOST_NOTES: Final = 20
"""Of one kind of trap."""
_LONGEST_RUN: Final = 50_000
"""Functions of a run that is looked at: looking takes time, too."""


def notes(builder: TraceBuilder) -> list[Note]:
    """The traps of a run, each place once, in the order of their lines, with all tensors that each is about."""
    program = builder.program
    if program is None:
        return []
    dropped = [warnings.dropped_line(line) for line in program.dropped]
    if len(builder.recorder.nodes) > _LONGEST_RUN:
        return dropped
    run = Record(builder, program)
    found: dict[tuple[str, Span | None], Note] = {}
    for finder in FINDERS:
        for note in islice(_found(finder, run), MOST_NOTES):
            found.setdefault((note.code, note.span), _checked(run, note))
    codes = {note.code for note in found.values()}
    told = [note for note in found.values() if not codes & SAME_CAUSE.get(note.code, set())]
    return [*dropped, *sorted((note for note in told if not _inside_other(note, told)), key=_place)]


def _inside_other(note: Note, told: list[Note]) -> bool:
    """Whether a part of an expression is told of in the same way as the whole."""
    return note.code == "parameter-cut-off" and any(
        one is not note and one.code == note.code and _holds(one.span, note.span) for one in told
    )


def _holds(outer: Span | None, inner: Span | None) -> bool:
    if outer is None or inner is None or outer == inner:
        return False
    begin, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (outer.line, outer.column) <= begin and end <= (outer.end_line, outer.end_column)


def _found(finder: Callable[[Record], Iterator[Note]], run: Record) -> Iterator[Note]:
    try:
        yield from finder(run)
    except (Exception, SystemExit, GeneratorExit):  # what a program leaves behind can be anything, and raise anything
        return


def _checked(run: Record, note: Note) -> Note:
    """The note without a fix that makes no program."""
    return note if note.fix is None or run.is_program(note.fix.edits) else replace(note, fix=None)


def _place(note: Note) -> tuple[int, int]:
    return (0, 0) if note.span is None else (note.span.line, note.span.column)
