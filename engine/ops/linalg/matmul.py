"""Products of vectors and matrices."""

from __future__ import annotations

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.libraries.products import matrix_product, matrix_vector, vector_product
from gradflow.engine.out_rules import EXPECTED, OF_INPUT, exactly
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes

A = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
B = [[1.5, 2.5], [-0.5, 0.25], [-2.0, 3.0]]
X, Y = [1.5, -0.5, 2.0], [0.25, 3.0, -1.0]


def _same_dtype(a: np.ndarray, b: np.ndarray) -> None:
    if a.dtype != b.dtype:
        raise errors.MM_DTYPE(a=dtypes.C_NAMES[dtypes.of(a).name], b=dtypes.C_NAMES[dtypes.of(b).name])


# -- as PyTorch records the gradients: laid out in memory as the factor is ---------------------------------------------


def _turned(matrix: Tensor) -> Tensor:
    result: Tensor = REGISTRY["t"].call(matrix)
    return result


def _conjugate(matrix: Tensor) -> Tensor:
    result: Tensor = REGISTRY.helpers["conj"].tensors(matrix) if matrix._a.dtype.kind == "c" else matrix
    return result


def _by_columns(g: Tensor, shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether a matrix of these strides, in bytes, lies in memory column by column."""
    step = g._a.itemsize
    return strides[0] == step and strides[1] == step * shape[0]


@helper()
def left_factor(g, mat2, shape, strides):
    """The gradient of the left factor of a product."""
    if _by_columns(g, shape, strides):
        return _turned(REGISTRY["mm"].call(_conjugate(mat2), _turned(g)))
    return REGISTRY["mm"].call(g, _conjugate(_turned(mat2)))


@helper()
def right_factor(g, mat1, shape, strides):
    """The gradient of the right factor of a product."""
    if _by_columns(g, shape, strides):
        return _turned(REGISTRY["mm"].call(_turned(g), _conjugate(mat1)))
    return REGISTRY["mm"].call(_conjugate(_turned(mat1)), g)


@helper()
def outer_of(g, vec):
    """The outer product as PyTorch composes it."""
    return REGISTRY["mul"].call(REGISTRY["view"].call(g, -1, 1), _conjugate(vec))


@op(
    refuses={"b": "addmm_impl_cpu_"},
    gradients={
        "mat2": ("conj(input.T) @ g", "right_factor(g, input, mat2.shape, mat2.strides)"),
        "input": ("g @ conj(mat2.T)", "left_factor(g, mat2, input.shape, input.strides)"),
    },
    latex=r"⟨0⟩\,⟨1⟩",
    symbol="@",
    samples=((A, B),),
    errors=((A, A, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),),
    out=exactly(EXPECTED),
)
def mm(input: Array, mat2: Array):
    """Matrix product of two matrices: (n, m), (m, p) -> (n, p)."""
    if input.ndim != 2 or mat2.ndim != 2:
        raise errors.MM_NOT_MATRIX(name="self" if input.ndim != 2 else "mat2")
    if input.shape[1] != mat2.shape[0]:
        raise errors.MM_SHAPE(mat1=list(input.shape), mat2=list(mat2.shape))
    _same_dtype(input, mat2)
    return matrix_product(input, mat2)


@op(
    refuses={"b": "addmv_impl_cpu"},
    gradients={"input": ("outer_product(g, conj(vec))", "outer_of(g, vec)"), "vec": "mv(conj(input.T), g)"},
    latex=r"⟨0⟩\,⟨1⟩",
    symbol="@",
    samples=((A, X),),
    out=exactly("addmv input tensors must have the same dtype, but got {O}, {R}, and {R}"),
)
def mv(input: Array, vec: Array):
    """Matrix times vector: (n, m), (m,) -> (n,)."""
    if not input.ndim:
        raise errors.CUT_RANGE(message="Dimension specified as 0 but tensor has no dimensions")
    if input.ndim != 2 or vec.ndim != 1:
        raise errors.MV_DIMENSIONS(out=1, mat=input.ndim, vec=vec.ndim)
    if input.shape[1] != vec.shape[0]:
        raise errors.MV_SHAPE(rows=input.shape[0], mat=list(input.shape), vec=vec.shape[0])
    if input.dtype != vec.dtype:
        raise errors.MV_DTYPE(added=dtypes.of(vec).legacy, mat=dtypes.of(input).legacy, vec=dtypes.of(vec).legacy)
    return matrix_vector(input, vec)


@op(
    gradients={"input": "mv(g, conj(vec2))", "vec2": "mv(g.T, conj(input))"},
    latex=r"⟨0⟩\,⟨1⟩^{\top}",
    symbol="⊗",
    functions=(),
    methods=(),
    grad_fn="MulBackward0",
    samples=((X, Y),),
    torch=None,
)
def outer_product(input: Array, vec2: Array):
    """Every element of one vector times every element of another: (n,), (m,) -> (n, m)."""
    return np.multiply.outer(input, vec2)


@op(
    refuses={"b": "dot"},
    gradients={"input": "g * conj(tensor)", "tensor": "g * conj(input)"},
    latex=r"⟨0⟩ \cdot ⟨1⟩",
    symbol="·",
    samples=((X, Y),),
    errors=(
        (
            X,
            [1.0],
            "inconsistent tensor size, expected tensor [3] and src [1] to have the same number of elements, but got 3 and 1 elements respectively",
        ),
    ),
    out=exactly(OF_INPUT),
)
def dot(input: Array, tensor: Array):
    """The scalar product of two vectors: (n,), (n,) -> ()."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise errors.DOT_DIMENSIONS(a=input.ndim, b=tensor.ndim)
    if input.dtype != tensor.dtype:
        raise errors.DOT_DTYPE(a=dtypes.of(input).legacy, b=dtypes.of(tensor).legacy)
    if input.size != tensor.size:
        raise errors.DOT_SIZE(a=input.size, b=tensor.size)
    return vector_product(input, tensor)


@op(
    refuses={"b": "bmm"},
    gradients={"input": "bmm(g, conj(mat2.mT))", "mat2": "bmm(conj(input.mT), g)"},
    latex=r"⟨0⟩\,⟨1⟩",
    symbol="@",
    samples=(([A, A], [B, B]),),
    out=exactly(EXPECTED),
)
def bmm(input: Array, mat2: Array):
    """Matrix products of a batch: (b, n, m), (b, m, p) -> (b, n, p)."""
    if input.ndim != 3 or mat2.ndim != 3:
        raise errors.BMM_DIMENSIONS(name="batch1" if input.ndim != 3 else "batch2")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise errors.BMM_SHAPE(expected=[input.shape[0], input.shape[2]], actual=list(mat2.shape[:2]))
    if input.dtype != mat2.dtype:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(mat2).legacy)
    return matrix_product(input, mat2)
