"""From the recorder's notes to a `Trace`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from engine import latex
from engine.entries import Entry, NodeEntry, PassEntry, Place, StepEntry, raw
from engine.formula import symbol
from engine.nn import paths
from engine.nn.parameter import Parameter
from engine.program import Program
from engine.record import Recorder
from engine.tensor import Tensor
from engine.trace import (
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
    Trace,
    Value,
    WarningRecord,
)
from engine.values import numbers, value
from engine.verify import verify

MAX_REGION = 4096


class RecordedTrace(Trace):
    """A trace whose graph is written down when it is first read: most of its text is never looked at."""

    __slots__ = ("_transcript",)
    __dataclass_fields__ = Trace.__dataclass_fields__  # orjson looks for it in the class itself

    @classmethod
    def later(cls, source: str, stdout: str, error: ErrorRecord | None, transcript: Transcript) -> RecordedTrace:
        """A trace with the fields that are known at once."""
        trace = cls.__new__(cls)
        told = {"source": source, "stdout": stdout, "error": error, "schema": 1, "_transcript": transcript}
        for name, known in told.items():
            object.__setattr__(trace, name, known)
        return trace

    def __getattr__(self, name: str) -> Any:
        """Called for a field that is not there yet."""
        if name not in ("tensors", "nodes", "edges", "passes", "warnings"):
            raise AttributeError(name)
        for field, records in self._transcript.records().items():
            object.__setattr__(self, field, records)
        verify(self)
        return getattr(self, name)


class Transcript:
    """Writes the records of one run."""

    def __init__(
        self, recorder: Recorder, program: Program | None, max_elements: int, namespace: Mapping[str, object]
    ) -> None:
        self.recorder, self.program, self.max_elements = recorder, program, max_elements
        self.namespace = namespace
        self.input_edges: dict[tuple[int, int], str] = {}
        self.edges: list[Edge] = []
        self._spans: dict[Place, Span | None] = {}
        self._values: dict[int, Value] = {}
        self._named = False
        self._paths = paths.Paths(namespace)

    def records(self) -> dict[str, list[Any]]:
        """The fields of the trace that hold the graph."""
        self.name_entries()
        for node in self.recorder.nodes:
            self._connect(node)
        return {
            "tensors": self.tensors(), "nodes": self.nodes(), "edges": self.edges, "passes": self.passes(),
            "warnings": self.warnings(),
        }  # fmt: skip

    # -- names ----------------------------------------------------------------------------------------------------

    def name_entries(self) -> None:
        """Give tensors the names they are assigned to, and those under which they stand at the end."""
        if self._named:
            return
        self._named = True
        last = {node.call: node for node in self.recorder.nodes}  # what a call returns is what it makes last
        for entry in self.recorder.entries:
            span = self.span(entry.place)
            # of a write into a view, it is the view that has the name
            through_view = entry.node is not None and entry.node.kind == "copy_slices"
            if (
                span is not None
                and self.program is not None
                and entry.pass_index is None
                and not through_view
                and not isinstance(entry.tensor, Parameter)
                and (entry.node is None or entry.node.call is None or last[entry.node.call] is entry.node)
            ):
                self._assign(entry, self.program.assigned_names(span))
        for name, held in self.namespace.items():
            if (
                isinstance(held, Tensor)
                and held._entry is not None
                and name.isidentifier()
                and not name.startswith("_")
            ):
                self._assign(held._entry, [name])
        for name, held in paths.parameter_names(self.namespace):
            if held._entry is not None:
                self._assign(held._entry, [name])
        self._carry_over()

    def _assign(self, entry: Entry, names: Iterable[str]) -> None:
        for name in names:
            if name not in entry.names:
                entry.names = [*entry.names, name]

    def _carry_over(self) -> None:
        """Versions of a tensor share their names, whichever of them was named; a ``.grad`` is called after its leaf."""
        families: dict[int, list[Entry]] = {}
        for entry in self.recorder.entries:
            families.setdefault(id(entry.tensor), []).append(entry)
        for family in families.values():
            names = list(dict.fromkeys(name for entry in family for name in entry.names))
            for entry in family:
                entry.names = list(names)
        for entry in self.recorder.entries:
            if entry.grad_of is not None and not entry.names and entry.grad_of.names:
                entry.names = [f"{entry.grad_of.names[0]}.grad"]

    def symbol(self, entry: Entry) -> str:
        """The tensor as a mathematical symbol: its name, or ``u`` with its number."""
        if entry.names:
            return symbol(entry.names[0])
        return f"u_{{{entry.number}}}"

    # -- places ---------------------------------------------------------------------------------------------------

    def span(self, place: Place | None) -> Span | None:
        """Where in the source something happened."""
        if place is None or self.program is None:
            return None
        if place not in self._spans:
            self._spans[place] = self.program.span(*place)
        return self._spans[place]

    def expression(self, place: Place | None) -> str:
        span = self.span(place)
        return self.program.text_at(span) if span is not None and self.program is not None else ""

    def scope(self, place: Place | None, modules: tuple[Any, ...] = ()) -> list[str]:
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
            self.input_edges[node.number, index] = self._edge(_tensor(entry), _node(node), _tensor(entry), index)
        for entry in node.outputs:
            self._edge(_node(node), _tensor(entry), _tensor(entry), None)

    def _edge(self, source: str, target: str, tensor: str, index: int | None) -> str:
        self.edges.append(Edge(f"e{len(self.edges)}", source, target, tensor, index))
        return self.edges[-1].id

    def tensors(self) -> list[TensorRecord]:
        return [self.tensor(entry) for entry in self.recorder.entries]

    def tensor(self, entry: Entry) -> TensorRecord:
        held = entry.tensor
        grad = held._grad if held._entry is entry and (held._node is None or held._retains) else None
        if grad is not None and not _fits(entry, grad._a):
            grad = None
        return TensorRecord(
            id=_tensor(entry),
            names=list(entry.names),
            expression=self.expression(entry.place),
            shape=list(entry.array.shape),
            dtype=held.dtype.name if held._a.dtype == entry.array.dtype else str(entry.array.dtype),
            requires_grad=entry.requires_grad,
            is_leaf=entry.is_leaf,
            version=entry.version,
            view_of=_tensor(entry.view_of) if entry.view_of is not None else None,
            value=self.value(entry.array),
            grad=self.value(grad._a) if grad is not None else None,
            node=_node(entry.node) if entry.node is not None else None,
            span=self.span(entry.place),
            pass_id=_pass(entry.pass_index),
        )

    def nodes(self) -> list[NodeRecord]:
        return [self.node(entry) for entry in self.recorder.nodes]

    def node(self, entry: NodeEntry) -> NodeRecord:
        op = entry.op
        assert op is not None
        output = entry.outputs[0] if entry.outputs else None
        left = self.symbol(output) + " = " if output is not None else ""
        return NodeRecord(
            id=_node(entry),
            kind=entry.kind,  # type: ignore[arg-type]  # one of the three words
            op=op.name,
            symbol=op.symbol,
            grad_fn=entry.node.printed_name if entry.node is not None else None,
            inputs=[_tensor(e) for e in entry.inputs],
            outputs=[_tensor(e) for e in entry.outputs],
            attributes=self.attributes(entry),
            saved=self.saved(entry),
            formula=left + latex.symbols(latex.forward(op), self.operands(entry)),
            span=self.span(entry.place),
            scope=self.scope(entry.place, entry.modules),
            pass_id=_pass(entry.pass_index),
            region=_region(entry.region),
            call=entry.call,
        )

    def attributes(self, entry: NodeEntry) -> dict[str, object]:
        """The settings, and the operands that are plain numbers."""
        assert entry.op is not None
        settings = [p.name for p in entry.op.params if p.kind == "setting"]
        found = dict(zip(settings, map(_plain, entry.settings), strict=False))
        for p, operand in zip(entry.op.tensors, entry.operands, strict=False):
            if not isinstance(operand, Entry) and operand is not None:
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
                result.append(Saved(slot, _tensor(held)))
        return result

    # -- passes ---------------------------------------------------------------------------------------------------

    def passes(self) -> list[Pass]:
        return [self.one_pass(index, entry) for index, entry in enumerate(self.recorder.passes)]

    def one_pass(self, index: int, entry: PassEntry) -> Pass:
        span = self.span(entry.place)
        argument = self.program.argument_span(span, 0, "gradient") if span and self.program else None
        roots = [
            Root(_tensor(output), self.value(seed), _tensor(given) if given is not None else None)
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
            retain_graph=entry.retain,
            create_graph=entry.create,
            steps=[self.step(step) for step in entry.steps],
            gradients={_tensor(e): self.value(a) for e, a in entry.gradients.items() if _fits(e, a)},
            accumulations=[
                Accumulation(_tensor(e), self.optional(before), self.value(incoming), self.value(after), step)
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
            _tensor(e): Jacobian(list(rows.shape), [numbers(row) for row in rows]) for e, rows in entry.jacobian.items()
        }

    def step(self, step: StepEntry) -> Step:
        grads, given, passed = ([raw(each) for each in noted] for noted in (step.grads, step.shares, step.passed))
        step = StepEntry(step.node, grads, given, passed, step.freed)
        shares = [
            self.share(step, position, array, whole)
            for position, (array, whole) in enumerate(zip(step.passed, step.shares, strict=False))
            if array is not None and _fits(step.node.inputs[_input_index(step.node, position)], array)
        ]
        freed = _tensor_slots(step.node) if step.freed else []
        return Step(_node(step.node), [self.optional(g) for g in step.grads], shares, freed)

    def share(self, step: StepEntry, position: int, array: np.ndarray, whole: np.ndarray | None) -> GradInput:
        """The share of the ``position``-th differentiable input."""
        node, index = step.node, _input_index(step.node, position)
        assert node.op is not None
        p = node.op.differentiable[min(position, len(node.op.differentiable) - 1)]
        of_complex = any(g is not None and g.dtype.kind == "c" for g in step.grads)
        tree: list[object] | None
        line, tree = latex.rule(node.op, p.name, of_complex)
        operands = self.operands(node, step)
        if node.region is not None:
            operands = self.within(node, operands)
            if position == 0:
                line, tree = latex.outside(line), None
        left = latex.barred(self.symbol(node.inputs[index])) + " = "
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

    def operands(self, node: NodeEntry, step: StepEntry | None = None) -> dict[str, latex.Operand]:
        """What the names of an operation's formulas stand for in this call."""
        op = node.op
        assert op is not None
        found: dict[str, latex.Operand] = {}
        settings = iter(node.settings)
        positional = iter(node.operands)
        for p in op.params:
            if p.kind == "tensors":
                each = [self.symbol(e) for e in node.inputs]
                found[p.name] = latex.Operand(", ".join(each), None)
            elif p.kind == "setting":
                found[p.name] = latex.Operand(_setting(next(settings, None)), None)
            else:
                found[p.name] = self.operand(next(positional, None))
        if node.outputs:
            outputs = op.outputs or ("out",)
            for name, entry in zip(outputs, node.outputs, strict=False):
                found[name] = self.operand(entry)
        for i, grad in enumerate(step.grads if step is not None else []):
            if i < len(node.outputs):
                name = "g" if i == 0 else f"g_{op.outputs[i]}" if op.outputs else f"g{i}"
                tex = latex.barred(self.symbol(node.outputs[i]))
                found[name] = latex.Operand(tex, grad, True, _tensor(node.outputs[i]))
        return found

    def within(self, node: NodeEntry, operands: dict[str, latex.Operand]) -> dict[str, latex.Operand]:
        """The operands of a write into a part of a tensor: the rule works on the written region W of the gradient."""
        whole = operands.get("g")
        if whole is None or whole.array is None or node.region is None:
            return operands
        assert node.op is not None
        written = {
            name: latex.Operand(rf"{o.tex}_{{W}}", o.array.reshape(-1)[node.region], o.gradient, None)
            for name, o in operands.items()
            if name in ("g", "out", node.op.params[0].name) and o.array is not None
        }
        return operands | written | {latex.WHOLE: whole}

    def operand(self, given: Any) -> latex.Operand:
        if isinstance(given, Entry):
            return latex.Operand(self.symbol(given), given.array, False, _tensor(given))
        return latex.Operand(_setting(given), None)

    def warnings(self) -> list[WarningRecord]:
        return [WarningRecord(kind, text, self.span(place)) for kind, text, place in self.recorder.warnings]


