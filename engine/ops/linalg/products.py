"""Products added to a tensor, traces, cross products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.linalg.matmul import bmm, dot, mm, mv
from gradflow.engine.ops.nn.linear import affine_dtypes
from gradflow.engine.out_rules import EXPECTED, OF_INPUT, exactly
from gradflow.engine.registry import REGISTRY, Array, Gradient, helper, op
from gradflow.engine.tensor import Tensor, check_dim, dtypes

A = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
B = [[1.5, 2.5], [-0.5, 0.25], [-2.0, 3.0]]
M = [[0.25, -0.5], [1.0, 0.75]]
X, Y = [1.5, -0.5, 2.0], [0.25, 3.0]
WEIGHTS = {"beta": 0.5, "alpha": 2}


def _added(input: np.ndarray, product: np.ndarray, beta: Any, alpha: Any) -> np.ndarray:
    """beta * input + alpha * product, the input broadcast to the product."""
    REGISTRY["expand"].body(input, product.shape)  # refuses what does not
    product = product if alpha == 1 else product * np.asarray(alpha, product.dtype)
    if beta == 0:
        return product
    return (input if beta == 1 else input * np.asarray(beta, input.dtype)) + product


def _sum(first: str, second: str, gradients: Sequence[Gradient], samples: Any, **more: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": "sum_to_size(g * conj(beta), input.shape)",
            first: _times_alpha(gradients[0]),
            second: _times_alpha(gradients[1]),
        },
        "latex": r"⟦3:⟨3⟩\,⟧⟨0⟩+⟦4:⟨4⟩\,⟧⟨1⟩\,⟨2⟩",
        "symbol": "a+bc",
        "inplace": True,
        "samples": samples,
        **more,
    }


def _times_alpha(gradient: Gradient) -> Gradient:
    if isinstance(gradient, str):
        return f"({gradient}) * conj(alpha)"
    return f"({gradient[0]}) * conj(alpha)", f"{gradient[1]} * conj(alpha)"


def _check_product_size(input: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> None:
    first, second, own = mat1._a.shape, mat2._a.shape, list(input._a.shape)
    if len(first) == len(second) == 2 and first[1] == second[0] and own != [first[0], second[1]]:
        raise errors.INPLACE_PRODUCT(shape=own, result=[first[0], second[1]])


def _product_misfit(shape: list[int], result: list[int]) -> Exception:
    return errors.INPLACE_PRODUCT(shape=shape, result=result)


@op(
    **_sum(
        "mat1",
        "mat2",
        (
            ("g @ conj(mat2.T)", "left_factor(g, mat2, mat1.shape, mat1.strides)"),
            ("conj(mat1.T) @ g", "right_factor(g, mat1, mat2.shape, mat2.strides)"),
        ),
        ((M, A, B), (Y, A, B), (M, A, B, WEIGHTS), (2.0, A, B, {"beta": 0})),
        errors=(
            (M, A, A, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
            (M, X, B, "mat1 must be a matrix, got 1-D tensor"),
            (
                X,
                A,
                B,
                "The expanded size of the tensor (2) must match the existing size (3) at non-singleton dimension 1.  Target sizes: [2, 2].  Tensor sizes: [3]",
            ),
        ),
    ),
    misfit=_product_misfit,
    out=exactly(EXPECTED),
    check_write=_check_product_size,
)
def addmm(input: Array, mat1: Array, mat2: Array, *, beta=1, alpha=1):
    """beta * input + alpha * (mat1 @ mat2) for matrices."""
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise errors.ADD_MATRIX(name=name, ndim=matrix.ndim)
    affine_dtypes(input, mat1, mat2)
    return _added(input, mm(mat1, mat2), beta, alpha)


@op(
    **_sum(
        "mat",
        "vec",
        (("outer_product(g, conj(vec))", "outer_of(g, vec)"), "mv(conj(mat.T), g)"),
        ((Y, A, X), (Y, A, X, WEIGHTS), (2.0, A, X)),
        errors=(
            (Y, A, Y, "size mismatch, got input (2), mat (2x3), vec (2)"),
            (X, A, X, "size mismatch, got input (3), mat (2x3), vec (3)"),
            (A, A, X, "vector + matrix @ vector expected, got 2, 2, 1"),
        ),
    ),
    misfit=_product_misfit,
    out=exactly(EXPECTED),
)
def addmv(input: Array, mat: Array, vec: Array, *, beta=1, alpha=1):
    """beta * input + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise errors.MV_DIMENSIONS(mat=mat.ndim, vec=vec.ndim, out=input.ndim)
    if mat.shape[1:] == vec.shape and input.size not in (1, len(mat)):
        raise errors.MV_SHAPE(rows=input.size, mat=mat.shape, vec=len(vec))
    if mat.shape[1:] == vec.shape and not input.dtype == mat.dtype == vec.dtype:
        kinds = {"added": input, "mat": mat, "vec": vec}
        raise errors.MV_DTYPE(**{name: dtypes.of(each).legacy for name, each in kinds.items()})
    return _added(input, mv(mat, vec), beta, alpha)


