"""What is recorded where PyTorch has one function for what is composed here.

A gradient that is recorded with ``create_graph`` has that function's name, and depends on all that the function is given:
also on what only says where it goes. A weight that is made of other tensors has one function of the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


def _known(of: Op, shape: tuple[int, ...], indices: Any, settings: tuple[Any, ...]) -> list[Any]:
    """What an operation on an input of this shape would have saved."""
    given = (*(() if indices is None else (indices,)), *settings)
    known = dict(zip((p.name for p in of.params[1:]), given, strict=True)) | {"input__shape": shape}
    return [known[slot] for slot in of.slots]


def _through_tensors(g: Any, shape: Any, indices: Any, by: str, settings: Any) -> Any:
    of = REGISTRY[by]
    return of.vjp_tensors(_known(of, shape, indices, settings), (True,), g)[0]


@helper(latex=r"\operatorname{adjoint}\left(⟨0⟩\right)", tensors=_through_tensors)
def through(g, shape, indices, by, settings):
    """The gradient of the operation called ``by``, which is linear."""
    of = REGISTRY[by]
    return of.vjp(_known(of, shape, indices, settings), (True,), g)[0]


@op(
    gradients={"input": "through(g, input.shape, indices, by, settings)", "saved": "zeros_of(g, saved.shape)"},
    latex="⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    samples=(
        ([[[0.5, -1.25], [2.0, 1.0]]], np.ones((1, 4, 4)), [[[0, 2], [9, 15]]], "plane_put", ((1, 4, 4), 2)),
        ([0.5, -1.25], [1.0, 2.0], None, "repeat_backward", ((1,), (2,))),
    ),
)
def linear_backward(input: Array, saved: Array, indices: Array | None, by, settings):
    """The gradient that the operation called ``by`` gives, beside a tensor on whose elements it depends only in steps."""
    more = () if indices is None else (indices,)
    return np.asarray(REGISTRY[by].body(input, *more, *settings))


@helper()
def gradient_by(g, saved, indices, by, settings, name):
    """A gradient under the name of its function, recorded once."""
    return _titled(REGISTRY["linear_backward"].call(g, saved, indices, by, settings), name)


def _titled(value: Tensor, name: str) -> Tensor:
    if value._node is not None:
        value._node.title = f"{name}BackwardBackward0"
    return value


@helper(latex="⟨0⟩", tensors=_titled)
def linear_gradient_of(value, name):
    """A gradient that is linear in the upstream one, under the name of its function."""
    return value


def without_second(value: np.ndarray, name: str, *operands: Any) -> Tensor:
    """A gradient whose function PyTorch calls ``name`` and cannot run backward, of up to four operands."""
    padded = (*operands, *(None,) * (4 - len(operands)))
    return without_derivative(REGISTRY["last_gradient"].call(*padded, value, name), name, operands, "last_gradient")


def _once(value: Tensor, saved: Tensor, name: str) -> Tensor:
    return without_second(value._a, f"{name}_backward", value, saved)


@helper(latex="⟨0⟩", tensors=_once)
def only_once(value, saved, name):
    """A gradient that PyTorch cannot differentiate again."""
    return value


@op(
    gradients=dict.fromkeys(("input", "saved", "other", "result"), "without_derivative(g, name)"),
    latex="⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
)
def last_gradient(input: Array, saved: Array | None, other: Array | None, result: Array | None, value, name):
    """A gradient that is worked out already, of a function whose own gradient PyTorch does not have."""
    return np.array(value)


def _last(value: Tensor, g: Tensor, saved: Any, other: Any, result: Any, function: str, name: str) -> Tensor:
    return _titled(REGISTRY["last_gradient"].call(g, saved, other, result, value._a, function), name)


@helper(latex="⟨0⟩", tensors=_last)
def last(value, g, saved, other, result, function, name):
    """A gradient whose function PyTorch calls ``function`` and records as ``name``, and cannot run backward."""
    return value
