"""What the trace of a run holds: ids, versions, names, regions, and values that later writes leave alone."""

from __future__ import annotations

from typing import Any

import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import Edge, NodeRecord, Step, TensorRecord, Trace

HEAD = "import torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"


def traced(source: str, **options: Any) -> Trace:
    trace = run(HEAD + source, **options)
    assert trace.error is None, trace.error
    return trace


def named(trace: Trace, name: str) -> list[TensorRecord]:
    """The versions of a tensor, first to last."""
    return [t for t in trace.tensors if name in t.names]


def node_of(trace: Trace, tensor: TensorRecord) -> NodeRecord:
    return next(n for n in trace.nodes if n.id == tensor.node)


def first_value(tensor: TensorRecord) -> Any:
    return (tensor.versions[0] if tensor.versions else tensor).value.data


def test_ids_count_from_zero_in_the_order_of_making() -> None:
    trace = traced("y = x * 2\nz = y.sum()\nz.backward()")
    assert [t.id for t in trace.tensors] == [f"t{i}" for i in range(len(trace.tensors))]
    assert [n.id for n in trace.nodes] == [f"n{i}" for i in range(len(trace.nodes))]
    assert [e.id for e in trace.edges] == [f"e{i}" for i in range(len(trace.edges))]
    assert [n.op for n in trace.nodes] == ["mul", "sum_all"]


def test_operands_keep_their_order_and_a_number_is_an_attribute() -> None:
    trace = traced("y = x / (x + 1)\nz = 2 - y")
    add, div, rsub = trace.nodes
    assert (add.attributes["other"], rsub.attributes["other"]) == (1, 2)
    assert div.inputs == ["t0", add.outputs[0]]
    assert [(e.input, e.source) for e in trace.edges if e.target == div.id] == [(0, "t0"), (1, add.outputs[0])]


def test_names_are_those_of_the_program() -> None:
    trace = traced("y = z = x + 1\nw, (v, *rest) = x * 2, (x * 3, x * 4)\nx * 5")
    found = [t.names for t in trace.tensors]
    assert found[:2] == [["x"], ["y", "z"]]
    assert ["w"] in found
    assert ["v"] in found
    assert found[-1] == []
    assert trace.tensors[-1].expression == "x * 5"


def test_a_function_stands_in_the_scope_of_its_callers() -> None:
    trace = traced("def f(a):\n    def g(b):\n        return b * 2\n    return g(a) + 1\ny = f(x)")
    assert [(n.op, n.scope) for n in trace.nodes] == [("mul", ["f", "g"]), ("add", ["f"])]


def test_what_needs_no_gradient_is_a_constant() -> None:
    trace = traced("a = x.detach() * 2\nwith torch.no_grad():\n    b = x * 2\nc = x > 1\nd = x * 2")
    assert [(n.op, n.kind, n.grad_fn) for n in trace.nodes] == [
        ("detach", "constant", None),
        ("mul", "constant", None),
        ("mul", "constant", None),
        ("gt", "constant", None),
        ("mul", "function", "MulBackward0"),
    ]


def test_saved_variables_are_those_of_the_inputs_that_want_a_gradient() -> None:
    trace = traced("c = torch.ones(3)\ny = x * c\nz = y.exp()")
    mul, exp = trace.nodes
    assert [(s.name, s.tensor) for s in mul.saved] == [("other", named(trace, "c")[0].id)]
    assert [(s.name, s.tensor) for s in exp.saved] == [("out", named(trace, "z")[0].id)]


# -- writes in place ---------------------------------------------------------------------------------------------------


def test_every_version_of_a_written_tensor_is_recorded() -> None:
    trace = traced("y = x * 1\ny += 1\ny.mul_(2)\ny.sum().backward()")
    versions = named(trace, "y")
    assert [t.version for t in versions] == [0, 1, 2]
    assert [t.value.data for t in versions] == [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [4.0, 6.0, 8.0]]
    assert [node_of(trace, t).op for t in versions] == ["mul", "add", "mul"]
    assert [node_of(trace, t).inputs[0] for t in versions[1:]] == [t.id for t in versions[:2]]


def test_a_write_into_a_part_is_a_new_version_of_the_whole() -> None:
    trace = traced("y = x * 1\nv = y[1:]\nv *= 10\ny.sum().backward()")
    first, second = named(trace, "y")
    node = node_of(trace, second)
    assert (node.kind, node.grad_fn, node.inputs[0]) == ("copy_slices", "CopySlices", first.id)
    assert node.region is not None
    assert (node.region.shape, node.region.elements) == ([2], [1, 2])
    assert (first.value.data, second.value.data) == ([1.0, 2.0, 3.0], [1.0, 20.0, 30.0])
    assert trace.passes[0].gradients["t0"].data == [1.0, 10.0, 10.0]


