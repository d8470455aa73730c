"""Singular values and principal components from a few random directions.

Source: N. Halko, P.-G. Martinsson, J. Tropp, Finding structure with randomness (2011).
"""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functions import composite, elementwise
from gradflow.engine.namespace.linalg import torch_linalg
from gradflow.engine.namespace.random import creation
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.tensor import Tensor, dtypes


def _adjoint(x: Tensor) -> Tensor:
    turned = composite.adjoint(x)
    return elementwise.conj(turned) if x._a.dtype.kind == "c" else turned


def _basis(A: Any, q: int, niter: int, M: Any) -> Any:
    """Orthogonal columns that span nearly what the largest singular vectors span."""

    def times(left: Any, less: Any, right: Any) -> Any:
        product = composite.matmul(left, right)
        return torch_linalg.qr(product if less is None else product - composite.matmul(less, right))[0]

    dtype = A.dtype if A._a.dtype.kind in "fcV" else dtypes.BY_NUMPY[dtypes.DEFAULT]
    basis = times(A, M, creation.randn(A._a.shape[-1], q, dtype=dtype))
    for _ in range(niter):
        basis = times(_adjoint(A), None if M is None else _adjoint(M), basis)
        basis = times(A, M, basis)
    return basis


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """U, S and V of the ``q`` largest singular values of A - M, nearly."""
    rows, columns = has(A, "shape")._a.shape[-2:]
    M = None if M is None else composite.broadcast_to(M, A._a.shape)
    wide = rows < columns
    if wide:
        A, M = _adjoint(A), None if M is None else _adjoint(M)
    basis = _basis(A, 6 if q is None else q, 2 if niter is None else niter, M)
    small: Any = composite.matmul(_adjoint(basis), A)
    if M is not None:
        small = small - composite.matmul(_adjoint(basis), M)
    u, s, vh = torch_linalg.svd(small, full_matrices=False)
    v, u = _adjoint(vh), composite.matmul(basis, u)
    return (v, s, u) if wide else (u, s, v)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """The first ``q`` principal components of the rows of a matrix, as U, S and V. Raises ValueError."""
    rows, columns = has(A, "shape")._a.shape[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise errors.MODULE_ARGUMENT(
            message=f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}"
        )
    if niter < 0:
        raise errors.MODULE_ARGUMENT(message=f"niter(={niter}) must be non-negative integer")
    middle: Any = composite.mean(A, (-2,), True) if center else None
    return svd_lowrank(A if middle is None else A - middle, q, niter)


FUNCTIONS = {"svd_lowrank": svd_lowrank, "pca_lowrank": pca_lowrank}
"""Under ``torch``."""
