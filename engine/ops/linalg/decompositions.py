"""Inverses, determinants, solutions of linear equations and decompositions of matrices, and of batches of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.lu import eliminate, eliminate_for_determinant, partial_cholesky, solve, solve_nearby
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.pointwise.elementwise import rounded
from gradflow.engine.registry import REGISTRY, Array, Gradient, helper, op
from gradflow.engine.tensor import Tensor, dtypes

A = [[2.0, -1.0, 0.5], [0.25, 1.5, -0.75], [1.0, 0.5, 3.0]]
B = [[0.5, -1.0, 2.0], [1.0, 3.0, 0.25], [-1.5, 0.75, 1.0]]
S = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]
TALL, WIDE = [[2.0, -1.0], [0.25, 1.5], [1.0, 0.5]], [[2.0, -1.0, 0.5], [0.25, 1.5, -0.75]]
SINGULAR, PAIR = [[1.0, 2.0], [2.0, 4.0]], [[4.0, 1.0], [1.0, 3.0]]
X = [1.0, -2.0, 0.5]


def do(name: str, *args: Any) -> Any:
    """An operation on arrays or on Tensors: rules are written once for both."""
    operation = REGISTRY[name]
    return operation.call(*args) if any(isinstance(a, Tensor) for a in args) else operation.body(*args)


def column(x: Any) -> Any:
    return do("unsqueeze", x, -1)


def row(x: Any) -> Any:
    return do("unsqueeze", x, -2)


def conjugated(x: Any) -> Any:
    """The complex conjugate; a real one as it is."""
    if raw(x).dtype.kind != "c":
        return x
    return do("conjugate", x)


def H(x: Any) -> Any:
    """The conjugate transpose."""
    return conjugated(x.mT)


def _real(x: Any) -> Any:
    """A matrix without its imaginary part."""
    return (x + conjugated(x)) * 0.5 if raw(x).dtype.kind == "c" else x


def is_zero(x: Any) -> bool:
    return not np.any(x._a if isinstance(x, Tensor) else x)


def check_square(input: np.ndarray, function: str, name: str = "A") -> None:
    """Raises RuntimeError for what is no square matrix."""
    if input.ndim < 2:
        raise errors.MATRIX_DIMENSIONS(function=function, name=name)
    if input.shape[-1] != input.shape[-2]:
        raise errors.SQUARE_MATRIX(function=function, rows=input.shape[-2], columns=input.shape[-1])


def refuse_integers(input: np.ndarray, kernel: str) -> None:
    """Raises NotImplementedError for what is not of floating point numbers."""
    if input.dtype.kind not in "fcV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name=kernel, dtype=dtypes.of(input).legacy)


def like(x: Any, other: Any) -> Any:
    """Complex where the other one is."""
    dtype = raw(other).dtype
    if raw(x).dtype == dtype:
        return x
    return do("to_dtype", x, dtypes.of(raw(other))) if isinstance(x, Tensor) else x.astype(dtype)


def check_matrix(input: np.ndarray, function: str, name: str = "A", square: bool = True) -> None:
    """Raises RuntimeError for what is no (square) matrix of floating point numbers."""
    if input.ndim < 2:
        raise errors.MATRIX_DIMENSIONS(function=function, name=name)
    if square and input.shape[-1] != input.shape[-2]:
        raise errors.SQUARE_MATRIX(function=function, rows=input.shape[-2], columns=input.shape[-1])
    if input.dtype.kind not in "fcV":
        raise errors.MATRIX_DTYPE(function=function, dtype=dtypes.of(input).legacy)


def linalg(
    name: str, symbol: str, gradients: Mapping[str, Gradient], latex: str, samples: Any, **more: Any
) -> dict[str, Any]:
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


def first_failure(failed: np.ndarray, batched: bool) -> tuple[str, int]:
    """Where in a batch the first failure is, in PyTorch's words, and the order of its first failing element from 1."""
    matrices = failed.reshape(-1, failed.shape[-1])
    number = int(matrices.any(-1).argmax())
    return f"(Batch element {number}): " if batched else "", int(matrices[number].argmax()) + 1


