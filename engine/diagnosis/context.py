"""What the run knows of the error that ended it, beyond the exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine.recording.entries import CodePosition, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Span, Text

UNKNOWN: Final = object()
"""The value of an expression of which nothing is known."""


@dataclass(frozen=True)
class Context:
    """What the run knows of an error beyond the exception. Everything is optional.

    ``name``, ``shape`` and ``tensor`` (its id in the trace) belong to the tensor that the error is about. ``span`` is
    the place of the error, by default the innermost expression of the program. ``related`` is another place that
    matters: the first backward call for a second one, the in-place write for a saved variable; ``writes`` are all such
    writes. ``made_at`` gives the tensor that the expression at a span gave last, ``within_call`` those that were made
    while the call at a span ran last, with their places, and ``span_at`` a place's span. ``origins`` are the tensors that
    the tensor of the error was computed from, itself first, and ``savers`` the functions that saved, before it was
    written, what the pass needed, last first. ``first_nan`` is where the first nan was made of numbers, of what a
    tensor was computed from or, for None, of the whole run: the place, its text, and why.
    """

    span: Span | None = None
    name: str | None = None
    shape: Sequence[int] | None = None
    tensor: str | None = None
    related: Span | None = None
    writes: Sequence[Span] = ()
    made_at: Callable[[Span], object] = lambda span: UNKNOWN
    within_call: Callable[[Span], Sequence[TensorEntry]] = lambda span: ()
    span_at: Callable[[CodePosition | None], Span | None] = lambda place: None
    origins: Callable[[], Sequence[Origin]] = tuple
    savers: Callable[[], Sequence[Span]] = tuple
    first_nan: Callable[[Tensor | None], tuple[Span | None, str, Text] | None] = lambda tensor: None


@dataclass(frozen=True)
class Origin:
    """A tensor that another one was computed from: where, by which operation, and in a backward pass at which span."""

    span: Span | None
    names: Sequence[str]
    operation: str
    requires_grad: bool
    floating: bool
    backward: Span | None = None
