"""Least squares, and slices that are scaled down to a norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg.decompositions import (
    TALL,
    WIDE,
    A,
    B,
    H,
    X,
    column,
    conjugated,
    do,
    linalg,
    raw,
    row,
)
from gradflow.engine.ops.linalg.triangular import linalg_pinv, pinv_share
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, check_dim, dtypes

Y = [[1.0, -0.5], [0.5, 2.0], [-1.0, 0.25]]
_RANK = "torch.linalg.lstsq: {batch}The least squares solution could not be computed because the input matrix does not have full rank (error code: {code})."


@helper(latex=r"\operatorname{lstsq}^{*}\left(⟨0⟩\right)")
def lstsq_share(g, g_residuals, a, b, out, vector, of_a):
    """The gradient of the matrix, or of the right-hand side, of least squares."""
    right, x, g = (column(t) if vector else t for t in (b, out, g))
    inverse = do("linalg_pinv", a)
    share = pinv_share(g @ H(right), a, inverse) if of_a else H(inverse) @ g
    if raw(g_residuals).size:
        apart = (a @ x - right) * row(g_residuals) * 2.0
        share = share + (apart @ H(x) if of_a else -apart)
    return share if of_a or not vector else do("squeeze_dim", share, -1)


@op(
    refuses={"e": "linalg_lstsq_cpu"},
    **linalg(
        "lstsq",
        "A⁺b",
        {
            "A": "lstsq_share(g, g_residuals, A, B, solution, vector, True)",
            "B": "lstsq_share(g, g_residuals, A, B, solution, vector, False)",
        },
        r"⟨0⟩^{+}\,⟨1⟩",
        (
            (TALL, Y, 1e-6, "gelsd", False),
            (WIDE, [[1.0], [2.0]], 1e-6, "gelsy", False),
            (A, X, 1e-6, "gelsy", True),
            ([A, A], [B, B], 1e-6, "gelss", False),
        ),
        outputs=("solution", "residuals"),
        adapt=lambda function, A, B, rcond, driver, vector: function(A, B, rcond, driver=driver)[:2],
    ),
)
def linalg_lstsq(A: Array, B: Array, rcond, driver, vector):
    """The least-squares solution of A X = B, and its residuals."""
    right = B[..., None] if vector else B
    values, rank = ranks(A, rcond)
    if driver == "gels":
        _refuse_deficient(A, rank)
    solution = (linalg_pinv(A, 0.0, rcond) @ right).astype(A.dtype, copy=False)
    nothing = np.zeros(0, values.dtype)
    full = driver != "gelsy" and A.shape[-2] > A.shape[-1] and bool((rank == A.shape[-1]).all())
    residuals = (np.abs(A @ solution - right) ** 2).sum(-2) if full else nothing
    return solution[..., 0] if vector else in_columns(solution), residuals


def ranks(A: np.ndarray, rcond: Any) -> tuple[np.ndarray, np.ndarray]:
    """The singular values, and how many of them are above a part of the largest one."""
    values = np.linalg.svd(A, compute_uv=False)
    return values, np.asarray((values > rcond * values.max(-1, initial=0, keepdims=True)).sum(-1), np.int64)


def _refuse_deficient(A: np.ndarray, rank: np.ndarray) -> None:
    short = rank.reshape(-1) < min(A.shape[-2:])
    if short.any():
        first = int(short.argmax())
        batch = f"(Batch element {first}): " if A.ndim > 2 else ""
        raise errors.MATRIX_FAILURE(problem=_RANK.format(batch=batch, code=int(rank.reshape(-1)[first]) + 1))


def _norms(input: Any, p: float, dim: int) -> Any:
    others = tuple(i for i in range(input.ndim) if i != dim % input.ndim)
    named = {2: "norm_two", 1: "norm_one", np.inf: "norm_max"}
    return do(named[p], input, others, True) if p in named else do("norm_power", input, float(p), others, True)


@helper(latex=r"\operatorname{renorm}^{*}\left(⟨0⟩\right)")
def renorm_share(g, input, p, dim, maxnorm):
    """The gradient of slices that are scaled down to a norm."""
    others = tuple(i for i in range(input.ndim) if i != dim % input.ndim)
    norms = _norms(input, p, dim)
    inward = do("sum_dim", (conjugated(input) * g), others, True)
    inward = REGISTRY.helpers["real_part"].tensors(inward) if isinstance(inward, Tensor) else inward.real
    inverse = 1.0 / (norms + 1e-7)
    scaled = (g - norm_share(inward, input, p, norms) * inverse) * inverse * maxnorm
    above = raw(norms) > maxnorm
    return do("where", Tensor(above) if isinstance(g, Tensor) else above, scaled, g)


def norm_share(g: Any, input: Any, p: float, norms: Any) -> Any:
    """The gradient of a p-norm."""
    if p == 0:
        return input * 0
    size = do("abs", input)
    direction = do("sgn", input)
    if p == 1:
        return direction * g
    if p == 2:
        return input * (g / norms)
    if p == np.inf:
        largest = raw(size) == raw(norms)
        count = largest.sum(tuple(i for i in range(size.ndim) if raw(norms).shape[i] == 1), keepdims=True)
        share = largest / count.astype(raw(size).dtype)
        return direction * (Tensor(share) if isinstance(g, Tensor) else share) * g
    return direction * do("pow_scalar", size, p - 1) * (g / do("pow_scalar", norms, p - 1))


@op(
    gradients={"input": "renorm_share(g, input, p, dim, maxnorm)"},
    latex=r"\operatorname{renorm}\left(⟨0⟩\right)",
    symbol="renorm",
    inplace=True,
    samples=((TALL, 2, 0, 1.5), (A, 1, 1, 2.0), (A, 3, -1, 2.25), ([A, B], 2, 1, 3.0)),
    edges=((A, float("inf"), 0, 1.75), (A, 2, 0, 100.0)),
    errors=(
        (A, -1, 0, 1, "renorm: non-positive-norm not supported"),
        (A, 2, 0, -1, "renorm: expected maxnorm to be >= 0 but got -1"),
        (
            [[1, 2], [3, 4]],
            2,
            0,
            1.0,
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long",
        ),
        (X, 2, 0, 1, "renorm: input needs at least 2 dimensions, got 1 dimensions"),
    ),
    out=exactly(EXPECTED),
)
def renorm(input: Array, p, dim, maxnorm):
    """The input with each slice along ``dim`` scaled down whose p-norm is above ``maxnorm``."""
    if p <= 0:
        raise errors.MATRIX_PROBLEM(problem="renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise errors.MATRIX_PROBLEM(problem=f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input.ndim < 2:
        raise errors.MATRIX_PROBLEM(problem=f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    if input.dtype.kind not in "fcV":
        raise errors.MATRIX_PROBLEM(
            problem="linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {dtypes.of(input).legacy}"
        )
    norms = _norms(input, p, check_dim(dim, input.ndim))
    return input * np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1).astype(norms.dtype)
