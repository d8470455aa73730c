"""The backward passes of a trace: their steps, and what they computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradflow.engine.trace.values import Number, Span, Value


@dataclass(frozen=True, slots=True)
class GradInput:
    """The gradient that leaves along one input edge: the vector-Jacobian product. Its rule is that of the function for
    the edge's input."""

    edge: str
    """Id of the edge from the input to the function, along which it travels backward."""
    value: Value
    """The gradient, in the shape of the input."""
    expanded: Value | None = None
    """The gradient before broadcasting was undone; null where nothing was broadcast."""


@dataclass(frozen=True, slots=True)
class Step:
    """One function run backward."""

    node: str
    """Id of the function."""
    grad_outputs: list[Value | None]
    """The upstream gradient of each of the function's outputs, in their order; null where none arrived."""
    grad_inputs: list[GradInput]
    """The gradients that leave, one for each input that gets any."""
    freed: list[str]
    """Names of the saved variables that were let go after it; empty with ``retain_graph``."""
    read: dict[str, int] = field(default_factory=dict)
    """By id of a saved tensor: which of its ``versions`` the arithmetic used, where that is not the first. It is another
    than ``Saved.version`` where the tensor was written through ``.data`` since: a function saves a reference."""


@dataclass(frozen=True, slots=True)
class Accumulation:
    """``before + incoming = after`` in the ``.grad`` of a leaf."""

    tensor: str
    """Id of the leaf."""
    before: Value | None
    """Its ``.grad`` before; null where it was None."""
    incoming: Value
    """The gradient that the pass added."""
    after: Value
    """Its ``.grad`` afterwards."""
    step: int
    """Index in ``Pass.steps`` of the step whose gradient came last."""


@dataclass(frozen=True, slots=True)
class Root:
    """Where a pass begins: an output and the gradient given for it."""

    tensor: str
    """Id of the output."""
    gradient: Value
    """The gradient given for it, in its shape; 1 where it was implicit."""
    argument: str | None
    """Id of the tensor that the program passed as gradient; null where it was implicit or came with the request."""


@dataclass(frozen=True, slots=True)
class Jacobian:
    """The derivatives of a pass's output by one tensor, as a matrix."""

    shape: list[int]
    """Number of the output's elements, and of the tensor's."""
    rows: list[list[Number]]
    """A row for each element of the output, with a column for each of the tensor's, both row-major."""


@dataclass(frozen=True, slots=True)
class LocalJacobian:
    """The Jacobian of one function from one of its outputs to one of its inputs, without its zeros."""

    edge: str
    """Id of the edge from the input to the function."""
    output: int
    """Index of the output in ``NodeRecord.outputs``."""
    shape: list[int]
    """Number of the output's elements, and of the input's."""
    rows: list[int]
    """For each of ``values`` the element of the output, as a flat index, row-major."""
    columns: list[int]
    """For each of ``values`` the element of the input, as a flat index, row-major."""
    values: list[Number]
    """The derivatives that are not zero."""
    reads: list[str]
    """Ids of the tensors whose values its rule names: it is the same whatever all other inputs are."""


@dataclass(frozen=True, slots=True)
class Row:
    """What PyTorch runs as one pass for a whole batch (``vmap``, ``jacrev``, ``is_grads_batched``) runs here as a pass for
    each row of it."""

    batch: int
    """Number of the batch, counted in the order in which they begin."""
    index: int
    """Which row, from 0."""
    count: int
    """How many rows the batch has."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One call of ``backward`` or ``autograd.grad``."""

    id: str
    """``p`` and a number, counted in the order of the calls."""
    kind: Literal["backward", "grad"]
    """Which of the two was called: ``backward`` adds into ``.grad``, ``autograd.grad`` returns the gradients."""
    root: str
    """Id of the output at which it begins, of the first where there are several."""
    gradient: Value
    """The gradient given for ``root``."""
    roots: list[Root]
    """All outputs at which it begins."""
    span: Span | None
    """The call in the source; null where the request asked for the pass."""
    gradient_span: Span | None
    """The argument in the source that says ``gradient``; null where the call has none, or has it in what it unpacks."""
    retain_graph: bool
    """Whether the graph was kept for another pass."""
    create_graph: bool
    """Whether the pass was recorded itself, so that its gradients can be differentiated."""
    steps: list[Step]
    """The functions in the order in which they ran backward; of a pass that raised, those up to there."""
    gradients: dict[str, Value]
    """By id: the gradient of every tensor that the pass reached, leaves and intermediates."""
    accumulations: list[Accumulation]
    """What was added into ``.grad``, in the order in which it was."""
    jacobian: dict[str, Jacobian] | None = None
    """By id of a tensor: the derivatives of ``root`` by it; null where they were not asked for or cannot be told."""
    complete: bool = True
    """Whether it ran to its end; false for a pass that raised."""
    rows: list[Row] = field(default_factory=list)
    """Of which batches it is a row, outermost first; empty for the most."""