@pytest.mark.parametrize(
    ("key", "shape", "elements"),
    [
        ("0", [3], [0, 1, 2]),
        (":, 1", [2], [1, 4]),
        ("1, ::2", [2], [3, 5]),
        ("..., None, 0", [2, 1], [0, 3]),
        ("1, 2", [], [5]),
    ],
)
def test_a_region_is_where_the_elements_lie_in_the_whole(key: str, shape: list[int], elements: list[int]) -> None:
    trace = traced(f"y = torch.stack([x, x])\ny[{key}] = 7.")
    region = node_of(trace, named(trace, "y")[-1]).region
    assert region is not None
    assert (region.shape, region.elements) == (shape, elements)


def test_a_region_of_a_transposed_base() -> None:
    trace = traced("y = torch.stack([x, x]).t().clone()\ny[1] = 7.")
    region = node_of(trace, named(trace, "y")[-1]).region
    assert region is not None
    assert (region.shape, region.elements) == ([2], [2, 3])


WRITES = {
    "in place": "y = x * 1\ny.zero_()",
    "through a view": "y = x * 1\ny[:] = 0.",
    "through data": "y = x * 1\ny.data.zero_()",
    "through data of data": "y = x * 1\ny.data.data[1:].zero_()",
    "through detach": "y = x * 1\ny.detach().fill_(9)",
    "through numpy": "y = x * 1\ny.detach().numpy()[:] = 5",
    "under no_grad": "y = x * 1\nwith torch.no_grad():\n    y -= 1",
    "of an aliased list": "y = x * 1\nfor v in y.data:\n    v += 1",
    "by copy": "y = x * 1\ny.data.copy_(torch.zeros(3))",
    "with an index": "y = x * 1\ny.data[torch.tensor([0, 2])] = 0.",
}


@pytest.mark.parametrize("kind", WRITES)
def test_a_recorded_value_is_not_changed_by_a_later_write(kind: str) -> None:
    trace = traced(WRITES[kind])
    made = next(t for t in trace.tensors if t.expression == "x * 1")
    assert first_value(made) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("write", ["x.data.zero_()", "x.data -= 1", "x.data = torch.zeros(3)", "x.grad.data.mul_(0)"])
def test_a_leaf_has_the_value_and_gradient_of_its_time(write: str) -> None:
    trace = traced(f"(x * x).sum().backward()\n{write}\n(x * 2).sum()")
    (square, *_) = trace.nodes
    leaf = next(t for t in trace.tensors if t.id == square.inputs[0])
    assert first_value(leaf) == [1.0, 2.0, 3.0]
    (added,) = trace.passes[0].accumulations
    assert (added.tensor, added.after.data) == (leaf.id, [2.0, 4.0, 6.0])
    assert trace.passes[0].gradients[leaf.id].data == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    "program",
    [
        "v = torch.ones(3)\ny = x * 2\ny.backward(v)\nv.zero_()",
        "v = torch.ones(3)\ny = x * 2\ny.register_hook(lambda g: g.zero_())\ny.backward(v)",
        "y = x * 2\n(g,) = torch.autograd.grad(y.sum(), y)\ng.zero_()",
    ],
)
def test_a_gradient_stays_what_it_was_when_the_program_writes_into_it(program: str) -> None:
    (root,) = traced(program).passes[0].roots
    assert root.gradient.data in ([1.0] * 3, [1.0])


def test_accumulations_keep_what_was_there_before() -> None:
    trace = traced("for k in range(3):\n    (x * k).sum().backward()\n    if k == 1:\n        x.grad.zero_()")
    steps = [(a.before and a.before.data, a.incoming.data, a.after.data) for p in trace.passes for a in p.accumulations]
    assert steps == [
        (None, [0.0] * 3, [0.0] * 3),
        ([0.0] * 3, [1.0] * 3, [1.0] * 3),
        ([0.0] * 3, [2.0] * 3, [2.0] * 3),
    ]


# -- passes ------------------------------------------------------------------------------------------------------------


