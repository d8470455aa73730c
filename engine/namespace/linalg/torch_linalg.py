"""Linear algebra as functions: ``torch.linalg``, and what of it also stands under ``torch`` and on Tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch.operands import result_class
from gradflow.engine.namespace.functions import composite, elementwise
from gradflow.engine.namespace.functions.deprecated import notice
from gradflow.engine.namespace.linalg import decompositions, matrix_norms, matrix_products, singular
from gradflow.engine.namespace.linalg.matrix_products import inv
from gradflow.engine.namespace.linalg.singular import divided_by_zero, of_first
from gradflow.engine.numerics.lu import partial_cholesky
from gradflow.engine.ops.linalg.decompositions import (
    check_matrix,
    check_square,
    not_positive,
)
from gradflow.engine.ops.linalg.lu import pivots_at_zero
from gradflow.engine.ops.linalg.triangular import check_equations, kept
from gradflow.engine.out_rules import EXPECTED, SAFELY, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- inverses and determinants -----------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, gradient="linalg_inv_ex"))
def inverse(input: Tensor) -> Any:
    """The inverse of a square matrix."""
    return _call("linalg_inv", input)


@has_out(exactly(EXPECTED, gradient="_linalg_det"), "linalg.det")
def det(A: Tensor) -> Any:
    """The determinant of a square matrix."""
    return _call("linalg_det", A)


@has_out(exactly(EXPECTED, gradient="_linalg_slogdet"), "linalg.slogdet")
def slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return _call("linalg_slogdet", A)


@has_out(exactly(EXPECTED, gradient="_linalg_slogdet"), "slogdet")
def torch_slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return result_class("slogdet", ("sign", "logabsdet"))(*slogdet(input))


def logdet(input: Tensor) -> Any:
    """The logarithm of the determinant; NaN where it is negative."""
    check_matrix(input._a, "logdet")
    sign, size = slogdet(input)
    if input._a.dtype.kind == "c":
        return _call("add", _call("log", sign), size)
    return _call("where", _call("eq", sign, -1.0), math.nan, size)


@has_out(OutRule(SAFELY), "linalg.pinv")
def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The pseudoinverse of a matrix."""
    if A._a.dtype.itemsize == 2:
        described = f"{A.dtype.legacy}{{{list(A.shape)}}}"
        raise errors.MATRIX_PROBLEM(
            problem=f"linalg.pinv({described}): expected a tensor with 2 or more dimensions of float, double, cfloat or"
            " cdouble types"
        )
    return _call("linalg_pinv", A, _array(atol), _array(rtol if rcond is None else rcond), hermitian)


def _array(limit: Any) -> Any:
    return limit._a if isinstance(limit, Tensor) else limit


def pinverse(input: Tensor, rcond: float = 1e-15) -> Any:
    """The pseudoinverse of a matrix."""
    return _call("linalg_pinv", input, 0.0, _array(rcond))


