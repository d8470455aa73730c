"""Inverses, determinants, solutions of linear equations and decompositions of matrices, and of batches of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.registry import REGISTRY, Array, helper, op
from engine.tensor import Tensor

A = [[2.0, -1.0, 0.5], [0.25, 1.5, -0.75], [1.0, 0.5, 3.0]]
B = [[0.5, -1.0, 2.0], [1.0, 3.0, 0.25], [-1.5, 0.75, 1.0]]
S = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]
TALL = [[2.0, -1.0], [0.25, 1.5], [1.0, 0.5]]
WIDE = [[2.0, -1.0, 0.5], [0.25, 1.5, -0.75]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
X = [1.0, -2.0, 0.5]
PAIR = [[4.0, 1.0], [1.0, 3.0]]


def do(name: str, *args: Any) -> Any:
    """An operation on arrays or on Tensors: rules are written once for both."""
    operation = REGISTRY[name]
    return operation.call(*args) if any(isinstance(a, Tensor) for a in args) else operation.body(*args)


def column(x: Any) -> Any:
    return do("unsqueeze", x, -1)


def row(x: Any) -> Any:
    return do("unsqueeze", x, -2)


def _is_zero(x: Any) -> bool:
    return not np.any(x._a if isinstance(x, Tensor) else x)


def check_matrix(input: np.ndarray, function: str, name: str = "A", square: bool = True) -> None:
    """Raises RuntimeError for what is no (square) matrix of floating point numbers."""
    if input.ndim < 2:
        raise errors.MATRIX_DIMENSIONS(function=function, name=name)
    if square and input.shape[-1] != input.shape[-2]:
        raise errors.SQUARE_MATRIX(function=function, rows=input.shape[-2], columns=input.shape[-1])
    if input.dtype.kind not in "fc":
        raise errors.MATRIX_DTYPE(function=function, dtype=dtypes.of(input).legacy)


def linalg(name: str, symbol: str, gradients: dict[str, str], latex: str, samples: Any, **more: Any) -> dict[str, Any]:
    return {
        "gradients": gradients,
        "symbol": symbol,
        "latex": latex,
        "functions": (),
        "methods": (),
        "torch": f"linalg.{name}",
        "samples": samples,
        **more,
    }


# -- elimination -------------------------------------------------------------------------------------------------------


def eliminate(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The compact LU decomposition with partial pivoting of each matrix, and its row exchanges, counted from 0."""
    lu = input.copy()
    rows, columns = input.shape[-2:]
    steps = min(rows, columns)
    pivots = np.zeros((*input.shape[:-2], steps), np.int64)
    for k in range(steps):
        pivot = k + np.abs(lu[..., k:, k]).argmax(-1)
        pivots[..., k] = pivot
        chosen = np.take_along_axis(lu, pivot[..., None, None], -2)
        np.put_along_axis(lu, pivot[..., None, None], lu[..., k : k + 1, :].copy(), -2)
        lu[..., k : k + 1, :] = chosen
        divisor = lu[..., k : k + 1, k]
        lu[..., k + 1 :, k] /= np.where(divisor == 0, 1, divisor)
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k : k + 1] * lu[..., k : k + 1, k + 1 :]
    return lu, pivots


def first_failure(failed: np.ndarray, batched: bool) -> tuple[str, int]:
    """Where in a batch the first failure is, in PyTorch's words, and the order of its first failing element from 1."""
    matrices = failed.reshape(-1, failed.shape[-1])
    number = int(matrices.any(-1).argmax())
    return f"(Batch element {number}): " if batched else "", int(matrices[number].argmax()) + 1


def singular(input: np.ndarray, kind: Any) -> Exception:
    """The error for a singular matrix."""
    lu, _ = eliminate(input)
    zero = np.diagonal(lu, axis1=-2, axis2=-1) == 0
    batch, order = first_failure(zero, input.ndim > 2)
    error: Exception = kind(batch=batch, order=order) if kind is errors.SINGULAR_INVERSE else kind(batch=batch)
    return error


