"""Decompositions as functions: LU, LDL, eigenvalues, reflections, least squares; under ``torch.linalg`` and ``torch``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.dispatch.operands import result_class
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.functions.deprecated import notice
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.numerics.lu import eliminate
from gradflow.engine.numerics.strides import in_columns
from gradflow.engine.ops.linalg import ldl
from gradflow.engine.ops.linalg.decompositions import check_square
from gradflow.engine.ops.linalg.least_squares import ranks
from gradflow.engine.ops.linalg.lu import check_lu, permutation, refuse_zero_pivot, unfinished
from gradflow.engine.out_rules import EXPECTED, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- eigenvalues -------------------------------------------------------------------------------------------------------


_EIGEN = (
    "torch.{name}: Expected eigenvalues to be safely castable from {R} dtype, but got eigenvalues with dtype {O}"
    "|torch.{name}: Expected eigenvectors to be safely castable from {R} dtype, but got eigenvectors with dtype {O}"
)


@has_out(OutRule(_EIGEN), "linalg.eig")
def eig(A: Tensor) -> Any:
    """The complex eigenvalues and eigenvectors of a square matrix."""
    return _call("linalg_eig", A)


@has_out(OutRule(_EIGEN, gradient=None), "linalg.eigvals")
def eigvals(A: Tensor) -> Any:
    """The complex eigenvalues of a square matrix."""
    return _call("linalg_eig", A, "linalg.eigvals")[0]


# -- LU ----------------------------------------------------------------------------------------------------------------


def _pivoted(pivot: bool) -> None:
    if not pivot:
        raise errors.MATRIX_PROBLEM(problem="linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@has_out(exactly(EXPECTED), "linalg.lu_factor_ex")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """The compact LU decomposition, the row exchanges, and the order of the first pivot that is 0."""
    check_lu(A._a, "torch.lu_factor")
    _pivoted(pivot)
    lu, pivots = _call("linalg_lu_factor_ex", A)
    if check_errors:
        refuse_zero_pivot(lu._a, A._a.ndim > 2)
    return result_class("linalg_lu_factor_ex", ("LU", "pivots", "info"))(lu, pivots, Tensor(unfinished(lu._a)))


@has_out(exactly(EXPECTED, gradient="linalg_lu_factor_ex"), "linalg.lu_factor")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """The compact LU decomposition and the row exchanges. Raises RuntimeError for a singular matrix."""
    lu, pivots, _ = lu_factor_ex(A, pivot=pivot, check_errors=True)
    return result_class("linalg_lu_factor", ("LU", "pivots"))(lu, pivots)


@has_out(exactly(EXPECTED), "linalg.lu")
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """P, L and U with P @ L @ U equal to the matrix."""
    check_lu(A._a, "linalg.lu")
    _pivoted(pivot)
    pivots = (eliminate(A._a)[1] + 1).astype(np.int32)
    lower, upper = _call("linalg_lu", A, pivots)
    exchange = Tensor(permutation(pivots, A._a.shape[-2], A._a.dtype))
    return result_class("linalg_lu", ("P", "L", "U"))(exchange, lower, upper)


@has_out(OutRule(None, gradient=None), "lu")
def torch_lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """The compact LU decomposition under its older name, with the order of a pivot that is 0 where asked for."""
    notice("lu")
    need(A, "_lu_with_info")
    lu, pivots, infos = lu_factor_ex(A, pivot=pivot)
    if get_infos:
        return result_class("_lu_with_info", ("LU", "pivots", "info"))(lu, pivots, infos)
    return lu, pivots


@has_out(exactly(EXPECTED))
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U from a compact LU decomposition and its row exchanges."""
    if LU_pivots._a.dtype != np.int32:
        raise errors.MATRIX_PROBLEM(problem=_PIVOTS)
    none = Tensor(np.zeros(0, LU_data._a.dtype))
    exchange = Tensor(permutation(LU_pivots._a, LU_data._a.shape[-2], LU_data._a.dtype)) if unpack_pivots else none
    lower, upper = _call("lu_unpack", LU_data) if unpack_data else (none, none)
    return result_class("lu_unpack", ("P", "L", "U"))(exchange, lower, upper)


_PIVOTS = (
    "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
    "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
)


