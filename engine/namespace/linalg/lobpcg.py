"""``lobpcg``: some of the largest or smallest eigenvalues of a symmetric matrix, with their vectors.

PyTorch approaches them from random vectors, which are drawn here as well; they are computed by a whole decomposition.
"""

from __future__ import annotations

from typing import Any

from gradflow.engine.namespace.linalg.torch_linalg import LINALG
from gradflow.engine.namespace.random import creation
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.registry import REGISTRY


def lobpcg(
    A: Any,
    k: int | None = None,
    B: Any = None,
    X: Any = None,
    n: int | None = None,
    iK: Any = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: Any = None,
    ortho_fparams: Any = None,
    ortho_bparams: Any = None,
) -> Any:
    """The ``k`` largest (or smallest) eigenvalues of A, or of A and B, and their vectors.

    Raises ValueError for a matrix of less than three rows for each.
    """
    for each in (A, B, X):
        if each is not None or each is A:
            has(each, "requires_grad")
    if getattr(A, "is_sparse", False):
        A = A.to_dense()
    count = (1 if X is None else X._a.shape[-1]) if k is None else int(k)
    columns = (count if n is None else int(n)) if X is None else X._a.shape[-1]
    rows = A._a.shape[-1]
    if rows < 3 * columns:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of"
            f" requested eigenpairs (={columns})"
        )
    if X is None:
        creation.randn(*A._a.shape[:-1], columns, dtype=A.dtype)  # drawn as PyTorch draws it
    values, vectors = _decomposed(A, B)
    if largest is not False:
        values, vectors = values.flip(-1), vectors.flip(-1)
    return values[..., :count], vectors[..., :count]


def _decomposed(A: Any, B: Any) -> tuple[Any, Any]:
    """Eigenvalues from the smallest on, and their vectors, of A x = value B x."""
    if B is None:
        values, vectors = LINALG["eigh"](A)
        return values, vectors
    factor = REGISTRY["linalg_cholesky"].call(B)
    solve = LINALG["solve_triangular"]
    half = solve(factor, A, upper=False)
    inner = solve(factor, half.mT, upper=False)
    values, turned = LINALG["eigh"]((inner + inner.mT) / 2)
    return values, solve(factor.mT, turned, upper=True)


FUNCTIONS = {"lobpcg": lobpcg}
"""Under ``torch``."""
