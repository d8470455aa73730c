"""Of which batch a pass is a row: told in the trace, and over when the batch is, however it ends."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import Row

HEAD = "import torch\nfrom torch.func import *\nx = torch.randn(2, 3)\n"


def rows_of(program: str) -> list[list[Row]]:
    trace = run(HEAD + program)
    assert trace.error is None
    return [one.rows for one in trace.passes]


def test_a_pass_of_its_own_is_no_row() -> None:
    assert rows_of("x.requires_grad_().sum().backward()") == [[]]


@pytest.mark.parametrize(
    "program",
    [
        "vmap(grad(lambda t: t.sin().sum()))(x)",
        "jacrev(lambda t: t.sin().sum(1))(x)",
        "torch.autograd.functional.jacobian(lambda t: t.sin().sum(1), x, vectorize=True)",
        "y = (x.requires_grad_() ** 2).sum(1); torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)",
    ],
)
def test_the_passes_of_a_batch_are_numbered(program: str) -> None:
    assert rows_of(program) == [[Row(0, 0, 2)], [Row(0, 1, 2)]]


def test_a_row_can_be_a_batch_itself() -> None:
    found = rows_of("vmap(jacrev(lambda t: t.sin()[:2]))(x)")
    assert [outer for outer, _ in found] == [Row(0, 0, 2), Row(0, 0, 2), Row(0, 1, 2), Row(0, 1, 2)]
    assert [inner for _, inner in found] == [Row(1, 0, 2), Row(1, 1, 2), Row(2, 0, 2), Row(2, 1, 2)]


def test_a_batch_that_fails_is_over() -> None:
    failing = (
        "try:\n    vmap(lambda t: t.missing)(x)\nexcept AttributeError:\n    pass\nx.requires_grad_().sum().backward()"
    )
    assert rows_of(failing) == [[]]


@pytest.mark.parametrize("program", ["jacfwd(lambda t: t.sin())(x)", "jvp(lambda t: t.sin(), (x,), (x,))"])
def test_what_is_differentiated_forward_shows_no_pass(program: str) -> None:
    assert rows_of(program) == []


def test_a_tangent_that_can_be_differentiated_has_its_graph() -> None:
    trace = run(
        HEAD
        + "x.requires_grad_()\njvp(lambda t: t**3, (x,), (torch.ones(2, 3),))[1].sum().backward()\nprint(x.grad / x)"
    )
    assert trace.error is None
    assert "6." in trace.stdout
