"""A trace stays within its budget, whatever the program does, and what is left of it holds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from gradflow.backend.jail.outcome import to_json
from gradflow.engine.recording.budget.selection import Selection
from gradflow.engine.recording.trace_builder import TraceBuilder
from gradflow.engine.recording.verify import verify
from gradflow.engine.run import InvalidRequest, run

TRAINING = """import torch
w = torch.zeros(3, requires_grad=True)
for step in range(400):
    loss = ((w * torch.tensor([1., 2., 3.])).sum() - 4) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
print(loss.item())
"""
PROGRAMS = {
    "one long chain": "x = torch.ones(2, requires_grad=True)\ny = x\nfor i in range(3000): y = y * 1.01\ny.sum().backward()",
    "a training loop": TRAINING,
    "large arrays": "x = torch.rand(64, 64, requires_grad=True)\nsum((x * i).sin().sum() for i in range(60)).backward()",
    "one huge expression": "x = torch.rand(3, requires_grad=True)\ndef f(x, n): return x if n == 0 else f(x.sin(), n - 1)\n"
    "f(x, 300).sum().backward()",
    "second order": "x = torch.rand(3, requires_grad=True)\nfor i in range(60):\n"
    "    [g] = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)\n    g.sum().backward()",
    "long output": "for i in range(9000): print(chr(1) * 100)",
    "a long error": "raise ValueError(chr(1) * 3000000)",
    "many warnings": "import warnings\nfor i in range(2000): warnings.warn('w' * 2000 + str(i))",
    "large integers": "x = torch.ones(2)\nx * 10 ** 18",
    "Jacobians": "for i in range(20):\n    x = torch.rand(60, requires_grad=True)\n    x.exp().sin().backward(torch.ones(60))",
    "nothing": "",
}


@pytest.mark.parametrize("most", [500_000, 4_000_000])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_json_is_never_longer_than_the_budget(name: str, most: int) -> None:
    source = PROGRAMS[name]
    trace = run(f"import torch\n{source}", max_bytes=most, max_elements=4096, jacobian=True)
    verify(trace)
    assert len(to_json(trace)) <= most
    assert trace.budget.bytes == most


@pytest.mark.parametrize("name", ["one long chain", "a training loop"])
def test_what_will_not_fit_is_not_written_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written, write = list[int](), TraceBuilder.written

    def counted(self: TraceBuilder, selection: Selection) -> dict[str, Any]:
        written.append(len(selection.nodes))
        return write(self, selection)

    monkeypatch.setattr(TraceBuilder, "written", counted)
    source = PROGRAMS[name].replace("range(400)", "range(1200)")
    trace = run(f"import torch\n{source}", max_bytes=4_000_000)
    assert trace.budget.turns_left_out > 0
    assert written[-1] == len(trace.nodes) == max(written)
    assert sum(written[:-1]) < len(trace.nodes) / 4


def test_a_small_trace_is_whole() -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()"
    whole, within = run(source), run(source, max_bytes=4_000_000)
    assert (within.nodes, within.tensors, within.passes) == (whole.nodes, whole.tensors, whole.passes)
    assert (within.budget.summarised, within.budget.turns_left_out, within.left_out) == (0, 0, [])


MODEL = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Tanh()) for _ in range(12)])
for step in range(4):
    model(torch.randn(12, 8)).pow(2).mean().backward()
"""


def test_numbers_are_shortened_before_anything_is_left_out() -> None:
    whole = run(MODEL)
    length = len(to_json(whole))
    within = run(MODEL, max_bytes=length - 100_000)
    assert (within.budget.summarised, within.budget.turns_left_out) == (0, 0)
    assert length * 0.5 < len(to_json(within)) < length * 0.8
    for known, told in zip(whole.tensors, within.tensors, strict=True):
        assert known.value.data is not None
        assert told.value.data is not None
        assert np.array_equal(np.float32(known.value.data), np.float32(told.value.data))
        assert all(number == float(f"{number:.9g}") for number in told.value.data)


