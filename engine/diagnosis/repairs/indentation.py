"""Repairs of the spaces at the beginning of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.repairs.broken_text import Broken, Proposer, Repair
from gradflow.engine.diagnosis.repairs.closings import meaning
from gradflow.engine.diagnosis.repairs.lines import Line, numbered
from gradflow.engine.errors.language import syntax
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Span, Text

_STEP: Final = "    "
_MOST_LINES: Final = 30
_METHOD: Final = re.compile(r"\s*def\s+\w+\s*\(\s*(?:self|ctx|cls)\b")


_HEAD: Final = re.compile(r"expected an indented block after .* on line (\d+)")
_LONGEST: Final = 48


def missing_block(source: str, message: str, span: Span | None) -> dict[str, object]:
    """The line that opens a block, and the one that should have been the first of it, for the words of the catalogue."""
    found = _HEAD.match(message)
    lines = lines_of(source)
    if found is None or span is None or not 0 < int(found[1]) < span.line <= len(lines):
        return {}
    head, body = (" ".join(lines[number - 1].split("#")[0].split()) for number in (int(found[1]), span.line))
    if not head.endswith(":") or not body or "`" in head + body:
        return {}
    shown = [one if len(one) <= _LONGEST else f"{one[: _LONGEST - 1]}…" for one in (head, body)]
    return {"head": shown[0], "head_line": int(found[1]), "body": shown[1], "body_line": span.line}


def _tabs(broken: Broken) -> Iterator[Repair]:
    """Spaces for tabs, as wide as most editors show them."""
    if "tab" not in broken.message.lower():
        return
    for width in (4, 8):
        edits = [
            line.edit(0, len(line.indent), line.indent.expandtabs(width))
            for line in numbered(broken.source)
            if "\t" in line.indent
        ]
        yield Repair(syntax.TABS, Text("Spaces instead of tabs", "把制表符换成空格"), edits)


def _block(broken: Broken) -> Iterator[Repair]:
    """Indent what must belong to the block; ``pass`` where there is nothing."""
    if not broken.message.startswith("expected an indented block"):
        return
    line = broken.line
    head = next((broken.at(k) for k in range(line.number - 1, 0, -1) if broken.at(k).text.strip()), line)
    group = _together(broken, line)
    if head.text.lstrip().startswith("class ") and _METHOD.match(line.text):
        edits = [one.edit(0, 0, _STEP) for one in _methods(broken, line)]
        yield Repair(syntax.MISSING_BLOCK, Text("Indent the block", "缩进代码块"), edits)
        return
    starts_anew = line.text.lstrip().startswith(("def ", "class ", "@", "elif", "else", "except", "finally"))
    if starts_anew or not line.text.strip() or head.number >= line.number or head.number + 1 < line.number:
        end = len(head.text.rstrip())
        yield Repair(
            syntax.MISSING_BLOCK,
            Text("Write `pass`", "写上 `pass`"),
            [head.edit(end, end, f"\n{head.indent}{_STEP}pass")],
        )
        return
    returns = [k for k, one in enumerate(group) if one.text.lstrip().startswith("return")]
    if head.text.lstrip().startswith("def ") and returns:
        group = group[: returns[0] + 1]
    elif len(group) > 1 and not head.text.lstrip().startswith(("def ", "class ")):
        group = _only_block(broken, group)
        if not group:
            return
    edits = [one.edit(0, 0, _STEP) for one in group]
    yield Repair(syntax.MISSING_BLOCK, Text("Indent the block", "缩进代码块"), edits)


def _only_block(broken: Broken, group: list[Line]) -> list[Line]:
    """The lines of a group that belong to the block, if no others can; the first alone where the second stands too deep for another."""
    readings: dict[str, list[Line]] = {}
    for count in range(1, min(len(group), _MOST_LINES) + 1):
        said = meaning(apply_edits(broken.source, [one.edit(0, 0, _STEP) for one in group[:count]]))
        if said is not None:
            readings.setdefault(said, group[:count])
    found = list(readings.values())
    slipped = len(group[1].indent) > len(group[0].indent) + len(_STEP)
    return found[0] if found and (len(found) == 1 or (slipped and len(found[0]) == 1)) else []


def _methods(broken: Broken, first: Line) -> list[Line]:
    """The methods from a line on, up to what is none."""
    group: list[Line] = []
    for number in range(first.number, len(lines_of(broken.source)) + 1):
        line = broken.at(number)
        if line.text.strip():
            if len(line.indent) <= len(first.indent) and not _METHOD.match(line.text) and line.text.lstrip()[:1] != "@":
                break
            group.append(line)
    return group


def _together(broken: Broken, first: Line) -> list[Line]:
    """The lines from one on that are indented at least as far, up to an empty one."""
    group: list[Line] = []
    for number in range(first.number, len(lines_of(broken.source)) + 1):
        line = broken.at(number)
        if not line.text.strip() or len(line.indent) < len(first.indent):
            break
        group.append(line)
    return group


def _too_far(broken: Broken) -> Iterator[Repair]:
    """As far as the line before."""
    if broken.message != "unexpected indent":
        return
    line = broken.line
    before = next((broken.at(k) for k in range(line.number - 1, 0, -1) if broken.at(k).text.strip()), None)
    indent = before.indent if before else ""
    surplus = len(line.indent) - len(indent)
    edits = [one.edit(len(indent), len(indent) + surplus, "") for one in _together(broken, line)]
    yield Repair(syntax.UNEXPECTED_INDENT, Text("Take away the spaces", "去掉多余的空格"), edits)
    yield Repair(syntax.UNEXPECTED_INDENT, Text("Take away the spaces", "去掉多余的空格"), edits[:1])


def _between(broken: Broken) -> Iterator[Repair]:
    """The nearest column in which a block around begins."""
    if not broken.message.startswith("unindent"):
        return
    line = broken.line
    known = {
        len(one.indent): one.indent for one in numbered(broken.source) if one.number < line.number and one.text.strip()
    }
    group = [one for one in _together(broken, line) if len(one.indent) == len(line.indent)]
    for width in sorted(known, key=lambda width: abs(width - len(line.indent))):
        for lines in (group, group[:1]):
            edits = [one.edit(0, len(one.indent), known[width]) for one in lines]
            yield Repair(syntax.UNMATCHED_INDENT, Text("Align the line", "对齐这一行"), edits)


ALL: Final[tuple[Proposer, ...]] = (_tabs, _block, _too_far, _between)
