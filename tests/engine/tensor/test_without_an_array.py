"""Tensors that are no arrays, sparse or on the device meta: what is not provided is refused by name, and never computed."""

from __future__ import annotations

import pytest

from gradflow.engine.recording.verify import verify
from gradflow.engine.run import run

SPARSE = "import torch\nfrom torch import nn\ns = torch.tensor([[1., 0.], [0., 2.]]).to_sparse()\n"
FUNCTION = "type('Twice', (torch.autograd.Function,), {'forward': staticmethod(lambda ctx, a: a * 2)})"
META = "import torch\nfrom torch import nn\nm = torch.empty(2, 2, device='meta')\n"


def message_of(source: str) -> str:
    """The error of a program, by type and message."""
    error = run(source).error
    assert error is not None
    return f"{error.type}: {error.message}"


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("s.exp()", "`exp`"),
        ("torch.exp(s)", "`exp`"),
        ("s.view(4)", "`view`"),
        ("s == s", "`__eq__`"),
        ("s.tolist()", "`tolist`"),
        ("s.backward()", "`backward`"),
        ("s.register_hook(print)", "`register_hook`"),
        ("s.__array__()", "`__array__`"),
        ("torch.cat([s, s])", "`cat`"),
        ("nn.functional.gelu(s)", "`gelu`"),
        ("nn.Linear(2, 2)(s)", "this operation"),
        (f"{FUNCTION}.apply(s.requires_grad_())", "a custom Function"),
        ("nn.Parameter(s)", "this operation"),
        ("s[torch.tensor([0])]", "`indexing a sparse tensor with anything but numbers`"),
        ("torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([0]), (2, 2), torch.strided)", None),
    ],
)
def test_what_a_sparse_tensor_has_not_is_refused_by_name(expression: str, refused: str | None) -> None:
    name = refused or "`torch.sparse.spdiags` with another layout than torch.sparse_coo"
    expected = f"NotImplementedError: {name} on a sparse tensor is not available in Gradflow"
    assert message_of(f"{SPARSE}{expression}") == expected


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("m.backward()", "`backward`"),
        ("m[0] = 1", "`__setitem__`"),
        ("nn.functional.normalize(m)", "this operation"),
        ("m.grad = m", "a gradient"),
        ("m.storage()", "`storage`"),
    ],
)
def test_what_a_tensor_without_elements_has_not_is_refused_by_name(expression: str, refused: str) -> None:
    expected = f"NotImplementedError: {refused} of a meta tensor is not available in Gradflow"
    assert message_of(f"{META}{expression}") == expected


def test_an_error_of_a_sparse_tensor_says_what_to_write() -> None:
    error = run(f"{SPARSE}s.exp()").error
    assert error is not None
    assert error.explanation.en.endswith("Write `.to_dense()` before it: what comes out is the same.")


def test_making_tensors_without_elements_draws_no_random_number() -> None:
    trace = run(
        "import torch\ntorch.manual_seed(0)\ntorch.randn(3, device='meta')\ntorch.nn.Linear(2, 2, device='meta')\nprint(torch.rand(1))"
    )
    assert trace.stdout == "tensor([0.4963])\n"


def test_a_size_that_no_memory_holds_is_an_error_of_the_program() -> None:
    source = "import torch\ntorch.sparse_coo_tensor([[0]], [1.], (2 ** 62,)).to_dense()"
    assert "DefaultCPUAllocator: can't allocate memory" in message_of(source)


def test_an_entry_outside_of_the_size_is_an_error_where_it_is_used() -> None:
    source = "import torch\ntorch.sparse_coo_tensor([[5]], [1.], (2,)).to_dense()"
    assert message_of(source) == "RuntimeError: index 5 is out of bounds for dimension 0 with size 2"


def test_the_picture_has_one_function_for_each_of_pytorchs() -> None:
    trace = run(
        "import torch\nx = torch.ones(2, 2, requires_grad=True)\nw = torch.ones(2, requires_grad=True)\n"
        "a = torch.sparse_coo_tensor([[0, 1], [1, 0]], w, (2, 2))\ny = torch.sparse.mm(a, x)\ny.sum().backward()"
    )
    verify(trace)
    assert trace.error is None
    names = {node.id: node.grad_fn for node in trace.nodes}
    assert [names[step.node] for step in trace.passes[0].steps] == [
        "SumBackward0",
        "SparseAddmmBackward0",
        "SparseCooTensorWithDimsAndTensorsBackward0",
    ]
    assert {name for tensor in trace.tensors for name in tensor.names} >= {"a", "w", "x", "y"}


def test_a_class_that_answers_for_functions_is_asked_once() -> None:
    trace = run(
        "import torch\nclass X:\n    @classmethod\n    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        print(func is torch.add, types, len(args))\n        return NotImplemented\ntorch.add(X(), X())"
    )
    assert trace.stdout == "True (<class '__main__.X'>,) 2\n"
    assert trace.error is not None
    assert trace.error.message.startswith("Multiple dispatch failed for 'torch.add'")
