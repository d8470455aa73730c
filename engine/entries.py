"""What the recorder's notes hold: a version of a tensor, a call of a function, a step and a pass."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.state import STATE
from engine.tensor import Tensor, address

if TYPE_CHECKING:
    from engine.autograd import Node
    from engine.registry import Op

Place = tuple[CodeType, int]
"""A position in the running program: its code object and the offset of the instruction."""


class Entry:
    """One version of one tensor."""

    __slots__ = (
        "array", "frozen", "grad_of", "is_leaf", "names", "node", "number", "pass_index", "place", "requires_grad",
        "tensor", "version", "view_of",
    )  # fmt: skip

    def __init__(self, number: int, tensor: Tensor, place: Place | None, pass_index: int | None) -> None:
        self.number = number
        self.tensor = tensor
        self.array = tensor._a
        self.version = tensor._st.version
        self.requires_grad = tensor._rg or tensor._node is not None
        self.is_leaf = tensor._node is None
        self.place = place
        self.pass_index = pass_index
        self.names: list[str] = []
        self.node: NodeEntry | None = None
        self.view_of: Entry | None = None
        self.grad_of: Entry | None = None
        self.frozen = False

    def freeze(self) -> None:
        """The memory is about to be written: keep the values as they are."""
        self.array = self.array.copy()
        self.frozen = True


class NodeEntry:
    """One function call."""

    __slots__ = (
        "inputs", "kind", "modules", "node", "number", "op", "operands", "outputs", "pass_index", "place", "region", "settings",
    )  # fmt: skip

    def __init__(self, number: int, op: Op | None, node: Node | None, place: Place | None) -> None:
        self.number, self.op, self.node, self.place = number, op, node, place
        self.kind = "constant" if node is None else "function"
        self.operands: list[Entry | Any] = []
        self.inputs: list[Entry] = []
        self.outputs: list[Entry] = []
        self.settings: tuple[Any, ...] = ()
        self.region: np.ndarray | None = None
        self.modules = STATE.modules
        self.pass_index: int | None = None

    def saved_entry(self, slot: str) -> Entry | None:
        """The recorded tensor behind a saved variable."""
        assert self.op is not None
        if slot == "out":
            return self.outputs[0]
        if slot in self.op.outputs:
            return self.outputs[self.op.outputs.index(slot)]
        for p, operand in zip(self.op.tensors, self.operands, strict=False):
            if p.name == slot and isinstance(operand, Entry):
                return operand
        return None


class StepEntry:
    """One function run backward."""

    __slots__ = ("freed", "grads", "node", "passed", "shares")

    def __init__(self, node: NodeEntry, grads: list[Any], shares: list[Any], passed: list[Any], freed: bool) -> None:
        self.node, self.grads, self.shares, self.passed, self.freed = node, grads, shares, passed, freed


class PassEntry:
    """One backward pass."""

    def __init__(self, kind: str, place: Place | None, retain: bool, create: bool) -> None:
        self.kind, self.place, self.retain, self.create = kind, place, retain, create
        self.roots: list[tuple[Entry, np.ndarray, Entry | None]] = []
        self.steps: list[StepEntry] = []
        self.accumulations: list[tuple[Entry, np.ndarray | None, np.ndarray, np.ndarray, int]] = []
        self.gradients: dict[Entry, np.ndarray] = {}
        self.jacobian: dict[Entry, np.ndarray] | None = None
        self.complete = False


def raw(value: Any) -> np.ndarray | None:
    """The array of a gradient that may be a Tensor or None."""
    if value is None:
        return None
    return value._a if isinstance(value, Tensor) else np.asarray(value)


def region(base: Tensor, view: Tensor) -> np.ndarray:
    """The row-major indices, into ``base``, of the elements of ``view``, in the shape of ``view``."""
    itemsize = base._a.itemsize
    positions = np.arange(base._a.size).reshape(base._a.shape)
    memory = np.zeros(positions.shape, np.int64)
    for axis, stride in enumerate(base._a.strides):
        shape = [1] * base._a.ndim
        shape[axis] = -1
        memory = memory + (np.arange(base._a.shape[axis]) * (stride // itemsize)).reshape(shape)
    lookup = dict(zip(memory.reshape(-1).tolist(), positions.reshape(-1).tolist(), strict=True))
    offset = (address(view._a) - address(base._a)) // itemsize
    spots = np.full(view._a.shape, offset, np.int64)
    for axis, stride in enumerate(view._a.strides):
        shape = [1] * view._a.ndim
        shape[axis] = -1
        spots = spots + (np.arange(view._a.shape[axis]) * (stride // itemsize)).reshape(shape)
    return np.array([lookup.get(s, -1) for s in spots.reshape(-1).tolist()], np.int64).reshape(view._a.shape)
