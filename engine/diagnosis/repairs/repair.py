"""Repairs of texts that Python cannot read: each is tried out, and the first that makes a program is proposed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.repairs import brackets, indentation, words
from gradflow.engine.diagnosis.repairs.broken_text import Broken, Repair
from gradflow.engine.diagnosis.repairs.closings import meaning
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.errors.language import syntax
from gradflow.engine.sandbox.program import Rejected, check
from gradflow.engine.trace import Edit

_WITHOUT: Final = (syntax.ARGUMENT_ORDER,)
_MOST_TRIALS: Final = 80
_MOST_WORK: Final = 400_000


def repaired(broken: Broken) -> Repair | None:
    """The first repair that makes a program; else the first after which Python stops only at a later line."""
    trials = min(_MOST_TRIALS, _MOST_WORK // max(len(broken.source), 1))
    further: Repair | None = None
    for repair in _proposals(broken):
        if trials <= 0:
            break
        if not repair.edits:
            continue
        trials -= 1
        after = rejection(apply_edits(broken.source, repair.edits))
        if after is None:
            return _with_likely(broken, repair)
        if further is None and _is_further(broken, repair.edits, after):
            further = repair
    return _with_likely(broken, further) if further is not None else None


def _with_likely(broken: Broken, repair: Repair) -> Repair:
    """The repair, of whose other edits those are left that make a program, and one that means something else."""
    likely: list[list[Edit]] = []
    known = {meaning(apply_edits(broken.source, repair.edits))} - {None}
    for edits in repair.others or ():
        text = apply_edits(broken.source, edits)
        after, said = rejection(text), meaning(text)
        if said not in known and (after is None or _is_further(broken, edits, after)):
            likely.append(edits)
            known |= {said} - {None}
    return replace(repair, others=likely) if repair.others else repair


def rejection(text: str) -> Rejected | None:
    """Why a text is no program; None for a program."""
    try:
        check(text)
    except Rejected as error:
        return error
    return None


def _is_further(broken: Broken, edits: list[Edit], after: Rejected) -> bool:
    """Whether Python stops later than before, and not because of what was changed."""
    added = sum(edit.text.count("\n") for edit in edits if edit.span.line <= broken.span.line)
    last = max(edit.span.end_line for edit in edits)
    return after.span is not None and after.span.line > max(broken.span.line, last) + added + 1


def _proposals(broken: Broken) -> Iterator[Repair]:
    for proposers in (words.FIRST, indentation.ALL, brackets.ALL, words.LAST):
        for propose in proposers:
            yield from propose(broken)


REPAIRED: Final = tuple(kind for kind in vars(syntax).values() if isinstance(kind, ErrorKind) and kind not in _WITHOUT)
"""The entries that a repair is known for, in some texts."""
