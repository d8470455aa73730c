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
    recorded itself (``create_graph``). Places form one tree by ``parent``.

    ``turn`` counts from 0, in places of kind ``turn``; ``variable`` is the loop's target with its value, where short.
    """

    id: str
    kind: Literal["call", "module", "loop", "turn", "pass"]
    title: str
    parent: str | None
    span: Span | None
    turn: int | None = None
    variable: str | None = None


class During(TypedDict):
    """Something that happened while a pass ran, in a hook: ``step`` is the index of the step that came next. A hook on a leaf
    runs after the step that sends to the leaf, before the gradient is added."""

    pass_id: str
    step: int


class FunctionEvent(TypedDict):
    """A function of the graph was called."""

    kind: Literal["function"]
    node: str
    place: str | None
    span: Span | None
    during: NotRequired[During]


PassEvent = TypedDict(
    "PassEvent",
    {
        "kind": Literal["pass"],
        "pass": str,
        "place": str | None,
        "span": Span | None,
        "during": NotRequired[During],
    },
)
"""A backward pass."""


class WriteEvent(TypedDict):
    """A tensor was written: in place, through ``.data``, or under ``no_grad``; ``expression`` is the statement.

    ``of``: whether the values of ``tensor`` were written or its ``.grad``. ``before`` and ``after`` are the numbers of the
    values in ``TensorRecord.versions``: those of ``tensor``, and for a gradient those of ``grad``, the id of the tensor
    that is the ``.grad``. ``before`` is None where another tensor took its place (``x.grad = g``).
    """

    kind: Literal["write"]
    tensor: str
    of: Literal["value", "grad"]
    grad: str | None
    before: int | None
    after: int
    by: Literal["in_place", "data", "no_grad"]
    expression: str
    place: str | None
    span: Span | None
    during: NotRequired[During]


class ZeroEvent(TypedDict):
    """``.grad`` of these tensors was set to None, or to zeros."""

    kind: Literal["zero"]
    tensors: list[str]
    to: Literal["none", "zeros"]
    place: str | None
    span: Span | None
    during: NotRequired[During]


class StepEvent(TypedDict):
    """An optimizer's ``step``; ``tensors`` are the leaves that it changed.

    ``rule`` is how one element changes, one assignment a token, specialised to the settings. ``state`` has ``symbols`` (the
    letter of each setting and buffer), ``groups`` (the tensors of each group of parameters, its settings, and its rule
    where it is another one), and ``buffers``: by tensor and name the values ``before`` and ``after``, where they are small.
    """

    kind: Literal["step"]
    optimizer: str
    tensors: list[str]
    rule: list[Token]
    state: dict[str, object]
    place: str | None
    span: Span | None
    during: NotRequired[During]


class PrintEvent(TypedDict):
    """The program printed ``text``."""

    kind: Literal["print"]
    text: str
    place: str | None
    span: Span | None
    during: NotRequired[During]


class HookEvent(TypedDict):
    """A hook of the program ran; what it was registered on."""

    kind: Literal["hook"]
    tensor: str | None
    node: str | None
    place: str | None
    span: Span | None
    during: NotRequired[During]


class MarkEvent(TypedDict):
    """Something that changes no value but what follows: ``requires_grad_()``, ``detach_()``, a schedule's ``step()``."""

    kind: Literal["mark"]
    tensors: list[str]
    expression: str
    place: str | None
    span: Span | None
    during: NotRequired[During]


Event: TypeAlias = FunctionEvent | PassEvent | WriteEvent | ZeroEvent | StepEvent | PrintEvent | HookEvent | MarkEvent
