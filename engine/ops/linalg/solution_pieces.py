"""The gradients of inverses, solutions and decompositions in the pieces that PyTorch records them in."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.ops.linalg.decompositions import (
    A,
    B,
    H,
    S,
    column,
    conjugated,
    det_share,
    is_zero,
    linalg,
    linalg_solve,
    qr_share,
    row,
    slogdet_share,
)
from gradflow.engine.ops.linalg.eigen import eigh_share, svd_share
from gradflow.engine.ops.linalg.lu import lu_share, permutation
from gradflow.engine.ops.linalg.triangular import factor_share
from gradflow.engine.ops.reduce.reductions import summed
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor


@helper()
def inverse_pieces(g, out):
    """The gradient of an inverse: its last factor first."""
    right = g @ H(out)
    return -(H(out) @ right)


@helper()
def solve_pieces(g, A, out, shape, shape_of_right, vector):
    """The gradients of a solution for the right side and for the matrix: the equations are solved once."""
    right = column(g) if vector else g
    adjoint = REGISTRY["linalg_solve"].call(H(A), right, False)
    of_matrix = -(adjoint @ H(column(out) if vector else out))
    of_right = REGISTRY["squeeze_dim"].call(adjoint, -1) if vector else adjoint
    return summed(of_right, shape_of_right), summed(of_matrix, shape)


@op(
    refuses={"e": "lu_cpu"},
    **linalg(
        "solve",
        "bA⁻¹",
        {
            "A": (
                "sum_to_size(-(conj(out.mT) @ linalg_solve_right(conj(A.mT), g)), A.shape)",
                "right_solve_pieces(g, A, out, A.shape, B.shape)[1]",
            ),
            "B": (
                "sum_to_size(linalg_solve_right(conj(A.mT), g), B.shape)",
                "right_solve_pieces(g, A, out, A.shape, B.shape)[0]",
            ),
        },
        r"⟨1⟩\,⟨0⟩^{-1}",
        ((A, B), ([A, S], B)),
        grad_fn="LinalgSolveExBackward0",
        adapt=lambda function, A, B: function(A, B, left=False),
    ),
)
def linalg_solve_right(A: Array, B: Array):
    """The solution X of X A = B."""
    return linalg_solve(A.mT, B.mT, False).mT


@helper()
def right_solve_pieces(g, A, out, shape, shape_of_right):
    """The gradients of a solution from the right for the right side and for the matrix: the equations are solved once."""
    adjoint = REGISTRY["linalg_solve_right"].call(H(A), g)
    return summed(adjoint, shape_of_right), summed(-(H(out) @ adjoint), shape)


@helper()
def determinant_pieces(g, input, out):
    """The gradient of a determinant by an equation; of singular matrices as for arrays."""
    if not np.linalg.det(input._a).all():
        return det_share(g, input, out)
    call = {name: REGISTRY[name].call for name in ("mul", "expand", "diag_embed", "transpose", "linalg_solve")}
    spread = call["expand"](column(call["mul"](g, conjugated(out))), *input._a.shape[:-1])
    right = call["transpose"](call["diag_embed"](spread), -2, -1)
    return call["linalg_solve"](H(input), right, False)


@helper()
def logarithm_pieces(g, g_size, sign, input):
    """The gradient of the logarithm of a determinant by an equation; that of a complex one as for arrays."""
    if input._a.dtype.kind == "c":
        return slogdet_share(g, g_size, sign, input)
    call = {name: REGISTRY[name].call for name in ("expand", "diag_embed", "transpose", "linalg_solve")}
    spread = call["expand"](column(g_size), *input._a.shape[:-1])
    right = call["transpose"](call["diag_embed"](spread), -2, -1)
    return call["linalg_solve"](H(input), right, False)


@helper()
def cholesky_pieces(g, out, upper):
    """The gradient of a Cholesky factor: two triangular equations."""
    tril, solve = REGISTRY["tril"].call, REGISTRY["linalg_solve_triangular"].call
    out, g = (H(out), H(g)) if upper else (out, g)
    product = tril(H(out) @ g, 0)
    symmetric = REGISTRY["mul_scalar"].call(product + H(tril(product, -1)), 0.5)
    half = solve(H(out), symmetric, True, True, False)
    return solve(out, half, False, False, False)


@helper()
def triangular_pieces(g, A, out, shape, shape_of_right, upper, left, unit):
    """The gradients of the solution of a triangular equation for the right side and for the matrix."""
    adjoint = REGISTRY["linalg_solve_triangular"].call(H(A), g, not upper, left, unit)
    turned = H(out)
    product = -(adjoint @ turned if left else turned @ adjoint)
    of_matrix = REGISTRY["triu" if upper else "tril"].call(product, int(unit) if upper else -int(unit))
    return summed(adjoint, shape_of_right), summed(of_matrix, shape)


@helper()
def factor_pieces(g, input2, out, upper):
    """The gradients of a solution by a Cholesky factor, for the right side and for the factor: the equations are solved once."""
    of_right = REGISTRY["cholesky_solve"].call(g, input2, upper)
    return of_right, factor_share(of_right, out, input2, upper)


def _skew(product: Tensor) -> Tensor:
    return product - H(product)


def _differences(values: Tensor) -> Tensor:
    """λ_j - λ_i, and 1 on the diagonal."""
    below = column(values)
    result = row(values) - below
    _write_diagonal("fill", result, 1.0)
    return result


def _write_diagonal(how: str, matrix: Tensor, value: Any) -> None:
    write = REGISTRY[how].call_inplace
    assert write is not None
    write(REGISTRY["diagonal"].call(matrix, 0, -2, -1), value)


@helper()
def eigenvalue_pieces(g, g_vectors, values, vectors):
    """The gradient of eigenvalues and eigenvectors; of complex ones as for arrays."""
    if vectors._a.dtype.kind == "c":
        return eigh_share(g, g_vectors, values, vectors)
    if is_zero(g_vectors):
        turned = H(vectors)
        return (vectors * row(g)) @ turned
    turning = REGISTRY["mul_scalar"].call(_skew(H(vectors) @ g_vectors), 0.5)
    inner = turning / _differences(values)
    if not is_zero(g):
        _write_diagonal("copy", inner, g)
    turned = H(vectors)
    return vectors @ (inner @ turned)


@helper()
def singular_value_pieces(g, g_s, g_vh, u, s, vh, full):
    """The gradient of singular values and vectors; of complex ones as for arrays."""
    if u._a.dtype.kind == "c":
        return svd_share(g, g_s, g_vh, u, s, vh)
    rows, columns, k = u._a.shape[-2], vh._a.shape[-1], s._a.shape[-1]
    if full:
        vh, u = _first(vh, -2, k), _first(u, -1, k)
        g_vh, g = _first(g_vh, -2, k), _first(g, -1, k)
    if is_zero(g) and is_zero(g_vh):
        return u @ (column(g_s) * vh) if rows >= columns else (u * row(g_s)) @ vh
    inner = _turned_singular(g, g_vh, u, s, vh)
    if not is_zero(g_s):
        inner = inner + REGISTRY["diag_embed"].call(g_s)
    if rows > k and not is_zero(g):
        inside = u @ inner
        scaled = g / row(s)
        outside = u @ (H(u) @ scaled)
        return (inside + scaled - outside) @ vh
    if columns > k and not is_zero(g_vh):
        inside = inner @ vh
        scaled = g_vh / column(s)
        outside = (scaled @ H(vh)) @ vh
        return u @ (inside + scaled - outside)
    return u @ (inner @ vh) if rows >= columns else (u @ inner) @ vh


def _first(vectors: Tensor, dim: int, k: int) -> Tensor:
    """The first vectors of a full set."""
    return REGISTRY["slice"].call(vectors, vectors._a.ndim + dim, 0, k, 1)


def _turned_singular(g: Tensor, g_vh: Tensor, u: Tensor, s: Tensor, vh: Tensor) -> Tensor:
    """How the singular vectors turn."""
    left = None if is_zero(g) else _skew(H(u) @ g)
    right = None if is_zero(g_vh) else _skew(vh @ H(g_vh))
    gaps = _differences(s * s)
    if left is not None and right is not None:
        below = column(s) * right
        return (left * row(s) + below) / gaps
    if left is not None:
        across: Tensor = row(s)
        return (left / gaps) * across
    turned = right / gaps  # type: ignore[operator]  # one of both is there
    result: Tensor = column(s) * turned
    return result


@helper()
def lu_pieces(g, g_upper, lower, upper, pivots):
    """The gradient of the factors of a square matrix; of others as for arrays."""
    size = lower._a.shape[-2]
    if size != upper._a.shape[-1]:
        return lu_share(g, g_upper, lower, upper, pivots)
    inner = None if is_zero(g) else REGISTRY["tril"].call(H(lower) @ g, -1)
    if not is_zero(g_upper):
        above = REGISTRY["triu"].call(g_upper @ H(upper), 0)
        inner = above if inner is None else inner + above
    if inner is None:
        return lu_share(g, g_upper, lower, upper, pivots)
    solve = REGISTRY["linalg_solve_triangular"].call
    half = solve(H(upper), inner, False, False, False)
    exchange = Tensor(permutation(pivots._a if isinstance(pivots, Tensor) else pivots, size, lower._a.dtype))
    return exchange @ solve(H(lower), half, True, True, True)


@helper()
def qr_pieces(g_q, g_r, q, r, mode):
    """The gradient of a QR decomposition of a matrix that is not wide; of others as for arrays."""
    tall = mode == "reduced" and q._a.shape[-1] == r._a.shape[-1] and q._a.dtype.kind != "c"
    if not tall:
        return qr_share(g_q, g_r, q, r, mode)
    if is_zero(g_q):
        inner = g_r @ H(r)
    elif is_zero(g_r):
        inner = -(H(q) @ g_q)
    else:
        turned = H(q) @ g_q
        inner = g_r @ H(r) - turned
    upper = REGISTRY["triu"].call(inner, 0)
    both = upper + H(upper)
    _write_diagonal("mul", both, 0.5)
    result = q @ both
    if not is_zero(g_q):
        result = result + g_q
    return REGISTRY["linalg_solve_triangular"].call(H(r), result, False, False, False)
