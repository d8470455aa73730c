"""The backward passes of a trace: their steps, and what they computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradflow.engine.trace.values import Number, Span, Value


@dataclass(frozen=True, slots=True)
class GradInput:
    """The gradient that leaves along one input edge: the vector-Jacobian product.

    Its rule is that of the function for the edge's input. ``expanded`` is the gradient before broadcasting was undone,
    where it was.
    """

    edge: str
    value: Value
    expanded: Value | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One function run backward. ``freed`` names the saved variables that were let go after it.

    ``read`` has, for saved variables, the number of the version that the arithmetic used, where that is not the first. It
    is another than ``Saved.version`` where the tensor was written through ``.data`` since: a function saves a reference.
    """

    node: str
    grad_outputs: list[Value | None]
    grad_inputs: list[GradInput]
    freed: list[str]
    read: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Accumulation:
    """``before + incoming = after`` in the ``.grad`` of a leaf. ``step`` is the index of the step whose gradient came last."""

    tensor: str
    before: Value | None
    incoming: Value
    after: Value
    step: int


@dataclass(frozen=True, slots=True)
class Root:
    """Where a pass begins: an output and the gradient given for it."""

    tensor: str
    gradient: Value
    argument: str | None
    """Id of the tensor that the program passed as gradient; None where it was implicit or came with the request."""


@dataclass(frozen=True, slots=True)
class Jacobian:
    """Rows by output element, columns by the tensor's element, both row-major."""

    shape: list[int]
    rows: list[list[Number]]


@dataclass(frozen=True, slots=True)
class LocalJacobian:
    """The Jacobian of one function from an ``output`` (its number) to the input at ``edge``, without its zeros: ``values`` at
    ``rows``, elements of the output, and ``columns``, elements of the input, both row-major. ``shape``: their numbers.

    ``reads`` has the ids of the tensors whose values its rule names: it is the same whatever all other inputs are.
    """

    edge: str
    output: int
    shape: list[int]
    rows: list[int]
    columns: list[int]
    values: list[Number]
    reads: list[str]


@dataclass(frozen=True, slots=True)
class Pass:
    """One call of ``backward`` or ``autograd.grad``. ``root`` and ``gradient`` are those of the first of ``roots``.

    ``gradient_span`` is the gradient argument in the source. ``gradients`` holds the gradient of every tensor that the
    pass reached, leaves and intermediates. A pass that raised has the steps up to there, and ``complete`` false.
    """

    id: str
    kind: Literal["backward", "grad"]
    root: str
    gradient: Value
    roots: list[Root]
    span: Span | None
    gradient_span: Span | None
    retain_graph: bool
    create_graph: bool
    steps: list[Step]
    gradients: dict[str, Value]
    accumulations: list[Accumulation]
    jacobian: dict[str, Jacobian] | None = None
    complete: bool = True
