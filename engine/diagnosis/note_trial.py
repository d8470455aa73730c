"""Whether the fix of a trap helps: the mended program is run, and must get as far as the program did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.trial import Run
from gradflow.engine.errors import TIME_LIMIT
from gradflow.engine.trace import ErrorRecord, Fix, Note, Text, Trace

_SECONDS: Final = 2.0
"""For all trials of one run."""
_INSTEAD: Final = (".item()", ".detach()")
"""Where a plain number is not enough, the tensor without its graph may be."""


def proven_notes(trace: Trace, run: Run, seconds: float = _SECONDS) -> list[Note]:
    """The notes of a run, each with a fix only if the program that it makes fails no earlier than the run did.

    ``seconds``: how long the trials may take together, where that is less than they need; a fix that there is no time
    to try is not offered. After a run that the time limit ended nothing can be tried, and the notes stay as they are.
    """
    notes = trace.notes
    if trace.error is not None and trace.error.code == TIME_LIMIT.code:
        return notes
    end = monotonic() + min(seconds, _SECONDS)
    return [_tried(trace, note, run, end) for note in notes]


def _tried(trace: Trace, note: Note, run: Run, end: float) -> Note:
    for one in _readings(note):
        if one.fix is None or monotonic() > end:
            break
        after = run(apply_edits(trace.source, one.fix.edits))
        if after is not None and _gets_as_far(trace.error, after.error):
            return one
    return note if note.fix is None else replace(note, fix=None)


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
