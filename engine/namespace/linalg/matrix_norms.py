"""Norms and condition numbers of matrices and vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.activation import call_inplace
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.linalg.singular import inv_ex
from gradflow.engine.ops.linalg.decompositions import check_matrix
from gradflow.engine.out_rules import EXPECTED, SAFELY, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


@has_out(exactly(EXPECTED, gradient="_linalg_svd"), "linalg.svdvals")
def svdvals(A: Tensor) -> Any:
    """The singular values of a matrix in descending order."""
    return _call("linalg_svd", A, False)[1]


@has_out(exactly("{name} expected out tensor dtype {R} but got: {O}", gradient=None), "linalg.norm")
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A vector or matrix norm, depending on ``ord`` and the dimensions."""
    listed = dim if isinstance(dim, tuple | list) else None if dim is None else (dim,)
    if listed is not None and len(listed) not in (1, 2):
        raise _refuse(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(listed)}")
    if ord is None:
        return composite.vector_norm(A, 2.0, dim, keepdim, dtype=dtype)
    if dim is None and A._a.ndim not in (1, 2):
        raise errors.NORM_DIMENSIONS(ndim=A._a.ndim)
    pair = listed is not None and len(listed) == 2
    if isinstance(ord, str) or pair or (dim is None and A._a.ndim == 2):
        return matrix_norm(A, ord, (-2, -1) if listed is None else listed, keepdim, dtype=dtype)
    return composite.vector_norm(A, ord, dim, keepdim, dtype=dtype)


def _refuse(message: str) -> Exception:
    return errors.NORM_REFUSED(message=message)


def _check_order(ord: Any) -> None:
    if isinstance(ord, complex):
        raise _refuse("linalg.matrix_norm: Expected a non-complex scalar as the order of norm.")
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise errors.MATRIX_NORM_ORDER(order=ord)
    if not isinstance(ord, str) and abs(ord) not in (1, 2, math.inf):
        raise errors.MATRIX_NORM_ORDER(order=f"{ord:g}")


@has_out(exactly("{name} expected out tensor dtype {R} but got: {O}", gradient=None), "linalg.matrix_norm")
def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A norm of matrices: 'fro', 'nuc', 1, 2, inf, or one of these numbers negated."""
    _check_order(ord)
    check_matrix(A._a, "linalg.matrix_norm", square=False)
    if len(dim) != 2:
        raise _refuse(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    first, second = (check_dim(d, A._a.ndim) for d in dim)
    if first == second:
        raise errors.MATRIX_NORM_DIMENSIONS(problem=f"dims must be different. Got ({dim[0]}, {dim[1]})")
    if dtype is not None:
        A = composite.to(A, dtype)
    if ord == "fro":
        return composite.vector_norm(A, 2.0, (first, second), keepdim)
    if ord == "nuc" or abs(ord) == 2:
        return _by_singular_values(A, ord, first, second, keepdim)
    along, across = (first, second) if abs(ord) == 1 else (second, first)
    sums = composite.vector_norm(A, 1.0, along, keepdim)
    left = across - 1 if across > along and not keepdim else across
    return _call("amax" if ord > 0 else "amin", sums, left, keepdim)


def _by_singular_values(A: Tensor, ord: Any, first: int, second: int, keepdim: bool) -> Any:
    others = [i for i in range(A._a.ndim) if i not in (first, second)]
    values = svdvals(_call("permute", A, *others, first, second))
    name = "sum_dim" if ord == "nuc" else "amax" if ord > 0 else "amin"
    result = _call(name, values, -1, keepdim)
    if not keepdim:
        return result
    result = _call("unsqueeze", result, -1)
    order = [*others, first, second]
    return _call("permute", result, *[order.index(i) for i in range(A._a.ndim)])


@has_out(exactly(EXPECTED, gradient="linalg_vector_norm"), "norm")
def torch_norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """`torch.linalg.norm` under its older name: vector norms, and 'fro' and 'nuc' of matrices."""
    if p == "nuc":
        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return composite.norm(input, p, dim, keepdim, dtype)


@has_out(OutRule(SAFELY, gradient=None), "linalg.cond")
def cond(A: Tensor, p: Any = None) -> Any:
    """The condition number of a matrix."""
    if A._a.ndim < 2:
        raise errors.MATRIX_PROBLEM(problem="linalg.cond: The input tensor must have at least 2 dimensions.")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise errors.MATRIX_PROBLEM(problem=f"linalg.cond got an invalid norm type: {p}")
    if isinstance(p, str):
        check_matrix(A._a, f"linalg.cond(ord={p})")
    if not A._a.size:
        return Tensor(np.zeros(A._a.shape[:-2], A._a.real.dtype))
    if p is None or p in (2, -2):
        values = svdvals(A)
        largest, smallest = (composite.narrow(values, -1, i, 1) for i in (0, values._a.shape[-1] - 1))
        return _call("squeeze_dim", smallest / largest if p == -2 else largest / smallest, -1)
    check_matrix(A._a, f"linalg.cond(ord={p})")
    if p == "nuc":
        values = svdvals(A)
        inverted = _call("sum_dim", _call("reciprocal", values), -1)
        return _call("sum_dim", values, -1) * inverted
    inverse, info = inv_ex(A)
    singular = Tensor((info._a > 0)[..., None, None])
    call_inplace("masked_fill", inverse, singular, math.inf)  # for which, as in PyTorch, no pass comes through
    return _call("nan_to_num", matrix_norm(A, p) * matrix_norm(inverse, p), math.inf, math.inf, -math.inf)


def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The sum of the singular values of matrices."""
    return matrix_norm(input, "nuc", dim, keepdim)


FUNCTIONS: dict[str, Callable[..., Any]] = {"nuclear_norm": nuclear_norm}
"""Under ``torch``."""

LINALG = {"svdvals": svdvals, "norm": norm, "matrix_norm": matrix_norm, "cond": cond}
"""Under ``torch.linalg``."""

METHODS: dict[str, Callable[..., Any]] = {"norm": torch_norm}
"""On Tensor."""
