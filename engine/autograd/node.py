"""The nodes of the autograd graph: functions, AccumulateGrad, CopySlices, and how tensors hang on them."""

from __future__ import annotations

import re
import weakref
from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import hooks
from gradflow.engine.autograd.hooks import RemovableHandle
from gradflow.engine.autograd.saved_tensors import unpacked
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Storage, Tensor

if TYPE_CHECKING:
    from gradflow.engine.autograd.copy_slices import CopySlices
    from gradflow.engine.recording.entries import NodeEntry
    from gradflow.engine.registry import Op

GradientEdge = namedtuple("GradientEdge", ("node", "output_nr", "ownership_token"), defaults=(None,))  # as in PyTorch
Edge: TypeAlias = "tuple[Node, int]"
Hook: TypeAlias = Callable[[Tensor], Tensor | None]
Guard: TypeAlias = "tuple[Storage, int, Tensor | None] | None"
Meta: TypeAlias = tuple[tuple[int, ...], np.dtype]


class Node:
    """A function in the graph: made when an operation runs, run backward by a pass.

    ``next_edges`` has an edge to the producer of each differentiable input, None where no gradient is wanted. ``saved`` holds
    what the formulas need, ``guards`` for each of these the storage, the version it had, and the tensor where it is
    an input. ``output_metas`` has shape and dtype of each output. ``copy_slices`` is set where the function wrote into a view.
    ``made_edges``: all edges of one from which those of a transformation that is over were taken.
    ``on_fast_path``: it has one output, and nothing of the program's (hooks, packed saved tensors) hangs on it.
    """

    op: Op
    seq: float
    next_edges: tuple[Edge | None, ...]
    output_metas: tuple[Meta, ...]
    saved: tuple[Any, ...] = ()
    guards: tuple[Guard, ...] = ()
    freed = False
    made_edges: tuple[Edge | None, ...] | None = None
    copied_before: Tensor | None = None
    on_fast_path = True
    title: str | None = None
    notes: dict[Any, Any] | None = None
    copy_slices: CopySlices | None = None
    entry: NodeEntry | None = None
    hooks: dict[int, dict[int, Hook]] | None = None
    pre_hooks: dict[int, Callable[..., Any]] | None = None
    post_hooks: dict[int, Callable[..., Any]] | None = None
    traced = False
    packed: dict[int, tuple[Callable[[Any], Tensor], Any]] | None = None
    retained: dict[int, weakref.ref[Tensor]] | None = None

    @property
    def printed_name(self) -> str:
        """The name inside ``grad_fn=<...>``."""
        return self.title or self.op.grad_fn

    @property
    def recorded_name(self) -> str:
        """The name in a trace."""
        return self.printed_name

    @property
    def short_name(self) -> str:
        """The name as PyTorch's message about modified variables has it."""
        return re.sub("Backwards?0?", "", self.op.grad_fn)

    def name(self) -> str:
        """The function's name."""
        own = ("CopyBackwards", "NotImplemented")
        return f"torch::autograd::{self.printed_name}" if self.printed_name in own else self.printed_name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes behind this one, with the number of their output."""
        return tuple(
            gradient_edge or (None, 0)
            for gradient_edge in self.next_edges
            if gradient_edge is not None or self.op.grad_fn != "NotImplemented"
        )

    def __repr__(self) -> str:
        return f"<{self.printed_name} object at {id(self):#x}>"

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary of the program's own."""
        self.notes = {} if self.notes is None else self.notes
        return self.notes

    @property
    def requires_grad(self) -> bool:
        """Whether some input wants a gradient."""
        return any(following is not None for following in self.next_edges)

    def _sequence_nr(self) -> int:
        return int(self.seq - STATE.first_number)

    def calls_program(self) -> bool:
        """Whether running this backward calls functions of the program."""
        return bool(self.hooks or self.pre_hooks or self.post_hooks or self.packed)

    def differentiable_outputs(self) -> list[int]:
        """The outputs that a gradient can arrive at, which hooks are shown: indices of elements are not among them."""
        return [number for number, (_, dtype) in enumerate(self.output_metas) if dtype.kind in "fcV"]

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this function ran backward."""
        self.on_fast_path, self.post_hooks = False, self.post_hooks or {}
        return hooks.register(self.post_hooks, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this function runs backward."""
        self.on_fast_path, self.pre_hooks = False, self.pre_hooks or {}
        return hooks.register(self.pre_hooks, fn)

    def run(self, grads: list[Any], create_graph: bool) -> tuple[Any, ...]:
        """The gradients of the inputs from those of the outputs: arrays, or Tensors with ``create_graph``.

        Raises RuntimeError where the saved variables are gone or have been modified.
        """
        if self.freed:
            raise errors.BACKWARD_TWICE()
        if self.guards:
            self.check_versions()
        edges = self.wanted_edges()
        if all(g is None for g in grads) or all(edge is None for edge in edges):
            return (None,) * len(edges)
        if len(self.output_metas) > 1 and not self.op.undefined:
            grads = [self.zeros(i, create_graph) if g is None else g for i, g in enumerate(grads)]
        op, kind = self.op, self.output_metas[0][1].kind
        arguments = (grads,) if op.many else grads
        if create_graph:
            vjp = op.vjp_complex_tensors if kind == "c" else op.vjp_tensors
            return vjp(self.unpack(), edges, *arguments)
        saved = unpacked(self) if self.packed else self.saved
        return vjp_of(op, kind)(saved, edges, *arguments)

    def wanted_edges(self) -> tuple[Edge | None, ...]:
        """The edges along which the pass in progress wants gradients; without one, all."""
        task = STATE.graph_task
        return (self.copy_slices or self).next_edges if task is None else task.edges_of(self)

    def __call__(self, *gradients: Tensor | None) -> Any:
        """What a program gets that calls the function by itself: the gradients of its inputs."""
        grads = [g if STATE.grad or g is None else g._a for g in gradients]
        grad_inputs = [Tensor(s) if isinstance(s, np.ndarray) else s for s in self.run(grads, STATE.grad)]
        return grad_inputs[0] if len(grad_inputs) == 1 else tuple(grad_inputs)

    def zeros(self, output: int, as_tensor: bool) -> Any:
        """A gradient of zeros for an output that was not used."""
        shape, dtype = self.output_metas[output]
        array = np.zeros(shape, dtype if dtype.kind in "fcV" else np.float32)
        return Tensor(array) if as_tensor else array

    def check_versions(self) -> None:
        """Raises RuntimeError where a saved variable was written in place since."""
        for guard in self.guards:
            if guard is not None and guard[0].version != guard[1]:
                raise self.modified(self.op.slots[self.guards.index(guard)], guard)

    def modified(self, slot: str, guard: tuple[Storage, int, Tensor | None]) -> Exception:
        """The error for a saved variable that was modified; an input is called by the grad_fn it has by now."""
        storage, expected, tensor = guard
        array = self.saved[self.op.slots.index(slot)]
        producer, number = (self, self.output_of(slot)) if tensor is None else (tensor.grad_fn, tensor._nr)
        known = {
            "dtype_type": f"torch.{Tensor(array).dtype.legacy}Tensor",
            "shape": list(array.shape),
            "version": storage.version,
            "expected": expected,
            "storage": storage,
        }
        return modified_error(producer, number, known)

    def output_of(self, slot: str) -> int:
        """The number of the output that a saved result is."""
        return self.op.outputs.index(slot) if slot in self.op.outputs else 0

    def edge_of(self, slot: str) -> Edge | None:
        """The edge to what produced a saved variable."""
        for p, gradient_edge in zip(self.op.differentiable, self.next_edges, strict=False):
            if p.name == slot:
                return gradient_edge
        if slot == "out":
            return (self if self.copy_slices is None else self.copy_slices.written(), 0)
        return (self, self.op.outputs.index(slot)) if slot in self.op.outputs else None

    def unpack(self) -> tuple[Any, ...]:
        """The saved variables as Tensors at their place in the graph, for a backward that records itself."""
        return tuple(
            self.unpack_one(slot, value, guard)
            for slot, value, guard in zip(
                self.op.slots, unpacked(self) if self.packed else self.saved, self.guards, strict=True
            )
        )

    def unpack_one(self, slot: str, value: Any, guard: Guard) -> Any:
        """One saved variable: an array becomes a Tensor with the grad_fn it had, anything else stays as it is."""
        kinds = {p.name: p.kind for p in self.op.params}
        if not isinstance(value, np.ndarray) or kinds.get(slot) == "setting":
            return value
        gradient_edge = self.edge_of(slot)
        if (
            gradient_edge is not None
            and isinstance(gradient_edge[0], AccumulateGrad)
            and gradient_edge[0].variable._a is value
        ):
            return gradient_edge[0].variable
        tensor = Tensor(value, guard[0] if guard else None)
        if gradient_edge is not None and value.dtype.kind in "fcV":
            tensor._node, tensor._nr = gradient_edge
        if self.entry is not None:
            tensor._entry = self.entry.saved_entry(slot)
        if guard is None and slot == self.op.params[0].name and tensor._node is not None:
            packed = self.packed is not None and self.op.slots.index(slot) in self.packed
            return tensor if packed else self.copied(tensor)
        return tensor

    def copied(self, original: Tensor) -> Tensor:
        """The copy of an operand that PyTorch makes and saves before a function writes over it."""
        if self.copied_before is None:
            clone, node = REGISTRY["clone"], Node()
            node.op, node.seq, node.next_edges = clone, self.seq + 0.5, (gradient_edge(original),)
            node.output_metas = ((original._a.shape, original._a.dtype),)
            self.copied_before = Tensor(original._a)
            self.copied_before._node = node
            if STATE.recorder is not None:
                STATE.recorder.call(clone, node, (original,), (None,), (self.copied_before,))
        return self.copied_before

    def holds_tensors(self) -> bool:
        """Whether there are saved variables to let go."""
        for value in self.saved:
            if isinstance(value, np.ndarray):
                return True
        return any(self.saved[index] is not None for index in self.op.standing_in) if self.saved else False

    def release(self) -> bool:
        """Let the saved variables go. Returns whether there were any."""
        saved = self.saved
        if not saved or not (saved[0].__class__ is np.ndarray or self.holds_tensors()):  # mostly the first is one
            return False
        self.saved, self.guards, self.freed, self.on_fast_path = (), (), True, False
        return True


