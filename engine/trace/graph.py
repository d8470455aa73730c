"""The graph of a trace: tensors, functions, and what connects them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradflow.engine.trace.values import Span, Value


@dataclass(frozen=True, slots=True)
class TensorVersion:
    """One of the values of a tensor over time."""

    version: int
    """Number of the value, from 0, for what names it: ``read``, ``Saved.version``, a write's ``before`` and ``after``."""
    value: Value
    """The values that it had then."""
    event: int | None
    """Index in ``Trace.events`` of what wrote it; null for the first value, and where no event tells of it."""


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """One tensor at one place of the graph.

    A write that gives it another place (another ``grad_fn``) makes a record of its own. One that leaves it where it is (a
    leaf that an optimizer changes, ``x.data``, ``no_grad``) adds a value to ``versions``.
    """

    id: str
    """``t`` and a number."""
    names: list[str]
    """The program's names for it, ``w``, ``model.0.weight``, ``x.grad``; empty where it has none."""
    expression: str
    """Source text that made it, at most 200 characters; empty for inputs of the request."""
    shape: list[int]
    """Length of each dimension; empty for a single number."""
    dtype: str
    """The dtype as PyTorch names it without ``torch.``, such as ``float32``."""
    requires_grad: bool
    """Whether gradients are computed for it, as at the last value; true of every leaf that one was added to, frozen since or not."""
    is_leaf: bool
    """Whether it is a leaf, as PyTorch's ``is_leaf`` has it."""
    version: int
    """PyTorch's count of writes (``_version``) at the last value."""
    view_of: str | None
    """Id of the tensor whose storage it shares; null where it has its own."""
    value: Value
    """Its values, the last where they were written."""
    grad: Value | None
    """The final ``.grad``, for leaves and after ``retain_grad``; null where it is None."""
    node: str | None
    """Id of the function that made it (that gradients go to, where the values were written without any being recorded);
    null for a tensor made from data, and where the function was left out."""
    span: Span | None
    """The expression that made it, in the source; null where the program has no text for it."""
    pass_id: str | None = None
    """Id of the backward pass with ``create_graph=True`` that made it; null for all other tensors."""
    place: str | None = None
    """Id of the place in which it was made; null at the top of the program."""
    versions: list[TensorVersion] = field(default_factory=list)
    """Its values over time, the first included; empty where it was never written."""
    label: str = ""
    """What to call it: a name, else the expression, else the id, with a prime for each time that it was written and made a
    record of its own."""
    symbol: str = ""
    """Its letter in formulas, in LaTeX, to which one formula adds primes where two tensors have the same."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A variable that a function keeps for its backward."""

    name: str
    """Its name in the formula of the gradient."""
    tensor: str
    """Id of the tensor that is kept."""
    version: int = 0
    """Which of the tensor's ``versions`` was kept."""


@dataclass(frozen=True, slots=True)
class Region:
    """The elements of a tensor that a CopySlices wrote."""

    shape: list[int]
    """Shape of what was written."""
    elements: list[int] | None
    """Flat indices of the written elements, row-major, into the whole tensor; null where they are more than 4096."""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One function of the graph: one call of an operation."""

    id: str
    """``n`` and a number."""
    kind: Literal["function", "constant", "copy_slices"]
    """``function`` has a gradient, ``constant`` has none (nothing that requires grad went in, or it ran under
    ``no_grad``, or it is not differentiable), ``copy_slices`` writes into a part of a tensor."""
    op: str
    """Name of the operation in the engine, such as ``mul``; docs/operations.md lists them."""
    symbol: str
    """What the picture shows in the pill (``@``, ``×``)."""
    grad_fn: str | None
    """What PyTorch names the function of the graph, such as ``MulBackward0``; null where it is in no graph."""
    inputs: list[str]
    """Ids of the tensors that went in, by the names of ``Rule.inputs``."""
    outputs: list[str]
    """Ids of the tensors that came out, by the names of ``Rule.outputs``."""
    attributes: dict[str, object]
    """What it was called with besides tensors, by name: settings, and operands that are plain numbers."""
    saved: list[Saved]
    """The variables that it keeps for its backward, in the order of its operands."""
    rule: str
    """Id of its rule in ``Trace.rules``."""
    span: Span | None
    """The call in the source; null where the program has no text for it."""
    scope: list[str]
    """Path of the modules that were being called, outermost first, else of the functions that the program was in; empty at
    the top of the program."""
    pass_id: str | None = None
    """Id of the backward pass with ``create_graph=True`` that called it; null for all other functions."""
    region: Region | None = None
    """What a ``copy_slices`` wrote; null for all other functions."""
    call: int | None = None
    """One number for all functions that one call in the program ran (a loss or a layer is composed of several); null
    for the program's own functions (``autograd.Function``) and for ``copy_slices``."""
    place: str | None = None
    """Id of the place in which it was called; null at the top of the program."""
    read: dict[str, int] = field(default_factory=dict)
    """By id of an input: which of its ``versions`` was read, for those of which it was not the first."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection from a tensor to a function that took it, or from a function to a tensor that it made."""

    id: str
    """``e`` and a number."""
    source: str
    """Id of the tensor or function from which it leads, in the direction of the forward."""
    target: str
    """Id of the function or tensor to which it leads, in the direction of the forward."""
    tensor: str
    """Id of the tensor at the one end of it."""
    input: int | None
    """Index of the tensor in ``NodeRecord.inputs``; null for an edge from a function to a tensor."""