@op(
    **linalg(
        "inv",
        "A⁻¹",
        {"input": "-(out.mT @ (g @ out.mT))"},
        "⟨0⟩^{-1}",
        ((A,), ([A, S],)),
        grad_fn="LinalgInvExBackward0",
        errors=((TALL, "linalg.inv: A must be batches of square matrices, but they are 3 by 2 matrices"),),
    )
)
def linalg_inv(input: Array):
    """The inverse of a square matrix."""
    check_matrix(input, "linalg.inv")
    try:
        return np.linalg.inv(input)
    except np.linalg.LinAlgError:
        raise singular(input, errors.SINGULAR_INVERSE) from None


@helper(latex=r"⟨0⟩\,⟨2⟩\,⟨1⟩^{-\top}")
def det_share(g, input, out):
    """The gradient of a determinant; of singular matrices by their singular values."""
    if _is_singular(input):
        return column(column(g)) * _adjugate(input)
    return column(column(g * out)) * do("linalg_inv", input).mT


def _is_singular(input: Any) -> bool:
    array = input._a if isinstance(input, Tensor) else input
    return bool((np.abs(np.linalg.det(array)) == 0).any())


def _adjugate(input: Any) -> Any:
    """The transposed adjugate, from the singular values: each stands for the product of all the others."""
    u, s, vh = do("linalg_svd", input, False)
    n = s.shape[-1]
    square = row(s) + column(s) * 0
    identity = np.eye(n, dtype=bool)
    masked = do("masked_fill", square, Tensor(identity) if isinstance(s, Tensor) else identity, 1.0)
    others = do("prod_dim", masked, -1)
    signs = np.linalg.det(_raw(u)) * np.linalg.det(_raw(vh))
    sign = np.asarray(np.round(signs), _raw(s).dtype)[..., None, None]
    return (u * row(others)) @ vh * (Tensor(sign) if isinstance(s, Tensor) else sign)


def _raw(x: Any) -> np.ndarray:
    array: np.ndarray = x._a if isinstance(x, Tensor) else x
    return array


@op(
    **linalg(
        "det",
        "det",
        {"input": "det_share(g, input, out)"},
        r"\det ⟨0⟩",
        ((A,), ([A, S],)),
        edges=((SINGULAR,),),
        errors=((TALL, "linalg.det: A must be batches of square matrices, but they are 3 by 2 matrices"),),
    )
)
def linalg_det(input: Array):
    """The determinant of a square matrix."""
    check_matrix(input, "linalg.det")
    lu, pivots = eliminate(input)
    swaps = (pivots != np.arange(pivots.shape[-1])).sum(-1)
    return np.asarray(np.diagonal(lu, axis1=-2, axis2=-1).prod(-1) * (1 - 2 * (swaps % 2)), input.dtype)


@op(
    **linalg(
        "slogdet",
        "log|det|",
        {"A": "unsqueeze(unsqueeze(g_logabsdet, -1), -1) * linalg_inv(A).mT"},
        r"\log\left|\det ⟨0⟩\right|",
        ((A,), ([A, S],)),
        outputs=("sign", "logabsdet"),
        may_be_integer=False,
    )
)
def linalg_slogdet(A: Array):
    """The sign of the determinant, and the logarithm of its absolute value."""
    check_matrix(A, "linalg.slogdet")
    return tuple(np.linalg.slogdet(A))


# -- equations ---------------------------------------------------------------------------------------------------------


@helper(latex=r"⟨0⟩\,⟨1⟩^{\top}")
def paired(g, out, vector):
    """Every element of a gradient times every element of a solution."""
    return column(g) * row(out) if vector else g @ out.mT


@op(
    **linalg(
        "solve",
        "A⁻¹b",
        {
            "A": "sum_to_size(-paired(linalg_solve(A.mT, g, vector), out, vector), A.shape)",
            "B": "sum_to_size(linalg_solve(A.mT, g, vector), B.shape)",
        },
        r"⟨0⟩^{-1}\,⟨1⟩",
        ((A, B, False), (A, X, True), ([A, S], B, False), ([A, S], [X, X], True)),
        grad_fn="LinalgSolveExBackward0",
        adapt=lambda function, A, B, vector: function(A, B),
    )
)
def linalg_solve(A: Array, B: Array, vector):
    """The solution X of A X = B."""
    check_matrix(A, "linalg.solve")
    if A.dtype != B.dtype:
        raise errors.SOLVE_DTYPE(function="linalg.solve", a=dtypes.of(A).legacy, b=dtypes.of(B).legacy)
    right = B[..., None] if vector else B
    if right.shape[-2] != A.shape[-1]:
        raise errors.SOLVE_SHAPE(function="linalg.solve", a=list(A.shape[-2:]), b=list(right.shape[-2:]))
    try:
        result = np.linalg.solve(A, right)
    except np.linalg.LinAlgError:
        raise singular(A, errors.SINGULAR_SOLVE) from None
    return result[..., 0] if vector else result


