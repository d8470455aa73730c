"""What sparse tensors are computed with. Each function has PyTorch's name; the methods and operators are these as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.sparse.sparse_tensor import Places, SparseTensor, new, ordered
from gradflow.engine.namespace.tensor.devices import destination
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim, dtypes
from gradflow.engine.tensor.memory_format import SPARSE_COO

_NUMBERS: Final = (int, float, complex, np.generic)


def _call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def _refused(name: str) -> Exception:
    return errors.SPARSE_REFUSED(name=f"`{name}`")


def _flat(tensor: SparseTensor, name: str) -> SparseTensor:
    """The tensor, all of whose dimensions are sparse. Raises for others."""
    if tensor.dense_dim():
        raise _refused(f"{name} of values with dimensions of their own")
    return tensor


# -- products ----------------------------------------------------------------------------------------------------------


def _shapes(left: Tensor, right: Tensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if left.ndim != 2 or right.ndim not in (1, 2):
        raise _refused(f"product of {left.ndim}-D and {right.ndim}-D tensors, one of them sparse")
    if left.shape[1] != right.shape[0]:
        if right.ndim == 2 and isinstance(left, SparseTensor) and not isinstance(right, SparseTensor):
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
        raise errors.PRODUCT_REFUSED(message=f"expected scalar type {right.dtype.legacy} but found {left.dtype.legacy}")


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
    (rows, _), right = _shapes(input, other)
    _same_dtype(input, other)
    if isinstance(input, SparseTensor):
        if isinstance(other, SparseTensor):
            return _sparse_matmul(input, other)
        if input._source is not None and title is None:
            return _call("mm" if other.ndim == 2 else "mv", input._source, other)
        row, column = _flat(input, "product")._places
        result = _call("sparse_product", input._held, other, row, column, (rows, *right[1:]))
        return titled(result, title or ("MmBackward0" if other.ndim == 2 else "MvBackward0"))
    assert isinstance(other, SparseTensor)
    if len(right) == 1:
        raise _refused("product of a dense matrix and a sparse vector")
    row, column = _flat(other, "product")._places
    turned = _call("sparse_product", other._held, _call("t", input), column, row, (right[1], rows))
    return titled(_call("t", turned), "MmBackward0")


def _sparse_matmul(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """The product of two sparse matrices: an entry where an entry of the one meets one of the other."""
    (rows, inner), (at, columns) = _flat(left, "product")._places, _flat(right, "product")._places
    if right.ndim != 2:
        raise _refused("product of a sparse matrix and a sparse vector")
    first, second = np.nonzero(inner[:, None] == at[None, :])
    products = _call("take_entries", left._held, (first,)) * _call("take_entries", right._held, (second,))
    size = (left.shape[0], right.shape[1])
    places, groups = ordered(np.stack([rows[first], columns[second]]), size)
    values = titled(_call("put_entries", products, (groups,), (places.shape[1],)), "SparseSparseMatmulBackward0")
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
        raise _refused("torch.sparse.mm(reduce=)")
    if not isinstance(input, SparseTensor):
        if not isinstance(mat2, SparseTensor):
            return _call("mm", input, mat2)
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


def _merged(left: SparseTensor, right: SparseTensor) -> tuple[Places, list[int], list[int]]:
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
        return _call("add", input, other * alpha)
    if not isinstance(input, Tensor):
        raise errors.SPARSE_ADD()
    scaled = other._held if alpha == 1 else other._held * alpha
    if not isinstance(input, SparseTensor):
        if input.shape != other.shape:
            raise _refused("add of tensors of different shapes, one of them sparse")
        if other._source is not None:
            return _call("add", input, other._source * alpha)
        return _call("add_entries", input, scaled, tuple(other._places))
    if input.shape != other.shape or input.sparse_dim() != other.sparse_dim():
        raise errors.PRODUCT_REFUSED(
            message=f"add: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}"
        )
    places, own, theirs = _merged(input, other)
    size = (places.shape[1], *input._held._a.shape[1:])
    values = _call("merge_entries", input._held, scaled, (np.array(own, int),), (np.array(theirs, int),), size)
    return SparseTensor(places, values, input._size, coalesced=input._coalesced and other._coalesced)


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """A difference of two sparse tensors, or of a dense and a sparse one."""
    if isinstance(input, SparseTensor) and not isinstance(other, SparseTensor):
        raise _refused("sub of a dense tensor from a sparse one")
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
    if isinstance(other, _NUMBERS) or (
        isinstance(other, Tensor) and not isinstance(other, SparseTensor) and not other.ndim
    ):
        return sparse.over(sparse._held * other)
    if not isinstance(other, Tensor):
        raise _refused(f"mul of a sparse tensor and {type_title(other)}")
    if other.shape != sparse.shape:
        raise _refused("mul of tensors of different shapes, one of them sparse")
    if isinstance(other, SparseTensor):
        return _intersection(sparse.coalesce(), other.coalesce())
    here = _call("take_entries", other, tuple(sparse._places))
    return sparse.over(titled(sparse._held * here, "MulBackward0"))


def _intersection(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """A product where both have an entry."""
    where = {tuple(place): number for number, place in enumerate(right._places.T.tolist())}
    pairs = [(i, where[tuple(p)]) for i, p in enumerate(left._places.T.tolist()) if tuple(p) in where]
    own, theirs = (np.array([pair[side] for pair in pairs], int) for side in (0, 1))
    values = _call("take_entries", left._held, (own,)) * _call("take_entries", right._held, (theirs,))
    return SparseTensor(left._places[:, own], titled(values, "MulBackward0"), left._size, coalesced=True)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """A sparse tensor divided by a number."""
    scalar = isinstance(other, _NUMBERS) or (
        isinstance(other, Tensor) and not isinstance(other, SparseTensor) and not other.ndim
    )
    if not isinstance(input, SparseTensor) or not scalar or rounding_mode is not None:
        raise _refused("div of sparse tensors by anything but a number")
    return input.over(input._held / other)


_KEEP_ZERO: Final = (
    "abs", "asin", "asinh", "atan", "ceil", "deg2rad", "erf", "expm1", "floor", "log1p", "rad2deg", "relu", "round", "sign",
    "sgn", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)  # fmt: skip
"""Functions that are 0 at 0, so that they are taken of the values alone."""


def _of_values(name: str) -> Callable[..., SparseTensor]:
    def function(input: SparseTensor) -> SparseTensor:
        tensor = input.coalesce()
        values: Any = tensor._held
        return tensor.over(getattr(values, name)())

    function.__doc__ = f"``{name}`` of the values."
    return function


def neg(input: SparseTensor) -> SparseTensor:
    """The values with the other sign."""
    return input.over(_call("neg", input._held))


def pow(input: SparseTensor, exponent: Any) -> SparseTensor:
    """The values raised to a positive power."""
    if not isinstance(input, SparseTensor) or isinstance(exponent, Tensor) or exponent <= 0:
        raise _refused("pow of a sparse tensor to anything but a positive number")
    tensor = input.coalesce()
    return tensor.over(tensor._held**exponent)


# -- sums and other reductions -----------------------------------------------------------------------------------------


def sum(input: SparseTensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or over dimensions; then it is sparse, where a sparse dimension is left."""
    return _sum(input if dtype is None else to(input, dtype), dim, keepdim, "SumBackward1")