def test_steps_run_from_the_root_to_the_leaves() -> None:
    trace = traced("y = x * 2\nz = y + x\nz.sum().backward()")
    ops = {n.id: n.op for n in trace.nodes}
    (only,) = trace.passes
    assert [ops[s.node] for s in only.steps] == ["sum_all", "add", "mul"]
    assert {t.names[0]: only.gradients[t.id].data for t in trace.tensors if t.id in only.gradients and t.names} == {
        "x": [3.0] * 3,
        "y": [1.0] * 3,
        "z": [1.0] * 3,
    }
    (added,) = only.accumulations
    assert added.step == 2


def test_a_share_before_broadcasting_was_undone_is_kept() -> None:
    trace = traced("w = torch.tensor(2., requires_grad=True)\n(x * w).sum().backward()")
    shares = [share for step in trace.passes[0].steps for share in step.grad_inputs]
    expanded = [(share.value.data, share.expanded.data) for share in shares if share.expanded is not None]
    assert expanded == [([6.0], [1.0, 2.0, 3.0])]


def test_a_pass_tells_what_it_freed() -> None:
    source = "y = (x * x).sum()\ny.backward(retain_graph=True)\ny.backward()"
    first, second = traced(source).passes
    assert [step.freed for step in first.steps] == [[], []]
    assert [step.freed for step in second.steps] == [[], ["other", "input"]]


def test_a_second_order_pass_records_the_first() -> None:
    trace = traced("g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)\ng.sum().backward()")
    first, second = trace.passes
    assert (first.kind, second.kind) == ("grad", "backward")
    made = [t for t in trace.tensors if t.pass_id == first.id]
    assert named(trace, "g")[0] in made
    assert second.gradients["t0"].data == [6.0, 12.0, 18.0]


def test_several_roots_are_all_told() -> None:
    trace = traced("a = x * 2\nb = x.sum()\ntorch.autograd.backward([a, b], [torch.ones(3), None])")
    assert [(r.gradient.data, r.argument is None) for r in trace.passes[0].roots] == [([1.0] * 3, False), ([1.0], True)]


def test_a_root_names_the_tensor_that_was_passed_as_gradient() -> None:
    trace = traced("v = torch.tensor([1., 0., 2.])\ny = x * 2\ny.backward(v)")
    (root,) = trace.passes[0].roots
    assert root.argument == named(trace, "v")[0].id
    span = trace.passes[0].gradient_span
    assert span is not None
    assert (span.line, span.column, span.end_column) == (5, 11, 12)


def test_views_name_their_base() -> None:
    trace = traced("y = x * 1\nv = y.view(3, 1)\nw = v[1:]")
    base = named(trace, "y")[0].id
    assert [t.view_of for n in "yvw" for t in named(trace, n)] == [None, base, base]


def test_only_what_a_call_returns_has_the_name_it_is_assigned_to() -> None:
    source = """
import torch
import torch.nn.functional as F
x = torch.ones(2, 3, requires_grad=True)
w = torch.ones(3, 3)
y = x
for _ in range(2):
    y = F.linear(y, w)
c = F.cosine_similarity(y, x)
"""
    trace = run(source)
    named = [tensor.names for tensor in trace.tensors if tensor.node is not None]
    assert named.count(["y"]) == 2
    assert named.count(["c"]) == 1
    linear, again, *cosine = [node.call for node in trace.nodes if node.op != "t"]
    assert linear != again
    assert len(set(cosine)) == 1 < len(cosine)


def steps_of(trace: Trace, number: int = 0) -> list[str | None]:
    """The names of the functions that a pass ran."""
    names = {n.id: n.grad_fn for n in trace.nodes}
    return [names[step.node] for step in trace.passes[number].steps]


@pytest.mark.parametrize("write", ["y.add_(y)", "y[1:] += 1.", "y[1:] = y[1:] * 2", "y.mul_(2).add_(y)"])
def test_what_a_write_reads_is_entered_as_it_was_before(write: str) -> None:
    trace = traced(f"y = x * 1\n{write}\ny.sum().backward()")
    tensors = {t.id: t for t in trace.tensors}
    ran = {step.node for step in trace.passes[0].steps}
    reached = [tensors[e.tensor] for step in trace.passes[0].steps for e in edges(trace, step)]
    assert {t.node for t in reached if not t.is_leaf} <= ran
    assert any(t.is_leaf for t in reached)


def edges(trace: Trace, step: Step) -> list[Edge]:
    known = {e.id: e for e in trace.edges}
    return [known[share.edge] for share in step.grad_inputs]


