"""What is recorded where PyTorch has one function for what is composed here.

A gradient that is recorded with ``create_graph`` has that function's name, and depends on all that the function is given:
also on what only says where it goes. A weight that is made of other tensors has one function of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor


@op(
    gradients={"input": "g", "saved": "zeros_like_array(saved)"},
    latex="⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    samples=(([0.5, -1.25], [[1.5, 2.0]]),),
)
def beside(input: Array, saved: Array):
    """The gradient itself, computed with the help of a tensor on whose elements it depends only in steps."""
    return input.view()


def _beside(value: Any, saved: Any, name: str) -> Any:
    result = REGISTRY["beside"].call(value, saved)
    if result._node is not None:
        result._node.title = f"{name}BackwardBackward0"
    return result


@helper(latex="⟨0⟩", tensors=_beside)
def gradient_of(value, saved, name):
    """A gradient under the name of its function."""
    return value


def _titled(value: Tensor, name: str) -> Tensor:
    if value._node is not None:
        value._node.title = f"{name}BackwardBackward0"
    return value


@helper(latex="⟨0⟩", tensors=_titled)
def linear_gradient_of(value, name):
    """A gradient that is linear in the upstream one, under the name of its function."""
    return value


def _once(value: Tensor, saved: Tensor, name: str) -> Tensor:
    return without_derivative(Tensor(np.array(value._a)), f"{name}_backward", (value, saved), name)


@helper(latex="⟨0⟩", tensors=_once)
def only_once(value, saved, name):
    """A gradient that PyTorch cannot differentiate again."""
    return value
