"""The recorder: notes what happens while a program runs, at the cost of a few references an operation.

Arrays are not copied when they are recorded. A storage knows the entries that lie in it and has them copied before the
next in-place write (`Storage.before_write`). `gradflow.engine.recording.trace_builder` turns the notes into a `Trace` after the run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd.copy_slices import CopySlices
from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.autograd.node import AccumulateGrad, Node
from gradflow.engine.autograd.transforms.inner_leaf import InnerLeaf
from gradflow.engine.recording.entries import (
    CodePosition,
    NodeEntry,
    NotedGradient,
    PassEntry,
    Reads,
    TensorEntry,
    apart,
    node_entry,
    region,
    unshared,
)
from gradflow.engine.recording.jacobian import jacobian
from gradflow.engine.recording.local_jacobians import LocalJacobians
from gradflow.engine.recording.places import NOWHERE, FrameNotes
from gradflow.engine.recording.tensor_notes import TensorNotes
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, Entered, grad_mode, unseen
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.autograd.graph_task import GraphTask
    from gradflow.engine.autograd.view_region import ViewRegion
    from gradflow.engine.recording.chronology import During
    from gradflow.engine.registry import Op


_getframe = sys._getframe


class Recorder(TensorNotes):
    """Notes of one run. ``filename`` is that of the program's code objects."""

    def __init__(
        self,
        filename: str,
        *,
        gradients: dict[int, np.ndarray] | None = None,
        jacobian: bool = False,
        operations: int = 200_000,
    ) -> None:
        super().__init__(filename, operations)
        self.replacements = gradients or {}
        self.wants_jacobian = jacobian
        self.local_jacobians = LocalJacobians()
        self.passes: list[PassEntry] = []
        self.called: FrameType | None = None  # the engine's function that the program called, while it runs
        self.calls = 0
        self.failed_call: int | None = None  # the last of them, where it raised the error of the run
        self.requested: list[Tensor] = []
        self.running = PassEntry("backward", None, retain_graph=False, create_graph=False)  # the pass in progress
        self.warnings: list[tuple[str, str, CodePosition | None]] = []
        self.ignored: list[tuple[str, str, CodePosition | None]] = []
        self.reads: Reads | None = None  # of the function that runs backward

    # -- operations -----------------------------------------------------------------------------------------------

    def call(
        self, op: Op, node: Node | None, operands: tuple[Any, ...], settings: tuple[Any, ...], outs: tuple[Tensor, ...]
    ) -> None:
        """An operation made new tensors."""
        place = self.moved(_getframe(2))
        if not operands:
            for out in outs:
                self.new(out, place)
            return
        known = self.known(operands)
        made = node_entry(len(self.nodes), op, node, place, known, settings, self.current, self.within, self.calls)
        self.nodes.append(made)
        made.outputs = [self.new(out, place, made) for out in outs]
        for out in outs:
            if out._view is not None:
                out._entry.view_of = self.entry(out._view.base)  # type: ignore[union-attr]  # it was made just now

    def made(
        self, op: Op, node: Node | None, operands: tuple[Any, ...], settings: tuple[Any, ...], out: Tensor
    ) -> None:
        """`call` of an operation that made one tensor, in memory of its own. Spelled out, for most operations come here."""
        frame, called, place = _getframe(2), None, None
        notes = frame.f_trace
        if notes is None and frame.f_code.co_filename != self.filename:  # what checks the arguments stands between
            called, frame = frame, frame.f_back or frame
            notes = frame.f_trace
        if notes.__class__ is FrameNotes and STATE.entered is None:  # the program itself called
            place, around = notes.known.get(frame.f_lasti) or NOWHERE
            if around is notes.loops:  # where it was at the last operation, or in another turn
                within = notes.own
                for cell, turn in notes.cells:
                    if cell[0] != turn:
                        within = self.places.turned(frame, notes, cell)
                        break
                self.within = within
                if called is None or called is not self.called:
                    self.called = called
                    self.calls += 1
            else:
                place = None
        if place is None:
            place = self.moved(called or frame)
        if not operands:
            self.new(out, place)
            return
        nodes, within = self.nodes, self.within
        made = node_entry(len(nodes), op, node, place, self.known(operands), settings, self.current, within, self.calls)
        nodes.append(made)
        made.outputs = (self.new(out, place, made),)

    def known(self, operands: tuple[Any, ...]) -> list[Any]:
        """Operands with the entry of what each tensor is now in its place."""
        known: list[Any] = []
        for operand in operands:
            if isinstance(operand, Tensor):
                entry = operand._entry
                if entry is None or entry.array is not operand._a or entry.frozen:
                    within = self.within
                    entry = self.entry(operand)
                    self.within = within
                known.append(entry)
            else:
                known.append(operand)
        return known

    def moved(self, inner: FrameType) -> CodePosition | None:
        """Where the program is, which called the function of the frame ``inner`` or runs there: maybe in another call."""
        called, place = self.seen_from(inner)
        if called is None or called is not self.called:
            self.called = called
            self.calls += 1
        return place

    def failed(self, traceback: TracebackType | None) -> None:
        """The program ended with an error that has this traceback."""
        while traceback is not None and self.failed_call is None:
            if traceback.tb_frame is self.called:
                self.failed_call = self.calls
            traceback = traceback.tb_next

    def custom_call(
        self,
        op: Op,
        node: Node | None,
        known: list[Any],
        settings: tuple[Any, ...],
        outs: tuple[Tensor, ...],
        written_view: Tensor | None,
    ) -> None:
        """A custom Function was called. ``known``: its operands before; ``written_view``: what it wrote, where a view."""
        if written_view is not None and written_view._view is not None and known:
            base = known[0].view_of
            self.inplace(op, node, [base, *known[1:]], written_view, settings)
        else:
            self.call(op, node, tuple(known), settings, outs)
        if node is not None and node.entry is not None:
            kept = node.context._own_tensors()  # type: ignore[attr-defined]  # it is that of a Function
            node.entry.kept = [None if t is None else t._entry for t in kept]

    def function(
        self, op: Op, node: Node | None, operands: Sequence[Any], settings: tuple[Any, ...], place: CodePosition | None
    ) -> NodeEntry:
        of = self.entry
        known = [of(o) if isinstance(o, Tensor) else o for o in operands]
        entry = node_entry(len(self.nodes), op, node, place, known, settings, self.current, self.within)
        self.nodes.append(entry)
        return entry

    def alias(self, source: Tensor, result: Tensor, op_name: str) -> None:
        """``detach()`` and ``.data``: the same memory, no gradient."""
        place = self.place()
        entry = self.function(REGISTRY[op_name], None, (source,), (), place)
        made = self.new(result, place)
        made.node, made.view_of = entry, entry.inputs[0]
        entry.outputs = [made]

    def before_call(self, operands: Sequence[Any]) -> list[Any]:
        """The entries of operands that may be written by the call, as they are before it."""
        return [self.entry(o) if isinstance(o, Tensor) else o for o in operands]

    def before_inplace(self, tensor: Tensor, operands: Sequence[Any]) -> list[Any]:
        """The entries of what is written (of the base, where it is a view of one) and of what is read, before the write."""
        known = self.before_call((tensor, *operands))
        if tensor._view is not None:
            known[0] = self.entry(tensor._view.base)
        return known

    def inplace(
        self,
        op: Op,
        node: Node | None,
        known: list[Any],
        tensor: Tensor,
        settings: tuple[Any, ...],
    ) -> None:
        """An operation wrote into a tensor. ``known``: what `before_inplace` gave."""
        place = self.place()
        written = tensor._view.base if tensor._view is not None else tensor
        old = known[0]
        if node is None and old.continues(written):
            self.chronology.wrote(written, zero=op is REGISTRY["zero"] and tensor is written)
            return
        writer = written._node if node is not None else None
        entry = node_entry(len(self.nodes), op, writer, place, known, settings, self.current, self.within)
        self.nodes.append(entry)
        new = self.new(written, place)
        new.names, new.grad_of, new.node = old.first.names, old.grad_of, entry
        entry.outputs = [new]
        if tensor._view is not None:
            entry.region = region(written, tensor)
        if isinstance(entry.node, CopySlices):
            entry.node.inner.entry = entry
            self.grad_fn_regenerated(tensor, written, entry.node.region)

    def grad_fn_regenerated(self, view: Tensor, base: Tensor, region: ViewRegion) -> None:
        """A view got a new grad_fn because its base was written."""
        place = self.place()
        names = list(view._entry.first.names) if view._entry is not None else []
        steps = list(region.steps(base._a.shape, base._a.dtype, base._a.strides))
        nodes = _last_of(view._node, len(steps))
        source = base
        for (op, settings, *_), node in zip(steps, nodes, strict=True):
            entry = self.function(op, node, (source,), settings, place)
            source = view if node is nodes[-1] else _between(source, op, settings, node)
            made = self.new(source, place)
            made.node, made.view_of = entry, entry.inputs[0]
            entry.outputs = [made]
        made.names = names

    def warn(self, category: str, message: str, once: bool) -> None:
        """A warning, once for each place, as Python shows it, or once for the whole run."""
        item = (category, message, self.place())
        if item not in self.warnings and not (once and any(w[1] == message for w in self.warnings)):
            self.warnings.append(item)

    def silenced(self, category: str, message: str) -> None:
        """A warning that the program's filters ignore: it is not shown, and still true."""
        item = (category, message, self.place())
        if item not in self.ignored:
            self.ignored.append(item)

    # -- passes ---------------------------------------------------------------------------------------------------

    def override(self, outputs: Sequence[Tensor], gradients: Sequence[Any]) -> Sequence[Any]:
        """The gradients of a pass, the first replaced where the request says so."""
        replacement = self.replacements.get(len(self.passes))
        if replacement is None:
            return gradients
        return [self.request(Tensor(replacement.astype(outputs[0]._a.dtype))), *gradients[1:]]

    def request(self, gradient: Tensor) -> Tensor:
        """A gradient that came with the request: it is no tensor of the program."""
        self.requested.append(gradient)
        return gradient

    def argument(self, given: Any) -> TensorEntry | None:
        """The tensor that the program passed as gradient."""
        if not isinstance(given, Tensor) or any(given is each for each in self.requested):
            return None
        return self.entry(given)

    @contextmanager
    def backward(
        self,
        kind: str,
        outputs: Sequence[Tensor],
        arguments: Sequence[Any],
        seeds: Sequence[Any],
        graph_task: GraphTask,
        retain_graph: bool,
    ) -> Iterator[None]:
        """Record one pass. An exception leaves it incomplete."""
        entry = PassEntry(kind, self.place_of_pass(), retain_graph, graph_task.create_graph)
        entry.within, entry.rows = self.within, STATE.rows
        for output, argument, seed in zip(outputs, arguments, seeds, strict=True):
            given = self.argument(argument)
            array = array_of(seed)
            assert array is not None
            entry.roots.append((self.entry(output), array, given))
        if self.wants_jacobian and len(outputs) == 1:
            entry.jacobian = jacobian(self, outputs[0])
        if self.local_jacobians.wanted:
            self.local_jacobians.take(self.nodes)
        outer, before, entered = self.current, self.running, STATE.entered
        if graph_task.create_graph:
            self.current = len(self.passes)
            STATE.entered = Entered("pass", self.current, id(sys._getframe(2)))
        self.chronology.passed(len(self.passes))
        entry.number = len(self.passes)
        self.running = entry
        self.passes.append(entry)
        try:
            yield
            entry.complete = True
        finally:
            entry.ended = len(self.nodes)
            self.current, self.running, STATE.entered = outer, before, entered

    def during(self) -> During | None:
        """The number of the pass in progress, and how many of its functions have run; None outside of passes."""
        return None if self.running.number is None else (self.running.number, self.running.step_count)

    def place_of_pass(self) -> CodePosition | None:
        """Where the program called ``backward``."""
        return self.place()

    def step(
        self, node: Node, grads: Sequence[Any], grad_inputs: Sequence[Any], passed: Sequence[Any], freed: bool
    ) -> None:
        """One function ran backward."""
        if node.entry is not None:
            self.running.noted.append((node.entry, grads, grad_inputs, passed, freed, self.reads))
            self.reads = None

    def note_reads(self, node: Node) -> None:
        """A function is about to run backward, after writes that PyTorch's version check does not see."""
        made, found = node.entry, {}
        for slot, kept in zip(node.op.slots, node.saved, strict=False) if made is not None else ():
            held = made.saved_entry(slot) if made is not None else None
            if held is None or held.live is None or not isinstance(kept, np.ndarray):
                continue
            if held.tensor._a is held.live and np.may_share_memory(kept, held.live):
                found[held.first] = self.entry(held.tensor)
        self.reads = found or None

    def captured(self, node: Node, number: int, gradient: Any) -> None:
        """A gradient reached a tensor whose gradient was asked for."""
        array = array_of(gradient)
        assert array is not None
        if isinstance(node, AccumulateGrad | InnerLeaf):
            self.running.others[self.entry(node.variable)] = array
        elif node.entry is not None and number < len(node.entry.outputs):
            self.running.others[node.entry.outputs[number]] = array

    def watch(self, gradient: Tensor, noted_in: PassEntry | None = None) -> None:
        """A pass, the one in progress, notes a gradient that the program can write into, then or later."""
        gradient._st.watch(NotedGradient(self, noted_in or self.running, gradient._a))

    def keep_gradient(self, array: np.ndarray, before: np.ndarray, noted_in: PassEntry | None = None) -> None:
        """The program wrote into a gradient: what was noted of it earlier stays as it was."""
        current = noted_in or self.running
        for step in current.steps:
            step.grads, step.grad_inputs, step.passed = (
                [before if one is array else unshared(one, array) for one in noted]
                for noted in (step.grads, step.grad_inputs, step.passed)
            )
        for key, one in current.others.items():
            current.others[key] = before if one is array else apart(one, array)
        current.roots[:] = [(o, before if one is array else apart(one, array), g) for o, one, g in current.roots]
        current.accumulations[:] = [
            (leaf, old, before if one is array else apart(one, array), new, step)
            for leaf, old, one, new, step in current.accumulations
        ]

    def accumulate(self, leaf: Tensor, before: np.ndarray | None, incoming: Any, grad: Tensor) -> None:
        """A gradient was added into a leaf's ``.grad``."""
        entry, array = self.entry(leaf), array_of(incoming)
        assert array is not None
        current = self.running
        current.others[entry] = array
        grad = grad if grad._dense is None else grad._dense
        current.accumulations.append((entry, before, array, grad._a.copy(), max(current.step_count - 1, 0)))
        if grad._entry is None:
            self.within = current.within
            self.new(grad, None)
        assert grad._entry is not None
        grad._entry.grad_of = entry


def _last_of(node: Any, count: int) -> list[Node]:
    """That many functions in a row, the last of which is given."""
    nodes = [node]
    while len(nodes) < count:
        nodes.insert(0, nodes[0].next_edges[0][0])
    return nodes


def _between(source: Tensor, op: Op, settings: tuple[Any, ...], node: Node) -> Tensor:
    """What an operation on the way to a view gives."""
    with unseen(), grad_mode(False):
        result: Tensor = op.call(source, *settings)
    result._node = node
    return result
