"""What a run did, in the program's order, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict  # what pydantic reads on Python 3.11

from gradflow.engine.trace.rules import Token
from gradflow.engine.trace.values import Span


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the run something happened: a call, a module's forward, a loop, one turn of it, or a pass that is
    recorded itself (``create_graph``)."""

    id: str
    """``s`` and a number."""
    kind: Literal["call", "module", "loop", "turn", "pass"]
    """A ``call`` of a function of the program, the forward of a ``module``, a ``loop``, one ``turn`` of it, or a
    ``pass`` that is recorded itself."""
    title: str
    """What to call it: the function's name, ``0 · Linear``, the loop's head, ``epoch = 2`` or the turn's number, the
    pass's id."""
    parent: str | None
    """Id of the place that it is in, for a turn its loop; null at the top of the program."""
    span: Span | None
    """The call or the loop in the source; null where the place is not known."""
    turn: int | None = None
    """Number of the turn, from 0; null in places of any other kind."""
    variable: str | None = None
    """The loop's target with its value in this turn, ``epoch = 2``; null where that is long, or no turn of a ``for``."""
    turns: int | None = None
    """How many turns a loop had, up to the last in which something was recorded, told or left out; null in places of any
    other kind."""


class During(TypedDict):
    """Something that happened while a pass ran, in a hook. A hook on a leaf runs after the step that sends to the leaf,
    before the gradient is added."""

    pass_id: str
    """Id of the pass that was running."""
    step: int
    """Index in ``Pass.steps`` of the step that came next; their number, where none came."""


class _Happened(TypedDict):
    """What all events have."""

    place: str | None
    """Id of the place in which it happened; null at the top of the program."""
    span: Span | None
    """What in the source did it; null for what the program has no text for, such as a pass that the request asked for."""
    during: NotRequired[During]
    """Of which pass it was a part; it is left out where no pass was running."""


class FunctionEvent(_Happened):
    """A function of the graph was called."""

    kind: Literal["function"]
    """Tells this kind of event from the others."""
    node: str
    """Id of the function."""


_OfPass = TypedDict("_OfPass", {"pass": str})
"""Id of the pass."""


class PassEvent(_OfPass, _Happened):
    """A backward pass."""

    kind: Literal["pass"]
    """Tells this kind of event from the others."""


class WriteEvent(_Happened):
    """A tensor was written: in place, through ``.data``, or under ``no_grad``."""

    kind: Literal["write"]
    """Tells this kind of event from the others."""
    tensor: str
    """Id of the tensor that was written, or whose ``.grad`` was."""
    of: Literal["value", "grad"]
    """Whether the values of ``tensor`` were written or its ``.grad``."""
    grad: str | None
    """Id of the tensor that is the ``.grad``; null where the values of ``tensor`` were written."""
    before: int | None
    """Number in ``TensorRecord.versions`` of the values before, those of ``tensor``, and for a gradient those of ``grad``;
    null where another tensor took its place (``x.grad = g``)."""
    after: int
    """Number in ``TensorRecord.versions`` of the values that were written, those of ``tensor`` or of ``grad``."""
    by: Literal["in_place", "data", "no_grad"]
    """By which way: an operation in place, through ``.data``, or under ``no_grad``."""
    expression: str
    """Source text of the statement, at most 200 characters."""


class ZeroEvent(_Happened):
    """``.grad`` was set to None, or to zeros, where it was set."""

    kind: Literal["zero"]
    """Tells this kind of event from the others."""
    tensors: list[str]
    """Ids of the tensors whose ``.grad`` it was."""
    to: Literal["none", "zeros"]
    """Whether it is None now or has zeros."""


class StepEvent(_Happened):
    """An optimizer's ``step``."""

    kind: Literal["step"]
    """Tells this kind of event from the others."""
    optimizer: str
    """Name of the optimizer's class."""
    tensors: list[str]
    """Ids of the leaves that it changed."""
    rule: list[Token]
    """How one element changes, one assignment a token, specialised to the settings of the first group."""
    state: dict[str, object]
    """``symbols`` (the letter of each setting and buffer, in LaTeX), ``groups`` (the tensors of each group of parameters,
    its settings, and its rule where it is another one), and ``buffers``: by tensor and name the values ``before`` and
    ``after``, where they are small."""


class PrintEvent(_Happened):
    """The program printed something."""

    kind: Literal["print"]
    """Tells this kind of event from the others."""
    text: str
    """What was printed, line breaks included."""


class HookEvent(_Happened):
    """A hook of the program ran."""

    kind: Literal["hook"]
    """Tells this kind of event from the others."""
    tensor: str | None
    """Id of the tensor that it was registered on; null for a hook on a function."""
    node: str | None
    """Id of the function that it was registered on, where the trace has it; null for a hook on a tensor."""


class MarkEvent(_Happened):
    """Something that changes no value but what follows: ``requires_grad_()``, ``detach_()``, a schedule's ``step()``."""

    kind: Literal["mark"]
    """Tells this kind of event from the others."""
    tensors: list[str]
    """Ids of the tensors that it was done to; may be empty."""
    expression: str
    """Source text of the statement, at most 200 characters."""


Event: TypeAlias = FunctionEvent | PassEvent | WriteEvent | ZeroEvent | StepEvent | PrintEvent | HookEvent | MarkEvent
