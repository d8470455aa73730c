"""What hooks do belongs to the pass that runs them, before the step that comes next."""

from __future__ import annotations

from typing import Any

from gradflow.engine.run import run

HOOKED = """import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.register_hook(lambda g: g * 2)
x.register_hook(lambda g: print(g))
z = y.sum()
z.backward()
print("after")
"""


def during(source: str, **options: Any) -> list[tuple[str, Any]]:
    """The kinds of the events from the first pass on, each with the part of a pass that it is."""
    trace = run(source, **options)
    assert trace.error is None
    kinds = [event["kind"] for event in trace.events]
    return [(event["kind"], event.get("during")) for event in trace.events[kinds.index("pass") :]]


def inside(step: int, pass_id: str = "p0") -> dict[str, Any]:
    return {"pass_id": pass_id, "step": step}


def test_hooks_and_what_they_do_come_before_the_next_step() -> None:
    assert during(HOOKED) == [
        ("pass", None),
        ("hook", inside(1)),
        ("function", inside(1)),
        ("hook", inside(2)),
        ("print", inside(2)),
        ("print", None),
    ]


def test_a_hook_that_writes_a_gradient_does_so_within_the_pass() -> None:
    source = HOOKED.replace("lambda g: g * 2", "lambda g: g.mul_(2) and None").replace(
        "g.mul_(2) and None", "w.mul_(2).detach() * g"
    )
    source = source.replace("y = x", "w = torch.ones(2)\ny = x")
    told = during(source)
    assert ("write", inside(1)) in told
    assert told[-1] == ("print", None)


def test_recorded_passes_have_their_functions_for_themselves() -> None:
    source = HOOKED.replace("z.backward()", "torch.autograd.grad(z, x, create_graph=True)")
    told = during(source)
    assert told[0] == ("pass", None)
    assert [part for kind, part in told if kind == "hook"] == [inside(1), inside(2)]
    assert all(part is None for kind, part in told if kind == "function")


def test_steps_are_counted_among_those_that_are_kept() -> None:
    source = """import torch
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: print("hook"))
for turn in range(300):
    ((w * turn).sin().sum()).backward()
    w.grad = None
"""
    trace = run(source, max_bytes=60_000)
    assert trace.budget.turns_left_out > 0
    steps = {one.id: len(one.steps) for one in trace.passes}
    parts = [event["during"] for event in trace.events if event["kind"] == "hook"]
    assert len(parts) == len(trace.passes)
    assert all(part["step"] == steps[part["pass_id"]] for part in parts)
