# a request and its answer on a line
"""`run`: what a request can ask for, what it is told where it makes no sense, and that runs know nothing of each other."""

from __future__ import annotations

from typing import Any

import pytest

from gradflow.engine.run import InvalidRequest, run
from gradflow.engine.state import STATE
from gradflow.engine.trace import Trace

A, B = [[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]]


def grads(trace: Trace) -> dict[str, Any]:
    """``.grad`` of the leaves by name."""
    return {t.names[0]: t.grad.data for t in trace.tensors if t.names and t.grad is not None}


def messages(trace: Trace) -> str:
    return "" if trace.error is None else f"{trace.error.type}: {trace.error.message}"


# -- what is differentiated --------------------------------------------------------------------------------------------


def test_the_last_assignment_is_differentiated_with_the_given_gradient() -> None:
    trace = run("c = a.mm(b)", inputs={"a": A, "b": B}, gradient=[[1, 1, 1], [1, 1, 1]])
    assert trace.error is None
    assert grads(trace) == {"a": [6, 15, 6, 15], "b": [4, 4, 4, 6, 6, 6]}
    (only,) = trace.passes
    assert (only.kind, only.complete, only.gradient.data) == ("backward", True, [1.0] * 6)
    (root,) = only.roots
    assert root.argument is None
    assert next(t for t in trace.tensors if t.id == root.tensor).names == ["c"]


def test_a_named_output_is_differentiated() -> None:
    trace = run("p = a * 2\nq = a * 3", inputs={"a": [1.0, 2.0]}, output="p", gradient=[1, 10])
    assert grads(trace) == {"a": [2.0, 20.0]}


def test_a_bare_expression_is_the_output() -> None:
    assert grads(run("(a * a).sum()", inputs={"a": [1.0, 2.0]}, gradient=1)) == {"a": [2.0, 4.0]}


def test_without_gradient_a_vector_gives_pytorchs_error() -> None:
    trace = run("c = a * 2", inputs={"a": [1.0, 2.0]})
    assert messages(trace) == "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert trace.error is not None
    assert trace.error.code == "nonscalar-backward"
    assert trace.nodes


def test_a_gradient_of_the_wrong_shape_gives_pytorchs_error() -> None:
    trace = run("c = a * 2", inputs={"a": [1.0, 2.0]}, gradient=[1, 2, 3])
    assert messages(trace) == (
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of"
        " torch.Size([2])."
    )


def test_a_program_that_differentiates_itself_is_left_alone() -> None:
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward()", gradient=[5, 5])
    assert len(trace.passes) == 1
    assert grads(trace) == {"x": [3.0, 3.0]}


def test_a_gradient_of_the_program_is_replaced_by_number() -> None:
    source = """
import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).backward(torch.ones(2))
(x * 10).backward(torch.ones(2))
"""
    trace = run(source, gradients={"1": [0, 1]})
    assert [p.gradient.data for p in trace.passes] == [[1.0, 1.0], [0.0, 1.0]]
    assert grads(trace) == {"x": [2.0, 12.0]}


def test_a_replaced_gradient_of_another_shape_is_an_error_of_the_program() -> None:
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward(torch.ones(2))"
    assert messages(run(source, gradients={"0": [[1, 1]]})).startswith(
        "RuntimeError: Mismatch in shape: grad_output[0]"
    )


def test_retain_graph_and_create_graph_are_passed_on() -> None:
    trace = run("c = (a * a).sum()", inputs={"a": [1.0, 2.0]}, gradient=1, create_graph=True)
    (only,) = trace.passes
    assert (only.retain_graph, only.create_graph) == (True, True)
    assert any(n.pass_id == "p0" for n in trace.nodes)
    trace = run("c = (a * a).sum()", inputs={"a": [1.0, 2.0]}, gradient=1, retain_graph=True)
    assert not any(step.freed for step in trace.passes[0].steps)


def test_the_jacobian_has_a_row_for_each_element_of_the_output() -> None:
    trace = run("y = a * a.sum()", inputs={"a": [1.0, 2.0]}, gradient=[1, 1], jacobian=True)
    jacobian = trace.passes[0].jacobian
    assert jacobian is not None
    leaf = next(t.id for t in trace.tensors if t.names == ["a"])
    assert (jacobian[leaf].shape, jacobian[leaf].rows) == ([2, 2], [[4.0, 1.0], [2.0, 5.0]])
    assert run("y = a * 2", inputs={"a": [1.0]}, gradient=[1]).passes[0].jacobian is None


def test_a_jacobian_past_any_use_is_left_out() -> None:
    trace = run("y = a * 2", inputs={"a": [1.0] * 100}, gradient=[1] * 100, jacobian=True)
    assert trace.passes[0].jacobian is None
    assert trace.error is None


def test_large_values_are_summarised() -> None:
    trace = run("y = a * 2", inputs={"a": [1.0] * 5}, gradient=[1] * 5, max_elements=4)
    assert {t.value.data is None for t in trace.tensors} == {True}


# -- requests that make no sense ---------------------------------------------------------------------------------------