def _fits(entry: Entry, gradient: np.ndarray) -> bool:
    """Whether a gradient has its tensor's shape, which it has not where `x.data` was replaced since."""
    return gradient.shape == entry.array.shape


def _tensor(entry: Entry) -> str:
    return f"t{entry.number}"


def _node(entry: NodeEntry) -> str:
    return f"n{entry.number}"


def _pass(index: int | None) -> str | None:
    return None if index is None else f"p{index}"


def _region(spots: np.ndarray | None) -> Region | None:
    if spots is None:
        return None
    return Region(list(spots.shape), spots.reshape(-1).tolist() if spots.size <= MAX_REGION else None)


def _edges_of(entry: NodeEntry) -> tuple[Any, ...]:
    return entry.node.next if entry.node is not None else ()


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
        index += isinstance(operand, Entry)
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


def _setting(given: Any) -> str:
    if isinstance(given, bool) or given is None:
        return rf"\text{{{given}}}"
    if isinstance(given, int | float):
        text = latex.tex_number(given)
        return rf"\left({text}\right)" if text.startswith("-") else text
    if isinstance(given, np.ndarray):
        return latex.matrix(given) if given.size <= latex.MATRIX_ELEMENTS else r"\cdot"
    if isinstance(given, list | tuple):
        return r",\,".join(_setting(each) for each in given[:8])
    return rf"\text{{{str(given).replace('_', chr(92) + '_')}}}"
