"""Whether a fix helps: the mended program is run, and must do what it was meant to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from time import monotonic
from typing import TYPE_CHECKING, Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.finding import Diagnosed, Finding, told_as
from gradflow.engine.diagnosis.outcome import Before, is_sound
from gradflow.engine.errors import DIM_RANGE, GATHER_SHAPE, PERMUTE_COUNT, TIME_LIMIT
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Edit, ErrorRecord, Fix, Span, Text, Trace

if TYPE_CHECKING:
    from gradflow.engine.recording.trace_builder import TraceBuilder

Run = Callable[[str], Trace | None]
"""Runs a program for a little while; None where that itself failed."""

_TEXTS: Final = frozenset({"SyntaxError", "IndentationError", "TabError"})
_FURTHER: Final = 2
"""How many more errors a program may have, if they have fixes too."""
_MOST_READINGS: Final = 2
"""Of an error that shows behind a fix."""
_SHAPING: Final = ("squeeze", "view", "reshape", "flatten", "keepdim", "None]", "unsqueeze")
_PAIRING: Final = frozenset({"loss-sizes-differ", "broadcast-in-loss"})
"""Notes of a fix that made the error go away and the program wrong: two shapes that fit by broadcasting alone."""
_CHOSEN: Final = frozenset({DIM_RANGE.code, PERMUTE_COUNT.code, GATHER_SHAPE.code})
"""Errors whose fix chooses a dimension: where the program then fails, it was another one."""
_SECONDS: Final = 2.0
"""For all trials of one error."""


def with_proven_fix(trace: Trace, run: Run, seconds: float = _SECONDS) -> ErrorRecord | None:
    """The record of the error that ended a run, with the fixes after which the program does what was meant.

    ``seconds``: how long the trials may take together, where that is less than they need.
    The first finding that has such a fix is told; where none has, the first in its own words, without a fix.
    """
    error = trace.error
    if error is None:
        return None
    findings, generic = _told(error)
    if not any(finding.fixes for finding in findings):
        return error
    builder = builder_of(trace)
    trial = _Trial(run, min(seconds, _SECONDS), Before.of(builder, trace.source) if builder is not None else Before())
    for finding in findings:
        proven = [one for fix in finding.fixes if (one := trial.proven(trace.source, error, fix)) is not None]
        if finding.whole and trial.is_over:
            return told_as(error, replace(finding, fixes=[]), generic)
        if finding.whole and not all(one.further for one in proven):
            proven = [one for one in proven if not one.further]
        if proven or (finding.says and not finding.fixes and not finding.guess and finding is findings[0]):
            chosen = _chosen(finding, proven)
            if chosen is None:
                continue
            told = told_as(error, chosen, generic)
            return replace(told, explanation=_with_further(told.explanation, proven[0].further if proven else ()))
    first = next((one for one in findings if one.says and not one.guess), Finding())
    return told_as(error, replace(first, fixes=[]), generic)


def _chosen(finding: Finding, proven: Sequence[_Proof]) -> Finding | None:
    """What is told of a finding with the fixes that are proven."""
    if finding.readings and any(one.further for one in proven):
        return None  # what leads to further mistakes was not searched for
    return finding.chosen([one.fix for one in proven])


def _told(error: ErrorRecord) -> tuple[Sequence[Finding], Text]:
    if isinstance(error, Diagnosed):
        return error.findings, error.generic
    return ([Finding(error.explanation, [error.fix], error.cause)] if error.fix else []), error.explanation


def builder_of(trace: Trace) -> TraceBuilder | None:
    """What has the notes of a run, if it began."""
    return getattr(trace, "_transcript", None)


@dataclass(frozen=True)
class _Proof:
    """A fix that makes the program right, and what is told of the mistakes that came to light behind the first."""

    fix: Fix
    further: Sequence[Text] = ()


def _with_further(told: Text, further: Sequence[Text]) -> Text:
    """The explanation of an error, and those of the mistakes that show when it is mended."""
    en = "".join(f" With that mended, the next mistake shows: {one.en}" for one in further)
    zh = "".join(f"改好之后会露出下一个错误：{one.zh}" for one in further)
    return Text(f"{told.en}{en}", f"{told.zh}{zh}")


@dataclass(frozen=True)
class _Mended:
    """A program that is right, the fixes that led there, and what was told of each error on the way but the first."""

    text: str
    fixes: list[Fix]
    further: list[Text]


class _Trial:
    """The trials of one error, within their time."""

    def __init__(self, run: Run, seconds: float, before: Before) -> None:
        self._run, self._before = run, before
        self._end = monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether its time is up, and what was not proven may only not have been tried."""
        return monotonic() > self._end

    def proven(self, source: str, error: ErrorRecord, fix: Fix) -> _Proof | None:
        """The fix, if the program that it makes is sound; with the fixes of its further errors, where it has any."""
        further = 0 if error.code in _CHOSEN else _FURTHER
        found = self._mended(source, error, fix, further, frozenset({error.code}))
        if found is None or len(found.fixes) == 1:
            return _Proof(fix) if found is not None else None
        whole = Fix(_together([one.title for one in found.fixes]), difference(source, found.text))
        return _Proof(whole, found.further)

    def _mended(self, source: str, error: ErrorRecord, fix: Fix, further: int, met: frozenset[str]) -> _Mended | None:
        """The program in the end; ``met``: the errors on the way, none of which returns."""
        if monotonic() > self._end:
            return None
        mended = apply_edits(source, fix.edits)
        trace = self._run(mended)
        if trace is None:
            return None
        after = trace.error
        if after is None or after.code == TIME_LIMIT.code:
            builder = builder_of(trace)
            sound = builder is None or error.type in _TEXTS or is_sound(builder, self._before)
            return self._without_trap(mended, fix, trace) if sound else None
        if not further or not gets_past(error, fix, after):
            return None
        for other in _certain(after):
            again = after.code in met and error.type not in _TEXTS
            if again and not (_is_alike(fix, other) and _is_further_on(error, fix, after)):
                continue
            found = self._mended(mended, after, other, further - 1, met | {after.code})
            if found:
                same = after.code == error.code or mended.count("\n") != source.count("\n")  # or its lines are others
                told = [] if same else [after.explanation]
                return _Mended(found.text, [fix, *found.fixes], [*told, *found.further])
        return None

    def _without_trap(self, mended: str, fix: Fix, trace: Trace) -> _Mended | None:
        """A program that runs by now, and must not do so by pairing every output with every target; with the note's own fix, if it has one."""
        if not any(word in edit.text for edit in fix.edits for word in _SHAPING):
            return _Mended(mended, [fix], [])
        note = next((one for one in trace.notes if one.code in _PAIRING), None)
        if note is None:
            return _Mended(mended, [fix], [])
        text = apply_edits(mended, note.fix.edits) if note.fix is not None else ""
        again = self._run(text) if text and monotonic() < self._end else None
        if (
            note.fix is None
            or again is None
            or again.error is not None
            or any(one.code in _PAIRING for one in again.notes)
        ):
            return None
        return _Mended(text, [fix, note.fix], [note.explanation])


