"""Powers and products of matrices and vectors: what stands under ``torch.linalg`` and is no decomposition."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functions import composite, elementwise
from gradflow.engine.namespace.functions.deprecated import notice
from gradflow.engine.namespace.tensor import indexing
from gradflow.engine.namespace.tensor_arguments import only_tensors
from gradflow.engine.ops.linalg.decompositions import check_square
from gradflow.engine.out_rules import EXPECTED, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


@has_out(exactly(EXPECTED, gradient="linalg_inv_ex"), "linalg.inv")
def inv(A: Tensor) -> Any:
    """The inverse of a square matrix."""
    return _call("linalg_inv", A)


@has_out(
    OutRule(
        "matrix_power: Expected result to be safely castable from {R} dtype, but got result with dtype {O}",
        gradient=None,
    ),
    "linalg.matrix_power",
)
def matrix_power(A: Tensor, n: int) -> Any:
    """The n-th power of a square matrix, of its inverse where n is negative."""
    if not isinstance(n, int):
        raise errors.ARGUMENT_TYPE(
            function="linalg_matrix_power", argument="n", position=2, expected="int", actual=type(n).__name__
        )
    check_square(A._a, "linalg.matrix_power")
    if n == 0:
        result = _call("clone", A)
        indexing.copy_into(result, Tensor(np.eye(A._a.shape[-1], dtype=A._a.dtype)))
        return result
    if n == -1:
        return inv(A)
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


@has_out(
    OutRule(
        "matrix_power: Expected result to be safely castable from {R} dtype, but got result with dtype {O}",
        gradient=None,
    ),
    "matrix_power",
)
def torch_matrix_power(input: Tensor, n: int) -> Any:
    """The n-th power of a square matrix."""
    return matrix_power(input, n)


def matrix_exp(A: Tensor) -> Any:
    """The exponential of a square matrix."""
    return _call("linalg_matrix_exp", A)


def torch_matrix_exp(input: Tensor) -> Any:
    """The exponential of a square matrix."""
    return matrix_exp(input)


@has_out(exactly("multi_dot(): expected out tensor to have dtype {r} but got {o}", gradient="mm"), "linalg.multi_dot")
def multi_dot(tensors: Any) -> Any:
    """The product of a chain of matrices; the first and the last may be vectors."""
    if len(tensors) < 2:
        raise errors.MULTI_DOT_COUNT(count=len(tensors))
    _check_chain(tensors)
    first, last = tensors[0], tensors[-1]
    chain = [
        _call("unsqueeze", t, axis) if t._a.ndim == 1 else t
        for t, axis in zip(tensors, _axes(len(tensors)), strict=True)
    ]
    product = _ordered(chain, _splits([t._a.shape[0] for t in chain] + [chain[-1]._a.shape[1]]), 0, len(chain) - 1)
    shape = (() if first._a.ndim == 1 else product._a.shape[:1]) + (() if last._a.ndim == 1 else product._a.shape[1:])
    return _call("view", product, shape)


def _check_chain(tensors: Any) -> None:
    """Raises RuntimeError where tensors cannot be multiplied one after the other."""
    for place, tensor in (("first", tensors[0]), ("last", tensors[-1])):
        if tensor._a.ndim not in (1, 2):
            raise errors.MATRIX_PROBLEM(
                problem=f"multi_dot(): the {place} tensor must be 1D or 2D but got {tensor._a.ndim}D"
            )
    for i, tensor in enumerate(tensors[1:-1], 1):
        if tensor._a.ndim != 2:
            raise errors.MATRIX_PROBLEM(problem=f"multi_dot(): tensor {i} must be 2D but got {tensor._a.ndim}D")
    for i, (one, other) in enumerate(itertools.pairwise(tensors)):
        if one._a.shape[-1] != other._a.shape[0]:
            a, b = list(one._a.shape), list(other._a.shape)
            raise errors.MATRIX_PROBLEM(
                problem=f"multi_dot(): tensors {i} and {i + 1} with shapes {a} and {b} cannot be multiplied"
            )


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


@has_out(exactly("multi_dot(): expected out tensor to have dtype {r} but got {o}"))
def chain_matmul(*matrices: Tensor) -> Any:
    """The product of a chain of matrices."""
    notice("chain_matmul")
    for matrix in only_tensors(matrices):
        if matrix._a.ndim != 2:
            raise errors.PRODUCT_REFUSED(message=f"Tensor dimension is {matrix._a.ndim}, expected 2 instead.")
    return matrices[0] if len(matrices) == 1 else multi_dot(list(matrices))


@has_out(exactly(EXPECTED, apart=0), "linalg.cross")
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    """The cross product of vectors of three elements along a dimension."""
    return _call("linalg_cross", input, other, dim)


@has_out(exactly(EXPECTED, gradient="linalg_cross", apart=0), "cross")
def torch_cross(input: Tensor, other: Tensor, dim: Any = None) -> Any:
    """The cross product along a dimension; without one, along the first that has three elements."""
    if dim is None:
        notice("cross")
        dim = next((i for i, n in enumerate(input._a.shape) if n == 3), None)
        if dim is None:
            raise errors.PRODUCT_REFUSED(message="no dimension of size 3 in input")
    return _call("linalg_cross", input, other, dim)


@has_out(exactly("{name}: Expected out of dtype{R} but found {O}", gradient="vdot"), "linalg.vecdot")
@autocast.takes("lower")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Any:
    """The scalar products of vectors along a dimension."""
    if x._a.dtype.kind not in "fcV":
        raise errors.MATRIX_DTYPE(function="linalg.vecdot", dtype=x.dtype.legacy)
    if x._a.dtype != y._a.dtype:
        raise errors.VECDOT_DTYPES(a=x.dtype.legacy, b=y.dtype.legacy)
    if x._a.ndim == y._a.ndim == 1:
        check_dim(dim, 1)
        return _call("vdot", x, y)
    return _call("sum_dim", elementwise.conj(x) * y, dim)


def vander(x: Tensor, *, N: Any = None) -> Any:
    """The matrix of the powers 0, 1, ... of each element."""
    if x._a.dtype in (np.bool_, np.float16, dtypes.BFLOAT16):
        raise errors.VANDER_DTYPE(dtype=x.dtype.legacy)
    columns = (x._a.shape or (1,))[-1] if N is None else N
    if columns <= 1:
        raise errors.VANDER_COLUMNS()
    if x._a.ndim == 0:
        x = _call("unsqueeze", x, -1)
    powers = _call("expand", _call("unsqueeze", x, -1), *x._a.shape, columns - 1)
    ones = Tensor(np.ones((*x._a.shape, 1), x._a.dtype))
    return _call("cat", [ones, _call("cumprod", powers, -1)], -1)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The diagonals of matrices."""
    return _call("diagonal", A, offset, dim1, dim2)


LINALG = {
    "matrix_power": matrix_power, "matrix_exp": matrix_exp, "multi_dot": multi_dot, "cross": cross, "vecdot": vecdot,
    "vander": vander, "diagonal": diagonal,
}  # fmt: skip
"""Under ``torch.linalg``."""

METHODS: dict[str, Callable[..., Any]] = {
    "matrix_power": torch_matrix_power,
    "matrix_exp": torch_matrix_exp,
    "cross": torch_cross,
}
"""On Tensor."""
