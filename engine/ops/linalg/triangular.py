"""Pseudoinverses, triangular systems, Cholesky factors at work, matrix exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg.decompositions import (
    SINGULAR,
    TALL,
    WIDE,
    A,
    B,
    H,
    S,
    check_matrix,
    check_square,
    do,
    linalg,
    refuse_integers,
)
from gradflow.engine.out_rules import SAFELY, OutRule
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes


@helper(latex=r"\operatorname{pinv}^{*}\left(⟨0⟩\right)")
def pinv_share(g, input, out):
    """The gradient of a pseudoinverse (Golub and Pereyra, 1973)."""
    back, turned = H(out), H(g)
    if input.shape[-2] <= input.shape[-1]:
        k = turned @ out
        wide = k @ back
        last = (back @ out) @ (turned - k @ input)
        middle = (input @ out) @ wide
        return -H(out @ k) + wide - middle + last
    k = out @ turned
    tall = back @ k
    last = (tall @ out) @ input
    first = ((turned - input @ k) @ out) @ back
    return -H(k @ out) + first + tall - last


@op(
    **linalg(
        "pinv",
        "A⁺",
        {"input": "pinv_share(g, input, out)"},
        "⟨0⟩^{+}",
        ((A,), (TALL,), (WIDE,), ([A, S],)),
        adapt=lambda function, input: function(input),
    )
)
def linalg_pinv(input: Array, atol=None, rtol=None, hermitian=False):
    """The pseudoinverse of a matrix, by its singular values."""
    if input.ndim < 2 or input.dtype.kind not in "fcV":
        raise errors.PINV_INPUT(dtype=dtypes.of(input).legacy, shape=list(input.shape))
    if hermitian:
        check_square(input, "linalg.eigh")
        values, u = np.linalg.eigh(input)
        sizes, vh = np.abs(values), u.mT.conj()
        inverted = np.where(kept(sizes, input.shape, atol, rtol), 1 / np.where(values == 0, 1, values), 0)
        return ((u * inverted[..., None, :]) @ vh).astype(input.dtype)
    u, s, vh = np.linalg.svd(input, full_matrices=False)
    keep = kept(s, input.shape, atol, rtol)
    inverted = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(s.dtype)
    return (vh.mT.conj() * inverted[..., None, :]) @ u.mT.conj()


def kept(sizes: np.ndarray, shape: tuple[int, ...], atol: Any, rtol: Any) -> np.ndarray:
    """Which singular values are above the tolerances."""
    default = np.asarray([max(shape[-2:]) * np.finfo(sizes.dtype).eps], sizes.dtype)
    absolute = np.asarray(0.0 if atol is None else atol, sizes.dtype)[..., None]
    relative = default if rtol is None else np.asarray(rtol, sizes.dtype)[..., None]
    if rtol is None and atol is not None:
        relative = np.where(absolute > 0, 0, default)
    keep: np.ndarray = sizes > np.maximum(absolute, relative * sizes.max(-1, initial=0, keepdims=True))
    return keep


def _triangle(x: Any, upper: bool, unit: bool) -> Any:
    """The part of a matrix that a triangular solver reads."""
    offset = int(unit)
    return do("triu", x, offset) if upper else do("tril", x, -offset)


@helper(latex=r"\operatorname{tri}\left(⟨0⟩\,⟨1⟩^{\top}\right)")
def triangle_share(g, out, upper, left, unit):
    """The gradient of a triangular matrix from that of the right-hand side."""
    return _triangle(-(g @ H(out)) if left else -(H(out) @ g), upper, unit)


@helper(latex=r"\neg ⟨0⟩")
def other_triangle(flag):
    """The other of two settings."""
    return not flag


def check_equations(A: np.ndarray, B: np.ndarray, left: bool, function: str) -> None:
    """Raises RuntimeError where A X = B, or X A = B, has no meaning."""
    check_square(A, function)
    if B.ndim < 2:
        raise errors.MATRIX_DIMENSIONS(function=function, name="B")
    if B.shape[-2 if left else -1] != A.shape[-1]:
        raise errors.SOLVE_SHAPE(
            function=function, equation="AX" if left else "XA", a=list(A.shape[-2:]), b=list(B.shape[-2:])
        )
    if A.dtype != B.dtype:
        raise errors.SOLVE_DTYPE(function=function, a=dtypes.of(A).legacy, b=dtypes.of(B).legacy)


@op(
    refuses={"e": "triangular_solve_cpu"},
    **linalg(
        "solve_triangular",
        "T⁻¹b",
        {
            "A": (
                "sum_to_size(triangle_share(linalg_solve_triangular(conj(A.mT), g, other_triangle(upper), left, unit), out, upper, left, unit), A.shape)",
                "triangular_pieces(g, A, out, A.shape, B.shape, upper, left, unit)[1]",
            ),
            "B": (
                "sum_to_size(linalg_solve_triangular(conj(A.mT), g, other_triangle(upper), left, unit), B.shape)",
                "triangular_pieces(g, A, out, A.shape, B.shape, upper, left, unit)[0]",
            ),
        },
        r"⟨0⟩^{-1}\,⟨1⟩",
        (
            (A, B, True, True, False),
            (A, B, False, True, False),
            (A, B, True, False, False),
            (A, B, False, False, True),
            ([A, S], B, True, True, False),
        ),
        adapt=lambda function, A, B, upper, left, unit: function(A, B, upper=upper, left=left, unitriangular=unit),
    ),
)
def linalg_solve_triangular(A: Array, B: Array, upper, left, unit):
    """The solution X of A X = B with a triangular A, or of X A = B."""
    check_equations(A, B, left, "linalg.solve_triangular")
    refuse_integers(A, "triangular_solve_cpu")
    if not left:
        return in_columns(linalg_solve_triangular(A.mT, B.mT, not upper, True, unit).mT)
    shape = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    result = np.broadcast_to(B, (*shape, *B.shape[-2:])).copy()
    n = A.shape[-1]
    for i in range(n - 1, -1, -1) if upper else range(n):
        done = slice(i + 1, n) if upper else slice(0, i)
        row = result[..., i : i + 1, :] - A[..., i : i + 1, done] @ result[..., done, :]
        result[..., i : i + 1, :] = row if unit else row / A[..., i : i + 1, i : i + 1]
    return in_columns(result)


def _blocks(turned: Tensor, g: Tensor) -> Tensor:
    """A matrix over its gradient and over itself, written into zeros one after the other."""
    n, cut, write = turned._a.shape[-1], REGISTRY["slice"].call, REGISTRY["copy"].call_inplace
    assert write is not None
    whole = Tensor(np.zeros((*turned._a.shape[:-2], 2 * n, 2 * n), turned._a.dtype))
    for row, column, part in ((0, 0, turned), (n, n, turned), (0, n, g)):
        rows = cut(whole, turned._a.ndim - 2, row, row + n, 1)
        write(cut(rows, turned._a.ndim - 1, column, column + n, 1), part)
    return whole


@helper(latex=r"\exp^{*}\left(⟨0⟩\right)")
def exp_share(g, input):
    """The gradient of a matrix exponential: a block of the exponential of a matrix twice as large."""
    turned = H(input)
    n = turned.shape[-1]
    block = _blocks(turned, g) if isinstance(g, Tensor) else np.block([[turned, g], [np.zeros_like(turned), turned]])
    rows = do("slice", do("linalg_matrix_exp", block), block.ndim - 2, 0, n, 1)
    return do("slice", rows, block.ndim - 1, n, 2 * n, 1)


@op(**linalg("matrix_exp", "eᴬ", {"input": "exp_share(g, input)"}, "e^{⟨0⟩}", ((A,), ([A, S],), (SINGULAR,))))
def linalg_matrix_exp(input: Array):
    """The exponential of a square matrix, by scaling, a Taylor series in double precision, and squaring."""
    check_matrix(input, "linalg.matrix_exp")
    wide = input.astype(np.complex128 if input.dtype.kind == "c" else np.float64)
    size = np.abs(wide).sum(-2).max(initial=0.0)
    squarings = max(0, int(np.ceil(np.log2(size))) + 2) if 0 < size < np.inf else 0
    scaled = wide / 2.0**squarings
    term = result = np.broadcast_to(np.eye(input.shape[-1]), input.shape).astype(wide.dtype)
    for k in range(1, 17):
        term = term @ scaled / k
        result = result + term
    for _ in range(squarings):
        result = result @ result
    return result.astype(input.dtype)


@op(
    refuses={"e": "cholesky_solve_cpu"},
    gradients={
        "input": ("cholesky_solve(g, input2, upper)", "factor_pieces(g, input2, out, upper)[0]"),
        "input2": (
            "factor_share(cholesky_solve(g, input2, upper), out, input2, upper)",
            "factor_pieces(g, input2, out, upper)[1]",
        ),
    },
    latex=r"(⟨1⟩⟨1⟩^{\top})^{-1}\,⟨0⟩",
    symbol="A⁻¹b",
    samples=(([[1.0, -2.0]], [[2.0]]),),
    edges=((B, A), (B, A, True), ([B, B], [A, S])),
    out=OutRule(SAFELY),
)
def cholesky_solve(input: Array, input2: Array, upper=False):
    """The solution X of A X = input, where A is given by its Cholesky factor."""
    for name, operand in (("b", input), ("u", input2)):
        if operand.ndim < 2:
            raise errors.MATRIX_PROBLEM(
                problem=f"{name} should have at least 2 dimensions, but has {operand.ndim} dimensions instead"
            )
    check_matrix(input2, "cholesky_solve")
    if input.shape[-2] != input2.shape[-1]:
        raise errors.MATRIX_PROBLEM(
            problem=f"Incompatible matrix sizes for cholesky_solve: each A matrix is {input2.shape[-1]} by {input2.shape[-1]} "
            f"but each b matrix is {input.shape[-2]} by {input.shape[-1]}"
        )
    factor = np.triu(input2).mT.conj() if upper else np.tril(input2)
    return linalg_solve_triangular(
        factor.mT.conj(), linalg_solve_triangular(factor, input, False, True, False), True, True, False
    )


@helper(latex=r"-(⟨0⟩⟨1⟩^{\top}+⟨1⟩⟨0⟩^{\top})\,⟨2⟩")
def factor_share(g, out, factor, upper):
    """The gradient of a Cholesky factor from that of the right-hand side."""
    common = g @ H(out)
    common = common + H(common)
    return -(factor @ common) if upper else -(common @ factor)


@op(
    refuses={"e": "cholesky_inverse_out_cpu"},
    gradients={"input": "inverse_share(g, out, input, upper)"},
    latex=r"(⟨0⟩⟨0⟩^{\top})^{-1}",
    symbol="A⁻¹",
    samples=(([[2.0]],),),
    edges=((A,), (A, True), ([A, S],), ([[2.0, 0.0], [1.0 + 1.0j, 1.5]],)),
    out=OutRule(SAFELY),
)
def cholesky_inverse(input: Array, upper=False):
    """The inverse of a matrix given by its Cholesky factor."""
    check_matrix(input, "cholesky_inverse")
    return cholesky_solve(np.broadcast_to(np.eye(input.shape[-1], dtype=input.dtype), input.shape), input, upper)


@helper(latex=r"-⟨1⟩(⟨0⟩+⟨0⟩^{\top})⟨1⟩\,⟨2⟩")
def inverse_share(g, out, factor, upper):
    """The gradient of a Cholesky factor from that of the inverse."""
    common = out @ ((g + H(g)) @ out)
    return -(factor @ common) if upper else -(common @ factor)