def singular(input: np.ndarray, cls: Any) -> Exception:
    """The error for a singular matrix."""
    lu, _ = eliminate(input)
    zero = np.diagonal(lu, axis1=-2, axis2=-1) == 0
    batch, order = first_failure(zero, input.ndim > 2)
    error: Exception = cls(batch=batch, order=order) if cls is errors.SINGULAR_INVERSE else cls(batch=batch)
    return error


@op(
    refuses={"e": errors.LOW_PRECISION},
    **linalg(
        "inv",
        "A⁻¹",
        {"input": ("-(conj(out.mT) @ (g @ conj(out.mT)))", "inverse_pieces(g, out)")},
        "⟨0⟩^{-1}",
        ((A,), ([A, S],)),
        grad_fn="LinalgInvExBackward0",
        errors=((TALL, "linalg.inv: A must be batches of square matrices, but they are 3 by 2 matrices"),),
    ),
)
def linalg_inv(input: Array):
    """The inverse of a square matrix."""
    check_matrix(input, "linalg.inv")
    try:
        return in_columns(solve(input, np.broadcast_to(np.eye(input.shape[-1], dtype=input.dtype), input.shape)))
    except np.linalg.LinAlgError:
        raise singular(input, errors.SINGULAR_INVERSE) from None


def identity(like: Any) -> Any:
    """The identity matrix in the order and dtype of others: an array or a Tensor, as they are."""
    unit = np.eye(raw(like).shape[-1], dtype=raw(like).dtype)
    return Tensor(unit) if isinstance(like, Tensor) else unit


@helper(latex=r"⟨0⟩\,⟨2⟩\,⟨1⟩^{-\top}")
def det_share(g, input, out):
    """The gradient of a determinant; of a singular matrix it is 0, as in PyTorch, unless it is recorded."""
    right = column(column(g * conjugated(out))) * identity(input)
    if not _is_singular(input):
        return do("linalg_solve", H(input), right, False)
    return _adjugate(input, g) if isinstance(input, Tensor) else solve_nearby(H(input), right)


def _is_singular(input: Any) -> bool:
    return bool((np.abs(np.linalg.det(raw(input))) == 0).any())


def _adjugate(input: Any, g: Any) -> Any:
    """The transposed adjugate times ``g``, from the singular values: each stands for the product of all the others."""
    u, s, vh = do("linalg_svd", input, False)
    n = s.shape[-1]
    square = row(s) + column(s) * 0
    identity = np.eye(n, dtype=bool)
    masked = do("masked_fill", square, Tensor(identity) if isinstance(s, Tensor) else identity, 1.0)
    others = do("prod_dim", masked, -1)
    signs = np.linalg.det(raw(u)) * np.linalg.det(raw(vh))
    sign = np.asarray(np.conj(signs) if signs.dtype.kind == "c" else np.round(signs), raw(u).dtype)
    return (u * row(others * column(g * (Tensor(sign) if isinstance(s, Tensor) else sign)))) @ vh


def raw(x: Any) -> np.ndarray:
    return x._a if isinstance(x, Tensor) else x


@op(
    refuses={"e": "lu_cpu"},
    **linalg(
        "det",
        "det",
        {"input": ("det_share(g, input, out)", "determinant_pieces(g, input, out)")},
        r"\det ⟨0⟩",
        ((A,), ([A, S],)),
        errors=((TALL, "linalg.det: A must be batches of square matrices, but they are 3 by 2 matrices"),),
    ),
)
def linalg_det(input: Array):
    """The determinant of a square matrix."""
    check_matrix(input, "linalg.det")
    diagonal, sign = eliminate_for_determinant(input)
    return np.asarray(diagonal.prod(-1) * sign, input.dtype)


