"""Fixes of texts that are no program: characters of another keyboard, ``print`` of Python 2, a missing colon."""

from __future__ import annotations

import re
from typing import Final

from engine.diagnosis.case import apply_edits, insertion
from engine.diagnosis.changes import WORDS, commands
from engine.errors import INVALID_CHARACTER, kind_of
from engine.program import Rejected, check, replacement_of
from engine.trace import Edit, Fix, Span, Text

_MOST_CHARACTERS: Final = 200
_MOST_WORK: Final = 400_000  # code points read: the text is read again for every character that is replaced
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = ("“”„‟", "‘’‚‛")
_PRINT: Final = re.compile(r"(\s*(?:>>> |\.\.\. |In \[\d+\]: )?)print +(?![=(])(.*)")


def text_fix(error: Rejected, source: str) -> Fix | None:
    """A fix for a text that was rejected."""
    message = error.msg or ""
    if kind_of(error) is INVALID_CHARACTER:
        return _characters(error, source)
    if message.startswith("Missing parentheses in call to 'print'"):
        return _print_statements(source)
    if message == "invalid syntax" and (found := commands(source)):
        edits = [insertion(line, column, "# ") for line, column in found]
        return Fix(WORDS["command"], edits) if _rejection(apply_edits(source, edits)) is None else None
    if message.endswith("was never closed") and error.span is not None:
        return _closed(message[1], error.span, source)
    if message == "expected ':'" and error.span is not None:
        edit = insertion(error.span.line, error.span.column, ":")
        return Fix(Text("Add the colon `:`", "补上冒号 `:`"), [edit])
    return None


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
        current = _rejection(text)
    return Fix(Text("Type the characters of Python", "改成英文符号"), edits) if edits else None


def _together(line: str, column: int) -> list[int]:
    """The columns to change at once: for a quotation mark all of its kind in the line, as one alone opens a string."""
    kind = next((marks for marks in _QUOTES if line[column] in marks), "")
    return [at for at in range(column, len(line)) if at == column or line[at] in kind]


def _replacement(line: int, column: int, text: str) -> Edit:
    return Edit(Span(line, column, line, column + 1), text)


def _line(text: str, span: Span) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[span.line - 1]


def _rejection(text: str) -> Rejected | None:
    try:
        check(text)
    except Rejected as error:
        return error
    return None


def _closed(bracket: str, opened: Span, source: str) -> Fix | None:
    """The bracket closed at the end of its line, or of a later one, where that makes a program."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number in range(opened.line, min(opened.line + 10, len(lines)) + 1):
        edit = insertion(number, len(lines[number - 1].rstrip(" ,")), _CLOSING[bracket])
        if _rejection(apply_edits(source, [edit])) is None:
            return Fix(WORDS["bracket"], [edit])
    return None


def _print_statements(source: str) -> Fix | None:
    edits = []
    for number, line in enumerate(source.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if found := _PRINT.match(line.rstrip()):
            start, end = len(found[1]), found.end(2)
            edits.append(Edit(Span(number, start, number, end), f"print({found[2]})"))
    return Fix(Text("Write `print(...)`", "写成 `print(...)`"), edits) if edits else None
