"""How a run ended: errors with their explanation and fix, and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradflow.engine.trace.values import Span


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in both languages of the page."""

    en: str
    """In English."""
    zh: str
    """In Chinese, in simplified characters."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of a part of the program."""

    span: Span
    """What is replaced, in the program as it was sent; an empty span inserts."""
    text: str
    """What stands there afterwards; an empty text deletes."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the program that a reader can apply with one click."""

    title: Text
    """What the change does, as a button says it."""
    edits: list[Edit]
    """The replacements that make it up; all their places are those of the program before any."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of the program's call stack at the time of an error, outermost first."""

    function: str
    """Qualified name of the function that was running, such as ``Net.forward``; ``<module>`` at the top."""
    span: Span | None
    """What it was evaluating; null where the place is not known."""


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """The exception that ended the run."""

    type: str
    """Python's name of the exception's class, such as ``RuntimeError``, with its module where that is not Python's."""
    message: str
    """The exception's own words; those of PyTorch or Python, where they raise it."""
    code: str
    """Which entry of the catalogue of errors it is. Codes are stable; docs/errors.md explains each."""
    span: Span | None
    """Where in the program it was raised; null where the place is not known."""
    explanation: Text
    """What the error means in this program, and what to do."""
    fix: Fix | None
    """A change that mends it, proven by a run of the service; null where there is none."""
    tensor: str | None = None
    """Id of the tensor that it is about; null where it is about none."""
    frames: list[Frame] = field(default_factory=list)
    """The calls inside of the program that led to it, outermost first."""
    cause: Span | None = None
    """Where the mistake stands, if that is not the place that raised; else null."""
    choices: list[Fix] = field(default_factory=list)
    """All fixes where the program can have meant several things, of which ``fix`` is the first; else empty."""


@dataclass(frozen=True, slots=True)
class Note:
    """A trap that a program walked into without an error: what it is, where, and which tensors it concerns."""

    code: str
    """Which trap it is. Codes are stable; docs/traps.md explains each."""
    span: Span | None
    """Where in the program it is; null where the place is not known."""
    explanation: Text
    """What happened there, and what was probably meant."""
    fix: Fix | None
    """A change that mends it; null where none is certain."""
    tensors: list[str]
    """Ids of the tensors that it concerns; may be empty."""


@dataclass(frozen=True, slots=True)
class WarningRecord:
    """A warning, as Python's ``warnings`` would report it."""

    category: str
    """Name of the warning's class, such as ``UserWarning``."""
    message: str
    """What it says."""
    span: Span | None
    """Where in the program it was given; null where the place is not known."""
