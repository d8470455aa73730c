"""Softmax and its logarithm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine.numerics.libraries.sleef import vector_exp
from gradflow.engine.numerics.scalars import ONE, ZERO
from gradflow.engine.numerics.sums import line_sum, sum_of_products
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.activation_backward import rule
from gradflow.engine.ops.pointwise.elementwise import rounded
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
CUBE = [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]]
SAMPLES = ((V, 1), (V, 0), (V, -1), (CUBE, 1), (2.5, 0), ([100.0, 101.0, -50.0], 0))
EDGES = (([[float("-inf"), 0.0], [float("nan"), 1.0]], 1), ([[float("-inf"), float("-inf")]], 1))
_VECTOR = 16
"""So many float32 are a vector on processors with AVX-512."""
_RANGE = "Dimension out of range (expected to be in range of [-2, 1], but got 2)"


def _shifted(input: np.ndarray, dim: int, name: str) -> tuple[np.ndarray, int | None]:
    axis = check_dim(dim, input.ndim) if input.ndim else check_dim(dim, 0) and None
    last = "_lastdim" if axis is None or axis == input.ndim - 1 else ""
    floating(input, f"{name}{last}_kernel_impl")
    top = input.max(axis=axis, keepdims=True) if input.size else np.zeros((), input.dtype)
    return input - top, axis


def _powers(exponents: np.ndarray, axis: int | None) -> np.ndarray:
    """exp of each element: of vectors along the last dimension or beside the one of the sum, else of single numbers."""
    beside = _VECTOR if axis is None or axis == exponents.ndim - 1 else math.prod(exponents.shape[axis + 1 :])
    if exponents.dtype == np.float32 and beside >= _VECTOR:
        return vector_exp(exponents)
    return np.asarray(rounded(np.exp, exponents))


def _softmax(input: np.ndarray, dim: int) -> np.ndarray:
    shifted, axis = _shifted(input, dim, "softmax")
    powers = _powers(shifted, axis)
    total = line_sum(powers, axis)
    if axis == input.ndim - 1:  # there PyTorch multiplies
        return np.asarray(powers * (ONE[powers.dtype] / total), order="C")
    return np.asarray(powers / total, order="C")


def _less(input: Any, powers: Any, total: Any) -> Any:
    return input - powers * total


@op(
    **rule(
        "Softmax",
        r"⟨1⟩ \odot \left(⟨0⟩-\textstyle\sum ⟨1⟩ \odot ⟨0⟩\right)",
        ((V, [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], 1),),
        input="softmax_backward(g, saved, dim)",
        saved=(
            "g * input - sum_dim(g * saved, dim, True) * input - g * sum_dim(saved * input, dim, True)",
            "input * g - sum_dim(saved * input, dim, True) * g - input * sum_dim(saved * g, dim, True)",
        ),
    )
    | {"grad_fn": "SoftmaxBackwardDataBackward0"}
)
def softmax_backward(input: Array, saved: Array, dim):
    """The gradient through a softmax with this result."""
    return (input - sum_of_products(input, saved, dim if saved.ndim else None)) * saved


@op(
    **rule(
        "LogSoftmax",
        r"⟨0⟩-e^{⟨1⟩} \textstyle\sum ⟨0⟩",
        ((V, [[-1.5, -0.7, -1.2], [-2.3, -0.9, -0.8]], 1),),
        input="g - sum_dim(g * exp(saved), dim, True)",
        saved=("-(g * exp(saved) * sum_dim(input, dim, True))", "-sum_dim(input, dim, True) * exp(saved) * g"),
    )
    | {"grad_fn": "LogSoftmaxBackwardDataBackward0"}
)
def log_softmax_backward(input: Array, saved: Array, dim):
    """The gradient through a log_softmax with this result."""
    axis = dim % saved.ndim if saved.ndim else None
    return rounded(_less, input, _powers(saved, axis), line_sum(input, axis))


@op(
    gradients={"input": "softmax_backward(g, out, dim)"},
    grad_fn="SoftmaxBackward0",
    latex=r"\operatorname{softmax}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="softmax",
    functions=(),
    methods=(),
    samples=SAMPLES,
    edges=EDGES,
    torch="softmax",
    errors=((V, 2, _RANGE),),
)
def softmax_dim(input: Array, dim):
    """exp(input) divided by its sum along a dimension."""
    return _softmax(input, dim)


@op(
    gradients={"input": "softmax_backward(g, out, dim)"},
    grad_fn="SafeSoftmaxBackward0",
    latex=r"\operatorname{softmax}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="softmax",
    functions=(),
    methods=(),
    samples=SAMPLES,
    edges=(([[float("-inf"), 0.0], [float("-inf"), float("-inf")]], 1),),
    torch="ops.aten._safe_softmax",
)
def safe_softmax(input: Array, dim):
    """Softmax that is 0 where a whole line is masked, in place of NaN."""
    masked = np.all(input == -np.inf, axis=dim, keepdims=True)
    return np.where(masked, ZERO[input.dtype], _softmax(np.where(masked, ZERO[input.dtype], input), dim))


@op(
    gradients={"input": "log_softmax_backward(g, out, dim)"},
    grad_fn="LogSoftmaxBackward0",
    latex=r"\ln \operatorname{softmax}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="ln softmax",
    functions=(),
    methods=(),
    samples=SAMPLES,
    edges=EDGES,
    torch="log_softmax",
    errors=((V, 2, _RANGE),),
)
def log_softmax_dim(input: Array, dim):
    """The logarithm of softmax, without overflow."""
    shifted, axis = _shifted(input, dim, "log_softmax")
    total = line_sum(_powers(shifted, axis), axis)
    return np.asarray(shifted - rounded(np.log, total), order="C")
