"""Lines of IPython in a pasted notebook: ``%matplotlib inline``, ``%%time``, ``!pip install x``, ``help?``;
and as a script that was made from one has them: ``get_ipython().run_line_magic(...)``.

They are taken out where a statement could begin, for inside of an expression ``%`` is an operator. What a line such as
``%time f(x)`` runs stays. A line that stood in a block becomes ``pass``, so that no block is left empty.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(r"#.*|'''|\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[\[({]|[\])}]|\\$")
_CELL_MAGIC: Final = re.compile(r"%%(\w+)")
RUNNING: Final = ("time", "timeit", "prun", "memit")
"""What runs the statement behind it."""
_RUNNING: Final = re.compile(rf"%(?:{'|'.join(RUNNING)})\b(?:\s+-\w+(?:[ \t]+\d+)?)*[ \t]*")
_LINE: Final = re.compile(r"%\s*[A-Za-z_]|!|get_ipython\(\)\.|\?{1,2}\s*[\w.]+$|[\w.*]+\?{1,2}$")
_NEXT_CELL: Final = re.compile(r"# ?%%|# In ?\[")
FOREIGN: Final = frozenset(
    {"bash", "sh", "script", "system", "cmd", "html", "HTML", "javascript", "js", "latex", "markdown", "svg", "SVG"}
    | {"writefile", "file", "perl", "ruby", "R", "sql", "bigquery", "cython", "cpp", "python2", "pypy"}
)
"""Cell magics after which the cell is not a program of Python."""


@dataclass(frozen=True)
class DroppedLine:
    """A line that does not run: its number, the columns of its text, and what it asked of IPython, or the prose that it is."""

    line: int
    column: int
    end_column: int
    text: str
    is_prose: bool = False


def without_magics(
    lines: Sequence[str], shifts: Sequence[int], starts: Collection[int], cells: Collection[int] = ()
) -> tuple[list[str], list[int], tuple[DroppedLine, ...]]:
    """The lines without those of IPython, how far each was moved to the left, and the lines that were dropped.

    starts: the numbers of lines at which a cell begins; cells: those of calls that run a cell, which stay.
    """
    kept, moved, dropped = list(lines), list(shifts), list[DroppedLine]()
    statement, foreign, goes_on = _Statement(), False, False
    for index, line in enumerate(lines):
        foreign = foreign and index + 1 not in starts and not _NEXT_CELL.match(line)
        text = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        cell = None if statement.is_open else _CELL_MAGIC.match(text)
        foreign = foreign or (cell is not None and cell[1] in FOREIGN)
        goes_on = goes_on and index + 1 not in starts
        asks = goes_on or foreign or cell is not None
        if index + 1 not in cells and (asks or (not statement.is_open and _LINE.match(text))):
            run = "" if asks or not (found := _RUNNING.match(text)) else text[found.end() :]
            kept[index] = indent + run if run else indent + "pass" if indent and not foreign and not goes_on else ""
            moved[index] += len(text) - len(run) if run else 0
            goes_on = not run and not foreign and text.endswith("\\")
            if text and not run:
                column = shifts[index] + len(indent)
                dropped.append(DroppedLine(index + 1, column, column + len(text), text))
        else:
            goes_on = False
        statement.read(kept[index])
    return kept, moved, tuple(dropped)


class _Statement:
    """Whether the lines read so far leave a bracket, a text or a line open."""

    def __init__(self) -> None:
        self._depth, self._quotes, self._continued = 0, "", False

    @property
    def is_open(self) -> bool:
        return self._depth > 0 or bool(self._quotes) or self._continued

    def read(self, line: str) -> None:
        """The next line."""
        self._continued = False
        at = 0
        while at < len(line):
            if self._quotes:
                end = line.find(self._quotes, at)
                if end < 0:
                    return
                at, self._quotes = end + 3, ""
                continue
            token = _TOKEN.search(line, at)
            if token is None:
                return
            at = token.end()
            self._take(token[0])

    def _take(self, token: str) -> None:
        if token in ("'''", '"""'):
            self._quotes = token
        elif token in "[({":
            self._depth += 1
        elif token in "])}":
            self._depth = max(0, self._depth - 1)
        elif token == "\\":
            self._continued = True
