"""Repairs of brackets, quotation marks and commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.repairs import closings, colons
from gradflow.engine.diagnosis.repairs.broken_text import Broken, Proposer, Repair
from gradflow.engine.diagnosis.repairs.lines import Line, numbered
from gradflow.engine.errors.language import syntax
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Text

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_BRACKET: Final = Text("Close the bracket", "补上右括号")


def _never_closed(broken: Broken) -> Iterator[Repair]:
    """The bracket closed before the colon or the end of its line, or of a later one."""
    found = re.match(r"'([(\[{])' was never closed", broken.message)
    opened = found[1] if found else "("
    most = len(lines_of(broken.source))
    if found is None and "(" not in broken.line.code:
        return
    start = (broken.span.line, broken.span.column) if found is not None else _last_open(broken.line)
    for number in range(broken.span.line, min(broken.span.line + 10, most) + 1):
        line = broken.at(number)
        bare = len(line.code.rstrip("\x00 ,"))
        if line.code[:bare].endswith(":"):
            yield _closed(broken, start, line, bare - 1, opened)
        elif found is not None and line.text.strip():
            ends = len(line.text.rstrip(" ,")) if line.text.rstrip() == line.text[: _code_end(line)].rstrip() else bare
            yield _closed(broken, start, line, ends, opened)
            yield _closed(broken, start, line, ends, opened, 2)
            missing = _open_at(broken, (number, ends))
            if len(missing) > 1 and set(missing) != {missing[0]}:
                details: dict[str, object] = {"bracket": _opener(broken, start, opened)}
                yield Repair(syntax.UNCLOSED, _at_end(missing, number), [line.edit(ends, ends, missing)], details)


def _closed(broken: Broken, start: tuple[int, int], line: Line, column: int, opened: str, count: int = 1) -> Repair:
    """The bracket closed at a place; with the other places at which it may end.

    Where ``count`` brackets are open, each of them may end at any of these places, and none is certain.
    """
    closing = _CLOSING[opened]
    edits = [line.edit(column, column, closing * count)]
    earlier = closings.places(broken, start, (line.number, column)) if start[1] >= 0 else []
    others = [[broken.at(number).edit(at, at, closing)] for number, at in earlier]
    words = _BRACKET if line.number == start[0] else _at_end(closing * count, line.number)
    details: dict[str, object] = {"bracket": _opener(broken, start, opened)}
    return Repair(syntax.UNCLOSED, words, edits, details, None if count > 1 and others else others)


def _at_end(closing: str, number: int) -> Text:
    return Text(f"`{closing}` at the end of line {number}", f"在第 {number} 行末尾补上 `{closing}`")


def _open_at(broken: Broken, end: tuple[int, int]) -> str:
    """What would close all brackets that stand open at a place, the innermost first."""
    waiting: list[str] = []
    for line in numbered(broken.source):
        if line.number > end[0]:
            break
        for sign in line.code[: end[1] if line.number == end[0] else len(line.code)]:
            if sign in _CLOSING:
                waiting.append(_CLOSING[sign])
            elif waiting and sign == waiting[-1]:
                waiting.pop()
    return "".join(reversed(waiting))


def _opener(broken: Broken, start: tuple[int, int], opened: str) -> str:
    """The bracket with the name of what it calls or indexes."""
    row, column = start
    name = re.search(r"[\w.]+$", broken.at(row).code[: max(column, 0)])
    return f"{name[0]}{opened}" if name is not None and name[0].isascii() else opened


def _last_open(line: Line) -> tuple[int, int]:
    """The last round bracket of a line that is not closed in it; column -1 where all are."""
    open_ones: list[int] = []
    for at, sign in enumerate(line.code):
        if sign == "(":
            open_ones.append(at)
        elif sign == ")" and open_ones:
            open_ones.pop()
    return line.number, open_ones[-1] if open_ones else -1


def _code_end(line: Line) -> int:
    """Where a comment begins, or the line ends."""
    found = re.search(r"#\x00*$|(?<![\x00])\x00+$", line.code)
    comment = line.text.find("#", found.start()) if found else -1
    return comment if comment >= 0 else len(line.text)


def _mismatched(broken: Broken) -> Iterator[Repair]:
    """The right kind of bracket, one that is missing before it, one that is too much."""
    found = re.match(r"closing parenthesis '(.)' does not match opening parenthesis '(.)'", broken.message)
    line, column = broken.line, broken.span.column
    if found is None:
        if broken.message.startswith("unmatched '"):
            words = Text("Delete the bracket", "删掉多余的括号")
            yield Repair(syntax.MISMATCHED, words, [line.edit(column, column + 1, "")])
            earlier = [at for at in range(column) if line.code[at] == line.code[column]]
            for at in reversed(earlier):
                yield Repair(syntax.MISMATCHED, words, [line.edit(at, at + 1, "")])
        return
    wanted = _CLOSING[found[2]]
    before = line.code[:column]
    named = re.search(r",\s*\w+\s*=[^=].*$", before)
    if named:
        yield Repair(syntax.MISMATCHED, _BRACKET, [line.edit(named.start(), named.start(), wanted)])
    if before.count(found[2]) > before.count(wanted) and _opens(broken, found[1]) > 0:
        yield Repair(syntax.MISMATCHED, _BRACKET, [line.edit(column, column, wanted)])
    yield Repair(syntax.MISMATCHED, Text(f"`{wanted}`", f"`{wanted}`"), [line.edit(column, column + 1, wanted)])
    yield Repair(syntax.MISMATCHED, _BRACKET, [line.edit(column, column, wanted)])
    if line.code[column + 1 : column + 2] == found[1]:
        yield Repair(syntax.MISMATCHED, Text(f"`{wanted}`", f"`{wanted}`"), [line.edit(column, column + 2, wanted)])
    yield Repair(syntax.MISMATCHED, Text("Delete the bracket", "删掉多余的括号"), [line.edit(column, column + 1, "")])


def _opens(broken: Broken, closing: str) -> int:
    """How many brackets that this one would close stand open."""
    opening = next(key for key, value in _CLOSING.items() if value == closing)
    text = "\n".join(line.code for line in numbered(broken.source) if line.number < broken.span.line)
    text += broken.line.code[: broken.span.column]
    return text.count(opening) - text.count(closing)


def _text_end(broken: Broken) -> Iterator[Repair]:
    """The quotation mark at the end of the line or before its brackets; other marks around a text that holds one."""
    if not broken.message.startswith(("unterminated", "EOL")):
        return
    line, column = broken.line, broken.span.column
    mark = next((one for one in line.text[column : column + 3] if one in "'\""), "'")
    words = Text("Close the text", "补上引号")
    if "triple" in broken.message:
        last = broken.at(len(lines_of(broken.source)))
        yield Repair(syntax.UNTERMINATED, words, [last.edit(len(last.text), len(last.text), mark * 3)])
        return
    other = '"' if mark == "'" else "'"
    places = [at for at, sign in enumerate(line.text) if sign == mark]
    if len(places) > 2 and other not in line.text:
        edits = [line.edit(at, at + 1, other) for at in (places[0], places[-1])]
        yield Repair(syntax.UNTERMINATED, Text(f"Other quotation marks: `{other}`", f"换用引号 `{other}`"), edits)
    end = len(line.text.rstrip())
    while end > column and line.text[end - 1] in ")]}:, ":
        end -= 1
    for at in range(end, len(line.text.rstrip()) + 1):
        yield Repair(syntax.UNTERMINATED, words, [line.edit(at, at, mark)])


def _braces(broken: Broken) -> Iterator[Repair]:
    """Quotation marks inside of an f-string, a brace that is missing."""
    if not broken.message.startswith("f-string"):
        return
    line = broken.line
    for found in re.finditer(r"[fF](['\"])", line.text):
        mark, start = found[1], found.end()
        end = line.text.rfind(mark)
        other = '"' if mark == "'" else "'"
        inner = [at for at in range(start, end) if line.text[at] == mark]
        if inner and other not in line.text[start:end]:
            edits = [line.edit(at, at + 1, other) for at in inner]
            yield Repair(syntax.F_STRING, Text(f"`{other}` inside", f"里面用 `{other}`"), edits)
        close = line.text.find(mark, start)
        if close >= 0:
            yield Repair(syntax.F_STRING, Text("Close the brace", "补上 `}`"), [line.edit(close, close, "}")])


def _commas(broken: Broken) -> Iterator[Repair]:
    """A comma between values that stand side by side: all of them, or one."""
    if "comma" not in broken.message:
        return
    gap = r"(?<=[\w\])}\"'\x00.])(?<!\bin)(?<!\bif)(?<!\bor)(?<!\bas)(?<!\bis)\s+(?=[\w(\[{\"'\x00-])(?!(?:if|else|for|in|and|or|is|not|as)\b)"
    line = broken.line
    words = Text("Write the comma", "补上逗号")
    for number in range(broken.span.line, broken.span.end_line + 1):
        line = broken.at(number)
        found = [one for one in re.finditer(gap, line.code) if not _after_keyword(line.code, one.start())]
        inside = [one for one in found if number > broken.span.line or one.start() >= broken.span.column - 1]
        for chosen in (inside, found, *([one] for one in found)):
            yield Repair(syntax.MISSING_COMMA, words, [line.edit(one.start(), one.start(), ",") for one in chosen])
        end = len(line.code.rstrip("\x00 "))
        if number < broken.span.end_line and line.text.strip():
            yield Repair(syntax.MISSING_COMMA, words, [line.edit(end, end, ",")])


def _after_keyword(code: str, at: int) -> bool:
    return bool(
        re.search(
            r"\b(?:if|else|for|in|and|or|is|not|as|return|import|from|lambda|def|class|while|with|del)$", code[:at]
        )
    )


ALL: Final[tuple[Proposer, ...]] = (colons.missing, _mismatched, _never_closed, _text_end, _braces, _commas)
