"""LU decompositions, and equations solved with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.lu import eliminate
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg.decompositions import (
    TALL,
    WIDE,
    A,
    B,
    H,
    S,
    check_square,
    do,
    first_failure,
    joined,
    linalg,
    raw,
    refuse_integers,
)
from gradflow.engine.ops.linalg.triangular import check_equations, linalg_solve_triangular
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes


def stacked(upper: Any, lower: Any) -> Any:
    """One matrix above another."""
    both = [upper, lower]
    return REGISTRY["cat"].call(both, -2) if isinstance(upper, Tensor) else np.concatenate(both, -2)


def permutation(pivots: np.ndarray, rows: int, dtype: Any) -> np.ndarray:
    """The permutation matrix of row exchanges that are counted from 1."""
    order = np.broadcast_to(np.arange(rows), (*pivots.shape[:-1], rows)).copy()
    for k in range(pivots.shape[-1]):
        other = pivots[..., k : k + 1].astype(np.int64) - 1
        chosen = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, order[..., k : k + 1].copy(), -1)
        order[..., k : k + 1] = chosen
    return np.asarray(np.arange(rows)[:, None] == order[..., None, :], dtype)


def _like(array: np.ndarray, other: Any) -> Any:
    return Tensor(array) if isinstance(other, Tensor) else array


def lower_part(lu: np.ndarray) -> np.ndarray:
    k = min(lu.shape[-2:])
    return np.tril(lu[..., :k], -1) + np.eye(lu.shape[-2], k, dtype=lu.dtype)


def upper_part(lu: np.ndarray) -> np.ndarray:
    return np.triu(lu[..., : min(lu.shape[-2:]), :])


def _columns(x: Any, first: int, last: int) -> Any:
    return do("slice", x, x.ndim - 1, first, last, 1)


def _rows(x: Any, first: int, last: int) -> Any:
    return do("slice", x, x.ndim - 2, first, last, 1)


def _halves(lu: Any) -> tuple[Any, Any]:
    """The triangular factors of a compact decomposition."""
    rows, columns = lu.shape[-2:]
    k = min(rows, columns)
    identity = _like(np.eye(rows, k, dtype=raw(lu).dtype), lu)
    return do("tril", _columns(lu, 0, k), -1) + identity, do("triu", _rows(lu, 0, k), 0)


@helper(latex=r"\operatorname{lu}^{*}\left(⟨0⟩, ⟨1⟩\right)")
def lu_share(g_lower, g_upper, lower, upper, pivots):
    """The gradient of a matrix from those of its triangular factors."""
    rows, columns, k = lower.shape[-2], upper.shape[-1], lower.shape[-1]
    exchange = _like(permutation(pivots, rows, raw(lower).dtype), lower)
    g_lower, g_upper = do("tril", g_lower, -1), do("triu", g_upper, 0)
    inner = H(lower) @ g_lower - g_upper @ H(upper)
    if rows <= columns:
        first = _columns(upper, 0, k)
        part = do("linalg_solve_triangular", H(first), do("tril", inner, -1), False, False, False)
        known = _columns(g_upper, 0, k) + part
        whole = joined(known, _columns(g_upper, k, columns)) if columns > k else known
        return exchange @ do("linalg_solve_triangular", H(lower), whole, True, True, True)
    first = _rows(lower, 0, k)
    part = do("linalg_solve_triangular", H(first), do("triu", inner, 0), True, True, True)
    whole = stacked(_rows(g_lower, 0, k) - part, _rows(g_lower, k, rows))
    return exchange @ do("linalg_solve_triangular", H(upper), whole, False, False, False)


@helper(latex=r"\operatorname{lu}^{*}\left(⟨0⟩\right)")
def compact_share(g, lu, pivots):
    """The gradient of a matrix from that of its compact decomposition."""
    lower, upper = _halves(lu)
    k = lower.shape[-1]
    return lu_share(_columns(g, 0, k), _rows(g, 0, k), lower, upper, raw(pivots))


def check_lu(input: np.ndarray, function: str) -> None:
    """Raises RuntimeError for what has no LU decomposition."""
    if input.ndim < 2:
        raise errors.MATRIX_PROBLEM(
            problem=f"{function}: Expected tensor with 2 or more dimensions. Got size: {list(input.shape)} instead"
        )
    refuse_integers(input, "lu_cpu")


@op(
    refuses={"e": "lu_cpu"},
    **linalg(
        "lu_factor_ex",
        "LU",
        {"A": "compact_share(g, LU, pivots)"},
        r"\operatorname{lu}\left(⟨0⟩\right)",
        ((A,), (TALL,), (WIDE,), ([A, S],)),
        outputs=("LU", "pivots"),
        may_be_integer=True,
        adapt=lambda function, *given: function(*given)[:2],
    ),
)
def linalg_lu_factor_ex(A: Array):
    """The compact LU decomposition with partial pivoting, and the row exchanges, counted from 1."""
    check_lu(A, "torch.lu_factor")
    lu, pivots = eliminate(A)
    return in_columns(lu), (pivots + 1).astype(np.int32)


@op(
    refuses={"e": "lu_cpu"},
    **linalg(
        "lu",
        "LU",
        {"A": ("lu_share(g, g_U, L, U, pivots)", "lu_pieces(g, g_U, L, U, pivots)")},
        r"\operatorname{lu}\left(⟨0⟩\right)",
        ((A, np.array([1, 2, 3], "int32")), (TALL, np.array([1, 2], "int32"))),
        outputs=("L", "U"),
        adapt=lambda function, A, pivots: function(A)[1:],
        keeps=("pivots",),
    ),
)
def linalg_lu(A: Array, pivots):
    """The triangular factors of a matrix whose row exchanges are known."""
    lu, _ = eliminate(A)
    return lower_part(lu), upper_part(lu)


@helper(latex=r"\operatorname{tril}\left(⟨0⟩\right)+\operatorname{triu}\left(⟨1⟩\right)")
def unpack_share(g_lower, g_upper, rows, columns):
    """The gradient of a compact decomposition from those of its two factors."""
    lower, upper = do("tril", g_lower, -1), do("triu", g_upper, 0)
    if columns > rows:
        lower = joined(lower, _columns(upper, rows, columns) * 0)
    if rows > columns:
        upper = stacked(upper, _rows(lower, columns, rows) * 0)
    return lower + upper


@op(
    gradients={"LU": "unpack_share(g, g_U, LU.shape[-2], LU.shape[-1])"},
    latex=r"L, U",
    symbol="L, U",
    functions=(),
    methods=(),
    outputs=("L", "U"),
    samples=((A,), (TALL,), (WIDE,), ([A, S],)),
    torch=None,
)
def lu_unpack(LU: Array):
    """The triangular factors of a compact decomposition."""
    return lower_part(LU), upper_part(LU)


# -- equations ---------------------------------------------------------------------------------------------------------


def left_solution(lu: np.ndarray, pivots: np.ndarray, right: np.ndarray, adjoint: bool) -> np.ndarray:
    """X with A X = B, or with A^H X = B."""
    lower, upper = np.tril(lu, -1) + np.eye(lu.shape[-1], dtype=lu.dtype), np.triu(lu)
    exchange = permutation(pivots, lu.shape[-1], lu.dtype)
    if not adjoint:
        half = linalg_solve_triangular(lower, exchange.mT @ right, False, True, True)
        return np.asarray(linalg_solve_triangular(upper, half, True, True, False))
    half = linalg_solve_triangular(upper.mT.conj(), right, False, True, False)
    return np.asarray(exchange @ linalg_solve_triangular(lower.mT.conj(), half, True, True, True))


@helper(latex=r"\operatorname{solve}^{*}\left(⟨0⟩\right)")
def lu_solve_share(g, lu, pivots, out, left, adjoint):
    """The gradient of the compact decomposition from that of a solution."""
    lower, upper = _halves(lu)
    if left != adjoint:
        outer = -(g @ H(out)) if left else -(H(g) @ out)
        above = do("linalg_solve_triangular", H(upper), outer, False, True, False)
        below = do("linalg_solve_triangular", H(lower), above @ H(upper), True, True, True)
        return do("tril", below, -1) + do("triu", above, 0)
    exchange = _like(permutation(raw(pivots), lu.shape[-1], raw(lu).dtype), lu)
    outer = -(exchange.mT @ (out @ H(g) if left else H(out) @ g)) @ exchange
    below = do("linalg_solve_triangular", H(lower), outer, True, False, True)
    above = do("linalg_solve_triangular", H(upper), H(lower) @ below, False, False, False)
    return do("tril", below, -1) + do("triu", above, 0)


@helper(latex=r"\neg ⟨0⟩")
def reverse_of(flag):
    """The other of two settings."""
    return not flag


@op(
    refuses={"e": "linalg.lu_solve_cpu"},
    **linalg(
        "lu_solve",
        "A⁻¹b",
        {
            "LU": "sum_to_size(lu_solve_share(g, LU, pivots, out, left, adjoint), LU.shape)",
            "B": "sum_to_size(linalg_lu_solve(LU, pivots, g, left, reverse_of(adjoint)), B.shape)",
        },
        r"A^{-1}\,⟨2⟩",
        (
            (A, np.array([1, 2, 3], "int32"), B, True, False),
            (A, np.array([2, 2, 3], "int32"), B, True, True),
            (A, np.array([2, 3, 3], "int32"), B, False, False),
            (A, np.array([3, 2, 3], "int32"), B, False, True),
        ),
        adapt=lambda function, LU, pivots, B, left, adjoint: function(LU, pivots, B, left=left, adjoint=adjoint),
    ),
)
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, left, adjoint):
    """The solution X of A X = B, X A = B, or of one of these with the conjugate transpose of A."""
    name = "torch.linalg.lu_solve"
    if LU.dtype.kind not in "fcV":
        raise errors.MATRIX_DTYPE(function=name, dtype=dtypes.of(LU).legacy)
    if LU.dtype != B.dtype:
        raise errors.SOLVE_DTYPE(function="linalg.lu_solve", a=dtypes.of(LU).legacy, b=dtypes.of(B).legacy)
    if pivots.dtype != np.int32:
        raise errors.MATRIX_PROBLEM(problem="linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_square(LU, name)
    check_equations(LU, B, left, "linalg.lu_solve")
    if pivots.shape[-1] != LU.shape[-1]:
        raise errors.MATRIX_PROBLEM(
            problem="linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if left:
        return left_solution(LU, pivots, B, adjoint)
    return left_solution(LU, pivots, B.mT.conj(), not adjoint).mT.conj()


def unfinished(lu: np.ndarray) -> np.ndarray:
    """The order of the first pivot that is 0, counted from 1; 0 where there is none."""
    zero = np.diagonal(lu, axis1=-2, axis2=-1) == 0
    first = np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if zero.shape[-1] else np.zeros(zero.shape[:-1])
    return np.asarray(first, np.int32)


def pivots_at_zero(input: np.ndarray) -> np.ndarray:
    """For each square matrix the order of the first pivot that elimination finds to be 0, or 0."""
    return unfinished(eliminate(input)[0])


def refuse_zero_pivot(lu: np.ndarray, batched: bool) -> None:
    """Raises RuntimeError where a decomposition cannot be used to solve equations."""
    zero = np.diagonal(lu, axis1=-2, axis2=-1) == 0
    if zero.any():
        batch, order = first_failure(zero, batched)
        raise errors.SINGULAR_FACTOR(batch=batch, order=order)