@helper(latex=r"⟨1⟩\,⟨3⟩^{-\top}")
def slogdet_share(g, g_size, sign, input):
    """The gradient of the sign and the logarithm of a determinant."""
    if raw(input).dtype.kind == "c":
        turning = (conjugated(g) * sign - conjugated(conjugated(g) * sign)) * 0.5  # i times the imaginary part
        g_size = g_size - turning
    return do("linalg_solve", H(input), column(column(g_size)) * identity(input), False)


@op(
    refuses={"e": errors.LOW_PRECISION},
    **linalg(
        "slogdet",
        "log|det|",
        {"A": ("slogdet_share(g, g_logabsdet, sign, A)", "logarithm_pieces(g, g_logabsdet, sign, A)")},
        r"\log\left|\det ⟨0⟩\right|",
        ((A,), ([A, S],)),
        outputs=("sign", "logabsdet"),
        may_be_integer=False,
    ),
)
def linalg_slogdet(A: Array):
    """The sign of the determinant, and the logarithm of its absolute value."""
    check_matrix(A, "linalg.slogdet")
    diagonal, sign = eliminate_for_determinant(A)
    size = np.abs(diagonal)
    with np.errstate(divide="ignore"):
        logarithm = rounded(np.log, size).sum(-1)
    return np.asarray((np.sign(diagonal) if A.dtype.kind != "c" else diagonal / size).prod(-1) * sign), np.asarray(
        logarithm
    )


# -- equations ---------------------------------------------------------------------------------------------------------


@helper(latex=r"⟨0⟩\,⟨1⟩^{\top}")
def paired(g, out, vector):
    """Every element of a gradient times every element of a solution."""
    return column(g) * row(out) if vector else g @ out.mT


@op(
    refuses={"e": "lu_cpu"},
    **linalg(
        "solve",
        "A⁻¹b",
        {
            "A": (
                "sum_to_size(-paired(linalg_solve(conj(A.mT), g, vector), conj(out), vector), A.shape)",
                "solve_pieces(g, A, out, A.shape, B.shape, vector)[1]",
            ),
            "B": (
                "sum_to_size(linalg_solve(conj(A.mT), g, vector), B.shape)",
                "solve_pieces(g, A, out, A.shape, B.shape, vector)[0]",
            ),
        },
        r"⟨0⟩^{-1}\,⟨1⟩",
        ((A, B, False), (A, X, True), ([A, S], B, False), ([A, S], [X, X], True)),
        grad_fn="LinalgSolveExBackward0",
        adapt=lambda function, A, B, vector: function(A, B),
    ),
)
def linalg_solve(A: Array, B: Array, vector):
    """The solution X of A X = B."""
    check_matrix(A, "linalg.solve")
    if A.dtype != B.dtype:
        raise errors.SOLVE_DTYPE(function="linalg.solve", a=dtypes.of(A).legacy, b=dtypes.of(B).legacy)
    right = B[..., None] if vector else B
    if right.shape[-2] != A.shape[-1]:
        raise errors.SOLVE_SHAPE(function="linalg.solve", equation="AX", a=list(A.shape[-2:]), b=list(right.shape[-2:]))
    try:
        result = solve(A, right)
    except np.linalg.LinAlgError:
        raise singular(A, errors.SINGULAR_SOLVE) from None
    return result[..., 0] if vector else in_columns(result)


# -- decompositions ----------------------------------------------------------------------------------------------------


@helper(latex=r"⟨1⟩^{-\top}\,\Phi\left(⟨1⟩^{\top}\,⟨0⟩\right)\,⟨1⟩^{-1}")
def cholesky_share(g, out, upper):
    """The gradient of a Cholesky factor."""
    g, out = (H(g), H(out)) if upper else (g, out)
    phi = H(out) @ g
    phi = (do("tril", phi, 0) + H(do("tril", phi, -1))) * 0.5
    inverse = do("linalg_inv", out)
    return H(inverse) @ (phi @ inverse)