def sparse_sum(input: SparseTensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """``torch.sparse.sum``."""
    return _sum(input if dtype is None else to(input, dtype), dim, False, "SparseSumBackward0")


def _sum(input: SparseTensor, dim: Any, keepdim: bool, title: str) -> Tensor:
    held: Any = input._held
    if dim is None:
        return held.sum()
    _flat(input, "sum")
    if keepdim:
        raise _refused("sum(keepdim=True) of a sparse tensor")
    gone = {check_dim(d, input.ndim) for d in ((dim,) if isinstance(dim, int) else dim)}
    left = [axis for axis in range(input.ndim) if axis not in gone]
    if not left:
        return held.sum()
    size = [input._size[axis] for axis in left]
    places, groups = ordered(input._places[left], size)
    values = titled(_call("put_entries", held, (groups,), (places.shape[1],)), title)
    return SparseTensor(places, values, size, coalesced=True)


def norm(input: SparseTensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The norm of all elements."""
    if dim is not None or keepdim or dtype is not None:
        raise _refused("norm(dim=) of a sparse tensor")
    values: Any = input.coalesce()._held
    return titled(values.norm(2 if p == "fro" else p), "NormBackward1")


def softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``torch.sparse.softmax``: over the entries along a dimension; what is no entry counts as minus infinity."""
    tensor, groups, count = _along(input if dtype is None else to(input, dtype), dim)
    powers = _shifted(tensor, groups, count).exp()
    sums = _call("put_entries", powers, (groups,), (count,))
    return tensor.over(titled(powers / _call("take_entries", sums, (groups,)), "SparseSoftmaxBackward0"))


def log_softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``torch.sparse.log_softmax``."""
    tensor, groups, count = _along(input if dtype is None else to(input, dtype), dim)
    shifted = _shifted(tensor, groups, count)
    sums = _call("put_entries", shifted.exp(), (groups,), (count,)).log()
    return tensor.over(titled(shifted - _call("take_entries", sums, (groups,)), "SparseLogSoftmaxBackward0"))


def _along(input: SparseTensor, dim: int) -> tuple[SparseTensor, np.ndarray, int]:
    """The entries in order, and which of them share a line along a dimension."""
    if not isinstance(input, SparseTensor):
        raise _refused("torch.sparse.softmax of a dense tensor")
    tensor = _flat(input, "softmax").coalesce()
    axis = check_dim(dim, tensor.ndim)
    lines, groups = ordered(np.delete(tensor._places, axis, axis=0), tensor._size)
    return tensor, groups, lines.shape[1] if len(lines) else 1


def _shifted(tensor: SparseTensor, groups: np.ndarray, count: int) -> Any:
    highest = np.full(count, -np.inf)
    np.maximum.at(highest, groups, tensor._held._a)
    return tensor._held - new(highest[groups].astype(tensor._held._a.dtype))


# -- shapes and parts --------------------------------------------------------------------------------------------------


def _moved(input: SparseTensor, order: list[int], title: str) -> SparseTensor:
    _flat(input, "transpose")
    values = titled(_call("moved_entries", input._held), title)
    return SparseTensor(input._places[order], values, [input._size[axis] for axis in order])


def t(input: SparseTensor) -> SparseTensor:
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise errors.T_DIMENSIONS(name="t", dimensions=input.ndim)
    return _moved(input, list(range(input.ndim))[::-1], "TBackward0")


def transpose(input: SparseTensor, dim0: int, dim1: int) -> SparseTensor:
    """Two dimensions exchanged."""
    order = list(range(input.ndim))
    first, second = check_dim(dim0, input.ndim), check_dim(dim1, input.ndim)
    order[first], order[second] = second, first
    return _moved(input, order, "TransposeBackward0")


def reversed_dims(input: SparseTensor) -> SparseTensor:
    """``.T``."""
    return _moved(input, list(range(input.ndim))[::-1], "PermuteBackward0")


def select(input: SparseTensor, dim: int, index: int) -> Tensor:
    """What has one number along a dimension."""
    axis = check_dim(dim, input.ndim)
    length = _flat(input, "select")._size[axis]
    if not -length <= index < length:
        raise errors.SELECT_RANGE(index=index, shape=list(input.shape), dim=axis)
    tensor = input.coalesce()
    chosen = np.flatnonzero(tensor._places[axis] == index % length)
    values = titled(_call("entries_at", tensor._held, (chosen,)), "SelectBackward0")
    if tensor.ndim == 1:
        return titled(values.sum(), "SelectBackward0")  # type: ignore[attr-defined]  # installed late
    rest = [n for d, n in enumerate(tensor._size) if d != axis]
    return SparseTensor(np.delete(tensor._places, axis, axis=0)[:, chosen], values, rest, coalesced=True)


def index_select(input: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    """The parts with the given numbers along a dimension, in the order of the index."""
    axis = check_dim(dim, input.ndim)
    tensor = _flat(input, "index_select").coalesce()
    wanted = np.atleast_1d(index._a)
    at, chosen = np.nonzero(wanted[:, None] == tensor._places[axis][None, :])
    places = tensor._places[:, chosen].copy()
    places[axis] = at
    size = [len(wanted) if d == axis else n for d, n in enumerate(tensor._size)]
    values = titled(_call("take_entries", tensor._held, (chosen,)), "IndexSelectBackward0")
    return SparseTensor(places, values, size)


def getitem(self: SparseTensor, key: Any) -> Tensor:
    """``s[i]`` and ``s[i, j]``, of numbers."""
    result: Any = self
    for index in key if isinstance(key, tuple) else (key,):
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise _refused("indexing a sparse tensor with anything but numbers")
        result = select(result, 0, int(index))
    return result


def sparse_mask(input: Tensor, mask: Tensor) -> SparseTensor:
    """The elements of a tensor where a sparse one has entries."""
    if not isinstance(mask, SparseTensor):
        raise _refused("sparse_mask without a sparse mask")
    dense = input.to_dense() if isinstance(input, SparseTensor) else input
    values = titled(_call("take_entries", dense, tuple(mask._places)), "SparseMaskBackward0")
    return mask.over(values)


# -- copies and conversions --------------------------------------------------------------------------------------------


def clone(input: SparseTensor, *, memory_format: Any = None) -> SparseTensor:
    """A copy."""
    return input.over(_call("clone", input._held))


def to(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
    """The tensor in another dtype; the tensor itself where it is so already."""
    dtype, copy = destination(args, kwargs)
    if (dtype is None or dtype is self.dtype) and not copy:
        return self
    return self.over(composite.to(self._held, dtype, copy=copy))


def _conversion(dtype: dtypes.dtype) -> Callable[[SparseTensor], SparseTensor]:
    def convert(self: SparseTensor, *, memory_format: Any = None) -> SparseTensor:
        return to(self, dtype)

    convert.__doc__ = f"The tensor as {dtype!r}."
    return convert


def type_of(self: SparseTensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the type, or the tensor in another dtype."""
    return f"torch.sparse.{self.dtype.legacy}Tensor" if dtype is None else to(self, dtype)


def to_sparse(self: Tensor, sparse_dim: Any = None, *, layout: Any = None, **others: Any) -> SparseTensor:
    """A dense tensor as its elements that are not zero; a sparse one as it is."""
    if isinstance(sparse_dim, type(SPARSE_COO)):
        layout, sparse_dim = sparse_dim, None
    if layout not in (None, SPARSE_COO) or any(value is not None for value in others.values()):
        raise _refused("to_sparse with another layout than torch.sparse_coo")
    if isinstance(self, SparseTensor):
        return self
    ndim = self._a.ndim
    dims = ndim if sparse_dim is None else sparse_dim
    if not 0 <= dims <= ndim or (ndim and not dims):
        raise errors.PRODUCT_REFUSED(message=f"sparse_dim must be in the range [1, {ndim}], but got {dims}")
    filled = self._a != 0
    places = np.stack(np.nonzero(filled.any(tuple(range(dims, ndim))) if dims < ndim else filled)).astype(np.int64)
    values = _call("entries_at", self, tuple(places))
    titled(values, f"ToSparseBackward{int(sparse_dim is None)}")
    made = SparseTensor(places, values, self.shape, coalesced=True)
    made._source = self if values.requires_grad else None
    return made


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself: it is dense."""
    return self if dtype is None else composite.to(self, dtype)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "mm": mm, "matmul": matmul, "mv": mv, "spmm": mm, "addmm": addmm, "add": add, "sub": sub, "subtract": sub, "mul": mul,
    "multiply": mul, "div": div, "divide": div, "true_divide": div, "neg": neg, "negative": neg, "pow": pow, "sum": sum,
    "norm": norm, "t": t, "transpose": transpose, "swapaxes": transpose, "select": select, "index_select": index_select,
    "clone": clone, **{name: _of_values(name) for name in _KEEP_ZERO},
}  # fmt: skip
"""The functions of ``torch`` that take sparse tensors, by name."""

KINDS: Final = {
    **dtypes.ALIASES,
    "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool_,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
}
METHODS: Final[dict[str, Callable[..., Any]]] = {
    **FUNCTIONS,
    **{name: _conversion(kind) for name, kind in KINDS.items()},
    "to": to, "type": type_of, "to_sparse": to_sparse, "sparse_mask": sparse_mask, "__getitem__": getitem,
    "__matmul__": matmul, "__rmatmul__": lambda self, other: matmul(other, self),
    "__add__": add, "__radd__": lambda self, other: add(other, self),
    "__sub__": sub, "__rsub__": lambda self, other: sub(other, self),
    "__mul__": mul, "__rmul__": mul, "__truediv__": div, "__neg__": neg, "__pow__": pow, "__abs__": FUNCTIONS["abs"],
}  # fmt: skip
