"""A trace that contradicts itself does not leave the engine: each kind of contradiction is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gradflow.engine.recording.verify import BrokenTrace, verify
from gradflow.engine.run import run
from gradflow.engine.trace import Place, Trace

SOURCE = """
import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x.exp()
z = (y * x).sum()
z.backward()
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    made = run(SOURCE, jacobian=True)
    # plain lists and records, whatever the engine keeps until it is read
    return Trace(**{name: getattr(made, name) for name in Trace.__dataclass_fields__})


def test_what_the_engine_records_is_whole(trace: Trace) -> None:
    verify(trace)


def changed(records: list[Any], **changes: Any) -> list[Any]:
    """The records with the first one changed."""
    return [replace(records[0], **changes), *records[1:]]


def in_tensors(**changes: Any) -> Callable[[Trace], Trace]:
    return lambda trace: replace(trace, tensors=changed(trace.tensors, **changes))


def in_nodes(**changes: Any) -> Callable[[Trace], Trace]:
    return lambda trace: replace(trace, nodes=changed(trace.nodes, **changes))


def in_edges(**changes: Any) -> Callable[[Trace], Trace]:
    return lambda trace: replace(trace, edges=changed(trace.edges, **changes))


def in_pass(field: str, change: Callable[[Trace], Any]) -> Callable[[Trace], Trace]:
    return lambda trace: replace(trace, passes=changed(trace.passes, **{field: change(trace)}))


def value_of(trace: Trace, name: str) -> Any:
    return next(t for t in trace.tensors if name in t.names).value


BROKEN: dict[str, tuple[Callable[[Trace], Trace], str]] = {
    "a tensor twice": (lambda t: replace(t, tensors=[*t.tensors, t.tensors[0]]), "ids of tensors are not unique"),
    "a function twice": (lambda t: replace(t, nodes=[*t.nodes, t.nodes[0]]), "ids of functions are not unique"),
    "an edge twice": (lambda t: replace(t, edges=[*t.edges, t.edges[0]]), "ids of edges are not unique"),
    "value of another shape": (in_tensors(shape=[4]), "value of t0 has shape [2, 2] and not [4]"),
    "value without numbers": (
        lambda t: replace(t, tensors=changed(t.tensors, value=replace(t.tensors[0].value, data=None))),
        "value of t0 has neither numbers nor a summary, or both",
    ),
    "grad of another shape": (
        lambda t: replace(t, tensors=changed(t.tensors, grad=value_of(t, "z"))),
        ".grad of t0 has shape [] and not [2, 2]",
    ),
    "no such producer": (in_tensors(node="n99"), "producer of t0"),
    "a producer that made something else": (in_tensors(node="n0"), "producer of t0"),
    "a view of nothing": (in_tensors(view_of="t99"), "base of t0"),
    "no such input": (in_nodes(inputs=["t99"]), "n0 refers to t99"),
    "no such output": (in_nodes(outputs=["t99"]), "producer of t1"),
    "an edge without tensor": (in_edges(tensor="t99"), "e0 carries t99"),
    "an edge to nowhere": (in_edges(target="n99"), "e0 from t0 to n99"),
    "an edge to the wrong operand": (in_edges(input=1), "e0 from t0 to n0"),
    "a root that is not there": (
        in_pass("roots", lambda t: changed(t.passes[0].roots, tensor="t99")),
        "p0: root of t99",
    ),
    "a root of another shape": (
        in_pass("roots", lambda t: changed(t.passes[0].roots, tensor="t0")),
        "p0: root of t0 has shape [] and not [2, 2]",
    ),
    "a gradient of nothing": (in_pass("gradients", lambda t: {"t99": value_of(t, "x")}), "p0: gradient of t99"),
    "a gradient of another shape": (
        in_pass("gradients", lambda t: {"t0": value_of(t, "z")}),
        "p0: gradient of t0 has shape [] and not [2, 2]",
    ),
    "a step of nothing": (in_pass("steps", lambda t: changed(t.passes[0].steps, node="n99")), "p0: step of n99"),
    "a gradient for another function": (
        in_pass("steps", lambda t: changed(t.passes[0].steps, node="n0")),
        "p0: gradient on e5",
    ),
    "an end at no leaf": (
        in_pass("accumulations", lambda t: changed(t.passes[0].accumulations, tensor="t1")),
        "p0: ends at t1, which is no leaf",
    ),
    "an end before the beginning": (
        in_pass("accumulations", lambda t: changed(t.passes[0].accumulations, step=99)),
        "p0: accumulates after step 99",
    ),
    "a Jacobian with a row too few": (
        in_pass("jacobian", lambda t: {"t0": replace((t.passes[0].jacobian or {})["t0"], rows=[])}),
        "p0: rows of t0",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_trace_is_refused(trace: Trace, kind: str) -> None:
    damage, message = BROKEN[kind]
    with pytest.raises(BrokenTrace) as caught:
        verify(damage(trace))
    assert str(caught.value) == message


LOOP = Place("s0", "loop", "for i in x", None, None)
TURN = Place("s1", "turn", "i = 3", "s0", None, turn=3)


@pytest.mark.parametrize(
    "places",
    [
        [TURN],
        [LOOP, LOOP],
        [replace(LOOP, parent="s0")],
        [replace(LOOP, kind="call"), TURN],
        [LOOP, TURN, replace(TURN, id="s2", turn=3)],
    ],
)
def test_places_that_are_no_tree_are_refused(trace: Trace, places: list[Place]) -> None:
    verify(replace(trace, places=[LOOP, TURN]))
    with pytest.raises(BrokenTrace):
        verify(replace(trace, places=places))


def test_a_place_that_is_not_told_is_refused(trace: Trace) -> None:
    with pytest.raises(BrokenTrace, match="something is in s7"):
        verify(in_nodes(place="s7")(trace))