def modified_error(producer: Node | None, number: int, known: dict[str, Any]) -> Exception:
    """The error for a saved variable that was modified; anomaly detection changes its last words."""
    error = (
        errors.SAVED_MODIFIED_LEAF(**known)
        if producer is None
        else errors.SAVED_MODIFIED(name=producer.short_name, output_nr=number, **known)
    )
    if not STATE.anomaly:
        return error
    message = str(error).partition(" Hint: ")[0] + _TRACED_HINT
    return errors.SAVED_MODIFIED_TRACED(message=message, **known)


_TRACED_HINT = (
    " Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in"
    " question"
    " was changed in there or anywhere later. Good luck!"
)


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives into ``.grad``."""

    seq = 2**63
    on_fast_path = False

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.next_edges = ()
        self.output_metas = ((variable._a.shape, variable._a.dtype),)

    def calls_program(self) -> bool:
        return bool(self.variable._hooks or self.variable._post_hooks) or super().calls_program()

    @property
    def requires_grad(self) -> bool:
        return True

    @property
    def printed_name(self) -> str:
        return "AccumulateGrad"

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


def vjp_of(op: Op, kind: str) -> Callable[..., tuple[Any, ...]]:
    """The vector-Jacobian product on arrays whose elements are of a kind, as NumPy calls it."""
    return op.vjp_complex if kind == "c" else op.vjp_reduced if kind == "V" else op.vjp


def gradient_edge(tensor: Tensor) -> Edge:
    """Where a gradient for ``tensor`` goes: its grad_fn, or the AccumulateGrad of a leaf."""
    if tensor._view is not None and STATE.grad:
        tensor._view.regenerate_grad_fn(tensor)
    if tensor._node is not None:
        return (tensor._node, tensor._nr)
    return (accumulator(tensor), 0)


def requires_grad_now(view: Tensor) -> bool:
    """Whether what is computed from a view belongs to the graph."""
    if STATE.grad and view._view is not None:
        view._view.regenerate_grad_fn(view)
    return view.requires_grad


def gradient_edge_or_none(tensor: Tensor) -> Edge | None:
    """`edge`, but a view made without gradients of a tensor that requires them leads nowhere."""
    if tensor._view is None and tensor._node is None:  # a leaf, mostly
        return (accumulator(tensor), 0)
    found = gradient_edge(tensor)
    return None if tensor._view is not None and tensor._node is None and not tensor._rg else found


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The one AccumulateGrad of a leaf, alive as long as a graph refers to it."""
    node = leaf._accumulator() if leaf._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(node)
    return node


def runs_program(start: Node) -> bool:
    """Whether a pass from a node on calls functions of the program: hooks, or a custom backward."""
    seen, stack = {start}, [start]
    while stack:
        node = stack.pop()
        if node.calls_program():
            return True
        for following in node.next_edges:
            if following is not None and following[0] not in seen:
                seen.add(following[0])
                stack.append(following[0])
    return False


def titled(tensor: Tensor, title: str) -> Tensor:
    """The tensor, its function under the name that PyTorch gives it where the function is one of another overload."""
    if tensor._node is not None:
        tensor._node.title = title
    return tensor
