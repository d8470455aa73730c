"""The lines of a text that is no program, and what of them is code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Edit, Span

_STRING: Final = re.compile(
    r"[rbfuRBFU]{0,2}(?:'''.*?(?:'''|$)|\"\"\".*?(?:\"\"\"|$)|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|#.*"
)


def code_of(line: str) -> str:
    """A line with its texts and comments blanked, at the same length."""
    return _STRING.sub(lambda found: "\x00" * len(found[0]), line)


@dataclass(frozen=True)
class Line:
    """One line: its number from 1, its text, and what of it is code."""

    number: int
    text: str

    @cached_property
    def code(self) -> str:
        """The text with strings and comments blanked."""
        return code_of(self.text)

    @property
    def indent(self) -> str:
        """The white space at the beginning."""
        return self.text[: len(self.text) - len(self.text.lstrip())]

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Replace a part of the line."""
        return Edit(Span(self.number, start, self.number, end), text)

    def replaced(self, pattern: str, text: str) -> list[Edit]:
        """Edits for every match of a pattern in the code, with its groups filled in."""
        return [
            self.edit(found.start(), found.end(), self._filled(text, found))
            for found in re.finditer(pattern, self.code)
        ]

    def _filled(self, text: str, found: re.Match[str]) -> str:
        """The groups are taken from the line itself: the code has its strings blanked."""
        return re.sub(r"\\(\d)", lambda group: self.text[found.start(int(group[1])) : found.end(int(group[1]))], text)


def numbered(source: str) -> Iterator[Line]:
    """All lines."""
    return (Line(number, text) for number, text in enumerate(lines_of(source), 1))
