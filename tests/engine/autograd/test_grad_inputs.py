"""A gradient becomes ``.grad`` without a copy where nobody else refers to it, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from gradflow.engine.namespace.torch import modules
from gradflow.engine.tensor import Tensor

torch = modules()["torch"]


def leaves(count: int = 2) -> list[Tensor]:
    return [torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True) for _ in range(count)]


def shares_with_any(array: np.ndarray, others: list[np.ndarray]) -> bool:
    return any(np.shares_memory(array, other) for other in others)


def test_leaves_of_one_gradient_have_memory_of_their_own() -> None:
    a, b = leaves()
    (a + b).backward(torch.ones(2, 2))
    assert not np.shares_memory(a.grad._a, b.grad._a)


def test_a_gradient_that_was_passed_in_is_copied() -> None:
    (a,) = leaves(1)
    given = torch.ones(2, 2)
    (a * 1).view(4).view(2, 2).backward(given)
    a.grad.add_(1)
    assert given.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("kept", ["tensor hook", "node hook", "retain_grad", "post hook"])
def test_a_gradient_that_a_hook_keeps_is_copied(kept: str) -> None:
    a, b = leaves()
    seen: list[Tensor] = []
    product = a @ b
    if kept == "tensor hook":
        a.register_hook(lambda g: seen.append(g))
    elif kept == "node hook":
        product.grad_fn.register_hook(lambda inputs, outputs: seen.extend([*inputs, *outputs]))
    elif kept == "retain_grad":
        product.retain_grad()
    else:
        product.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: seen.extend(outputs))
    product.sum().backward()
    others = [t._a for t in [*seen, *([product.grad] if kept == "retain_grad" else [])]]
    assert others
    assert not shares_with_any(a.grad._a, others)
    assert not shares_with_any(b.grad._a, others)


def test_a_second_pass_adds_to_what_was_kept() -> None:
    a, b = leaves()
    out = (a @ b).sum()
    out.backward(retain_graph=True)
    first = a.grad.tolist()
    out.backward()
    assert a.grad.tolist() == [[2 * x for x in row] for row in first]
    assert b._a.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_what_lies_otherwise_in_memory_is_laid_out_as_its_leaf() -> None:
    (a,) = leaves(1)
    (a.t() * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert a.grad._a.flags.c_contiguous
    assert a.grad.tolist() == [[1.0, 3.0], [2.0, 4.0]]
