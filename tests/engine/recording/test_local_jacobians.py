"""The Jacobians of single functions, against what the passes computed with the same functions."""

from pathlib import Path

import numpy as np
import pytest

from gradflow.engine.recording import local_jacobians
from gradflow.engine.run import InvalidRequest, run
from gradflow.engine.trace import Pass, Trace

EXAMPLES = sorted(Path("examples").glob("*.py"))
MANY = """
import torch
import torch.nn.functional as F
x = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], requires_grad=True)
w = torch.tensor([[0.5, -0.5, 1.0], [2.0, 0.5, 0.25]], requires_grad=True)
y = F.softmax(x @ w.T, dim=1) + F.layer_norm(x, [3]).norm() * x.abs().sqrt()[:, :2].cumsum(0)
z = torch.cat([y, torch.stack(x.unbind(0))[:, 1:].clamp(min=-1)], dim=1)
z[0, 1:3] = w[1, :2].exp()
v = z.view(4, 2).max(dim=0).values.prod() + F.conv1d(z[None], z[None, :, :2]).tanh().sum()
v = v + F.cross_entropy(z, torch.tensor([1, 0])) + z.sort().values.diff().std() + torch.linalg.det(z[:, :2])
(v + z.gather(1, torch.tensor([[0], [2]])).mean()).backward()
"""


def everything(source: str, **settings: object) -> Trace:
    """A run with the Jacobians of all its functions."""
    plain = run(source)
    return run(source, local_jacobians=[node.id for node in plain.nodes], **settings)  # type: ignore[arg-type]


def numbers(data: list[bool | int | float | str] | None) -> np.ndarray:
    return np.array([float(x) for x in data or []])


def products(trace: Trace, one: Pass) -> int:
    """Compare the gradients of each step with the products of its Jacobian. Returns how many were compared."""
    compared = 0
    for step in one.steps:
        blocks = trace.local_jacobians.get(step.node)
        if blocks is None:
            continue
        for sent in step.grad_inputs:
            if sent.value.data is None:
                continue
            total = np.zeros(len(sent.value.data))
            for block in (each for each in blocks if each.edge == sent.edge):
                upstream = step.grad_outputs[block.output]
                if upstream is None:
                    continue
                weights = numbers(upstream.data)[block.rows] * numbers(block.values)
                np.add.at(total, block.columns, weights)
            expected = numbers(sent.value.data)
            assert np.allclose(total, expected, rtol=1e-4, atol=1e-5, equal_nan=True), (step.node, sent.edge)
            compared += 1
    return compared


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_upstream_gradients_times_the_jacobian_are_what_the_pass_sent(path: Path) -> None:
    source = path.read_text()
    trace = everything(source, max_elements=4096)
    if "register_hook" not in source and "register_full" not in source:
        steps = sum(len(one.steps) for one in trace.passes)
        assert sum(products(trace, one) for one in trace.passes) > 0 or steps == 0 or "Function" in source


def test_many_operations() -> None:
    trace = everything(MANY)
    assert trace.error is None
    functions = {node.id for node in trace.nodes if node.kind != "constant"}
    assert set(trace.local_jacobians) == functions
    assert products(trace, trace.passes[0]) >= len(trace.passes[0].steps)


def test_a_block_has_no_zeros_and_names_what_its_rule_reads() -> None:
    source = "import torch\na = torch.tensor([[1., 2.]], requires_grad=True)\nb = torch.tensor([[3.], [0.]])\nc = a @ b"
    trace = everything(source)
    (block,) = trace.local_jacobians["n0"]
    assert (block.edge, block.output, block.shape) == ("e0", 0, [1, 2])
    assert (block.rows, block.columns, block.values, block.reads) == ([0], [0], [3.0], ["t1"])


def test_a_write_into_a_view_keeps_the_rest_of_the_base() -> None:
    source = (
        "import torch\na = torch.ones(3, requires_grad=True)\nb = a * 2\nb[1] = a[0] * 5\nb.backward(torch.ones(3))"
    )
    trace = everything(source)
    write = next(node for node in trace.nodes if node.kind == "copy_slices")
    base, value = trace.local_jacobians[write.id]
    assert (base.rows, base.columns) == ([0, 2], [0, 2])
    assert (value.rows, value.columns) == ([1], [0])


@pytest.mark.parametrize(
    "program",
    [
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        print('ran')\n        return g * 2\nTwice.apply(x)",
        "y = x.exp()\ny.add_(1)",
        "torch.ones(2) * 2",
    ],
    ids=["own backward", "written since", "no gradient"],
)
def test_what_cannot_be_computed_is_left_out(program: str) -> None:
    trace = everything(f"import torch\nx = torch.ones(2, requires_grad=True)\n{program}")
    assert trace.error is None
    assert trace.stdout == ""
    computed = {trace_node.op for trace_node in trace.nodes if trace_node.id in trace.local_jacobians}
    assert computed <= {"add"}


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import torch\nx = torch.ones(4, requires_grad=True)\ny = x * 2\nz = y.sum()\nz.backward()"
    for name, value in [("MOST_PRODUCTS", 4), ("MOST_CELLS", 15), ("MOST_ENTRIES", 3)]:
        with monkeypatch.context() as patch:
            patch.setattr(local_jacobians, name, value)
            found = set(everything(source).local_jacobians)
        assert found == ({"n0"} if name == "MOST_PRODUCTS" else {"n1"} if name == "MOST_CELLS" else set())


def test_a_failed_run_has_those_up_to_there() -> None:
    trace = everything("import torch\na = torch.ones(2, requires_grad=True)\nb = a * 3\nb.backward()")
    assert trace.error is not None
    assert trace.local_jacobians["n0"][0].values == [3.0, 3.0]


def test_an_id_that_names_no_function() -> None:
    with pytest.raises(InvalidRequest, match="'t0' is not the id of a function"):
        run("x = torch.ones(1)", local_jacobians=["t0"])
    assert run("x = torch.ones(1)", local_jacobians=["n99"]).local_jacobians == {}
