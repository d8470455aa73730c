"""What the recorder's notes hold: a version of a tensor, a call of a function, a step and a pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd.conj_neg_views import underlying
from gradflow.engine.state import STATE, Entered
from gradflow.engine.tensor import Tensor, address

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import Node
    from gradflow.engine.recording.chronology import EventEntry
    from gradflow.engine.recording.places import PlaceEntry
    from gradflow.engine.recording.recorder import Recorder
    from gradflow.engine.registry import Op
    from gradflow.engine.trace import Row

CodePosition = tuple[CodeType, int]
"""A position in the running program: its code object and the offset of the instruction."""


class TensorEntry:
    """One value of one tensor. ``within`` is the place in the run where it was made.

    A write that leaves a tensor's place in the graph as it was gives it another value: an entry of the same number, whose
    ``origin`` is the first, which lists it in ``later``. ``index`` counts the values of one number, ``event`` is what
    wrote this one. ``live`` is the memory that the values lay in, once they were copied out of it.
    """

    __slots__ = (
        "__dict__",  # of what follows, for few entries have it
        "array",
        "frozen",
        "grad_fn",
        "names",
        "node",
        "number",
        "pass_index",
        "place",
        "requires_grad",
        "tensor",
        "within",
    )

    array: np.ndarray
    frozen: bool
    grad_fn: Node | None
    names: Sequence[str]
    node: NodeEntry | None
    number: int
    pass_index: int | None
    place: CodePosition | None
    requires_grad: bool
    tensor: Tensor
    within: PlaceEntry | None
    version = 0
    view_of: TensorEntry | None = None
    grad_of: TensorEntry | None = None
    origin: TensorEntry | None = None
    later: list[TensorEntry] | None = None
    index = 0
    event: EventEntry | None = None
    live: np.ndarray | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether no function stands behind it that gradients go to."""
        return self.grad_fn is None

    @property
    def source(self) -> NodeEntry | None:
        """The function that gradients go to; the one that made it, where they go nowhere."""
        known = None if self.grad_fn is None else self.grad_fn.entry
        return self.node if known is None or (self.node is not None and self.node.node is not None) else known

    def freeze(self) -> None:
        """The memory is about to be written: keep the values as they are."""
        live, source = self.array, self.view_of
        shared = source is not None and source.live is live
        self.array = source.array if shared and source is not None else live.copy()
        self.live, self.frozen = live, True

    @property
    def first(self) -> TensorEntry:
        """The entry of the first value."""
        return self.origin or self

    @property
    def last(self) -> TensorEntry:
        """The entry of the last value so far."""
        later = self.first.later
        return later[-1] if later else self.first

    @property
    def values(self) -> list[TensorEntry]:
        """The entries of all values, in their order."""
        return [self.first, *(self.first.later or ())]

    def continues(self, tensor: Tensor) -> bool:
        """Whether a tensor, which was written, is still at the same place of the graph."""
        own, now = self.array, tensor._a
        return tensor._node is self.grad_fn and now.shape == own.shape and now.dtype == own.dtype


def tensor_entry(
    number: int,
    tensor: Tensor,
    place: CodePosition | None,
    pass_index: int | None,
    within: PlaceEntry | None = None,
    node: NodeEntry | None = None,
) -> TensorEntry:
    """The entry of a tensor as it is. A function and no constructor, which CPython calls at three times the cost."""
    entry = TensorEntry()
    entry.number = number
    entry.tensor = tensor
    entry.array = tensor._a
    grad_fn = entry.grad_fn = tensor._node
    entry.requires_grad = grad_fn is not None or tensor._rg
    entry.place = place
    entry.pass_index = pass_index
    entry.within = within
    entry.node = node
    entry.names = ()
    entry.frozen = False
    return entry


Reads = dict[TensorEntry, TensorEntry]
"""For what a function saved, the value that its backward found there."""


def tensor_id(entry: TensorEntry) -> str:
    """How the trace refers to a version of a tensor."""
    return f"t{entry.number}"


def node_id(entry: NodeEntry) -> str:
    """How the trace refers to a function."""
    return f"n{entry.number}"