@has_out(exactly(EXPECTED), "linalg.lu_solve")
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solution X of A X = B, or of X A = B, from the LU decomposition of A."""
    return _call("linalg_lu_solve", LU, pivots, B, left, adjoint)


@has_out(exactly(EXPECTED, gradient="linalg_lu_solve"), "lu_solve")
def torch_lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Any:
    """`torch.linalg.lu_solve` under its older name."""
    notice("lu_solve")
    return lu_solve(LU_data, LU_pivots, b)


# -- LDL ---------------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, gradient=None), "linalg.ldl_factor_ex")
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """The compact LDL decomposition of a symmetric matrix, its exchanges, and zeros for success. It has no gradient."""
    check_square(A._a, "torch.linalg.ldl_factor_ex")
    compact, pivots, info = (Tensor(in_columns(part)) for part in ldl.factor(A._a, hermitian))
    if check_errors and info._a.any():
        raise errors.MATRIX_PROBLEM(problem=ldl.failure(info._a))
    compact = without_derivative(compact, "linalg_ldl_factor_ex", (A,), "linalg_lu_factor_ex")
    return result_class("linalg_ldl_factor_ex", ("LD", "pivots", "info"))(compact, pivots, info)


@has_out(exactly(EXPECTED, gradient=None), "linalg.ldl_factor")
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """The compact LDL decomposition of a symmetric matrix, and its exchanges. It has no gradient."""
    compact, pivots, _ = ldl_factor_ex(A, hermitian=hermitian, check_errors=True)
    return result_class("linalg_ldl_factor", ("LD", "pivots"))(compact, pivots)


@has_out(exactly(EXPECTED, gradient=None), "linalg.ldl_solve")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Any:
    """The solution X of A X = B from the LDL decomposition of A. It has no gradient."""
    check_square(LD._a, "torch.linalg.ldl_solve")
    solution = Tensor(ldl.solve(LD._a, pivots._a, B._a, hermitian))
    return without_derivative(solution, "linalg_ldl_solve", (LD, B), "linalg_lu_solve")


# -- reflections -------------------------------------------------------------------------------------------------------


@has_out(
    OutRule("torch.{name}: Expected result to be safely castable from {R} dtype, but got result with dtype {O}"),
    "linalg.householder_product",
)
def householder_product(input: Tensor, tau: Tensor) -> Any:
    """The first columns of the product of the reflections that a compact QR decomposition consists of."""
    return _call("linalg_householder_product", input, tau)


@has_out(
    OutRule(
        "torch.linalg.householder_product: Expected result to be safely castable from {R} dtype, but got result with"
        " dtype {O}",
        gradient="linalg_householder_product",
    )
)
def orgqr(input: Tensor, input2: Tensor) -> Any:
    """`torch.linalg.householder_product` under its older name."""
    return _call("linalg_householder_product", input, input2)


# -- least squares -----------------------------------------------------------------------------------------------------

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> Any:
    """The least-squares solution of A X = B, its residuals, and the rank and the singular values of A."""
    driver = "gelsy" if driver is None else driver
    if driver not in _DRIVERS:
        raise errors.MATRIX_PROBLEM(problem=_DRIVER)
    a, b = A._a, B._a
    vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    _check_lstsq(a, b, vector)
    limit = dtypes.limits(a.dtype).eps * max(a.shape[-2:]) if rcond is None else _number(rcond)
    solution, residuals = _call("linalg_lstsq", A, B, limit, driver, vector)
    values, rank = ranks(a, limit)
    fields = result_class("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))
    known = values if driver in ("gelsd", "gelss") else values[:0].reshape(-1)[:0]
    return fields(solution, residuals, Tensor(rank if driver != "gels" else np.zeros(0, np.int64)), Tensor(known))


def _number(rcond: Any) -> Any:
    return rcond._a if isinstance(rcond, Tensor) else rcond


_DRIVER = "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"


def _check_lstsq(a: np.ndarray, b: np.ndarray, vector: bool) -> None:
    """Raises RuntimeError for what no least-squares solution is known of."""
    problem = ""
    if a.dtype.kind not in "fc" or a.dtype.itemsize == 2:
        problem = "This function doesn't handle types other than float and double"
    elif a.ndim < 2:
        problem = "torch.linalg.lstsq: input must have at least 2 dimensions."
    elif b.ndim < 1:
        problem = "torch.linalg.lstsq: other must have at least 1 dimension."
    elif a.dtype != b.dtype:
        names = (str(Tensor(x).dtype).removeprefix("torch.") for x in (b, a))
        problem = "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {1} and other's dtype {0}"
        problem = problem.format(*names)
    elif a.shape[-2] != b.shape[-1 if vector else -2]:
        side = "-1" if vector else "-2"
        problem = f"torch.linalg.lstsq: input.size(-2) should match other.size({side})"
    if problem:
        raise errors.MATRIX_PROBLEM(problem=problem)


# -- the other names ---------------------------------------------------------------------------------------------------


def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Any:
    """The square root of the sum of the squares over dimensions."""
    result = composite.vector_norm(input, 2.0, dim, keepdim)
    if result._node is not None:
        result._node.title = "NormBackward1"
    return result


LINALG = {
    f.__name__: f
    for f in (
        eig,
        eigvals,
        lu_factor_ex,
        lu_factor,
        lu,
        lu_solve,
        ldl_factor_ex,
        ldl_factor,
        ldl_solve,
        householder_product,
        lstsq,
    )
}
"""Under ``torch.linalg``."""

METHODS: dict[str, Callable[..., Any]] = {"lu": torch_lu, "lu_solve": torch_lu_solve, "orgqr": orgqr}
"""On Tensor."""

FUNCTIONS: dict[str, Callable[..., Any]] = {**METHODS, "lu_unpack": lu_unpack, "frobenius_norm": frobenius_norm}
"""Under ``torch``."""
