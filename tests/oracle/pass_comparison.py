"""Where the passes of a trace differ from those that PyTorch ran, each difference by its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

import numpy as np

from gradflow.engine.trace import Pass, Trace
from gradflow.engine.trace import Step as TraceStep
from gradflow.engine.trace import Value as TraceValue
from tests.oracle.pass_recorder import RecordedPass, Step, Value

KINDS = ("passes", "kind", "order", "grad_outputs", "grad_inputs", "edges", "accumulations", "freed")
"""In which respects two runs are compared."""

RELATIVE, ABSOLUTE = 1e-4, 1e-6
_WORDS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}

Difference = tuple[str, str]
"""One of `KINDS`, and a line for people."""


def differences(recorded: Sequence[RecordedPass], trace: Trace) -> Iterator[Difference]:
    """All differences, pass by pass."""
    theirs = [one for one in recorded if one.ran]
    ours = joined([one for one in trace.passes if one.steps or one.accumulations])
    if len(theirs) != len(ours):
        yield "passes", f"{len(theirs)} passes in PyTorch, {len(ours)} here"
        return
    comparison = _Comparison(trace)
    for number, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        if not a.too_large:
            yield from ((kind, f"pass {number}: {text}") for kind, text in comparison.of_pass(a, b))


class _Comparison:
    def __init__(self, trace: Trace) -> None:
        self.nodes = {node.id: node for node in trace.nodes}
        self.edges = {edge.id: edge for edge in trace.edges}
        self.tensors = {tensor.id: tensor for tensor in trace.tensors}

    def of_pass(self, a: RecordedPass, b: Pass) -> Iterator[Difference]:
        if a.kind != b.kind or a.create_graph != b.create_graph:
            yield "kind", f"{a.kind} create_graph={a.create_graph}, here {b.kind} create_graph={b.create_graph}"
        names = [step.name for step in a.finished], [self.nodes[step.node].grad_fn for step in b.steps]
        if names[0] != names[1]:
            yield "order", f"{' '.join(names[0])}, here {' '.join(map(str, names[1]))}"
            return
        turns = {step.node: i for i, step in enumerate(a.finished)}, {step.node: i for i, step in enumerate(b.steps)}
        for number, (step, own) in enumerate(zip(a.finished, b.steps, strict=True)):
            for kind, text in self.of_step(step, own, *turns):
                yield kind, f"step {number} {step.name}: {text}"
        yield from self.of_leaves(a, b)

    def of_step(self, a: Step, b: TraceStep, theirs: dict[int, int], ours: dict[str, int]) -> Iterator[Difference]:
        for number, (g, own) in enumerate(zip(a.grad_outputs, b.grad_outputs, strict=False)):
            if not agree(g, own):
                yield "grad_outputs", f"output {number}"
        assert a.grad_inputs is not None
        given = [i for i, g in enumerate(a.grad_inputs) if g is not None and a.targets[i] is not None]
        in_order = sorted(b.grad_inputs, key=lambda one: self.edges[one.edge].input or 0)
        own_inputs = b.grad_inputs if a.name == "CopySlices" else in_order
        if len(given) != len(own_inputs):
            yield "grad_inputs", f"{len(given)} in PyTorch, {len(own_inputs)} here"
        else:
            for i, grad_input in zip(given, own_inputs, strict=True):
                if not agree(a.grad_inputs[i], grad_input.value):
                    yield "grad_inputs", f"input {i}"
                target = a.targets[i]
                expected = "leaf" if a.to_leaf[i] or target is None else theirs.get(target)
                reached = self.goes_to(grad_input.edge, ours)
                if reached != expected and not (reached is None and a.to_inner[i]):  # which leads out of the pass
                    yield "edges", f"input {i} goes to {expected}, here to {reached}"
        if a.name != "CopySlices" and bool(a.freed) != bool(b.freed):  # of a CopySlices Python sees nothing saved
            yield "freed", f"{a.freed}, here {b.freed}"

    def goes_to(self, edge: str, turns: dict[str, int]) -> int | str | None:
        """The turn of the step to which a gradient goes, or that it goes to a leaf."""
        tensor = self.tensors[self.edges[edge].tensor]
        return "leaf" if tensor.is_leaf or tensor.node is None else turns.get(tensor.node)

    def of_leaves(self, a: RecordedPass, b: Pass) -> Iterator[Difference]:
        theirs = [one for one in a.accumulations if one.incoming is not None] if a.kind == "backward" else []
        if len(theirs) != len(b.accumulations):
            yield "accumulations", f"{len(theirs)} in PyTorch, {len(b.accumulations)} here"
            return
        for number, (one, own) in enumerate(zip(theirs, b.accumulations, strict=True)):
            if not (agree(one.before, own.before) and agree(one.incoming, own.incoming)):
                yield "accumulations", f"number {number}"
            elif max(one.steps_done - 1, 0) != own.step:
                yield "accumulations", f"number {number} after step {one.steps_done - 1}, here {own.step}"


def agree(theirs: Value, ours: TraceValue | Stacked | None) -> bool:
    """Whether two gradients have the same shape and dtype, and their elements the same values within rounding."""
    if isinstance(ours, Stacked):
        return any(agree(theirs, one) for one in ours.readings())
    if theirs is None or ours is None:
        return theirs is None and ours is None
    if list(theirs.shape) != ours.shape or theirs.dtype.name != ours.dtype:
        return False
    if ours.data is None:
        return True
    flat = [_WORDS.get(one, one) if isinstance(one, str) else one for one in ours.data]
    own = np.array([complex(one) for one in flat]) if theirs.dtype.kind == "c" else np.array(flat, float)
    flat_theirs = theirs.reshape(-1)
    sizes = np.abs(flat_theirs[np.isfinite(flat_theirs)])
    absolute = ABSOLUTE * max(1.0, float(sizes.max(initial=0)))  # a sum is rounded as its largest terms are
    return bool(np.allclose(own, flat_theirs, RELATIVE, absolute, equal_nan=True))


# -- passes that are rows of a batch ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stacked:
    """A gradient in every row. PyTorch has them in one tensor, or has one where it depends on no row."""

    rows: Sequence[Any]

    def readings(self) -> Iterator[TraceValue]:
        """What PyTorch may have of it: all rows, and the one that all are."""
        for same in zip(*map(_readings, self.rows), strict=True):
            first = same[0]
            if all(one.data is not None for one in same):
                yield TraceValue(
                    [len(same), *first.shape], first.dtype, list(chain.from_iterable(one.data for one in same))
                )
            if all(one == first for one in same):
                yield first


def _readings(value: Any) -> Iterator[TraceValue]:
    return value.readings() if isinstance(value, Stacked) else iter([value])


def joined(passes: Sequence[Pass], depth: int = 0) -> list[Pass]:
    """The passes of a trace, with one for each batch whose values are `Stacked`."""
    found: list[Pass] = []
    for batch, group in groupby(passes, lambda one: one.rows[depth].batch if len(one.rows) > depth else None):
        own = list(group)
        by_row = groupby(own, lambda one: one.rows[depth].index) if batch is not None else ()
        rows = [joined(list(row), depth + 1) for _, row in by_row]
        alike = len({tuple(len(one.steps) for one in row) for row in rows}) == 1
        found += map(_one_of, zip(*rows, strict=True)) if alike else own
    return found


def _one_of(rows: Sequence[Pass]) -> Pass:
    return replace(rows[0], steps=[_step(steps) for steps in zip(*(one.steps for one in rows), strict=True)])


def _step(rows: Sequence[TraceStep]) -> TraceStep:
    edges = zip(*(step.grad_inputs for step in rows), strict=False)
    return replace(
        rows[0],
        grad_outputs=[_stacked(each) for each in zip(*(step.grad_outputs for step in rows), strict=True)],
        grad_inputs=[replace(each[0], value=_stacked([one.value for one in each])) for each in edges],
        freed=rows[-1].freed,  # until then the graph is kept
    )


def _stacked(each: Sequence[Any]) -> Any:
    return None if each[0] is None else Stacked(each)
