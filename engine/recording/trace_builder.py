"""From the recorder's notes to a `Trace`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradflow.engine import visibility
from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.recording import latex, module_paths
from gradflow.engine.recording.entries import CodePosition, NodeEntry, PassEntry, StepEntry, TensorEntry
from gradflow.engine.recording.event_records import EventRecords
from gradflow.engine.recording.formula_operands import FormulaOperands, tensor_id
from gradflow.engine.recording.names import Naming
from gradflow.engine.recording.notes import notes
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.values import numbers, value
from gradflow.engine.recording.verify import verify
from gradflow.engine.sandbox.program import Program
from gradflow.engine.trace import (
    Accumulation,
    Edge,
    ErrorRecord,
    GradInput,
    Jacobian,
    NodeRecord,
    Pass,
    Region,
    Root,
    Saved,
    Span,
    Step,
    TensorRecord,
    TensorVersion,
    Trace,
    Value,
    WarningRecord,
)

MAX_REGION = 4096


class RecordedTrace(Trace):
    """A trace whose graph is written down when it is first read: most of its text is never looked at."""

    __slots__ = ("_transcript",)
    __dataclass_fields__ = Trace.__dataclass_fields__  # orjson looks for it in the class itself

    @classmethod
    def later(cls, source: str, stdout: str, error: ErrorRecord | None, trace_builder: TraceBuilder) -> RecordedTrace:
        """A trace with the fields that are known at once."""
        trace = cls.__new__(cls)
        told = {"source": source, "stdout": stdout, "error": error, "schema": 2, "_transcript": trace_builder}
        for name, known in told.items():
            object.__setattr__(trace, name, known)
        return trace

    def __getattr__(self, name: str) -> Any:
        """Called for a field that is not there yet."""
        if name not in ("tensors", "nodes", "edges", "passes", "places", "events", "notes", "warnings", "shown"):
            raise AttributeError(name)
        for field, records in self._transcript.records().items():
            object.__setattr__(self, field, records)
        failed_at = None if self.error is None else self.error.tensor
        object.__setattr__(self, "shown", visibility.shown(self.tensors, self.nodes, self.passes, failed_at))
        verify(self)
        return getattr(self, name)


class TraceBuilder:
    """Writes the records of one run."""

    def __init__(
        self, recorder: Recorder, program: Program | None, max_elements: int, namespace: Mapping[str, object]
    ) -> None:
        self.recorder, self.program, self.max_elements = recorder, program, max_elements
        self.namespace = namespace
        self.input_edges: dict[tuple[int, int], str] = {}
        self.edges: list[Edge] = []
        self._spans: dict[CodePosition, Span | None] = {}
        self._values: dict[int, Value] = {}
        self._paths = module_paths.Paths(namespace)
        self.naming = Naming(recorder, program, namespace, self.span)
        self.operands = FormulaOperands(self.naming.symbol)

    def records(self) -> dict[str, list[Any]]:
        """The fields of the trace that hold the graph."""
        self.naming.assign()
        for node in self.recorder.nodes:
            self._connect(node)
        return {
            "events": EventRecords(self).all(),
            "tensors": self.tensors(),
            "nodes": self.nodes(),
            "edges": self.edges,
            "passes": self.passes(),
            "places": [],
            "notes": notes(self),
            "warnings": self.warnings(),
        }

    # -- places ---------------------------------------------------------------------------------------------------

    def span(self, place: CodePosition | None) -> Span | None:
        """Where in the source something happened."""
        if place is None or self.program is None:
            return None
        if place not in self._spans:
            self._spans[place] = self.program.span(*place)
        return self._spans[place]

    def expression(self, place: CodePosition | None) -> str:
        span = self.span(place)
        return self.program.text_at(span) if span is not None and self.program is not None else ""

    def statement(self, place: CodePosition | None) -> str:
        """The source text of the statement in which something happened."""
        span = self.span(place)
        if span is None or self.program is None:
            return ""
        return self.program.text_at(self.program.statement_at(span))

    plain = staticmethod(lambda given: _plain(given))

    def scope(self, place: CodePosition | None, modules: tuple[Any, ...] = ()) -> list[str]:
        """The modules that were being called, else the functions that the program was in."""
        if modules:
            return list(self._paths.of(modules))
        if place is None or place[0].co_qualname == "<module>":
            return []
        return [part for part in place[0].co_qualname.split(".") if part != "<locals>"]

    def value(self, array: np.ndarray) -> Value:
        """An array for the trace. The recorder keeps each array alive, so its identity will do."""
        known = self._values.get(id(array))
        if known is None:
            known = self._values[id(array)] = value(array, self.max_elements)
        return known

    def optional(self, array: np.ndarray | None) -> Value | None:
        return None if array is None else self.value(array)

    # -- graph ----------------------------------------------------------------------------------------------------

    def _connect(self, node: NodeEntry) -> None:
        for index, entry in enumerate(node.inputs):
            self.input_edges[node.number, index] = self._edge(tensor_id(entry), _node(node), tensor_id(entry), index)
        for entry in node.outputs:
            self._edge(_node(node), tensor_id(entry), tensor_id(entry), None)

    def _edge(self, source: str, target: str, tensor: str, index: int | None) -> str:
        self.edges.append(Edge(f"e{len(self.edges)}", source, target, tensor, index))
        return self.edges[-1].id

    def tensors(self) -> list[TensorRecord]:
        return [self.tensor(entry) for entry in self.recorder.entries]

    def tensor(self, entry: TensorEntry) -> TensorRecord:
        held, last = entry.tensor, entry.last
        grad = held._grad if held._entry is last and (held._node is None or held._retains) else None
        if grad is not None and not _fits(entry, grad._a):
            grad = None
        return TensorRecord(
            id=tensor_id(entry),
            names=list(entry.names),
            expression=self.expression(entry.place),
            shape=list(entry.array.shape),
            dtype=held.dtype.name if held._a.dtype == entry.array.dtype else str(entry.array.dtype),
            requires_grad=last.requires_grad,
            is_leaf=entry.is_leaf,
            version=last.version,
            view_of=tensor_id(entry.view_of) if entry.view_of is not None else None,
            value=self.value(last.array),
            grad=self.value(grad._a) if grad is not None else None,
            node=_node(entry.node) if entry.node is not None else None,
            span=self.span(entry.place),
            pass_id=_pass(entry.pass_index),
            versions=self.versions(entry),
            label=self.naming.label(entry),
            symbol=self.naming.symbol(entry),
        )

    def versions(self, entry: TensorEntry) -> list[TensorVersion]:
        """The values of a tensor over time; none where it was never written."""
        if entry.later is None:
            return []
        return [
            TensorVersion(each.index, self.value(each.array), each.event.number if each.event is not None else None)
            for each in entry.values
        ]

    def nodes(self) -> list[NodeRecord]:
        return [self.node(entry) for entry in self.recorder.nodes]

    def node(self, entry: NodeEntry) -> NodeRecord:
        op = entry.op
        assert op is not None
        output = entry.outputs[0] if entry.outputs else None
        left = self.operands.symbol(output, entry) + " = " if output is not None else ""
        return NodeRecord(
            id=_node(entry),
            kind=entry.kind,  # type: ignore[arg-type]  # one of the three words
            op=op.name,
            symbol=op.symbol,
            grad_fn=entry.node.printed_name if entry.node is not None else None,
            inputs=[tensor_id(e) for e in entry.inputs],
            outputs=[tensor_id(e) for e in entry.outputs],
            attributes=self.attributes(entry),
            saved=self.saved(entry),
            formula=left + latex.symbols(latex.forward(op), self.operands.of(entry)),
            span=self.span(entry.place),
            scope=self.scope(entry.place, entry.modules),
            pass_id=_pass(entry.pass_index),
            region=_region(entry.region),
            call=entry.call,
            read={tensor_id(e): e.index for e in entry.inputs if e.index},
        )

    def attributes(self, entry: NodeEntry) -> dict[str, object]:
        """The settings, and the operands that are plain numbers."""
        assert entry.op is not None
        settings = [p.name for p in entry.op.params if p.kind == "setting"]
        found = dict(zip(settings, map(_plain, entry.settings), strict=False))
        for p, operand in zip(entry.op.tensors, entry.operands, strict=False):
            if not isinstance(operand, TensorEntry) and operand is not None:
                found[p.name] = _plain(operand)
        return {name: given for name, given in found.items() if given is not None}

    def saved(self, entry: NodeEntry) -> list[Saved]:
        if entry.node is None or entry.op is None:
            return []
        wanted = [p.name for p, e in zip(entry.op.differentiable, _edges_of(entry), strict=False) if e is not None]
        result = []
        order = [p.name for p in entry.op.tensors]
        for slot in sorted(entry.op.slots, key=lambda s: order.index(s) if s in order else len(order)):
            held = entry.saved_entry(slot)
            if held is not None and entry.op.users(slot) & set(wanted):
                result.append(Saved(slot, tensor_id(held), held.index))
        return result

    # -- passes ---------------------------------------------------------------------------------------------------

    def passes(self) -> list[Pass]:
        return [self.one_pass(index, entry) for index, entry in enumerate(self.recorder.passes)]

    def one_pass(self, index: int, entry: PassEntry) -> Pass:
        span = self.span(entry.place)
        argument = self.program.argument_span(span, 0, "gradient") if span and self.program else None
        roots = [
            Root(tensor_id(output), self.value(seed), tensor_id(given) if given is not None else None)
            for output, seed, given in entry.roots
        ]
        return Pass(
            id=f"p{index}",
            kind=entry.kind,  # type: ignore[arg-type]  # one of the two words
            root=roots[0].tensor,
            gradient=roots[0].gradient,
            roots=roots,
            span=span,
            gradient_span=argument if entry.kind == "backward" else None,
            retain_graph=entry.retain_graph,
            create_graph=entry.create_graph,
            steps=[self.step(step) for step in entry.steps],
            gradients={tensor_id(e): self.value(a) for e, a in entry.gradients.items() if _fits(e, a)},
            accumulations=[
                Accumulation(tensor_id(e), self.optional(before), self.value(incoming), self.value(after), step)
                for e, before, incoming, after, step in entry.accumulations
                if _fits(e, after)
            ],
            jacobian=self.jacobian(entry),
            complete=entry.complete,
        )

    def jacobian(self, entry: PassEntry) -> dict[str, Jacobian] | None:
        if entry.jacobian is None:
            return None
        return {
            tensor_id(e): Jacobian(list(rows.shape), [numbers(row) for row in rows])
            for e, rows in entry.jacobian.items()
        }

    def step(self, step: StepEntry) -> Step:
        grads, given, passed = (
            [array_of(each) for each in noted] for noted in (step.grads, step.grad_inputs, step.passed)
        )
        step = StepEntry(step.node, grads, given, passed, step.freed, step.reads)
        grad_inputs = [
            self.grad_input(step, position, array, whole)
            for position, (array, whole) in enumerate(zip(step.passed, step.grad_inputs, strict=False))
            if array is not None and _fits(step.node.inputs[_input_index(step.node, position)], array)
        ]
        freed = _tensor_slots(step.node) if step.freed else []
        return Step(_node(step.node), [self.optional(g) for g in step.grads], grad_inputs, freed, self.read(step))

    def read(self, step: StepEntry) -> dict[str, int]:
        """The versions of the saved variables that a step used, but for first ones."""
        held = {saved.tensor: saved.version for saved in self.saved(step.node)}
        found = held | {tensor_id(first): now.index for first, now in (step.reads or {}).items()}
        return {tensor: index for tensor, index in found.items() if index}

    def grad_input(self, step: StepEntry, position: int, array: np.ndarray, whole: np.ndarray | None) -> GradInput:
        """The gradient of the ``position``-th differentiable input."""
        node, index = step.node, _input_index(step.node, position)
        assert node.op is not None
        p = node.op.differentiable[min(position, len(node.op.differentiable) - 1)]
        of_complex = any(g is not None and g.dtype.kind == "c" for g in step.grads)
        tree: list[object] | None
        line, tree = latex.rule(node.op, p.name, of_complex)
        operands = self.operands.of(node, step)
        if node.region is not None:
            operands = self.operands.within(node, operands)
            if position == 0:
                line, tree = latex.outside(line), None
        left = latex.barred(self.operands.symbol(node.inputs[index], node)) + " = "
        symbolic = left + latex.symbols(line, operands)
        small = array.size <= latex.MATRIX_ELEMENTS
        return GradInput(
            edge=self.input_edges[node.number, index],
            value=self.value(array),
            formula=symbolic,
            numbers=latex.matrix(array) + " = " + latex.numeric(line, operands) if small else symbolic,
            tokens=latex.tokens(line, operands, self.value),
            tree=tree,
            expanded=self.value(whole) if whole is not None and whole.shape != array.shape else None,
        )

    def warnings(self) -> list[WarningRecord]:
        return [WarningRecord(kind, text, self.span(place)) for kind, text, place in self.recorder.warnings]


def _fits(entry: TensorEntry, gradient: np.ndarray) -> bool:
    """Whether a gradient has its tensor's shape, which it has not where `x.data` was replaced since."""
    return gradient.shape == entry.array.shape


