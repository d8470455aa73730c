"""The graph of a trace: tensors, functions, and what connects them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradflow.engine.trace.values import Span, Value


@dataclass(frozen=True, slots=True)
class TensorVersion:
    """One of the values of a tensor over time: its number, and the index of the event that wrote it, where there is one."""

    version: int
    value: Value
    event: int | None


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """One tensor at one place of the graph.

    A write that gives it another place (another ``grad_fn``) makes a record of its own. One that leaves it where it is (a
    leaf that an optimizer changes, ``x.data``, ``no_grad``) adds a value to ``versions``, which is empty where there was
    none; ``value`` is the last. ``version`` is PyTorch's count of writes at the last value.

    ``names`` are the program's names for it; ``expression`` is the source text that made it. ``label`` is what to call
    it: a name, else the expression, with a prime for each time that it was written and made a record of its own. ``symbol``
    is its letter (LaTeX) in formulas, to which one formula adds primes where two tensors have the same. ``view_of`` is the id of
    the tensor whose storage it shares. ``grad`` is the final ``.grad``, for leaves and after ``retain_grad``.
    ``node`` is the id of the function that made it (that gradients go to, where the values were written without any
    being recorded); None for a tensor made from data. ``pass_id`` is set on a tensor
    that a backward pass with ``create_graph=True`` made.
    """

    id: str
    names: list[str]
    expression: str
    shape: list[int]
    dtype: str
    requires_grad: bool
    is_leaf: bool
    version: int
    view_of: str | None
    value: Value
    grad: Value | None
    node: str | None
    span: Span | None
    pass_id: str | None = None
    place: str | None = None
    versions: list[TensorVersion] = field(default_factory=list)
    label: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """A variable that a function keeps for its backward: its name in the formula, the tensor, and which of its versions."""

    name: str
    tensor: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class Region:
    """What a CopySlices wrote: the flat indices (row-major, into the whole tensor) of the written elements."""

    shape: list[int]
    elements: list[int] | None


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One function of the graph.

    ``kind``: ``function`` has a gradient, ``constant`` has none (nothing that requires grad went in, or it ran under
    ``no_grad``, or it is not differentiable), ``copy_slices`` writes into a part of a tensor. ``symbol`` is what the
    picture shows in the pill (``@``, ``×``). ``rule`` is the id of its rule. ``call`` is one number for all
    functions that one call in the program ran (a loss or a layer is composed of several). ``read`` has the number of the
    version that was read, for inputs of which it was not the first.
    """

    id: str
    kind: Literal["function", "constant", "copy_slices"]
    op: str
    symbol: str
    grad_fn: str | None
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, object]
    saved: list[Saved]
    rule: str
    span: Span | None
    scope: list[str]
    pass_id: str | None = None
    region: Region | None = None
    call: int | None = None
    place: str | None = None
    read: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection tensor -> function (``input`` is the operand's index) or function -> tensor (``input`` is None)."""

    id: str
    source: str
    target: str
    tensor: str
    input: int | None