INVALID: dict[str, tuple[dict[str, Any], str, tuple[Any, ...]]] = {
    "ragged input": ({"inputs": {"a": [[1], [2, 3]]}}, "the rows are not equally long", ("inputs", "a")),
    "words for numbers": ({"inputs": {"a": ["x"]}}, "numbers are expected", ("inputs", "a")),
    "no data": (
        {"inputs": {"a": {"dtype": "int64"}}},
        _DATA := "an input has data, and optionally dtype and requires_grad",
        ("inputs", "a"),
    ),
    "unknown option": ({"inputs": {"a": {"data": [1], "device": "cpu"}}}, _DATA, ("inputs", "a")),
    "unknown dtype": (
        {"inputs": {"a": {"data": [1], "dtype": "float128"}}},
        "unknown dtype 'float128'",
        ("inputs", "a", "dtype"),
    ),
    "integers that want a gradient": (
        {"inputs": {"a": {"data": [1], "dtype": "int64", "requires_grad": True}}},
        "only floating point tensors can require gradients",
        ("inputs", "a", "requires_grad"),
    ),
    "no name": ({"inputs": {"1a": [1]}}, "'1a' is not a name for a tensor", ("inputs", "1a")),
    "a private name": ({"inputs": {"_a": [1]}}, "'_a' is not a name for a tensor", ("inputs", "_a")),
    "ragged gradient": ({"gradient": [[1], [2, 3]]}, "the rows are not equally long", ("gradient",)),
    "a pass by name": (
        {"gradients": {"first": [1]}},
        "'first' is not the number of a backward pass",
        ("gradients", "first"),
    ),
    "no such output": ({"output": "z"}, "the program has no tensor named 'z'", ("output",)),
    "an output that is no tensor": ({"output": "n"}, "the program has no tensor named 'n'", ("output",)),
    "nothing to differentiate": ({"gradient": [1]}, "the program has no tensor to differentiate", ("output",)),
}


@pytest.mark.parametrize("kind", INVALID)
def test_a_request_that_makes_no_sense_is_refused(kind: str) -> None:
    arguments, message, location = INVALID[kind]
    with pytest.raises(InvalidRequest) as caught:
        run("n = 1", **arguments)
    assert (str(caught.value), caught.value.location) == (message, location)


def test_inputs_have_the_dtype_they_ask_for() -> None:
    inputs = {"a": {"data": [1, 2], "dtype": "torch.float64"}, "b": {"data": [1, 0], "dtype": "bool"}}
    trace = run("print(a.dtype, a.requires_grad, b.dtype, b.requires_grad)", inputs=inputs)
    assert trace.stdout == "torch.float64 True torch.bool False\n"


# -- a run that fails --------------------------------------------------------------------------------------------------


def test_a_program_that_raises_has_its_trace_up_to_there() -> None:
    trace = run(
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nprint('so far')\ny.backward()\nz = y + 1"
    )
    assert messages(trace) == "RuntimeError: grad can be implicitly created only for scalar outputs"
    assert trace.stdout == "so far\n"
    assert [n.op for n in trace.nodes] == ["mul"]
    assert trace.error is not None
    assert trace.error.span is not None
    assert trace.error.span.line == 5


def test_a_pass_that_raises_is_kept_incomplete() -> None:
    source = """
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
z = y * 2
y.zero_()
z.sum().backward()
"""
    trace = run(source)
    assert messages(trace).startswith("RuntimeError: one of the variables needed for gradient computation has been")
    (only,) = trace.passes
    assert not only.complete
    assert [next(n.op for n in trace.nodes if n.id == s.node) for s in only.steps] == ["sum_all", "mul"]
    assert grads(trace) == {}


def test_a_program_that_does_not_compile_has_an_empty_trace() -> None:
    trace = run("x = (")
    assert trace.error is not None
    assert trace.error.type == "SyntaxError"
    assert (trace.tensors, trace.nodes, trace.passes, trace.stdout) == ([], [], [], "")


def test_too_many_tensors_end_the_run() -> None:
    trace = run("import torch\nx = torch.ones(1)\nwhile True:\n    x = x + 1", operations=50)
    assert trace.error is not None
    assert trace.error.code == "operations-limit"
    assert len(trace.tensors) == 50


# -- one run after another ---------------------------------------------------------------------------------------------

LEAVERS = {
    "grad mode left off": "import torch\ntorch.set_grad_enabled(False)",
    "print options": "import torch\ntorch.set_printoptions(precision=1, sci_mode=True)",
    "a seed": "import torch\ntorch.manual_seed(7)\ntorch.rand(3)",
    "an exception inside no_grad": "import torch\nwith torch.no_grad():\n    raise ValueError('x')",
    "an exception in a hook": (
        "import torch\nx = torch.ones(1, requires_grad=True)\n"
        "def hook(g):\n    raise ValueError('x')\nx.register_hook(hook)\n(x * 2).backward()"
    ),
    "an exception in a second order pass": (
        "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).backward(create_graph=True)"
    ),
    "names": "import torch\nleft_over = torch.ones(1)\ntorch_two = torch",
    "a changed module": "import torch\ntry:\n    torch.left_over = 1\nexcept Exception:\n    pass",
    "a broken program": "x = (",
}
PROBE = """
import torch
x = torch.tensor([0.123456, 2.], requires_grad=True)
y = x * 2
print(x, y.requires_grad, torch.is_grad_enabled(), torch.rand(2))
try:
    print(left_over)
except NameError as error:
    print(error)
print(hasattr(torch, 'left_over'))
y.sum().backward()
print(x.grad)
"""


@pytest.mark.parametrize("kind", LEAVERS)
def test_nothing_is_left_for_the_next_run(kind: str) -> None:
    before = run(PROBE)
    assert before.error is None
    run(LEAVERS[kind])
    assert run(PROBE) == before
    assert (STATE.grad, STATE.recorder) == (True, None)
