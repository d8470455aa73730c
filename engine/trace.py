"""The recorded run of a program, as frozen dataclasses. This is the JSON contract of the API.

Ids are strings: ``t3`` a tensor, ``n2`` a function (node), ``e5`` an edge, ``p0`` a backward pass. A tensor that is
written in place is recorded once for each version, every version under an id of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Number: TypeAlias = bool | int | float | str
"""An element: a number, or ``"NaN"``, ``"Infinity"``, ``"-Infinity"``."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the source. Lines count from 1, columns from 0 in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Corner:
    """The leading rows and columns (of the last two dimensions, all others at index 0) of a large array."""

    shape: list[int]
    data: list[Number]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told of an array with more than ``max_elements`` elements. NaN and infinities count apart."""

    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nan: int
    inf: int
    corner: Corner


@dataclass(frozen=True, slots=True)
class Value:
    """An array: row-major ``data``, or a ``summary`` where it is too large to be sent. Exactly one of the two is set."""

    shape: list[int]
    dtype: str
    data: list[Number] | None = None
    summary: Summary | None = None


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """One version of one tensor.

    ``names`` are the program's names for it; ``expression`` is the source text that made it. ``view_of`` is the id of
    the tensor whose storage it shares. ``grad`` is the final ``.grad``, for leaves and after ``retain_grad``.
    ``node`` is the id of the function that made it; None for a tensor made from data. ``pass_id`` is set on a tensor
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


@dataclass(frozen=True, slots=True)
class Saved:
    """A variable that a function keeps for its backward: its name in the formula, and the tensor."""

    name: str
    tensor: str


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
    picture shows in the pill (``@``, ``×``). ``formula`` is the forward rule in LaTeX. ``call`` is one number for all
    functions that one call in the program ran (a loss or a layer is composed of several).
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
    formula: str
    span: Span | None
    scope: list[str]
    pass_id: str | None = None
    region: Region | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection tensor -> function (``input`` is the operand's index) or function -> tensor (``input`` is None)."""

    id: str
    source: str
    target: str
    tensor: str
    input: int | None


Token: TypeAlias = "TexToken | OperandToken"


@dataclass(frozen=True, slots=True)
class TexToken:
    """A piece of mathematics between operands, in LaTeX."""

    tex: str
    kind: Literal["tex"] = "tex"


@dataclass(frozen=True, slots=True)
class OperandToken:
    """An array in a formula: its symbol in LaTeX, and its numbers.

    ``role`` says how it is drawn: a ``value`` as a plate, a ``gradient`` as beads. ``name`` is the name in the formula
    text (``g``, ``mat2``, ``result``); ``tensor`` the id of the card it belongs to, where there is one. ``transposed``:
    ``value`` is already transposed.
    """

    name: str
    tex: str
    role: Literal["value", "gradient"]
    value: Value
    tensor: str | None
    transposed: bool = False
    kind: Literal["operand"] = "operand"


@dataclass(frozen=True, slots=True)
class GradInput:
    """The gradient that leaves along one input edge: the vector-Jacobian product.

    ``formula`` is the rule in symbols, ``numbers`` the same with this run's numbers, both LaTeX; ``tokens`` is the
    right-hand side of the rule for a reader that draws the arrays itself (empty where the rule is given as words).
    ``tree`` is the rule's expression as nested lists, from which the sum behind one element can be written out.
    ``expanded`` is the gradient before broadcasting was undone, where it was.
    """

    edge: str
    value: Value
    formula: str
    numbers: str
    tokens: list[Token]
    tree: list[object] | None
    expanded: Value | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One function run backward. ``freed`` names the saved variables that were let go after it."""

    node: str
    grad_outputs: list[Value | None]
    grad_inputs: list[GradInput]
    freed: list[str]


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
    """The exception that ended the run. ``tensor`` is the tensor it is about, where there is one."""

    type: str
    message: str
    code: str
    span: Span | None
    explanation: Text
    fix: Fix | None
    tensor: str | None = None
    frames: list[Frame] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class WarningRecord:
    """A warning, as Python's ``warnings`` would report it."""

    category: str
    message: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole run: what it printed, how it ended, the graph and the backward passes.

    ``shown`` has the ids of the tensors and functions that belong to a picture of it: what leads to a differentiated
    output, or to a tensor that could be one; of a program that differentiates nothing, all.
    """

    source: str
    stdout: str
    error: ErrorRecord | None
    warnings: list[WarningRecord]
    tensors: list[TensorRecord]
    nodes: list[NodeRecord]
    edges: list[Edge]
    passes: list[Pass]
    shown: list[str] = field(default_factory=list)
    schema: int = 1