# -- decompositions ----------------------------------------------------------------------------------------------------


@helper(latex=r"⟨1⟩^{-\top}\,\Phi\left(⟨1⟩^{\top}\,⟨0⟩\right)\,⟨1⟩^{-1}")
def cholesky_share(g, out):
    """The gradient of a Cholesky factor."""
    phi = out.mT @ g
    phi = (do("tril", phi, 0) + do("tril", phi, -1).mT) * 0.5
    inverse = do("linalg_inv", out)
    return inverse.mT @ (phi @ inverse)


@op(
    **linalg(
        "cholesky",
        "L",
        {"input": "cholesky_share(g, out)"},
        r"\operatorname{chol}\left(⟨0⟩\right)",
        (([[4.0]],),),
        edges=((S,), ([S, S],)),
        grad_fn="LinalgCholeskyExBackward0",
        adapt=lambda function, input: function(input),
    )
)
def linalg_cholesky(input: Array, function="linalg.cholesky"):
    """The lower triangular L with L @ L.mT equal to a positive-definite matrix."""
    check_matrix(input, function)
    try:
        return np.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        raise _not_positive(input, function) from None


def _not_positive(input: np.ndarray, function: str) -> Exception:
    n = input.shape[-1]
    failed = np.zeros((*input.shape[:-2], n), bool)
    for index in np.ndindex(*input.shape[:-2]):
        matrix = np.tril(input[index]) + np.tril(input[index], -1).T
        failed[index] = [np.linalg.eigvalsh(matrix[: k + 1, : k + 1])[0] <= 0 for k in range(n)]
    batch, order = first_failure(failed, input.ndim > 2)
    return errors.NOT_POSITIVE(function=function, batch=batch, order=order)


@helper(latex=r"\operatorname{qr}^{*}\left(⟨0⟩, ⟨1⟩\right)")
def qr_share(g_q, g_r, q, r, mode):
    """The gradient of a QR decomposition."""
    if mode == "r":
        raise errors.QR_DERIVATIVE(problem=_QR_WITHOUT_Q)
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "complete" and rows > columns:
        raise errors.QR_DERIVATIVE(problem=_QR_COMPLETE)
    if rows >= columns:
        inner = g_r @ r.mT - q.mT @ g_q
        upper = do("triu", inner, 0)
        sides = upper + upper.mT - _on_diagonal(upper)
        return (q @ sides + g_q) @ do("linalg_inv", r).mT
    inner = q.mT @ g_q - g_r @ r.mT
    skew = do("tril", inner - inner.mT, 0)
    left = do("slice", r, r.ndim - 1, 0, rows, 1)
    known = (q @ skew) @ do("linalg_inv", left).mT
    zeros = q @ (do("slice", r, r.ndim - 1, rows, columns, 1) * 0)
    return joined(known, zeros) + q @ g_r


_QR_WITHOUT_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when in mode='r'. Please use linalg.qr(A, mode='reduced') if you"
    " are going to require gradients for A"
)
_QR_COMPLETE = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."


def joined(left: Any, right: Any) -> Any:
    return REGISTRY["cat"].call([left, right], -1) if isinstance(left, Tensor) else np.concatenate([left, right], -1)


def _on_diagonal(x: Any) -> Any:
    """A matrix without what is off its diagonal."""
    identity = np.eye(x.shape[-1], dtype=_raw(x).dtype)
    return x * (Tensor(identity) if isinstance(x, Tensor) else identity)