@has_out(
    OutRule(
        "torch.{name}: Expected result to be safely castable from {R} dtype, but got result with dtype {O}",
        gradient=None,
    ),
    "linalg.matrix_rank",
)
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The number of singular values above a tolerance."""
    if A._a.ndim < 2:
        raise errors.MATRIX_DIMENSIONS(function="torch.linalg.matrix_rank", name="input")
    if A._a.dtype.kind not in "fc" or A._a.dtype.itemsize == 2:
        raise errors.MATRIX_PROBLEM(problem="This function doesn't handle types other than float and double")
    if hermitian:
        check_square(A._a, "linalg.eigh")
        values = np.sort(np.abs(np.linalg.eigvalsh(A._a)))[..., ::-1]
    else:
        values = np.linalg.svd(A._a, compute_uv=False)
    absolute, relative = (_array(tol), 0.0) if tol is not None else (_array(atol), _array(rtol))
    return Tensor(np.asarray(kept(values, A._a.shape, absolute, relative).sum(-1), np.int64))


# -- equations ---------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, gradient="_linalg_solve_ex"), "linalg.solve")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """The solution X of A X = B, or of X A = B."""
    check_matrix(A._a, "linalg.solve")
    a, b = A._a.shape, B._a.shape
    vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    if not (vector and left):
        check_equations(A._a, B._a[..., None] if vector else B._a, left, "linalg.solve")
    if left or vector:
        return _call("linalg_solve", A, B, vector)
    return _call("linalg_solve_right", A, B)


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """`solve`, and the order of the first pivot that is 0."""
    check_matrix(A._a, "linalg.solve")
    infos = pivots_at_zero(A._a)
    if check_errors and infos.any():
        raise errors.MATRIX_FAILURE(
            problem=of_first(
                infos, "torch.linalg.solve_ex: ", "The solver failed because the input matrix is singular."
            )
        )
    fields = result_class("linalg_solve_ex", ("result", "info"))
    if not infos.any():
        return fields(solve(A, B, left=left), Tensor(infos))
    vector = B._a.ndim == 1
    column = _call("unsqueeze", B, -1) if vector else B
    result = divided_by_zero(A, column) if left else composite.adjoint(divided_by_zero(composite.adjoint(A), _mh(B)))
    return fields(_call("squeeze_dim", result, -1) if vector else result, Tensor(infos))


@has_out(exactly("expected scalar type {R} but found {O}"), "linalg.solve_triangular")
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """The solution X of A X = B with a triangular A, or of X A = B."""
    return _call("linalg_solve_triangular", A, B, upper, left, unitriangular)


@has_out(exactly(EXPECTED))
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The solution X of A X = b with a triangular A, and A itself."""
    notice("triangular_solve")
    for name, operand in (("b", b), ("A", A)):
        if operand._a.ndim < 2:
            raise errors.MATRIX_PROBLEM(
                problem=f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has "
                f"{operand._a.ndim} dimensions instead"
            )
    matrix, above = (composite.adjoint(A), not upper) if transpose else (A, upper)
    solution = _call("linalg_solve_triangular", matrix, b, above, True, unitriangular)
    return result_class("triangular_solve", ("solution", "cloned_coefficient"))(
        titled(solution, "TriangularSolveBackward0"), titled(_call("clone", A), "TriangularSolveBackward0")
    )


# -- decompositions ----------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, gradient="linalg_cholesky_ex"), "linalg.cholesky")
def cholesky(A: Tensor, *, upper: bool = False) -> Any:
    """The lower triangular L with L @ L.mT equal to a positive-definite matrix, or L.mT."""
    return _call("linalg_cholesky", A, upper=upper)


def _mh(A: Tensor) -> Tensor:
    """The conjugate transpose."""
    turned = composite.adjoint(A)
    return _call("conj_physical", turned) if A._a.dtype.kind == "c" else turned


@has_out(OutRule(SAFELY), "cholesky")
def torch_cholesky(input: Tensor, upper: bool = False) -> Any:
    """`torch.linalg.cholesky` under its older name."""
    notice("cholesky")
    return titled(_call("linalg_cholesky", input, "cholesky", upper), "CholeskyBackward0")


@has_out(exactly(EXPECTED), "linalg.cholesky_ex")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """`cholesky`, and the order of the first minor that is not positive, or 0."""
    check_matrix(A._a, "linalg.cholesky")
    partial, info = partial_cholesky(A._a.mT.conj() if upper else A._a)
    fields = result_class("linalg_cholesky_ex", ("L", "info"))
    if not info.any():
        return fields(cholesky(A, upper=upper), Tensor(info))
    if check_errors:
        raise not_positive(info, "linalg.cholesky_ex")
    return fields(Tensor(partial.mT.conj() if upper else partial), Tensor(info))


@has_out(exactly(EXPECTED), "linalg.qr")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """An orthogonal Q and an upper triangular R with Q @ R equal to the matrix."""
    return _call("linalg_qr", A, mode)


