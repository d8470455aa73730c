"""The affine map of a layer: what `torch.nn.functional.linear` and `bilinear` run."""

from __future__ import annotations

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.libraries.products import affine_product
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import dtypes

A = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
B = [[1.5, 2.5], [-0.5, 0.25], [-2.0, 3.0]]
W = [[[0.5, -1.0, 0.25], [1.5, 0.75, -0.5], [0.1, 0.2, -0.3]], [[2.0, -0.5, 1.0], [0.3, -0.7, 0.9], [-1.1, 0.4, 0.6]]]


def affine_dtypes(added: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """Raises RuntimeError where what is added or the left matrix is not of the dtype of the right one."""
    for name, each in (("self", added), ("mat1", left)):
        if each.dtype != right.dtype:
            raise errors.AFFINE_DTYPE(name=name, first=dtypes.of(each).legacy, second=dtypes.of(right).legacy)


@op(
    gradients={
        "input": ("g @ conj(weight.mT)", "left_factor(g, weight, input.shape, input.strides)"),
        "weight": ("(g.mT @ conj(input)).mT", "right_factor(g, input, weight.shape, weight.strides)"),
        "bias": ("sum_to_size(g, bias.shape)", "sum_to_size(g, bias.shape)"),
    },
    latex=r"⟨1⟩\,⟨2⟩+⟨0⟩",
    symbol="xW+b",
    functions=(),
    methods=(),
    grad_fn="AddmmBackward0",
    torch="addmm",
    samples=(([0.5, -1.0], A, B), ([2.0], A, B)),
    errors=(([0.5, -1.0], A, A, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),),
)
def affine(bias: Array, input: Array, weight: Array):
    """input @ weight + bias for matrices, the bias added to every row."""
    if weight.ndim != 2:
        raise errors.AFFINE_MATRIX(ndim=weight.ndim)
    affine_dtypes(bias, input, weight)
    if input.shape[1] != weight.shape[0]:
        raise errors.MM_SHAPE(mat1=list(input.shape), mat2=list(weight.shape))
    if bias.ndim and bias.shape[-1] not in (1, weight.shape[1]):
        target = [input.shape[0], weight.shape[1]]
        raise errors.EXPAND_SIZE(target=target[1], size=bias.shape[-1], dim=1, targets=target, shape=list(bias.shape))
    return affine_product(input, weight, bias)


@helper()
def turned(pattern, position):
    """The pattern of the gradient for one operand: it changes places with the result."""
    left, result = pattern.split("->")
    operands = left.split(",")
    operands[position], result = result, operands[position]
    return ",".join(operands) + "->" + result


@op(
    gradients={
        "input": "trilinear(g, other, third, turned(pattern, 0))",
        "other": "trilinear(input, g, third, turned(pattern, 1))",
        "third": "trilinear(input, other, g, turned(pattern, 2))",
    },
    latex=r"⟨0⟩^{\top}\,⟨1⟩\,⟨2⟩",
    symbol="xWy",
    functions=(),
    methods=(),
    grad_fn="TrilinearBackward0",
    torch=None,
    samples=((A, W, [[1.0, 0.5, -0.25], [0.3, -0.6, 2.0]], "ni,kij,nj->nk"),),
)
def trilinear(input: Array, other: Array, third: Array, pattern):
    """Products of three tensors, summed over the letters of the pattern that the result does not have."""
    return np.einsum(pattern, input, other, third)