@op(
    **linalg(
        "qr",
        "QR",
        {"A": "qr_share(g, g_R, Q, R, mode)"},
        r"\operatorname{qr}\left(⟨0⟩\right)",
        ((A, "reduced"), (TALL, "reduced"), (WIDE, "reduced"), ([A, S], "reduced"), (WIDE, "complete")),
        outputs=("Q", "R"),
    )
)
def linalg_qr(A: Array, mode="reduced"):
    """An orthogonal Q and an upper triangular R with Q @ R equal to the matrix."""
    check_matrix(A, "linalg.qr", square=False)
    if mode not in ("reduced", "complete", "r"):
        raise errors.QR_MODE(mode=mode)
    result = np.linalg.qr(A, mode)
    return (np.zeros(0, A.dtype), result) if mode == "r" else tuple(result)


@helper(latex=r"⟨3⟩\left(\operatorname{diag}(⟨0⟩)+\tfrac{⟨3⟩^{\top}⟨1⟩}{λ_j-λ_i}\right)⟨3⟩^{\top}")
def eigh_share(g, g_vectors, values, vectors):
    """The gradient of eigenvalues and eigenvectors of a symmetric matrix."""
    inner = _on_diagonal(row(g) + column(g) * 0)
    if not _is_zero(g_vectors):
        turned = vectors.mT @ g_vectors
        inner = inner + (turned - turned.mT) * 0.5 / _gaps(values)  # only what turns the vectors
    return vectors @ (inner @ vectors.mT)


def _gaps(values: Any) -> Any:
    """λ_j - λ_i, and 1 on the diagonal."""
    identity = np.eye(values.shape[-1], dtype=_raw(values).dtype)
    return row(values) - column(values) + (Tensor(identity) if isinstance(values, Tensor) else identity)


@op(
    **linalg(
        "eigh",
        "λ, V",
        {"A": "eigh_share(g, g_eigenvectors, eigenvalues, eigenvectors)"},
        r"\operatorname{eigh}\left(⟨0⟩\right)",
        (([[4.0]], "L"),),
        outputs=("eigenvalues", "eigenvectors"),
        edges=((PAIR, "L"), ([PAIR, [[1.0, -0.5], [-0.5, 2.0]]], "L"), (PAIR, "U")),
    )
)
def linalg_eigh(A: Array, UPLO="L"):
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    check_matrix(A, "linalg.eigh")
    return tuple(np.linalg.eigh(A, UPLO))


@helper(latex=r"⟨3⟩\left(\operatorname{diag}(⟨1⟩)+\dots\right)⟨5⟩")
def svd_share(g, g_s, g_vh, u, s, vh):
    """The gradient of a singular value decomposition, of its first min(m, n) vectors."""
    k = s.shape[-1]
    u, g = (do("slice", x, x.ndim - 1, 0, k, 1) for x in (u, g))
    vh, g_vh = (do("slice", x, x.ndim - 2, 0, k, 1) for x in (vh, g_vh))
    inner = _on_diagonal(row(g_s) + column(g_s) * 0)
    if _is_zero(g) and _is_zero(g_vh):
        return u @ inner @ vh
    left, right = u.mT @ g, vh @ g_vh.mT
    gaps = _gaps(s * s)
    inner = inner + (left - left.mT) / gaps * row(s) + column(s) * ((right - right.mT) / gaps)
    result = u @ inner @ vh
    if u.shape[-2] > k:
        result = result + ((g - u @ left) / row(s)) @ vh
    if vh.shape[-1] > k:
        result = result + u @ ((g_vh - right.mT @ vh) / column(s))
    return result


@op(
    **linalg(
        "svd",
        "UΣVᵀ",
        {"A": "svd_share(g, g_S, g_Vh, U, S, Vh)"},
        r"\operatorname{svd}\left(⟨0⟩\right)",
        ((A, False), (TALL, False), ([A, S], False)),
        outputs=("U", "S", "Vh"),
    )
)
def linalg_svd(A: Array, full_matrices=True):
    """Orthogonal U and Vh and singular values S in descending order with U @ diag(S) @ Vh equal to the matrix."""
    check_matrix(A, "linalg.svd", square=False)
    return tuple(np.linalg.svd(A, full_matrices=full_matrices))
