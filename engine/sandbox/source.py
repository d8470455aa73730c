"""Pasted text -> Python source: prompts, lines of IPython, a byte order mark, a common indentation
and the prose around fenced code are taken off.

Every line of the result is the end of the line of the same number in the pasted text, empty, or ``pass``, so that a position
is carried back by adding one number. A text that is a Python program already is left alone.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine.sandbox.sessions.converted_cells import expand_cells
from gradflow.engine.sandbox.sessions.echo import Entry
from gradflow.engine.sandbox.sessions.fences import without_prose
from gradflow.engine.sandbox.sessions.magics import DroppedLine, without_magics

_NEWLINE = re.compile(r"\r\n|\r|\n")
_PYTHON_PROMPT = re.compile(r"\s*>>> ?")
_PYTHON_CONTINUATION = re.compile(r"\s*\.\.\.(?: |$)")
_CELL_PROMPT = re.compile(r"\s*In ?\[([\d *]*)\]: ?")
_CELL_CONTINUATION = re.compile(r"\s*\.{3,}: ?")
_CELL_OUTPUT = re.compile(r"\s*Out ?\[\d*\]:")
_LOOKS_PRINTED = re.compile(
    r"-{3,}|Traceback\b|[\w.]*(?:Error|Exception|Warning)\b(?!\()|tensor\(|torch\.Size\(|<[\w.]+ |<ipython|[~/]\S*\.py|\[\[|array\("
    r"|(?:[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|True|False|None)$"
)
_TRACEBACK = "Traceback (most recent call last)"
_ERROR_LINE = re.compile(r"\s*(?:[A-Za-z_]\w*\.)*_*([A-Z]\w*)(?::|$)")
_BYTE_ORDER_MARK = "\ufeff"


def lines_of(text: str) -> list[str]:
    """The lines of a pasted text, however they end."""
    return _NEWLINE.split(text)


@dataclass(frozen=True)
class Source:
    """``text`` is what Python reads; ``shifts[i]`` is how many code points were taken off the front of line i + 1.

    ``tree`` is there where the pasted text was a program already, for then it has been parsed. ``entries`` are what was
    typed at the prompts of a session, ``dropped`` the lines of IPython that do not run.
    """

    pasted: str
    text: str
    shifts: tuple[int, ...]
    tree: ast.Module | None = None
    entries: tuple[Entry, ...] = ()
    dropped: tuple[DroppedLine, ...] = ()

    def column(self, line: int, column: int) -> int:
        """The column in the pasted text of a column (in code points) of the program text."""
        return column + (self.shifts[line - 1] if 0 < line <= len(self.shifts) else 0)


def read(pasted: str) -> Source:
    """The program in a pasted text."""
    mark = len(_BYTE_ORDER_MARK) if pasted.startswith(_BYTE_ORDER_MARK) else 0
    lines = lines_of(pasted[mark:])
    shifts = [0] * len(lines)
    tree = _program("\n".join(lines))
    entries: tuple[Entry, ...] = ()
    dropped: tuple[DroppedLine, ...] = ()
    if tree is None:
        lines, shifts, prose = without_prose(lines, shifts)
        if _has_prompt(lines):
            entries = tuple(_entries(lines))
            lines, typed = _session(lines, typing=_begins_typed(lines))
            shifts = [a + b for a, b in zip(shifts, typed, strict=True)]
        lines, shifts = _dedent(lines, shifts)
        lines, shifts, dropped = without_magics(lines, shifts, {entry.line for entry in entries})
        dropped = (*prose, *dropped)
    elif any(line.lstrip().startswith("get_ipython().") for line in lines):
        cells = expand_cells(tree)
        lines, shifts, dropped = without_magics(lines, shifts, (), cells)
    shifts[0] += mark
    return Source(pasted, "\n".join(lines), tuple(shifts), tree, entries, dropped)


def _program(text: str) -> ast.Module | None:
    """The tree of a text that can be run as it is. ``In [3]: a.grad`` is Python too, an annotation."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if any(_is_cell_annotation(statement) for statement in tree.body) else tree


def _is_cell_annotation(statement: ast.stmt) -> bool:
    match statement:
        case ast.AnnAssign(
            target=ast.Subscript(value=ast.Name(id="In" | "Out"), slice=ast.Constant(value=int())), value=None
        ):
            return True
    return False


def _has_prompt(lines: list[str]) -> bool:
    return any(_PYTHON_PROMPT.match(line) or _CELL_PROMPT.match(line) for line in lines)


def _entries(lines: list[str]) -> Iterator[Entry]:
    """What was typed at each prompt. Cells that were not run yet are numbered on."""
    cell = 0
    starts = [(number, line) for number, line in enumerate(lines) if _has_prompt([line])]
    ends = [number for number, _ in starts[1:]] + [len(lines)]
    for (start, line), end in zip(starts, ends, strict=True):
        failure = _failure(lines[start + 1 : end])
        if prompt := _CELL_PROMPT.match(line):
            cell = int(prompt[1]) if prompt[1].strip().isdigit() else cell + 1
            yield Entry(start + 1, cell, failure)
        else:
            yield Entry(start + 1, None, failure)


def _failure(output: list[str]) -> str | None:
    """The type of the error that a session shows behind an entry, without its module."""
    if not any(_TRACEBACK in line for line in output):
        return None
    named = [found[1] for line in output if (found := _ERROR_LINE.match(line))]
    return named[-1] if named else None


def _begins_typed(lines: list[str]) -> bool:
    """Whether what stands before the first prompt is a program, and not what the interpreter says when it starts."""
    before = list(itertools.takewhile(lambda line: not _has_prompt([line]), lines))
    before, shifts = _dedent(before, [0] * len(before))
    return _program("\n".join(without_magics(before, shifts, ())[0])) is not None


def _session(lines: list[str], *, typing: bool) -> tuple[list[str], list[int]]:
    """The typed lines of a session without their prompts, and empty lines where output was.

    typing: whether the lines before the first prompt are typed ones.
    """
    kept: list[str] = []
    shifts: list[int] = []
    prompted = any(_CELL_CONTINUATION.match(line) for line in lines)  # then no plain line is a typed one
    for line in lines:
        shift, typing = _typed(line, typing)
        typing = typing and not prompted
        kept.append("" if shift is None else line[shift:])
        shifts.append(shift or 0)
    return kept, shifts


def _typed(line: str, typing: bool) -> tuple[int | None, bool]:
    """Where the typed part of a line begins (None for output), and whether plain lines after it are typed ones."""
    if prompt := _CELL_PROMPT.match(line):
        return prompt.end(), True
    if prompt := _PYTHON_PROMPT.match(line):
        return prompt.end(), False
    if prompt := _CELL_CONTINUATION.match(line) or _PYTHON_CONTINUATION.match(line):
        return prompt.end(), False  # a cell whose lines are prompted has no plain ones
    if not typing or _CELL_OUTPUT.match(line) or _LOOKS_PRINTED.match(line):
        return None, False
    return 0, True


def _dedent(lines: list[str], shifts: list[int]) -> tuple[list[str], list[int]]:
    margins = {len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()}
    margin = min(margins, default=0)
    whitespace = {line[:margin] for line in lines if line.strip()}
    if margin == 0 or len(whitespace) > 1:
        return lines, shifts
    return [line[margin:] for line in lines], [
        shift + min(margin, len(line)) for line, shift in zip(lines, shifts, strict=True)
    ]