def pass_id(index: int) -> str:
    """How the trace refers to a pass, by its number in the run."""
    return f"p{index}"


class NodeEntry:
    """One function call, ``within`` a place in the run. ``call``: what one call in the program made (a layer, a loss) has one number."""

    __slots__ = (
        "__dict__",  # of what few entries have
        "call",
        "entered",
        "node",
        "number",
        "op",
        "operands",
        "outputs",
        "pass_index",
        "place",
        "settings",
        "within",
    )

    call: int | None
    entered: Entered | None
    node: Node | None
    number: int
    op: Op | None
    operands: list[TensorEntry | Any]
    outputs: Sequence[TensorEntry]
    pass_index: int | None
    place: CodePosition | None
    settings: tuple[Any, ...]
    within: PlaceEntry | None
    region: np.ndarray | None = None
    kept: Sequence[TensorEntry | None] | None = None  # what a custom Function gave to save_for_backward

    @property
    def kind(self) -> str:
        """What the trace calls it."""
        return "copy_slices" if self.region is not None else "constant" if self.node is None else "function"

    @property
    def inputs(self) -> list[TensorEntry]:
        """The operands that are tensors."""
        return [o for o in self.operands if isinstance(o, TensorEntry)]

    def array_of(self, name: str) -> np.ndarray | None:
        """The elements that the operand of this name had; None where it was no tensor."""
        assert self.op is not None
        for p, operand in zip(self.op.tensors, self.operands, strict=False):
            if p.name == name and isinstance(operand, TensorEntry):
                return operand.array
        return None

    @cached_property
    def saved(self) -> list[tuple[str, TensorEntry | None]]:
        """What the function keeps for its backward, and frees after it: tensors, numbers made tensors of, and indices.

        Each with its name in the formulas and its entry, which only a tensor has. To be read when the run is over.
        """
        op = self.op
        if self.kept is not None:
            return [(f"saved_tensors[{i}]", held) for i, held in enumerate(self.kept)]
        if self.node is None or op is None:
            return []
        edges = self.node.made_edges or self.node.next_edges
        wanted = {p.name for p, e in zip(op.differentiable, edges, strict=False) if e is not None}
        numbers = {p.name for p in op.tensors} if op.wraps_numbers else set[str]()
        found = [(slot, self.saved_entry(slot)) for slot in op.slots if op.users(slot) & wanted]
        return [(slot, held) for slot, held in found if held is not None or slot in op.keeps or slot in numbers]

    def saved_entry(self, slot: str) -> TensorEntry | None:
        """The recorded tensor behind a saved variable."""
        assert self.op is not None
        if slot == "out":
            return self.outputs[0]
        if slot in self.op.outputs:
            return self.outputs[self.op.outputs.index(slot)]
        for p, operand in zip(self.op.tensors, self.operands, strict=False):
            if p.name == slot and isinstance(operand, TensorEntry):
                return operand
        return None


def node_entry(
    number: int,
    op: Op | None,
    node: Node | None,
    place: CodePosition | None,
    operands: list[TensorEntry | Any],
    settings: tuple[Any, ...],
    pass_index: int | None,
    within: PlaceEntry | None,
    call: int | None = None,
) -> NodeEntry:
    """The entry of a call, which ``node`` then knows. See `tensor_entry`."""
    entry = NodeEntry()
    entry.number = number
    entry.op = op
    entry.node = node
    entry.place = place
    entry.operands = operands
    entry.settings = settings
    entry.pass_index = pass_index
    entry.within = within
    entry.call = call
    entry.entered = STATE.entered
    entry.outputs = ()
    if node is not None:
        node.entry = entry
    return entry


class StepEntry:
    """One function run backward. ``reads``: the values that saved variables really had, where they were written since."""

    __slots__ = ("freed", "grad_inputs", "grads", "node", "passed", "reads")

    def __init__(
        self,
        node: NodeEntry,
        grads: Sequence[Any],
        grad_inputs: Sequence[Any],
        passed: Sequence[Any],
        freed: bool,
        reads: Reads | None = None,
    ) -> None:
        self.node, self.grads, self.grad_inputs, self.passed, self.freed = node, grads, grad_inputs, passed, freed
        self.reads = reads


