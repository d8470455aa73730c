"""A text that is no program, and a change that may make it one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gradflow.engine.diagnosis.repairs.lines import Line
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.sandbox.source import lines_of
from gradflow.engine.trace import Edit, Span, Text


@dataclass(frozen=True)
class Repair:
    """What may be wrong, in an entry of the catalogue with its details, and the edits that would mend it.

    ``others``: edits that may be meant as well as these; None where they are more than can be told. ``says``: the words
    for this text, where they say more than the catalogue's.
    """

    kind: ErrorKind
    words: Text
    edits: list[Edit]
    details: dict[str, object] = field(default_factory=dict)
    others: Sequence[list[Edit]] | None = ()
    says: Text | None = None


@dataclass(frozen=True)
class Broken:
    """A text, and where and why Python stops reading it."""

    source: str
    message: str
    span: Span

    @property
    def line(self) -> Line:
        """The line at which Python stops."""
        return self.at(self.span.line)

    def at(self, number: int) -> Line:
        """A line by its number; an empty one where there is none."""
        lines = lines_of(self.source)
        return Line(number, lines[number - 1] if 0 < number <= len(lines) else "")


Proposer: TypeAlias = Callable[[Broken], Iterator[Repair]]
