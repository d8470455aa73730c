"""Linear algebra as functions: ``torch.linalg``, and what of it also stands under ``torch`` and on Tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import errors
from engine.namespace import composite
from engine.namespace.reductions import titled
from engine.operands import result_class
from engine.ops.decompositions import check_matrix
from engine.registry import REGISTRY
from engine.tensor import Tensor, check_dim


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- inverses and determinants -----------------------------------------------------------------------------------------


def inv(A: Tensor) -> Any:
    """The inverse of a square matrix."""
    return _call("linalg_inv", A)


def inverse(input: Tensor) -> Any:
    """The inverse of a square matrix."""
    return _call("linalg_inv", input)


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse of a square matrix, and zeros for success."""
    return result_class("linalg_inv_ex", ("inverse", "info"))(_call("linalg_inv", A), _success(A))


def _success(A: Tensor) -> Tensor:
    return Tensor(np.zeros(A._a.shape[:-2], np.int32))


def det(A: Tensor) -> Any:
    """The determinant of a square matrix."""
    return _call("linalg_det", A)


def slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return _call("linalg_slogdet", A)


def torch_slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return result_class("slogdet", ("sign", "logabsdet"))(*slogdet(input))


def logdet(input: Tensor) -> Any:
    """The logarithm of the determinant; NaN where it is negative."""
    check_matrix(input._a, "logdet")
    sign, size = slogdet(input)
    return _call("where", _call("eq", sign, -1.0), math.nan, size)


def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudoinverse of a matrix."""
    return _call("linalg_pinv", A, atol, rtol)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Any:
    """The pseudoinverse of a matrix."""
    return _call("linalg_pinv", input, 0.0, rcond)


def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The number of singular values above a tolerance."""
    check_matrix(A._a, "torch.linalg.matrix_rank", "input", square=False)
    values = np.linalg.svd(A._a, compute_uv=False)
    relative = max(A._a.shape[-2:]) * np.finfo(A._a.dtype).eps if rtol is None and not atol else rtol or 0
    limit = np.maximum(atol or 0, relative * values.max(-1, initial=0, keepdims=True))
    return Tensor(np.asarray((values > limit).sum(-1)))


# -- equations ---------------------------------------------------------------------------------------------------------


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """The solution X of A X = B, or of X A = B."""
    a, b = A._a.shape, B._a.shape
    vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    if left or vector:
        return _call("linalg_solve", A, B, vector)
    return titled(
        composite.adjoint(_call("linalg_solve", composite.adjoint(A), composite.adjoint(B), False)),
        "LinalgSolveExBackward0",
    )


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """The solution X of A X = B with a triangular A, or of X A = B."""
    return _call("linalg_solve_triangular", A, B, upper, left, unitriangular)


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The solution X of A X = b with a triangular A, and A itself."""
    matrix, above = (composite.adjoint(A), not upper) if transpose else (A, upper)
    solution = _call("linalg_solve_triangular", matrix, b, above, True, unitriangular)
    return result_class("triangular_solve", ("solution", "cloned_coefficient"))(
        titled(solution, "TriangularSolveBackward0"), titled(_call("clone", A), "TriangularSolveBackward0")
    )


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> Any:
    """The least-squares solution of A X = B, its residuals, and the rank of A."""
    solution = titled(composite.matmul(pinv(A), B), "LinalgLstsqBackward0")
    rows, columns = A._a.shape[-2:]
    residuals = Tensor(np.zeros(0, A._a.dtype))
    if rows > columns and driver in ("gels", "gelss", "gelsd"):
        apart = composite.matmul(A, solution) - B
        residuals = _call("sum_dim", apart * apart, -2)
    fields = ("solution", "residuals", "rank", "singular_values")
    return result_class("linalg_lstsq", fields)(solution, residuals, matrix_rank(A), Tensor(np.zeros(0, A._a.dtype)))


# -- decompositions ----------------------------------------------------------------------------------------------------


def cholesky(A: Tensor, *, upper: bool = False) -> Any:
    """The lower triangular L with L @ L.mT equal to a positive-definite matrix, or L.mT."""
    factor = _call("linalg_cholesky", A)
    return titled(composite.adjoint(factor), "LinalgCholeskyExBackward0") if upper else factor


def torch_cholesky(input: Tensor, upper: bool = False) -> Any:
    """`torch.linalg.cholesky` under its older name."""
    factor = _call("linalg_cholesky", input, "cholesky")
    return titled(composite.adjoint(factor) if upper else factor, "CholeskyBackward0")


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """`cholesky`, and zeros for success."""
    return result_class("linalg_cholesky_ex", ("L", "info"))(cholesky(A, upper=upper), _success(A))


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """An orthogonal Q and an upper triangular R with Q @ R equal to the matrix."""
    return _call("linalg_qr", A, mode)


def torch_qr(input: Tensor, some: bool = True) -> Any:
    """`torch.linalg.qr` under its older name."""
    return result_class("qr", ("Q", "R"))(*qr(input, "reduced" if some else "complete"))


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    return _call("linalg_eigh", A, UPLO)


def eigvalsh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix in ascending order."""
    return eigh(A, UPLO)[0]