Noted = tuple[NodeEntry, Sequence[Any], Sequence[Any], Sequence[Any], bool, Reads | None]
"""The arguments of a `StepEntry`."""


class PassEntry:
    """One backward pass. ``number``: None of what stands for no pass."""

    def __init__(self, kind: str, place: CodePosition | None, retain_graph: bool, create_graph: bool) -> None:
        self.kind, self.place, self.retain_graph, self.create_graph = kind, place, retain_graph, create_graph
        self.roots: list[tuple[TensorEntry, np.ndarray, TensorEntry | None]] = []
        self.noted: list[Noted] = []
        self._steps: list[StepEntry] = []
        self.accumulations: list[tuple[TensorEntry, np.ndarray | None, np.ndarray, np.ndarray, int]] = []
        self.others: dict[TensorEntry, np.ndarray] = {}
        self.jacobian: dict[TensorEntry, np.ndarray] | None = None
        self.complete = False
        self.number: int | None = None
        self.within: PlaceEntry | None = None
        self.rows: tuple[Row, ...] = ()
        self.ended = 0  # how many functions had been noted by its end

    @property
    def steps(self) -> list[StepEntry]:
        """The functions that ran backward, in their order. Noted are their fields alone: most passes are never looked at."""
        for each in self.noted:
            self._steps.append(StepEntry(*each))
        self.noted.clear()
        return self._steps

    @property
    def step_count(self) -> int:
        """How many functions have run backward."""
        return len(self._steps) + len(self.noted)

    @property
    def gradients(self) -> dict[TensorEntry, np.ndarray]:
        """The gradient of every tensor that one reached: of the roots, then of what functions made, then of leaves."""
        found = {output: array for output, array, _ in self.roots}
        for step in self.steps:
            for output, grad in zip(step.node.outputs, step.grads, strict=False):
                if grad is not None:
                    found[output] = np.asanyarray(grad)
        return found | self.others


class NotedGradient:
    """A gradient in the notes of a pass, in memory that the program can write: the notes get a copy before that."""

    def __init__(self, recorder: Recorder, noted_in: PassEntry, array: np.ndarray) -> None:
        self.recorder, self.noted_in, self.array = recorder, noted_in, array

    def freeze(self) -> None:
        """Put a copy in its place."""
        self.recorder.keep_gradient(self.array, self.array.copy(), self.noted_in)


class KeptGradient:
    """The gradient of a tensor as it is: a copy is put in its place before it is written."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def freeze(self) -> None:
        """Put a copy in its place."""
        self.array = self.array.copy()


def region(base: Tensor, view: Tensor) -> np.ndarray:
    """The row-major indices, into ``base``, of the elements of ``view``, in the shape of ``view``.

    A part of a complex number stands for the number; a complex view of real numbers has two indices an element, along a
    dimension of its own.
    """
    shown, size = underlying(view)._a, base._a.itemsize
    if shown.itemsize > size:
        shown = shown[..., None].view(base._a.dtype)
    positions = dict(zip(_places(base._a).reshape(-1).tolist(), range(base._a.size), strict=True))
    spots = (_places(shown) + address(shown) - address(base._a)) // size * size
    return np.array([positions.get(s, -1) for s in spots.reshape(-1).tolist()], np.int64).reshape(shown.shape)


def _places(array: np.ndarray) -> np.ndarray:
    """Where each element lies, in bytes behind the first."""
    places = np.zeros(array.shape, np.int64)
    for axis, stride in enumerate(array.strides):
        places += (np.arange(array.shape[axis]) * stride).reshape(-1, *[1] * (array.ndim - axis - 1))
    return places


def apart(noted: np.ndarray, written: np.ndarray) -> np.ndarray:
    """A noted array in memory of its own, where it shares some with one that is written."""
    return noted.copy() if np.may_share_memory(noted, written) else noted


def unshared(noted: np.ndarray | None, written: np.ndarray) -> np.ndarray | None:
    """`apart`, of an array or None."""
    return None if noted is None else apart(noted, written)