def _node(entry: NodeEntry) -> str:
    return f"n{entry.number}"


def _pass(index: int | None) -> str | None:
    return None if index is None else f"p{index}"


def _region(spots: np.ndarray | None) -> Region | None:
    if spots is None:
        return None
    return Region(list(spots.shape), spots.reshape(-1).tolist() if spots.size <= MAX_REGION else None)


def _edges_of(entry: NodeEntry) -> tuple[Any, ...]:
    return entry.node.next_edges if entry.node is not None else ()


def _tensor_slots(entry: NodeEntry) -> list[str]:
    assert entry.op is not None
    return [slot for slot in entry.op.slots if entry.saved_entry(slot) is not None]


def _input_index(node: NodeEntry, position: int) -> int:
    """Which input of a recorded call the ``position``-th differentiable parameter is."""
    op = node.op
    assert op is not None
    if any(p.kind == "tensors" for p in op.differentiable):
        return position
    wanted = op.differentiable[position].name
    index = 0
    for p, operand in zip(op.tensors, node.operands, strict=False):
        if p.name == wanted:
            return index
        index += isinstance(operand, TensorEntry)
    return position


def _plain(given: Any) -> object:
    """A setting as JSON can carry it."""
    if given is None or isinstance(given, str | bool | int):
        return given
    if isinstance(given, float):
        return numbers(np.asarray(given))[0]
    if isinstance(given, np.ndarray):
        return given.tolist() if given.size <= 64 else f"array of shape {list(given.shape)}"
    if isinstance(given, list | tuple):
        return [_plain(each) for each in given[:64]]
    return str(given)