def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """Orthogonal U and Vh and singular values S with U @ diag(S) @ Vh equal to the matrix."""
    return _call("linalg_svd", A, full_matrices)


def svdvals(A: Tensor) -> Any:
    """The singular values of a matrix in descending order."""
    return _call("linalg_svd", A, False)[1]


def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """`torch.linalg.svd` under its older name, with V instead of its transpose."""
    u, s, vh = _call("linalg_svd", input, not some)
    return result_class("svd", ("U", "S", "V"))(u, s, composite.adjoint(vh))


# -- powers and products -----------------------------------------------------------------------------------------------


def matrix_power(A: Tensor, n: int) -> Any:
    """The n-th power of a square matrix, of its inverse where n is negative."""
    check_matrix(A._a, "linalg.matrix_power")
    if n == 0:
        return Tensor(np.broadcast_to(np.eye(A._a.shape[-1], dtype=A._a.dtype), A._a.shape).copy())
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 1:
        return _call("clone", A)
    if n == 3:
        return composite.matmul(composite.matmul(A, A), A)
    result, square = None, A
    while n:
        if n % 2:
            result = square if result is None else composite.matmul(square, result)
        n //= 2
        square = composite.matmul(square, square) if n else square
    return result


def torch_matrix_power(input: Tensor, n: int) -> Any:
    """The n-th power of a square matrix."""
    return matrix_power(input, n)


def matrix_exp(A: Tensor) -> Any:
    """The exponential of a square matrix."""
    return _call("linalg_matrix_exp", A)


def torch_matrix_exp(input: Tensor) -> Any:
    """The exponential of a square matrix."""
    return matrix_exp(input)


def multi_dot(tensors: Any) -> Any:
    """The product of a chain of matrices; the first and the last may be vectors."""
    if len(tensors) < 2:
        raise errors.MULTI_DOT_COUNT(count=len(tensors))
    first, last = tensors[0], tensors[-1]
    chain = [
        _call("unsqueeze", t, axis) if t._a.ndim == 1 else t
        for t, axis in zip(tensors, _axes(len(tensors)), strict=True)
    ]
    product = _ordered(chain, _splits([t._a.shape[0] for t in chain] + [chain[-1]._a.shape[1]]), 0, len(chain) - 1)
    shape = (() if first._a.ndim == 1 else product._a.shape[:1]) + (() if last._a.ndim == 1 else product._a.shape[1:])
    return _call("view", product, shape)


def _axes(count: int) -> list[int]:
    return [0] * (count - 1) + [1]


def _splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each part of the chain for the fewest multiplications (Cormen et al., matrix-chain order)."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], splits[i, j] = min(options)
    return splits


