"""Products of sparse tensors, and functions of one element at a time. Each has PyTorch's name."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.sparse.sparse_tensor import Places, SparseTensor, ordered
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor

NUMBERS: Final = (int, float, complex, np.generic)


def call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def refused(name: str) -> Exception:
    return errors.SPARSE_REFUSED(name=f"`{name}`")


def flat(tensor: SparseTensor, name: str) -> SparseTensor:
    """The tensor, all of whose dimensions are sparse. Raises for others."""
    if tensor.dense_dim():
        raise refused(f"{name} of values with dimensions of their own")
    return tensor


# -- products ----------------------------------------------------------------------------------------------------------


def _shapes(left: Tensor, right: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if left.ndim != 2 or right.ndim not in (1, 2):
        raise refused(f"product of {left.ndim}-D and {right.ndim}-D tensors, one of them sparse")
    if left.shape[1] != right.shape[0]:
        if right.ndim == 2 and isinstance(left, SparseTensor) and left.is_sparse and not right.is_sparse:  # type: ignore[attr-defined]  # on every tensor
            message = f"addmm: Argument #3 (dense): Expected dim 0 size {left.shape[1]}, got {right.shape[0]}"
            raise errors.PRODUCT_REFUSED(message=message)
        (n, m), rest = tuple(left.shape), tuple(right.shape)
        raise errors.PRODUCT_REFUSED(
            message=f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {'x'.join(map(str, rest))})"
            if len(rest) == 2
            else f"size mismatch, got input ({n}x{m}), vec ({rest[0]})"
        )
    return tuple(left.shape), tuple(right.shape)


def _same_dtype(left: Tensor, right: Tensor) -> None:
    if left.dtype is not right.dtype:
        raise errors.PRODUCT_REFUSED(message=f"expected scalar type {left.dtype.legacy} but found {right.dtype.legacy}")


def matmul(input: Tensor, other: Tensor, title: str | None = None) -> Tensor:
    """A product of matrices, at least one of them sparse; or of a sparse matrix and a vector."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise errors.ARGUMENT_TYPE(
            function="matmul",
            argument="mat2" if isinstance(input, Tensor) else "input",
            position=2 if isinstance(input, Tensor) else 1,
            expected="Tensor",
            actual=type_title(other if isinstance(input, Tensor) else input),
        )
    if not isinstance(input, SparseTensor) and not isinstance(other, SparseTensor):
        return call("mm", input, other)
    (rows, _), right = _shapes(input, other)
    _same_dtype(input, other)
    if isinstance(input, SparseTensor):
        if isinstance(other, SparseTensor):
            return _sparse_matmul(input, other)
        if input._source is not None and title is None:
            return call("mm" if other.ndim == 2 else "mv", input._source, other)
        row, column = flat(input, "product")._places
        result = call("sparse_product", input._held, other, row, column, (rows, *right[1:]))
        return titled(result, title or ("MmBackward0" if other.ndim == 2 else "MvBackward0"))
    assert isinstance(other, SparseTensor)
    if len(right) == 1:
        raise refused("product of a dense matrix and a sparse vector")
    row, column = flat(other, "product")._places
    turned = call("sparse_product", other._held, call("t", input), column, row, (right[1], rows))
    return titled(call("t", turned), "MmBackward0")


