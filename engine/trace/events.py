"""What a run did, in the program's order, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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


class FunctionEvent(TypedDict):
    """A function of the graph was called."""

    kind: Literal["function"]
    node: str
    place: str | None
    span: Span | None


PassEvent = TypedDict("PassEvent", {"kind": Literal["pass"], "pass": str, "place": str | None, "span": Span | None})
"""A backward pass."""


class WriteEvent(TypedDict):
    """A tensor was written: in place, through ``.data``, or under ``no_grad``. ``before`` and ``after`` are the numbers
    of its values in ``TensorRecord.versions``."""

    kind: Literal["write"]
    tensor: str
    before: int
    after: int
    by: Literal["in_place", "data", "no_grad"]
    expression: str
    place: str | None
    span: Span | None


class ZeroEvent(TypedDict):
    """``.grad`` of these tensors was set to None, or to zeros."""

    kind: Literal["zero"]
    tensors: list[str]
    to: Literal["none", "zeros"]
    place: str | None
    span: Span | None


class StepEvent(TypedDict):
    """An optimizer's ``step``. ``rule`` is how one element changes; ``state`` has the settings and the buffers by name."""

    kind: Literal["step"]
    optimizer: str
    tensors: list[str]
    rule: list[Token]
    state: dict[str, object]
    place: str | None
    span: Span | None


class PrintEvent(TypedDict):
    """The program printed ``text``."""

    kind: Literal["print"]
    text: str
    place: str | None
    span: Span | None


class HookEvent(TypedDict):
    """A hook of the program ran; what it was registered on."""

    kind: Literal["hook"]
    tensor: str | None
    node: str | None
    place: str | None
    span: Span | None


Event: TypeAlias = FunctionEvent | PassEvent | WriteEvent | ZeroEvent | StepEvent | PrintEvent | HookEvent