@op(
    **_sum(
        "batch1",
        "batch2",
        ("bmm(g, conj(batch2.mT))", "bmm(conj(batch1.mT), g)"),
        (([M, M], [A, A], [B, B]), (M, [A, A], [B, B], WEIGHTS)),
    ),
    misfit=_product_misfit,
    out=exactly(EXPECTED),
)
def baddbmm(input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """beta * input + alpha * (batch1 @ batch2) for batches of matrices."""
    if input.dtype != batch1.dtype:
        kinds = {"added": input, "first": batch1, "second": batch2}
        raise errors.BADDBMM_DTYPES(**{name: dtypes.C_NAMES[dtypes.of(each).name] for name, each in kinds.items()})
    if batch1.ndim == batch2.ndim == 3:
        REGISTRY["expand"].body(input, (*batch1.shape[:2], batch2.shape[2]))
    return _added(input, bmm(batch1, batch2), beta, alpha)


_SPREAD = "expand(unsqueeze(g, 0), (batch1.shape[0], batch1.shape[1], batch2.shape[2]))"


@op(
    **_sum(
        "batch1",
        "batch2",
        (
            ("g @ conj(batch2.mT)", f"bmm({_SPREAD}, conj(batch2.mT))"),
            ("conj(batch1.mT) @ g", f"bmm(conj(batch1.mT), {_SPREAD})"),
        ),
        ((M, [A, A], [B, B]), (M, [A, A], [B, B], WEIGHTS)),
    ),
    out=exactly("self and mat2 must have the same dtype, but got {O} and {R}", silent=True),
)
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta=1, alpha=1):
    """beta * input + alpha * (the sum of the products of a batch)."""
    if batch1.ndim == batch2.ndim == 3:
        REGISTRY["expand"].body(input, (batch1.shape[1], batch2.shape[2]))
    if batch1.ndim == batch2.ndim == 3 and batch1.shape[2] == batch2.shape[1]:
        affine_dtypes(input, batch1, batch2)
    return _added(input, bmm(batch1, batch2).sum(axis=0), beta, alpha)


def _check_outer_size(input: Tensor, vec1: Tensor, vec2: Tensor, beta: Any, alpha: Any) -> None:
    own, result = list(input._a.shape), [*vec1._a.shape, *vec2._a.shape]
    if vec1._a.ndim == vec2._a.ndim == 1 and own != result:
        raise _outer_misfit(own, result)


def _outer_misfit(shape: list[int], result: list[int]) -> Exception:
    if len(shape) != 2:
        return errors.INPLACE_OUTER_DIMENSIONS(ndim=len(shape))
    return errors.INPLACE_OUTER(shape=shape, rows=result[:1], columns=result[1:])