@pytest.mark.parametrize("write", ["with torch.no_grad(): y.mul_(2)", "y.data.clamp_(0, 1)"])
def test_what_is_written_without_gradients_keeps_its_function(write: str) -> None:
    trace = traced(f"y = x.clone()\n{write}\nz = y + 1\nz.sum().backward()")
    read = next(n for n in trace.nodes if n.grad_fn == "AddBackward0").inputs[0]
    written = next(t for t in trace.tensors if t.id == read)
    assert written.value.data != [1.0, 2.0, 3.0]
    assert node_of(trace, written).grad_fn == "CloneBackward0"


FUNCTION = """class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        {forward}
    @staticmethod
    def backward(ctx, g):
        {backward}
"""


def test_a_custom_function_says_what_it_saved_and_that_it_is_freed() -> None:
    trace = traced(FUNCTION.format(forward="return x * 2", backward="return 2 * g") + "F.apply(x).sum().backward()")
    node = next(n for n in trace.nodes if n.grad_fn == "FBackward")
    assert [(s.name, s.tensor) for s in node.saved] == [("saved_tensors[0]", named(trace, "x")[0].id)]
    assert [s.freed for s in trace.passes[0].steps if s.node == node.id] == [["saved_tensors[0]"]]


def test_a_gradient_is_shown_as_it_was_before_a_function_wrote_into_it() -> None:
    source = FUNCTION.format(forward="return x.clone()", backward="return g.neg_()")
    trace = traced(source + "(F.apply(x) * 3).sum().backward()")
    _, product, own = trace.passes[0].steps
    assert product.grad_inputs[0].value.data == [3.0, 3.0, 3.0]
    assert own.grad_outputs[0] is not None
    assert own.grad_outputs[0].data == [3.0, 3.0, 3.0]
    assert own.grad_inputs[0].value.data == [-3.0, -3.0, -3.0]


def test_a_function_that_writes_into_a_view_is_a_copy_of_slices() -> None:
    source = FUNCTION.format(forward="ctx.mark_dirty(x); return x.mul_(2)", backward="return 2 * g")
    trace = traced(source + "y = x.clone()\nF.apply(y[:2])\ny.sum().backward()")
    assert steps_of(trace) == ["SumBackward0", "CopySlices", "CloneBackward0"]


def test_a_pass_inside_a_custom_function_is_in_the_trace() -> None:
    forward = (
        "with torch.enable_grad():\n            d = x.detach().requires_grad_(); g, = torch.autograd.grad((d ** 2).sum(), d)"
        "\n        ctx.g = g; return x ** 2"
    )
    trace = traced(FUNCTION.format(forward=forward, backward="return g * ctx.g") + "F.apply(x).sum().backward()")
    assert steps_of(trace, 0) == ["SumBackward0", "PowBackward0"]
    assert steps_of(trace, 1) == ["SumBackward0", "FBackward"]


def test_a_reentrant_checkpoint_runs_a_pass_inside_a_pass() -> None:
    trace = traced(
        "from torch.utils.checkpoint import checkpoint\n"
        "checkpoint(lambda t: t.exp() * 2, x, use_reentrant=True).sum().backward()"
    )
    assert steps_of(trace, 0) == ["SumBackward0", "CheckpointFunctionBackward"]
    assert steps_of(trace, 1) == ["MulBackward0", "ExpBackward0"]


def test_the_step_that_gives_nan_is_in_the_picture() -> None:
    trace = run(HEAD + "torch.autograd.set_detect_anomaly(True)\n((x * 0 - 1).sqrt() * 2).sum().backward()")
    assert trace.error is not None
    assert steps_of(trace) == ["SumBackward0", "MulBackward0", "SqrtBackward0"]


def test_what_arrived_at_a_leaf_stays_as_it_was_when_the_given_gradient_is_written() -> None:
    trace = run(
        "import torch\nx = torch.zeros(2, requires_grad=True)\ng = torch.ones(2)\n(x + 0).backward(g)\ng.mul_(5)"
    )
    assert trace.passes[0].accumulations[0].incoming.data == [1.0, 1.0]


def test_a_leaf_that_received_a_gradient_has_its_bucket_though_the_program_has_frozen_it_since() -> None:
    trace = run("""import torch
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
(w * v.detach()).sum().backward()
w.requires_grad_(False)
v.requires_grad_(False)
print(w.requires_grad)
""")
    assert trace.error is None
    assert trace.stdout == "False\n"
    assert {t.names[0]: t.requires_grad for t in trace.tensors if t.is_leaf and t.names} == {
        "w": True,
        "v": False,
        "w.grad": False,
    }
