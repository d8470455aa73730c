"""Fixes of texts that are no program: characters of another keyboard, ``print`` of Python 2, a missing colon."""

from __future__ import annotations

import re
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.repairs.broken_text import Broken, Repair
from gradflow.engine.diagnosis.repairs.lines import code_of
from gradflow.engine.diagnosis.repairs.repair import rejection, repaired
from gradflow.engine.errors import INVALID_CHARACTER, UNREADABLE_CHARACTER, kind_of
from gradflow.engine.sandbox.policy import Refusal
from gradflow.engine.sandbox.program import Rejected, replacement_of
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Edit, Fix, Span, Text

_MOST_CHARACTERS: Final = 200
_MOST_WORK: Final = 400_000  # code points read: the text is read again for every character that is replaced
_QUOTES: Final = ("“”„‟", "‘’‚‛")
_PRINT: Final = re.compile(r"(\s*(?:>>> |\.\.\. |In \[\d+\]: )?\s*)print +(?![=(])(.*)")


def text_fix(error: Rejected, source: str) -> Fix | None:
    """A fix for a text that was rejected."""
    message = error.msg or ""
    if kind_of(error) is INVALID_CHARACTER:
        return _characters(error, source)
    if message.startswith("Missing parentheses in call to 'print'"):
        return _print_statements(source)
    return None


def text_repair(error: Rejected, source: str) -> Repair | None:
    """What is probably wrong with a text, where trying shows it."""
    if error.span is None or kind_of(error) not in (None, UNREADABLE_CHARACTER) or error.cause.__class__ is Refusal:
        return None
    return repaired(Broken(source, error.msg or "", error.span))


def _characters(error: Rejected, source: str) -> Fix | None:
    """Replace this character, and all further ones that Python would stop at after it."""
    edits: list[Edit] = []
    current: Rejected | None = error
    text = source
    most = min(_MOST_CHARACTERS, _MOST_WORK // len(source))
    while current is not None and kind_of(current) is INVALID_CHARACTER and len(edits) < most:
        span = current.span
        if span is None:
            break
        at = _line(text, span)[span.column : span.column + 1]
        meant = replacement_of(at)
        if meant is None:
            break
        found = [_replacement(span.line, column, meant) for column in _together(_line(text, span), span.column)]
        edits += found
        # A replacement of another length would move what comes after it; it is tried out at the same length.
        text = apply_edits(text, [Edit(edit.span, meant if len(meant) == 1 else " ") for edit in found])
        current = rejection(text)
    after = rejection(apply_edits(source, edits)) if edits else None
    if not edits or (after is not None and after.span is not None and _near(after.span, edits)):
        return None
    return Fix(Text("Type the characters of Python", "改成英文符号"), edits)


def _near(span: Span, edits: list[Edit]) -> bool:
    """Whether Python still stops in a line that was changed."""
    return span.line in {edit.span.line for edit in edits}


def _together(line: str, column: int) -> list[int]:
    """The columns to change at once: for a quotation mark all of its kind in the line, as one alone opens a string."""
    kind = next((marks for marks in _QUOTES if line[column] in marks), "")
    return [at for at in range(column, len(line)) if at == column or line[at] in kind]


def _replacement(line: int, column: int, text: str) -> Edit:
    return Edit(Span(line, column, line, column + 1), text)


def _line(text: str, span: Span) -> str:
    return lines_of(text)[span.line - 1]


def _without_comment(line: str) -> str:
    """A line up to its comment."""
    bare = code_of(line).rstrip("\x00")
    return (line[: len(bare)] if line[len(bare) :].startswith("#") else line).rstrip()


def _print_statements(source: str) -> Fix | None:
    edits = []
    for number, line in enumerate(lines_of(source), 1):
        if found := _PRINT.match(_without_comment(line)):
            start, end = len(found[1]), found.end(2)
            edits.append(Edit(Span(number, start, number, end), f"print({found[2]})"))
    return Fix(Text("Write `print(...)`", "写成 `print(...)`"), edits) if edits else None
