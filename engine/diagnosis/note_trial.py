"""Whether the fix of a trap helps: the mended program is run, and must get as far as the program did.

Where it gets further, to the end, the trap is what made the program fail, and the error is told as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.finding import as_told
from gradflow.engine.diagnosis.outcome import Before, is_sound
from gradflow.engine.diagnosis.trial import Run, builder_of
from gradflow.engine.errors import TIME_LIMIT
from gradflow.engine.trace import ErrorRecord, Fix, Note, Text, Trace

_SECONDS: Final = 2.0
"""For all trials of one run."""
_INSTEAD: Final = (".item()", ".detach()")
"""Where a plain number is not enough, the tensor without its graph may be."""


_SLIPS: Final = frozenset({"return-in-loop", "result-thrown-away"})
"""Traps that nobody walks into on purpose: where the fix of one makes the program run, no other reading is left."""


@dataclass(frozen=True)
class Proven:
    """The ``notes`` of a run, and of these the ``cause`` of its error: the fix of that one makes the program run to its end."""

    notes: list[Note]
    cause: Note | None = None

    def told_with(self, error: ErrorRecord | None) -> tuple[ErrorRecord | None, list[Note]]:
        """The error, told as its cause where no fix of its own is as good, and the notes that are then left."""
        cause = self.cause
        if error is None or cause is None or (error.fix is not None and cause.code not in _SLIPS):
            return error, [each for each in self.notes if not _told_already(each, error)]
        place = cause.span if cause.span != error.span else None
        said = cause.explanation
        told = Text(f"{said.en} The error comes from there.", f"{said.zh}错误由此而来。")
        if place is not None and (error.span is None or place.line != error.span.line):
            told = Text(f"On line {place.line}: {told.en}", f"第 {place.line} 行：{told.zh}")
        record = replace(as_told(error), explanation=told, fix=cause.fix, choices=[], cause=place)
        return record, [each for each in self.notes if each is not cause]


def _told_already(note: Note, error: ErrorRecord | None) -> bool:
    """Whether the error is told of at the same place, with the same change."""
    return (
        error is not None
        and note.fix is not None
        and error.fix is not None
        and error.cause is not None
        and note.span is not None
        and error.cause.line == note.span.line
        and list(note.fix.edits) == list(error.fix.edits)
    )


def proven_notes(trace: Trace, run: Run, seconds: float = _SECONDS) -> Proven:
    """The notes of a run, each with a fix only if the program that it makes fails no earlier than the run did.

    ``seconds``: how long the trials may take together, where that is less than they need; a fix that there is no time
    to try is not offered. After a run that the time limit ended nothing can be tried, and the notes stay as they are.
    """
    notes = trace.notes
    if trace.error is not None and trace.error.code == TIME_LIMIT.code:
        return Proven(notes)
    end = monotonic() + min(seconds, _SECONDS)
    tried = [_tried(trace, note, run, end) for note in notes]
    return Proven([note for note, _ in tried], next((note for note, cures in tried if cures), None))


def _tried(trace: Trace, note: Note, run: Run, end: float) -> tuple[Note, bool]:
    """The note as it may be told, and whether its fix makes a program that failed run to its end."""
    for one in _readings(note):
        if one.fix is None or monotonic() > end:
            break
        after = run(apply_edits(trace.source, one.fix.edits))
        if after is not None and _gets_as_far(trace.error, after.error):
            return one, _cures(trace, after)
    return (note if note.fix is None else replace(note, fix=None)), False


def _cures(trace: Trace, after: Trace) -> bool:
    if trace.error is None or after.error is not None:
        return False
    before, builder = builder_of(trace), builder_of(after)
    return builder is None or is_sound(builder, Before.of(before) if before is not None else Before())


def _gets_as_far(error: ErrorRecord | None, after: ErrorRecord | None) -> bool:
    if after is None or after.code == TIME_LIMIT.code:
        return True
    return error is not None and (after.code, after.message) == (error.code, error.message)


def _readings(note: Note) -> Iterator[Note]:
    """The note, and what else it may say."""
    yield note
    number, tensor = _INSTEAD
    if note.fix is not None and note.fix.edits and all(edit.text == number for edit in note.fix.edits):
        edits = [replace(edit, text=tensor) for edit in note.fix.edits]
        fix = Fix(_with(note.fix.title, number, tensor), edits)
        yield replace(note, explanation=_with(note.explanation, number, tensor), fix=fix)


def _with(text: Text, old: str, new: str) -> Text:
    return Text(text.en.replace(old, new), text.zh.replace(old, new))
