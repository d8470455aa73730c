"""Matrices that may have no inverse: `inv_ex`, and what is left of a singular matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.operands import result_class
from gradflow.engine.numerics.lu import eliminate
from gradflow.engine.ops.linalg.decompositions import check_matrix
from gradflow.engine.ops.linalg.lu import left_solution, pivots_at_zero
from gradflow.engine.out_rules import EXPECTED, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


@has_out(exactly(EXPECTED), "linalg.inv_ex")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse of a square matrix, and the order of the first pivot that is 0."""
    check_matrix(A._a, "linalg.inv")
    infos = pivots_at_zero(A._a)
    if check_errors and infos.any():
        raise errors.MATRIX_FAILURE(problem=of_first(infos, "linalg.inv_ex: ", _NO_INVERSE))
    identity = Tensor(np.broadcast_to(np.eye(A._a.shape[-1], dtype=A._a.dtype), A._a.shape))
    inverse = divided_by_zero(A, identity) if infos.any() else REGISTRY["linalg_inv"].call(A)
    return result_class("linalg_inv_ex", ("inverse", "info"))(inverse, Tensor(infos))


def divided_by_zero(A: Tensor, B: Tensor) -> Tensor:
    """The infinities that elimination leaves of a singular matrix; without gradient."""
    lu, pivots = eliminate(A._a)
    return Tensor(left_solution(lu, pivots + 1, B._a, False))


def of_first(infos: np.ndarray, function: str, text: str) -> str:
    """A message about the first matrix of a batch that is singular."""
    first = int(np.flatnonzero(infos)[0])
    batch = f"(Batch element {first}): " if infos.ndim else ""
    return function + batch + text.format(order=int(infos.reshape(-1)[first]))


_NO_INVERSE = (
    "The diagonal element {order} is zero, the inversion could not be completed because the input matrix is singular."
)


LINALG: dict[str, Callable[..., Any]] = {"inv_ex": inv_ex}
"""Under ``torch.linalg``."""