@has_out(exactly(EXPECTED, gradient="linalg_qr"), "qr")
def torch_qr(input: Tensor, some: bool = True) -> Any:
    """`torch.linalg.qr` under its older name."""
    notice("qr")
    return result_class("qr", ("Q", "R"))(*qr(input, "reduced" if some else "complete"))


@has_out(exactly(EXPECTED, gradient="_linalg_eigh"), "linalg.eigh")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
    return _call("linalg_eigh", A, UPLO)


@has_out(exactly(EXPECTED, gradient="_linalg_eigh"), "linalg.eigvalsh")
def eigvalsh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix in ascending order."""
    return eigh(A, UPLO)[0]


@has_out(exactly(EXPECTED, gradient="_linalg_svd"), "linalg.svd")
def svd(A: Tensor, full_matrices: bool = True) -> Any:
    """Orthogonal U and Vh and singular values S with U @ diag(S) @ Vh equal to the matrix."""
    return _call("linalg_svd", A, full_matrices)


@has_out(exactly(EXPECTED, gradient="_linalg_svd"), "svd")
def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """`torch.linalg.svd` under its older name, with V instead of its transpose."""
    u, s, vh = _call("linalg_svd", input, not some)
    return result_class("svd", ("U", "S", "V"))(u, s, elementwise.conj(composite.adjoint(vh)))


# -- tensors seen as matrices -----------------------------------------------------------------------------------------


@has_out(
    OutRule(
        "tensorinv: Expected result to be safely castable from {R} dtype, but got result with dtype {O}", gradient=None
    ),
    "linalg.tensorinv",
)
def tensorinv(A: Tensor, ind: int = 2) -> Any:
    """The inverse of a tensor seen as a matrix of its first ``ind`` dimensions by the others."""
    if ind < 1:
        raise errors.MATRIX_PROBLEM(problem=f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = A._a.shape[:ind], A._a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise errors.TENSORINV_SHAPE(a=math.prod(columns), b=math.prod(rows))
    matrix = inv(composite.reshape(A, (math.prod(rows), math.prod(rows))))
    return titled(composite.reshape(matrix, (*columns, *rows)), "ReshapeAliasBackward0")


@has_out(
    OutRule(
        "tensorsolve: Expected result to be safely castable from {R} dtype, but got result with dtype {O}",
        gradient=None,
    ),
    "linalg.tensorsolve",
)
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Any:
    """The solution X of tensordot(A, X) = B."""
    if dims is not None:
        A = _call("permute", A, *[i for i in range(A._a.ndim) if i not in dims], *dims)
    shape = A._a.shape[B._a.ndim :]
    if math.prod(shape) != math.prod(A._a.shape[: B._a.ndim]):
        raise errors.MATRIX_PROBLEM(
            problem="Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {math.prod(A._a.shape[: B._a.ndim])}"
        )
    matrix = composite.reshape(A, (B._a.size, math.prod(shape)))
    return composite.reshape(solve(matrix, composite.flatten(B)), shape)


_TABLE = globals()
LINALG: dict[str, Callable[..., Any]] = (
    {
        name: _TABLE[name]
        for name in (
            "inv",
            "det",
            "slogdet",
            "pinv",
            "matrix_rank",
            "solve",
            "solve_ex",
            "solve_triangular",
            "cholesky",
            "cholesky_ex",
            "qr",
            "eigh",
            "eigvalsh",
            "svd",
            "tensorinv",
            "tensorsolve",
        )
    }
    | {"vector_norm": composite.vector_norm, "matmul": composite.matmul, "LinAlgError": errors.LinAlgError}
    | decompositions.LINALG
    | matrix_norms.LINALG
    | singular.LINALG
    | matrix_products.LINALG
)
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
    "triangular_solve": triangular_solve,
    **decompositions.METHODS,
    **matrix_norms.METHODS,
    **matrix_products.METHODS,
}
"""On Tensor."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **METHODS,
    **decompositions.FUNCTIONS,
    **matrix_norms.FUNCTIONS,
    "chain_matmul": matrix_products.chain_matmul,
}
"""Under ``torch``."""