def test_arrays_are_summarised_before_anything_is_left_out() -> None:
    length = len(to_json(run(MODEL)))
    within = run(MODEL, max_bytes=length * 6 // 10)
    assert within.budget.summarised > 0
    assert within.budget.turns_left_out == 0
    assert len(within.passes) == 4


NESTED = """import torch
w = torch.ones(2, requires_grad=True)
for epoch in range(3):
    scale = w.sum() * 0 + 1
    for batch in range(100):
        [g] = torch.autograd.grad((w ** 3).sum(), w, create_graph=True)
        (g ** 2).sum().backward()
        with torch.no_grad():
            w -= 1e-4 * w.grad
    print(scale.item())
"""


def test_turns_of_the_program_s_own_loops_are_kept_whole() -> None:
    within = run(NESTED, max_bytes=600_000)
    kept = Counter(int(one.id[1:]) // 2 for one in within.passes)
    assert set(kept.values()) == {2}
    assert 4 < len(kept) < 300
    assert {0, 299} <= kept.keys()
    assert {int(row.pass_id[1:]) for row in within.left_out} == {2 * k + 1 for k in range(300) if k not in kept}


LARGE_TURNS = """
import torch
from torch import nn
cell, out = nn.GRUCell(24, 24), nn.Linear(24, 13)
optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()])
for turn in range(30):
    h, loss = torch.zeros(32, 24), 0
    for i in range(SIZE):
        h = cell(torch.ones(32, 24), h)
        loss = loss + nn.functional.cross_entropy(out(h), torch.zeros(32, dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("size", "kept"), [(4, {"p0", "p29"}), (8, {"p0"}), (16, {"p0"}), (24, {"p0"})])
def test_turns_of_training_are_not_cut_into_what_has_no_backward_pass(size: int, kept: set[str]) -> None:
    most = 1_500_000
    within = run(LARGE_TURNS.replace("SIZE", str(size)), max_bytes=most)
    verify(within)
    assert len(to_json(within)) <= most
    assert kept <= {one.id for one in within.passes}


REPEATED = """import torch
def loss_of(w):
    return torch.stack([x ** i for i in range(len(w))], dim=1).mv(w).sub(y).pow(2).mean()
x = torch.linspace(-1, 1, 21)
y = x ** 3
c = torch.ones(3, requires_grad=True)
loss_of(c).backward()
for degree in (1, 2, 3):
    w = torch.zeros(degree + 1, requires_grad=True)
    for step in range(200):
        w.grad = None
        loss_of(w).backward()
        w.data -= 0.1 * w.grad
point = torch.tensor(0.5, requires_grad=True)
(point ** 2).backward()
"""


def test_turns_of_every_loop_that_trains_are_kept_beside_what_is_done_once() -> None:
    trace = run(REPEATED, max_bytes=1_000_000)
    assert trace.budget.turns_left_out > 0
    loops = {place.id: place for place in trace.places if place.kind == "loop"}
    degrees = [place for place in trace.places if place.parent and place.title.startswith("degree")]
    assert [place.variable for place in degrees] == ["degree = 1", "degree = 2", "degree = 3"]
    steps = [place for place in loops.values() if place.title == "for step in range(200)"]
    assert [place.turns for place in steps] == [200, 200, 200]
    for loop in steps:
        assert sum(place.parent == loop.id for place in trace.places) >= 3
    lines = [one.span.line for one in trace.passes if one.span is not None]
    assert lines.count(7) == lines.count(15) == 1
    assert lines.count(12) + len(trace.left_out) >= 600


def test_turns_of_training_come_before_what_was_made_ready_for_it() -> None:
    before = "decay = [torch.tensor([float(n * k) for k in range(4)]).exp().mean() for n in range(40)]\n"
    after = "for n in range(20): print(out(torch.ones(1, 24)).sum().item())\n"
    source = LARGE_TURNS.replace("SIZE", "8").replace("for turn in", f"{before}for turn in") + after
    within = run(source, max_bytes=1_500_000)
    assert within.passes[0].id == "p0"


def test_a_pass_within_another_is_told_with_it_or_not_at_all() -> None:
    source = """
class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, gradient):
        [x] = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            z = y
            for k in range(12): z = z * 1.5
            [again] = torch.autograd.grad(z, y, gradient)
        return again
w = torch.ones(40, requires_grad=True)
for turn in range(30):
    sum(Again.apply(w * k) for k in range(8)).sum().backward()
"""
    for most in (100_000, 200_000, 400_000):
        within = run(f"import torch{source}", max_bytes=most)
        verify(within)
        assert len(to_json(within)) <= most
        assert within.passes


def test_a_long_loop_keeps_its_ends_and_tells_the_rest_in_scalars() -> None:
    whole, within = run(TRAINING), run(TRAINING, max_bytes=500_000)
    ids = [one.id for one in within.passes]
    assert ids[0] == "p0"
    assert ids[-1] == "p399"
    assert 2 < len(ids) < 400
    assert len(ids) + within.budget.turns_left_out >= 400
    known = {one.id: one for one in whole.passes}
    losses = {tensor.id: tensor.value.data for tensor in whole.tensors}
    assert {row.pass_id for row in within.left_out} == known.keys() - set(ids)
    for row in within.left_out:
        assert [row.loss] == losses[known[row.pass_id].root]
        assert list(row.norms) == ["w"]
    assert within.stdout == whole.stdout


def test_what_is_kept_is_as_it_was() -> None:
    whole, within = run(TRAINING), run(TRAINING, max_bytes=500_000)
    nodes = {node.id: node for node in whole.nodes}
    tensors = {tensor.id: tensor for tensor in whole.tensors}
    for node in within.nodes:
        known = nodes[node.id]
        assert (node.op, node.inputs, node.outputs, node.span) == (known.op, known.inputs, known.outputs, known.span)
        assert within.rules[node.rule] == whole.rules[known.rule]
    for tensor in within.tensors:
        assert (tensor.value, tensor.names) == (tensors[tensor.id].value, tensors[tensor.id].names)


def test_values_are_told_in_full_to_whom_asks() -> None:
    source = "import torch\nx = torch.arange(1000., requires_grad=True)\ny = x * 2\ny.sum().backward()"
    short = run(source, max_bytes=4_000_000)
    [x] = [tensor for tensor in short.tensors if tensor.names == ["x"]]
    assert x.value.data is None
    full = run(source, max_bytes=4_000_000, values=[x.id])
    told = {tensor.id: tensor for tensor in full.tensors}
    assert told[x.id].value.data == [float(k) for k in range(1000)]
    assert full.passes[0].gradients[x.id].data == [2.0] * 1000
    [added] = full.passes[0].accumulations
    assert added.incoming.data == added.after.data == [2.0] * 1000
    assert [t.id for t in full.tensors if t.value.data is not None and len(t.shape)] == [x.id]


def test_a_tensor_that_was_left_out_comes_back_when_it_is_asked_for() -> None:
    within = run(TRAINING, max_bytes=500_000)
    known = {tensor.id for tensor in within.tensors}
    missing = next(tensor for tensor in run(TRAINING).tensors if tensor.id not in known)
    again = run(TRAINING, max_bytes=500_000, values=[missing.id])
    assert missing.value in [tensor.value for tensor in again.tensors if tensor.id == missing.id]


def test_a_tensor_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"^the run has no tensor 't99'$"):
        run("x = torch.ones(2)", values=["t99"])


def test_a_summary_has_a_histogram() -> None:
    trace = run("torch.tensor([0., 1., 1., 32., float('nan')] * 100)", max_elements=4)
    summary = trace.tensors[0].value.summary
    assert summary is not None
    assert summary.histogram == [100, 200, *[0] * 29, 100]