def _is_alike(fix: Fix, other: Fix) -> bool:
    """Whether two fixes write the same at two places: a mistake that was made twice."""
    return {edit.text for edit in fix.edits} == {edit.text for edit in other.edits}


def _together(titles: Sequence[Text]) -> Text:
    return Text("; ".join(title.en for title in titles), "；".join(title.zh for title in titles))


def difference(before: str, after: str) -> list[Edit]:
    """The edits, of whole lines, that make one text of another."""
    old, new = lines_of(before), lines_of(after)
    edits = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "insert":
            at = Span(i, len(old[i - 1]), i, len(old[i - 1])) if i else Span(1, 0, 1, 0)
            edits.append(
                Edit(at, "".join(f"\n{one}" for one in new[k:m]) if i else "".join(f"{one}\n" for one in new[k:m]))
            )
        elif kind == "delete":
            gone = Span(i, len(old[i - 1]), j, len(old[j - 1])) if i else Span(1, 0, min(j + 1, len(old)), 0)
            edits.append(Edit(gone, ""))
        elif kind == "replace":
            edits.append(Edit(Span(i + 1, 0, j, len(old[j - 1])), "\n".join(new[k:m])))
    return edits


def _certain(error: ErrorRecord) -> list[Fix]:
    """The fixes of what is told of an error, each the only one of its finding."""
    found: list[Fix] = []
    for finding in _told(error)[0]:
        if finding.guess:
            continue
        if len(finding.fixes) == 1:
            found.append(finding.fixes[0])
        elif finding.says:
            break
    return found[:_MOST_READINGS]


def gets_past(error: ErrorRecord, fix: Fix, after: ErrorRecord) -> bool:
    """Whether what comes after a fix is not the same error again."""
    if (after.code, after.message) != (error.code, error.message):
        return True
    return _is_further_on(error, fix, after)


def _is_further_on(error: ErrorRecord, fix: Fix, after: ErrorRecord) -> bool:
    """Whether an error stands below another one that was mended."""
    if error.span is None or after.span is None:
        return False
    added = sum(edit.text.count("\n") for edit in fix.edits if edit.span.line <= error.span.line)
    removed = sum(edit.span.end_line - edit.span.line for edit in fix.edits if edit.span.line <= error.span.line)
    return after.span.line > error.span.line + added - removed