def _ordered(chain: list[Tensor], splits: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return chain[i]
    k = splits[i, j]
    product: Tensor = _call("mm", _ordered(chain, splits, i, k), _ordered(chain, splits, k + 1, j))
    return product


def chain_matmul(*matrices: Tensor) -> Any:
    """The product of a chain of matrices."""
    return matrices[0] if len(matrices) == 1 else multi_dot(list(matrices))


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    """The cross product of vectors of three elements along a dimension."""
    return _call("linalg_cross", input, other, dim)


def torch_cross(input: Tensor, other: Tensor, dim: Any = None) -> Any:
    """The cross product along a dimension; without one, along the first that has three elements."""
    if dim is None:
        dim = next((i for i, n in enumerate(input._a.shape) if n == 3), -1)
    return _call("linalg_cross", input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Any:
    """The scalar products of vectors along a dimension."""
    return _call("sum_dim", x * y, dim)


def vander(x: Tensor, *, N: Any = None) -> Any:
    """The matrix of the powers 0, 1, ... of each element."""
    columns = x._a.shape[-1] if N is None else N
    if columns <= 1:
        raise errors.VANDER_COLUMNS()
    powers = _call("expand", _call("unsqueeze", x, -1), *x._a.shape, columns - 1)
    ones = Tensor(np.ones((*x._a.shape, 1), x._a.dtype))
    return _call("cat", [ones, _call("cumprod", powers, -1)], -1)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices."""
    return _call("diagonal", A, offset, dim1, dim2)


# -- norms -------------------------------------------------------------------------------------------------------------


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A vector or matrix norm, depending on ``ord`` and the dimensions."""
    if ord is None:
        return composite.vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if dim is None and A._a.ndim not in (1, 2) and not isinstance(ord, str):
        raise errors.NORM_DIMENSIONS(ndim=A._a.ndim)
    pair = isinstance(dim, tuple | list) and len(dim) == 2
    if isinstance(ord, str) or pair or (dim is None and A._a.ndim == 2):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return composite.vector_norm(A, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A norm of matrices: 'fro', 'nuc', 1, 2, inf, or one of these numbers negated."""
    check_matrix(A._a, "linalg.matrix_norm", square=False)
    first, second = (check_dim(d, A._a.ndim) for d in dim)
    if first == second:
        raise errors.MATRIX_NORM_DIMENSIONS(problem=f"dims must be different. Got ({dim[0]}, {dim[1]})")
    if dtype is not None:
        A = composite.to(A, dtype)
    if ord == "fro":
        return composite.vector_norm(A, 2.0, (first, second), keepdim)
    if ord == "nuc" or abs(ord) == 2:
        return _by_singular_values(A, ord, first, second, keepdim)
    if abs(ord) not in (1, math.inf):
        raise errors.MATRIX_NORM_ORDER(order=f"{ord:g}" if isinstance(ord, int | float) else ord)
    along, across = (first, second) if abs(ord) == 1 else (second, first)
    sums = composite.vector_norm(A, 1.0, along, keepdim)
    left = across - 1 if across > along and not keepdim else across
    return _call("amax" if ord > 0 else "amin", sums, left, keepdim)


def _by_singular_values(A: Tensor, ord: Any, first: int, second: int, keepdim: bool) -> Any:
    others = [i for i in range(A._a.ndim) if i not in (first, second)]
    values = svdvals(_call("permute", A, *others, first, second))
    result = _call("sum_dim", values, -1) if ord == "nuc" else _call("amax" if ord > 0 else "amin", values, -1)
    if not keepdim:
        return result
    for axis in sorted((first, second)):
        result = _call("unsqueeze", result, axis)
    return result


def torch_norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.linalg.norm` under its older name: vector norms, and 'fro' and 'nuc' of matrices."""
    if p == "nuc":
        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return composite.norm(input, p, dim, keepdim, dtype)


def cond(A: Tensor, p: Any = None) -> Any:
    """The condition number of a matrix."""
    if p is None or p in (2, -2):
        values = svdvals(A)
        largest, smallest = (composite.narrow(values, -1, i, 1) for i in (0, values._a.shape[-1] - 1))
        return _call("squeeze_dim", smallest / largest if p == -2 else largest / smallest, -1)
    check_matrix(A._a, f"linalg.cond(ord={p})")
    return _call("nan_to_num", matrix_norm(A, p) * matrix_norm(inv(A), p), math.inf)


def tensorinv(A: Tensor, ind: int = 2) -> Any:
    """The inverse of a tensor seen as a matrix of its first ``ind`` dimensions by the others."""
    rows, columns = A._a.shape[:ind], A._a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise errors.TENSORINV_SHAPE(a=math.prod(columns), b=math.prod(rows))
    matrix = inv(composite.reshape(A, (math.prod(rows), math.prod(rows))))
    return composite.reshape(matrix, (*columns, *rows))


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Any:
    """The solution X of tensordot(A, X) = B."""
    if dims is not None:
        A = _call("permute", A, *[i for i in range(A._a.ndim) if i not in dims], *dims)
    shape = A._a.shape[B._a.ndim :]
    matrix = composite.reshape(A, (B._a.size, math.prod(shape)))
    return composite.reshape(solve(matrix, composite.reshape(B, (-1,))), shape)


_TABLE = globals()
LINALG: dict[str, Callable[..., Any]] = {
    name: _TABLE[name]
    for name in (
        "inv",
        "inv_ex",
        "det",
        "slogdet",
        "pinv",
        "matrix_rank",
        "solve",
        "solve_triangular",
        "lstsq",
        "cholesky",
        "cholesky_ex",
        "qr",
        "eigh",
        "eigvalsh",
        "svd",
        "svdvals",
        "matrix_power",
        "matrix_exp",
        "multi_dot",
        "cross",
        "vecdot",
        "vander",
        "diagonal",
        "norm",
        "matrix_norm",
        "cond",
        "tensorinv",
        "tensorsolve",
    )
} | {"vector_norm": composite.vector_norm, "matmul": composite.matmul, "LinAlgError": errors.LinAlgError}
"""``torch.linalg``."""

METHODS: dict[str, Callable[..., Any]] = {
    "inverse": inverse,
    "pinverse": pinverse,
    "det": det,
    "logdet": logdet,
    "slogdet": torch_slogdet,
    "cholesky": torch_cholesky,
    "qr": torch_qr,
    "svd": torch_svd,
    "matrix_power": torch_matrix_power,
    "matrix_exp": torch_matrix_exp,
    "cross": torch_cross,
    "norm": torch_norm,
    "triangular_solve": triangular_solve,
}
"""On Tensor."""

FUNCTIONS: dict[str, Callable[..., Any]] = {**METHODS, "chain_matmul": chain_matmul}
"""Under ``torch``."""