def _sparse_matmul(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """The product of two sparse matrices: an entry where an entry of the one meets one of the other."""
    (rows, inner), (at, columns) = flat(left, "product")._places, flat(right, "product")._places
    if right.ndim != 2:
        raise refused("product of a sparse matrix and a sparse vector")
    first, second = np.nonzero(inner[:, None] == at[None, :])
    products = call("take_entries", left._held, (first,)) * call("take_entries", right._held, (second,))
    size = (left.shape[0], right.shape[1])
    places, groups = ordered(np.stack([rows[first], columns[second]]), size)
    values = titled(call("put_entries", products, (groups,), (places.shape[1],)), "SparseSparseMatmulBackward0")
    return SparseTensor(places, values, size, coalesced=True)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    if isinstance(mat2, Tensor) and mat2.ndim != 2:
        raise errors.PRODUCT_REFUSED(message="mat2 must be a matrix")
    return matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    return matmul(input, vec)


def sparse_mm(input: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """``torch.sparse.mm``: the product of a sparse matrix and a dense or sparse one."""
    if reduce is not None:
        raise refused("torch.sparse.mm(reduce=)")
    if not isinstance(input, SparseTensor):
        if not isinstance(mat2, SparseTensor):
            return call("mm", input, mat2)
        return matmul(input, mat2)
    return matmul(input, mat2, "SparseAddmmBackward0")


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    product = matmul(mat1, mat2)
    scaled = product if alpha == 1 else product * alpha
    return titled(add(input if beta == 1 else input * beta, scaled), "AddmmBackward0")


def sparse_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``torch.sparse.addmm``."""
    return titled(addmm(input, mat1, mat2, beta=beta, alpha=alpha), "SparseAddmmBackward0")


# -- one element at a time ---------------------------------------------------------------------------------------------


def merged(left: SparseTensor, right: SparseTensor) -> tuple[Places, list[int], list[int]]:
    """The places of a sum as PyTorch merges them, and for each entry of both where it goes."""
    ones, others = left._places.T.tolist(), right._places.T.tolist()
    found: list[list[int]] = []
    own, theirs = list[int](), list[int]()
    while len(own) < len(ones) or len(theirs) < len(others):
        a = ones[len(own)] if len(own) < len(ones) else None
        b = others[len(theirs)] if len(theirs) < len(others) else None
        found.append(a if b is None or (a is not None and a <= b) else b)  # type: ignore[arg-type]  # not both None
        number = len(found) - 1
        if a == found[-1]:
            own.append(number)
        if b == found[-1]:
            theirs.append(number)
    return np.array(found, np.int64).reshape(-1, len(left._places)).T, own, theirs


def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """A sum of two sparse tensors, or of a dense and a sparse one in this order."""
    if isinstance(input, SparseTensor) and not isinstance(other, SparseTensor):
        raise errors.SPARSE_ADD()
    if not isinstance(other, SparseTensor):
        return call("add", input, other * alpha)
    if not isinstance(input, Tensor):
        raise errors.SPARSE_ADD()
    scaled = other._held if alpha == 1 else other._held * alpha
    if not isinstance(input, SparseTensor):
        if input.shape != other.shape:
            raise refused("add of tensors of different shapes, one of them sparse")
        if other._source is not None:
            return call("add", input, other._source * alpha)
        return call("add_entries", input, scaled, tuple(other._places))
    if input.shape != other.shape or input.sparse_dim() != other.sparse_dim():
        raise errors.PRODUCT_REFUSED(
            message=f"add: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}"
        )
    places, own, theirs = merged(input, other)
    size = (places.shape[1], *input._held._a.shape[1:])
    values = call("merge_entries", input._held, scaled, (np.array(own, int),), (np.array(theirs, int),), size)
    return SparseTensor(places, values, input._size, coalesced=input._coalesced and other._coalesced)


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """A difference of two sparse tensors, or of a dense and a sparse one."""
    if isinstance(input, SparseTensor) and not isinstance(other, SparseTensor):
        raise refused("sub of a dense tensor from a sparse one")
    result = add(input, other, alpha=-alpha)
    node = result._node
    if node is not None:
        node.title = "SubBackward0"
    return result


def mul(input: Any, other: Any) -> Tensor:
    """A product element by element: with a number, with a dense tensor of the same shape, or with a sparse one."""
    if not isinstance(input, SparseTensor):
        input, other = other, input
    sparse: SparseTensor = input
    if isinstance(other, NUMBERS) or (
        isinstance(other, Tensor) and not isinstance(other, SparseTensor) and not other.ndim
    ):
        return sparse.over(sparse._held * other)
    if not isinstance(other, Tensor):
        raise refused(f"mul of a sparse tensor and {type_title(other)}")
    if other.shape != sparse.shape:
        raise refused("mul of tensors of different shapes, one of them sparse")
    if isinstance(other, SparseTensor):
        return _intersection(sparse.coalesce(), other.coalesce())
    here = call("take_entries", other, tuple(sparse._places))
    return sparse.over(titled(sparse._held * here, "MulBackward0"))


def _intersection(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """A product where both have an entry."""
    where = {tuple(place): number for number, place in enumerate(right._places.T.tolist())}
    pairs = [(i, where[tuple(p)]) for i, p in enumerate(left._places.T.tolist()) if tuple(p) in where]
    own, theirs = (np.array([pair[side] for pair in pairs], int) for side in (0, 1))
    values = call("take_entries", left._held, (own,)) * call("take_entries", right._held, (theirs,))
    return SparseTensor(left._places[:, own], titled(values, "MulBackward0"), left._size, coalesced=True)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """A sparse tensor divided by a number."""
    scalar = isinstance(other, NUMBERS) or (
        isinstance(other, Tensor) and not isinstance(other, SparseTensor) and not other.ndim
    )
    if not isinstance(input, SparseTensor) or not scalar or rounding_mode is not None:
        raise refused("div of sparse tensors by anything but a number")
    return input.over(input._held / other)


def neg(input: SparseTensor) -> SparseTensor:
    """The values with the other sign."""
    return input.over(call("neg", input._held))


def pow(input: SparseTensor, exponent: Any) -> SparseTensor:
    """The values raised to a positive power."""
    if not isinstance(input, SparseTensor) or isinstance(exponent, Tensor) or exponent <= 0:
        raise refused("pow of a sparse tensor to anything but a positive number")
    tensor = input.coalesce()
    return tensor.over(tensor._held**exponent)
