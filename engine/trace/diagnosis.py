"""How a run ended: errors with their explanation and fix, and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradflow.engine.trace.values import Span


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in both languages of the page."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of ``span`` by ``text``; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the program that a reader can apply with one click."""

    title: Text
    edits: list[Edit]


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of the program's call stack at the time of an error, outermost first."""

    function: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """The exception that ended the run. ``tensor`` is the tensor it is about, where there is one.

    ``cause`` is where the mistake stands, if that is not the place that raised. ``choices`` are all fixes where the program
    can have meant several things, of which ``fix`` is the first; else there are none.
    """

    type: str
    message: str
    code: str
    span: Span | None
    explanation: Text
    fix: Fix | None
    tensor: str | None = None
    frames: list[Frame] = field(default_factory=list)
    cause: Span | None = None
    choices: list[Fix] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Note:
    """A trap that a program walked into without an error: what it is, where, and which tensors it concerns."""

    code: str
    span: Span | None
    explanation: Text
    fix: Fix | None
    tensors: list[str]


@dataclass(frozen=True, slots=True)
class WarningRecord:
    """A warning, as Python's ``warnings`` would report it."""

    category: str
    message: str
    span: Span | None
