"""Eigenvalues, eigenvectors, singular values and singular vectors of matrices, and of batches of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg.decompositions import (
    PAIR,
    TALL,
    A,
    H,
    S,
    check_matrix,
    check_square,
    column,
    conjugated,
    do,
    first_failure,
    is_zero,
    like,
    linalg,
    on_main_diagonal,
    raw,
    refuse_integers,
    row,
)
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes

TURNING = [[1.0, -2.0], [3.0, 0.5]]
_NOT_FINITE = "The algorithm failed to converge because the input matrix contained non-finite values."


def refuse_phases(turned: Any, function: str, vectors: str) -> None:
    """Raises RuntimeError where a gradient depends on the phases of complex vectors."""
    array = raw(turned)
    if array.dtype.kind == "c":
        phases = np.diagonal(array, axis1=-2, axis2=-1).imag
        if not np.allclose(phases, 0, rtol=1e-2, atol=1e-2):
            raise errors.GAUGE(function=function, vectors=vectors)


@helper(latex=r"⟨3⟩\left(\operatorname{diag}(⟨0⟩)+\tfrac{⟨3⟩^{\top}⟨1⟩}{λ_j-λ_i}\right)⟨3⟩^{\top}")
def eigh_share(g, g_vectors, values, vectors):
    """The gradient of eigenvalues and eigenvectors of a symmetric matrix."""
    inner = on_main_diagonal(row(g) + column(g) * 0)
    if not is_zero(g_vectors):
        turned = H(vectors) @ g_vectors
        refuse_phases(turned, "linalg_eigh_backward", "eigenvectors")
        inner = inner + (turned - H(turned)) * 0.5 / _gaps(values)  # only what turns the vectors
    return vectors @ (like(inner, vectors) @ H(vectors))


def _gaps(values: Any) -> Any:
    """λ_j - λ_i, and 1 on the diagonal."""
    identity = np.eye(values.shape[-1], dtype=raw(values).dtype)
    return row(values) - column(values) + (Tensor(identity) if isinstance(values, Tensor) else identity)


@op(
    refuses={"e": "linalg_eigh_cpu"},
    **linalg(
        "eigh",
        "λ, V",
        {
            "A": (
                "eigh_share(g, g_eigenvectors, eigenvalues, eigenvectors)",
                "eigenvalue_pieces(g, g_eigenvectors, eigenvalues, eigenvectors)",
            )
        },
        r"\operatorname{eigh}\left(⟨0⟩\right)",
        (([[4.0]], "L"),),
        outputs=("eigenvalues", "eigenvectors"),
        edges=((PAIR, "L"), ([PAIR, [[1.0, -0.5], [-0.5, 2.0]]], "L"), (PAIR, "U")),
    ),
)
def linalg_eigh(A: Array, UPLO="L"):
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise errors.MATRIX_PROBLEM(problem=f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    refuse_integers(A, "linalg_eigh_cpu")
    values, vectors = np.linalg.eigh(A, UPLO.upper())
    return values, in_columns(vectors)


@helper(latex=r"⟨3⟩\left(\operatorname{diag}(⟨1⟩)+\dots\right)⟨5⟩")
def svd_share(g, g_s, g_vh, u, s, vh):
    """The gradient of a singular value decomposition, of its first min(m, n) vectors."""
    k = s.shape[-1]
    u, g = (do("slice", x, x.ndim - 1, 0, k, 1) for x in (u, g))
    vh, g_vh = (do("slice", x, x.ndim - 2, 0, k, 1) for x in (vh, g_vh))
    inner = like(on_main_diagonal(row(g_s) + column(g_s) * 0), u)
    if is_zero(g) and is_zero(g_vh):
        return u @ inner @ vh
    left, right = H(u) @ g, vh @ H(g_vh)
    refuse_phases(left + right, "svd_backward", "singular vectors")
    gaps = _gaps(s * s)
    inner = inner + (left - H(left)) / gaps * row(s) + column(s) * ((right - H(right)) / gaps)
    inner = inner + _phases(left, s)
    result = u @ inner @ vh
    if u.shape[-2] > k:
        result = result + ((g - u @ left) / row(s)) @ vh
    if vh.shape[-1] > k:
        result = result + u @ ((g_vh - H(right) @ vh) / column(s))
    return result


def _phases(left: Any, s: Any) -> Any:
    """What turns a pair of complex singular vectors together."""
    if raw(left).dtype.kind != "c":
        return 0
    diagonal = on_main_diagonal(left)
    return (diagonal - conjugated(diagonal)) * 0.5 / row(s)


@op(
    refuses={"e": "linalg_svd_cpu"},
    **linalg(
        "svd",
        "UΣVᵀ",
        {"A": ("svd_share(g, g_S, g_Vh, U, S, Vh)", "singular_value_pieces(g, g_S, g_Vh, U, S, Vh, full_matrices)")},
        r"\operatorname{svd}\left(⟨0⟩\right)",
        ((A, False), (TALL, False), ([A, S], False)),
        outputs=("U", "S", "Vh"),
    ),
)
def linalg_svd(A: Array, full_matrices=True):
    """Orthogonal U and Vh and singular values S in descending order with U @ diag(S) @ Vh equal to the matrix."""
    check_matrix(A, "linalg.svd", square=False)
    if not np.isfinite(A).all():
        where = first_failure(~np.isfinite(A).all((-2, -1))[..., None], A.ndim > 2)[0]
        raise errors.MATRIX_FAILURE(problem=f"linalg.svd: {where}{_NOT_FINITE}")
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return in_columns(u), s, in_columns(vh)


@helper(latex=r"⟨3⟩^{-\mathsf H}\left(\operatorname{diag}(⟨0⟩)+\dots\right)⟨3⟩^{\mathsf H}")
def eig_share(g, g_vectors, values, vectors, input):
    """The gradient of eigenvalues and eigenvectors of a square matrix."""
    inner = on_main_diagonal(row(g) + column(g) * 0)
    if not is_zero(g_vectors):
        turned = H(vectors) @ g_vectors
        refuse_phases(turned, "linalg_eig_backward", "eigenvectors")
        lengths = do("diagonal", (turned + conjugated(turned)) * 0.5, 0, -2, -1)
        apart = turned - (H(vectors) @ vectors) * row(lengths)
        inner = inner + (apart - on_main_diagonal(apart)) / conjugated(_gaps(values))
    result = do("linalg_solve", H(vectors), inner @ H(vectors), False)
    return result if raw(input).dtype.kind == "c" else do_real(result)


def do_real(x: Any) -> Any:
    """The real part."""
    if not isinstance(x, Tensor):
        return x.real
    return do("select", do("view_as_real", do("contiguous_copy", x)), -1, 0)


@op(
    refuses={"e": "linalg_eig_out_cpu"},
    **linalg(
        "eig",
        "λ, V",
        {"A": "eig_share(g, g_eigenvectors, eigenvalues, eigenvectors, A)"},
        r"\operatorname{eig}\left(⟨0⟩\right)",
        (),
        outputs=("eigenvalues", "eigenvectors"),
        edges=((TURNING,), ([[2.0]],), ([TURNING, [[3.0, 0.5], [1.0, -1.0]]],)),
        errors=((TALL, "linalg.eig: A must be batches of square matrices, but they are 3 by 2 matrices"),),
    ),
)
def linalg_eig(A: Array, function="linalg.eig"):
    """The complex eigenvalues and eigenvectors of a square matrix."""
    check_square(A, function)
    if A.dtype.kind not in "fcV":
        raise errors.MATRIX_PROBLEM(problem=f"Unknown Complex ScalarType for {dtypes.of(A).legacy}")
    if not np.isfinite(A).all():
        raise errors.MATRIX_PROBLEM(problem="torch.linalg.eig: input tensor should not contain infs or NaNs.")
    dtype = np.result_type(A.dtype, np.complex64)
    values, vectors = np.linalg.eig(A)
    return values.astype(dtype), in_columns(vectors.astype(dtype))