@op(
    **_sum(
        "vec1",
        "vec2",
        ("mv(g, conj(vec2))", ("mv(g.mT, conj(vec1))", "mv(t(g), conj(vec1))")),
        ((B, X, Y), (B, X, Y, WEIGHTS), (Y, X, Y)),
    ),
    misfit=_outer_misfit,
    check_write=_check_outer_size,
)
def addr(input: Array, vec1: Array, vec2: Array, *, beta=1, alpha=1):
    """beta * input + alpha * (the outer product of two vectors)."""
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.ndim != 1:
            raise errors.ADDR_DIMENSIONS(name=name, ndim=vector.ndim)
    return _added(input, np.multiply.outer(vec1, vec2), beta, alpha)


@op(
    refuses={"b": "dot"},
    gradients={"input": "conj(g) * other", "other": "g * input"},
    latex=r"⟨0⟩ \cdot ⟨1⟩",
    symbol="·",
    samples=((X, [2.0, 0.25, -1.0]), ([1 + 2j, -1j], [0.5j, 2 - 1j])),
    out=exactly(OF_INPUT),
)
def vdot(input: Array, other: Array):
    """The scalar product of two vectors, the first one conjugated."""
    return dot(input.conj(), other)


# -- traces and cross products -----------------------------------------------------------------------------------------


@op(
    gradients={"input": ("on_diagonal(g, input.shape)", "trace_backward(g, input.shape)")},
    latex=r"\operatorname{tr}\left(⟨0⟩\right)",
    symbol="tr",
    samples=((A,), (M,)),
    edges=(([[1, 2], [3, 4]],),),
    errors=((X, "trace: expected a matrix, but got tensor with dim 1"),),
)
def trace(input: Array):
    """The sum of the diagonal of a matrix."""
    if input.ndim != 2:
        raise errors.TRACE_DIMENSIONS(ndim=input.ndim)
    return input.trace() if input.dtype.kind in "fcV" else input.astype(np.int64).trace()


@helper()
def trace_backward(g, shape):
    """A number on the diagonal of a matrix, as PyTorch composes it."""
    zeros = Tensor(np.zeros(shape[0] * shape[1], g._a.dtype))
    places = Tensor(np.arange(0, zeros._a.size, shape[1] + 1)[: min(shape)])
    return REGISTRY["view"].call(REGISTRY["index_fill_tensor"].call(zeros, 0, places, g), *shape)


@op(
    gradients={"input": "trace(g)"},
    latex=r"⟨0⟩\,I",
    symbol="I",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="DiagEmbedBackward0",
    samples=((2.5, (2, 3)),),
)
def on_diagonal(input: Array, shape):
    """A number on the diagonal of a matrix, zeros elsewhere."""
    return np.eye(*shape, dtype=input.dtype) * input


@op(
    refuses={"b": "cross"},
    gradients={
        "input": "sum_to_size(linalg_cross(conj(other), g, dim), input.shape)",
        "other": "sum_to_size(linalg_cross(g, conj(input), dim), other.shape)",
    },
    latex=r"⟨0⟩ \times ⟨1⟩",
    symbol="×",
    functions=(),
    methods=(),
    torch="linalg.cross",
    adapt=lambda function, input, other, dim: function(input, other, dim=dim),
    samples=(
        (A, [[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]], -1),
        (A, [[1.0, 2.0, -1.0]], 1),
        (B, [[1.0, 0.5], [2.0, 0.0], [-1.0, 3.0]], 0),
    ),
    errors=((M, M, -1, "linalg.cross: inputs dimension -1 must have length 3. Got 2 and 2"),),
)
def linalg_cross(input: Array, other: Array, dim):
    """The cross product of vectors of three elements along a dimension."""
    if input.ndim != other.ndim:
        raise errors.CROSS_DIMENSIONS()
    axis = check_dim(dim, input.ndim)
    if input.shape[axis] != 3 or other.shape[axis] != 3:
        raise errors.CROSS_LENGTH(dim=dim, a=input.shape[axis], b=other.shape[axis])
    if input.dtype != other.dtype:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(other).legacy)
    a, b = np.moveaxis(input, axis, 0), np.moveaxis(other, axis, 0)
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis)
