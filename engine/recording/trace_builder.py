"""From the recorder's notes to a `Trace`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.recording import local_jacobians
from gradflow.engine.recording.afterwards import LastGradients
from gradflow.engine.recording.attributes import attributes
from gradflow.engine.recording.budget import budget
from gradflow.engine.recording.budget.rows import Rows
from gradflow.engine.recording.budget.selection import Selection, everything
from gradflow.engine.recording.entries import (
    CodePosition,
    NodeEntry,
    PassEntry,
    StepEntry,
    TensorEntry,
    node_id,
    pass_id,
    tensor_id,
)
from gradflow.engine.recording.event_records import EventRecords
from gradflow.engine.recording.gradient_argument import gradient_argument
from gradflow.engine.recording.names import Naming
from gradflow.engine.recording.place_records import PlaceRecords, place_id
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.rules.rule_book import RuleBook
from gradflow.engine.recording.values import MOST_TEXT, Detail, Measures, numbers, value
from gradflow.engine.sandbox.program import Program
from gradflow.engine.state import Entered
from gradflow.engine.trace import (
    Accumulation,
    Edge,
    GradInput,
    Jacobian,
    NodeRecord,
    Note,
    Pass,
    Region,
    Root,
    Saved,
    Span,
    Step,
    TensorRecord,
    TensorVersion,
    Value,
    WarningRecord,
)

MAX_REGION = 4096


class TraceBuilder:
    """Writes the records of one run. ``max_bytes`` limits their JSON, ``values`` are ids of tensors to be told in full, and
    ``notes`` finds the traps that the program walked into."""

    def __init__(
        self,
        recorder: Recorder,
        program: Program | None,
        max_elements: int,
        namespace: Mapping[str, object],
        max_bytes: int | None = None,
        values: Collection[str] = (),
        notes: Callable[[TraceBuilder], list[Note]] = lambda builder: [],
    ) -> None:
        self.recorder, self.program, self.max_elements, self._notes = recorder, program, max_elements, notes
        self.told = 0  # bytes that output and error take
        self.json: dict[str, bytes] = {}  # of the fields of `records`, as far as it is written
        self.namespace, self.max_bytes, self.full = namespace, max_bytes, frozenset(values)
        self.selection = everything(recorder, Detail(max_elements))
        self._values: dict[Detail, dict[tuple[int, bool], Value]] = {}
        self._measured: dict[int, Measures] = {}
        self._spans: dict[tuple[int, int], Span | None] = {}
        self.naming = Naming(recorder, program, namespace, self.span)
        self._rows = Rows(recorder)
        self._last_gradients = LastGradients(recorder.entries)
        self._gradients: dict[int, list[tuple[TensorEntry, np.ndarray]]] = {}

    def records(self) -> dict[str, Any]:
        """The fields of the trace that hold the graph."""
        self.naming.assign()
        asked = [entry for entry in self.recorder.entries if tensor_id(entry) in self.full] if self.full else []
        room = None if self.max_bytes is None else self.max_bytes - self._bytes_apart()
        selection, records, self.json = budget.fitted(self.recorder, self.max_elements, room, asked, self.written)
        return records | {"budget": budget.budget_of(self.max_bytes, len(self.summarised), selection)}

    def _bytes_apart(self) -> int:
        """What the rest of the trace takes: source, output and error, and a fix that is put into the error later."""
        most = self.max_bytes or 0
        return 2 * budget.size_of(self.program.source if self.program else "") + self.told + most // 32

    def written(self, selection: Selection) -> dict[str, Any]:
        """The records of what is selected."""
        self.selection = selection
        self._told = self._values.setdefault(selection.detail, {})
        self.input_edges: dict[tuple[int, int], str] = {}
        self.edges: list[Edge] = []
        self.rules = RuleBook()
        self.summarised: set[int] = set()
        for node in selection.nodes:
            self._connect(node)
        places = [n.within for n in selection.nodes] + [t.within for t in selection.entries]
        places += [e.within for e in selection.events]
        return {
            "events": EventRecords(self).all(),
            "tensors": self.tensors(),
            "nodes": self.nodes(),
            "edges": self.edges,
            "passes": self.passes(),
            "places": self._places.of(places),
            "notes": self.notes(),
            "warnings": self.warnings(),
            "rules": self.rules.rules,
            "left_out": self._rows.of(selection.left_out),
            "local_jacobians": local_jacobians.told(
                self.recorder.local_jacobians.found,
                selection.nodes,
                lambda entry, position: self.input_edges[entry.number, _input_index(entry, position)],
            ),
        }

    @cached_property
    def _places(self) -> PlaceRecords:
        return PlaceRecords(self.recorder.places, self.program, self.naming.paths, self.span)

    @cached_property
    def _traps(self) -> list[Note]:
        return self._notes(self)

    def notes(self) -> list[Note]:
        """The traps of the run, with the tensors that are written."""
        told = {tensor_id(entry) for entry in self.selection.entries}
        return [replace(note, tensors=[each for each in note.tensors if each in told]) for note in self._traps]

    # -- places ---------------------------------------------------------------------------------------------------

    def span(self, place: CodePosition | None) -> Span | None:
        """Where in the source something happened."""
        if place is None or self.program is None:
            return None
        key = id(place[0]), place[1]  # the hash of a code object is that of all its text
        if key not in self._spans:
            self._spans[key] = self.program.span(*place)
        return self._spans[key]

    def expression(self, place: CodePosition | None) -> str:
        """The source text of what was evaluated at a place, its beginning where it is long."""
        return self.naming.expression(place)[:MOST_TEXT]

    def statement(self, place: CodePosition | None) -> str:
        """The source text of the statement in which something happened."""
        span = self.span(place)
        if span is None or self.program is None:
            return ""
        return self.program.text_at(self.program.statement_at(span))[:MOST_TEXT]

    def scope(self, place: CodePosition | None, entered: Entered | None) -> list[str]:
        """The modules that were being called, else the functions that the program was in."""
        if entered is not None and (modules := entered.modules):
            return list(self.naming.paths.of(modules))
        if place is None or place[0].co_qualname == "<module>":
            return []
        return [part for part in place[0].co_qualname.split(".") if part != "<locals>"]

    def value(self, array: np.ndarray, full: bool = False) -> Value:
        """An array for the trace. The recorder keeps each array alive, so its identity will do."""
        known = self._told.get((id(array), full))
        if known is None:
            detail = Detail(array.size) if full else self.selection.detail
            known = self._told[id(array), full] = value(array, detail, self._measured)
        if known.summary is not None:
            self.summarised.add(id(array))
        return known

    def optional(self, array: np.ndarray | None, full: bool = False) -> Value | None:
        return None if array is None else self.value(array, full)

    # -- graph ----------------------------------------------------------------------------------------------------

    def _connect(self, node: NodeEntry) -> None:
        for index, entry in enumerate(node.inputs):
            self.input_edges[node.number, index] = self._edge(tensor_id(entry), node_id(node), tensor_id(entry), index)
        for entry in node.outputs:
            self._edge(node_id(node), tensor_id(entry), tensor_id(entry), None)

    def _edge(self, source: str, target: str, tensor: str, index: int | None) -> str:
        self.edges.append(Edge(f"e{len(self.edges)}", source, target, tensor, index))
        return self.edges[-1].id

    def tensors(self) -> list[TensorRecord]:
        return [self.tensor(entry) for entry in self.selection.entries]

    def tensor(self, entry: TensorEntry) -> TensorRecord:
        held, last, full = entry.tensor, entry.last, bool(self.full) and tensor_id(entry) in self.full
        grad = self._last_gradients.of(entry) if held._entry is last and (held._node is None or held._retains) else None
        if grad is not None and not _fits(entry, grad):
            grad = None
        return TensorRecord(
            id=tensor_id(entry),
            names=list(entry.names),
            expression=self.expression(entry.place),
            shape=list(entry.array.shape),
            dtype=held.dtype.name if held._a.dtype == entry.array.dtype else str(entry.array.dtype),
            requires_grad=last.requires_grad or entry in self._received,
            is_leaf=entry.is_leaf,
            version=last.version,
            view_of=tensor_id(entry.view_of) if entry.view_of is not None else None,
            value=self.value(last.array, full),
            grad=self.optional(grad, full),
            node=node_id(entry.source) if entry.source is not None and self.selection.has_node(entry.source) else None,
            span=self.span(entry.place),
            pass_id=None if entry.pass_index is None else pass_id(entry.pass_index),
            place=place_id(entry.within),
            versions=self.versions(entry, full),
            label=self.naming.label(entry)[:MOST_TEXT],
            symbol=self.naming.symbol(entry),
        )

    @cached_property
    def _received(self) -> Set[TensorEntry]:
        """The leaves that gradients were added to, also where the program has frozen them since."""
        return {leaf.first for one in self.recorder.passes for leaf, *_ in one.accumulations}

    def versions(self, entry: TensorEntry, full: bool) -> list[TensorVersion]:
        """The values of a tensor over time; none where it was never written."""
        if entry.later is None:
            return []
        told = [each for each in entry.values if self.selection.has_version(each)]
        return [
            TensorVersion(
                each.index, self.value(each.array, full), each.event.number if each.event is not None else None
            )
            for each in told
        ]

    def nodes(self) -> list[NodeRecord]:
        return [self.node(entry) for entry in self.selection.nodes]

    def node(self, entry: NodeEntry) -> NodeRecord:
        op = entry.op
        assert op is not None
        return NodeRecord(
            id=node_id(entry),
            kind=entry.kind,  # type: ignore[arg-type]  # one of the three words
            op=op.name,
            symbol=op.symbol,
            grad_fn=entry.node.recorded_name if entry.node is not None else None,
            inputs=[tensor_id(e) for e in entry.inputs],
            outputs=[tensor_id(e) for e in entry.outputs],
            attributes=attributes(entry),
            saved=_saved(entry),
            rule=self.rules.of(entry),
            span=self.span(entry.place),
            scope=self.scope(entry.place, entry.entered),
            place=place_id(entry.within),
            pass_id=None if entry.pass_index is None else pass_id(entry.pass_index),
            region=_region(entry.region),
            call=entry.call,
            read={tensor_id(e): e.index for e in entry.inputs if e.index},
        )

    # -- passes ---------------------------------------------------------------------------------------------------

    def passes(self) -> list[Pass]:
        return [self.one_pass(index, entry) for index, entry in self.selection.passes]

    def one_pass(self, index: int, entry: PassEntry) -> Pass:
        span = self.span(entry.place)
        argument = gradient_argument(self.program, span, entry.kind) if span and self.program else None
        roots = [Root(tensor_id(o), self.value(seed), tensor_id(g) if g else None) for o, seed, g in entry.roots]
        ran = [k for k, step in enumerate(entry.steps) if self.selection.has_node(step.node)]
        return Pass(
            id=pass_id(index),
            kind=entry.kind,  # type: ignore[arg-type]  # one of the two words
            root=roots[0].tensor,
            gradient=roots[0].gradient,
            roots=roots,
            span=span,
            gradient_span=argument,
            retain_graph=entry.retain_graph,
            create_graph=entry.create_graph,
            steps=[self.step(entry.steps[k]) for k in ran],
            gradients={
                tensor_id(e): self.value(a, tensor_id(e) in self.full)
                for e, a in self._gradients_of(index, entry)
                if self.selection.has(e)
            },
            accumulations=[
                Accumulation(
                    tensor_id(e),
                    self.optional(before, full := tensor_id(e) in self.full),
                    self.value(incoming, full),
                    self.value(after, full),
                    max(bisect_right(ran, step) - 1, 0),
                )
                for e, before, incoming, after, step in entry.accumulations
                if _fits(e, after)
            ],
            jacobian=self.jacobian(entry),
            complete=entry.complete,
            rows=list(entry.rows),
        )

    def _gradients_of(self, index: int, entry: PassEntry) -> list[tuple[TensorEntry, np.ndarray]]:
        """The gradients of a pass, looked for once: a run is written several times until it fits its budget."""
        known = self._gradients.get(index)
        if known is None:
            known = self._gradients[index] = [(e, a) for e, a in entry.gradients.items() if _fits(e, a)]
        return known

    def jacobian(self, entry: PassEntry) -> dict[str, Jacobian] | None:
        if entry.jacobian is None or not self.selection.whole:
            return None
        return {
            tensor_id(e): Jacobian(list(rows.shape), [numbers(row) for row in rows])
            for e, rows in entry.jacobian.items()
            if self.selection.has(e)
        }

    def step(self, step: StepEntry) -> Step:
        grads, given, passed = (
            [array_of(each) for each in noted] for noted in (step.grads, step.grad_inputs, step.passed)
        )
        step = StepEntry(step.node, grads, given, passed, step.freed, step.reads)
        inputs = step.node.inputs  # of a `stack` there may be thousands
        grad_inputs = [
            self.grad_input(step, index, array, whole)
            for position, (array, whole) in enumerate(zip(step.passed, step.grad_inputs, strict=False))
            if array is not None and _fits(inputs[index := _input_index(step.node, position)], array)
        ]
        freed = [slot for slot, _ in step.node.saved] if step.freed else []
        return Step(node_id(step.node), [self.optional(g) for g in step.grads], grad_inputs, freed, self.read(step))

    def read(self, step: StepEntry) -> dict[str, int]:
        """The versions of the saved variables that a step used, but for first ones."""
        found = {held.first: held for _, held in step.node.saved if held is not None} | (step.reads or {})
        return {tensor_id(first): now.index for first, now in found.items() if now.index}

    def grad_input(self, step: StepEntry, index: int, array: np.ndarray, whole: np.ndarray | None) -> GradInput:
        """The gradient of the input with this index."""
        return GradInput(
            edge=self.input_edges[step.node.number, index],
            value=self.value(array),
            expanded=self.value(whole) if whole is not None and whole.shape != array.shape else None,
        )

    def warnings(self) -> list[WarningRecord]:
        told = [WarningRecord(kind, text, self.span(place)) for kind, text, place in self.recorder.warnings]
        return told if self.max_bytes is None else budget.cut_warnings(told, self.max_bytes // 16)


def _fits(entry: TensorEntry, gradient: np.ndarray) -> bool:
    """Whether a gradient has its tensor's shape, which it has not where `x.data` was replaced since."""
    return gradient.shape == entry.array.shape


def _saved(entry: NodeEntry) -> list[Saved]:
    """The tensors that a function keeps, in the order of its operands."""
    order = [p.name for p in entry.op.tensors] if entry.op is not None and entry.kept is None else []
    told = sorted(entry.saved, key=lambda each: order.index(each[0]) if each[0] in order else len(order))
    return [Saved(slot, tensor_id(held), held.index) for slot, held in told if held is not None]


def _region(spots: np.ndarray | None) -> Region | None:
    if spots is None:
        return None
    return Region(list(spots.shape), spots.reshape(-1).tolist() if spots.size <= MAX_REGION else None)


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
