"""Events come in the program's order, a leaf keeps one id through its values, and a step tells which values it used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.rules import RULES
from gradflow.engine.namespace.torch import modules
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.recording.verify import BrokenTrace, verify
from gradflow.engine.run import run
from gradflow.engine.sandbox.program import PROGRAM_FILE
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import TensorRecord, Trace

HEAD = "import torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"


def traced(source: str) -> Trace:
    trace = run(HEAD + source)
    assert trace.error is None, trace.error
    return trace


def leaf(trace: Trace, name: str = "x") -> TensorRecord:
    (found,) = [t for t in trace.tensors if name in t.names]
    return found


def events(trace: Trace, *kinds: str) -> list[Any]:
    return [event for event in trace.events if event["kind"] in kinds]


def test_events_come_in_the_order_of_the_program() -> None:
    trace = traced(
        "opt = torch.optim.SGD([x], 0.5)\nfor _ in range(2):\n    opt.zero_grad()\n    y = x.sum()\n"
        "    print(y.item())\n    y.backward()\n    opt.step()"
    )
    turn = ["function", "print", "pass", "step"]
    assert [event["kind"] for event in trace.events] == [*turn, "zero", *turn]
    (x,) = [t for t in trace.tensors if t.names == ["x"]]
    assert [v.value.data for v in x.versions] == [[1.0, 2.0, 3.0], [0.5, 1.5, 2.5], [0.0, 1.0, 2.0]]
    assert [v.event for v in x.versions] == [None, 3, 8]


def test_a_step_uses_the_values_that_it_finds() -> None:
    trace = traced("y = x ** 2\nx.data[0] = 100\ny.sum().backward()")
    power = trace.passes[0].steps[1]
    assert (trace.nodes[0].saved[0].version, power.read) == (0, {"t0": 1})
    (x,) = [tensor for tensor in trace.tensors if tensor.id == "t0"]
    assert [version.value.data for version in x.versions] == [[1.0, 2.0, 3.0], [100.0, 2.0, 3.0]]
    assert power.grad_inputs[0].value.data == [200.0, 4.0, 6.0]
    (note,) = trace.notes
    assert (note.code, note.tensors, note.span and note.span.line) == ("data-write-before-backward", ["t0"], 4)


def test_a_write_before_the_forward_is_no_trap() -> None:
    trace = traced("x.data[0] = 100\ny = x ** 2\ny.sum().backward()")
    assert trace.notes == []
    assert trace.nodes[1].read == {"t0": 1}
    assert trace.nodes[1].saved[0].version == 1


WRITES = {
    "with torch.no_grad():\n    x -= 1": ("no_grad", "x -= 1"),
    "x.data.add_(1)": ("data", "x.data.add_(1)"),
    "x.data = x.data + 1": ("data", "x.data = x.data + 1"),
    "torch.nn.init.ones_(x)": ("no_grad", "torch.nn.init.ones_(x)"),
}


@pytest.mark.parametrize("source", WRITES)
def test_a_write_is_an_event_with_its_statement(source: str) -> None:
    trace = traced(source)
    (write,) = events(trace, "write")
    assert (write["by"], write["expression"]) == WRITES[source]
    assert (write["tensor"], write["of"], write["before"], write["after"]) == (leaf(trace).id, "value", 0, 1)
    assert leaf(trace).versions[1].event == trace.events.index(write)


ZEROING = {
    "x.grad = None": "none",
    "del x.grad": "none",
    "x.grad.zero_()": "zeros",
    "x.grad.data.zero_()": "zeros",
    "x.grad = torch.zeros(3)": "zeros",
    "torch.optim.SGD([x]).zero_grad()": "none",
    "torch.optim.SGD([x]).zero_grad(set_to_none=False)": "zeros",
}


@pytest.mark.parametrize("source", ZEROING)
def test_zeroing_is_one_event(source: str) -> None:
    trace = traced(f"x.sum().backward()\n{source}")
    told = events(trace, "zero", "write")
    assert [(event["kind"], event["tensors"], event["to"]) for event in told] == [("zero", ["t0"], ZEROING[source])]


def test_nothing_to_zero_is_no_event() -> None:
    assert events(traced("torch.optim.SGD([x]).zero_grad()\nx.grad = None"), "zero") == []


MARKS = ("x.requires_grad_(False)", "x.requires_grad = False", "y = x * 2; y.detach_()", "s.step()")


@pytest.mark.parametrize("source", MARKS)
def test_what_changes_no_value_leaves_a_mark(source: str) -> None:
    head = "s = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x]), 1)\n" if source.startswith("s.") else ""
    assert [mark["expression"] for mark in events(traced(head + source), "mark")] == [source.rpartition("; ")[2]]


def test_hooks_are_told_where_they_run() -> None:
    trace = traced(
        "y = x * 2\ny.register_hook(lambda g: g)\ny.grad_fn.register_hook(lambda a, b: None)\ny.sum().backward()"
    )
    assert [(h["tensor"], h["node"]) for h in events(trace, "hook")] == [("t1", None), (None, "n0")]


def test_a_layer_begins_with_its_first_values() -> None:
    trace = traced("l = torch.nn.Linear(2, 1)\nl(torch.ones(2))")
    assert events(trace, "write") == []
    assert leaf(trace, "l.weight").versions == []


def test_a_write_that_changes_the_graph_makes_another_tensor() -> None:
    trace = traced("y = x * 1\ny += x\ny.sum().backward()")
    first, second = [t for t in trace.tensors if "y" in t.names]
    assert (first.label, second.label, first.symbol, second.symbol) == ("y", "y\N{PRIME}", "y", "y'")
    assert events(trace, "write") == []


def test_a_step_of_an_optimizer_tells_rule_settings_and_buffers() -> None:
    trace = traced(
        "opt = torch.optim.SGD([x], 0.5, momentum=0.9)\nfor _ in range(2):\n    opt.zero_grad()\n"
        "    (x * 2).sum().backward()\n    opt.step()"
    )
    first, second = events(trace, "step")
    assert [token.tex for token in first["rule"]] == [
        r"b \leftarrow \mu\, b + g",
        r"\theta \leftarrow \theta - \gamma\, b",
    ]
    assert first["state"]["groups"] == [{"tensors": ["t0"], "settings": {"lr": 0.5, "momentum": 0.9}}]
    held = second["state"]["buffers"]["t0"]["momentum_buffer"]
    np.testing.assert_allclose([held["before"].data[0], held["after"].data[0]], [2.0, 3.8], rtol=1e-6)


def test_every_optimizer_has_a_rule() -> None:
    modules()
    own = [cls for cls in Optimizer.__subclasses__() if cls.__module__ != "__main__"]
    assert len(own) > 12
    assert set(own) <= set(RULES)


def test_steps_copy_no_more_than_the_values() -> None:
    recorder = Recorder(PROGRAM_FILE)
    weight = Tensor(np.ones(100_000, np.float32), requires_grad=True)
    entry = recorder.new(weight, None)
    for _ in range(3):
        weight._st.before_write()
        recorder.chronology.called = None  # another call of the program
        recorder.chronology.wrote(weight)
    owned = [each.array for each in entry.values if each.array is not weight._a]
    assert (len(entry.values), len(owned)) == (4, 3)


BROKEN = {
    "order": lambda trace: replace(trace, events=trace.events[1:]),
    "version": lambda trace: replace(trace, tensors=[replace(trace.tensors[0], versions=[]), *trace.tensors[1:]]),
    "names": lambda trace: replace(trace, events=[*trace.events, {"kind": "mark", "tensors": ["t99"], "place": None}]),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_events_that_contradict_the_graph_are_refused(kind: str) -> None:
    made = traced("y = x * 2\nx.data[0] = 100\ny.sum().backward()")
    whole = Trace(**{name: getattr(made, name) for name in Trace.__dataclass_fields__})
    verify(whole)
    with pytest.raises(BrokenTrace):
        verify(BROKEN[kind](whole))


@pytest.mark.parametrize("clip", ["norm_([x], 2.0)", "value_([x], 1.5)"])
def test_clipping_finds_the_gradient_that_a_pass_has_added_to(clip: str) -> None:
    trace = traced(
        f"for i in range(2):\n    (x * 2 * 0.5 ** i).sum().backward()\n    torch.nn.utils.clip_grad_{clip}\n    x.grad.zero_()"
    )
    first, second = events(trace, "write")
    versions = {v.version: v.value.data for v in next(t for t in trace.tensors if t.id == second["grad"]).versions}
    assert (first["before"], first["after"]) == (0, 1)
    assert versions[0] == [2.0] * 3
    assert max(versions[1]) < 1.6
    assert versions[second["before"]] == versions[second["after"]] == [1.0] * 3


def test_what_a_step_writes_between_calls_of_its_closure_is_an_event_before_the_next_call() -> None:
    trace = traced(
        "optimizer = torch.optim.LBFGS([x], lr=0.1, max_iter=3)\n"
        "def closure():\n    optimizer.zero_grad()\n    loss = (x ** 2).sum()\n    loss.backward()\n    return loss\n"
        "optimizer.step(closure)\n"
    )
    kinds = [event["kind"] for event in events(trace, "pass", "write", "step")]
    assert kinds[:3] == ["pass", "write", "pass"]
    assert kinds[-2:] == ["pass", "step"]
    versions = {version.event: version.version for version in leaf(trace).versions}
    for number, event in enumerate(trace.events):
        if event["kind"] == "write":
            assert versions[number] == event["after"] == event["before"] + 1
    verify(trace)