@op(
    refuses={"e": "cholesky_cpu"},
    **linalg(
        "cholesky",
        "L",
        {"input": ("cholesky_share(g, out, upper)", "cholesky_pieces(g, out, upper)")},
        r"\operatorname{chol}\left(⟨0⟩\right)",
        (([[4.0]],),),
        edges=((S,), ([S, S],)),
        grad_fn="LinalgCholeskyExBackward0",
        adapt=lambda function, input: function(input),
    ),
)
def linalg_cholesky(input: Array, function="linalg.cholesky", upper=False):
    """The lower triangular L with L @ L.mT equal to a positive-definite matrix, or L.mT, from the triangle of that side."""
    if function == "cholesky":
        check_square(input, function)
        refuse_integers(input, "cholesky_cpu")
    else:
        check_matrix(input, function)
    read = input.mT.conj() if upper else input
    try:
        factor = np.linalg.cholesky(read)
    except np.linalg.LinAlgError:
        raise not_positive(partial_cholesky(read)[1], function) from None
    return in_columns(factor.mT.conj() if upper else factor)


def not_positive(info: np.ndarray, function: str) -> Exception:
    """The error for a matrix that is not positive-definite."""
    first = int(np.flatnonzero(info)[0]) if info.any() else 0
    batch = f"(Batch element {first}): " if info.ndim else ""
    return errors.NOT_POSITIVE(function=function, batch=batch, order=int(info.reshape(-1)[first]))


@helper(latex=r"\operatorname{qr}^{*}\left(⟨0⟩, ⟨1⟩\right)")
def qr_share(g_q, g_r, q, r, mode):
    """The gradient of a QR decomposition."""
    if mode == "r":
        raise errors.QR_DERIVATIVE(problem=_QR_WITHOUT_Q)
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "complete" and rows > columns:
        raise errors.QR_DERIVATIVE(problem=_QR_COMPLETE)
    if rows >= columns:
        inner = g_r @ H(r) - H(q) @ g_q
        upper = do("triu", inner, 0)
        sides = upper + H(upper) - _real(on_main_diagonal(upper))
        return (q @ sides + g_q) @ H(do("linalg_inv", r))
    inner = H(q) @ g_q - g_r @ H(r)
    skew = do("tril", inner - H(inner), 0)
    if raw(q).dtype.kind == "c":
        skew = skew - on_main_diagonal(skew) * 0.5
    left = do("slice", r, r.ndim - 1, 0, rows, 1)
    known = (q @ skew) @ H(do("linalg_inv", left))
    zeros = q @ (do("slice", r, r.ndim - 1, rows, columns, 1) * 0)
    return joined(known, zeros) + q @ g_r


_QR_WITHOUT_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when in mode='r'. Please use linalg.qr(A, mode='reduced') if you"
    " are going to require gradients for A"
)
_QR_COMPLETE = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."


def joined(left: Any, right: Any) -> Any:
    return REGISTRY["cat"].call([left, right], -1) if isinstance(left, Tensor) else np.concatenate([left, right], -1)


def on_main_diagonal(x: Any) -> Any:
    """A matrix without what is off its diagonal."""
    identity = np.eye(x.shape[-1], dtype=raw(x).dtype)
    return x * (Tensor(identity) if isinstance(x, Tensor) else identity)


@op(
    refuses={"e": "geqrf_cpu"},
    **linalg(
        "qr",
        "QR",
        {"A": ("qr_share(g, g_R, Q, R, mode)", "qr_pieces(g, g_R, Q, R, mode)")},
        r"\operatorname{qr}\left(⟨0⟩\right)",
        ((A, "reduced"), (TALL, "reduced"), (WIDE, "reduced"), ([A, S], "reduced"), (WIDE, "complete")),
        outputs=("Q", "R"),
    ),
)
def linalg_qr(A: Array, mode="reduced"):
    """An orthogonal Q and an upper triangular R with Q @ R equal to the matrix."""
    check_matrix(A, "linalg.qr", square=False)
    if mode not in ("reduced", "complete", "r"):
        raise errors.QR_MODE(mode=mode)
    result: Any = np.linalg.qr(A, mode)
    return (np.zeros(0, A.dtype), in_columns(result)) if mode == "r" else tuple(map(in_columns, result))
