"""Sums, norms, parts, transposes and conversions of sparse tensors. Each function has PyTorch's name."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.sparse.operations import call, flat, refused
from gradflow.engine.namespace.sparse.sparse_tensor import SparseTensor, new, ordered
from gradflow.engine.namespace.tensor.devices import destination
from gradflow.engine.tensor import Tensor, check_dim
from gradflow.engine.tensor.memory_format import SPARSE_COO

# -- sums and other reductions -----------------------------------------------------------------------------------------


def sum(input: SparseTensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or over dimensions; then it is sparse, where a sparse dimension is left."""
    return _sum(input if dtype is None else to(input, dtype), dim, keepdim, "SumBackward1")


def sparse_sum(input: SparseTensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """``torch.sparse.sum``."""
    return _sum(input if dtype is None else to(input, dtype), dim, False, "SparseSumBackward0")


def _sum(input: SparseTensor, dim: Any, keepdim: bool, title: str) -> Tensor:
    if not isinstance(input, SparseTensor):
        raise errors.SPARSE_PARTS(message="coalesce expected sparse coordinate tensor layout but got Strided")
    held: Any = input._held
    if dim is None:
        return held.sum()
    flat(input, "sum")
    if keepdim:
        raise refused("sum(keepdim=True) of a sparse tensor")
    gone = {check_dim(d, input.ndim) for d in ((dim,) if isinstance(dim, int) else dim)}
    left = [axis for axis in range(input.ndim) if axis not in gone]
    if not left:
        return held.sum()
    size = [input._size[axis] for axis in left]
    places, groups = ordered(input._places[left], size)
    values = titled(call("put_entries", held, (groups,), (places.shape[1],)), title)
    return SparseTensor(places, values, size, coalesced=True)


def norm(input: SparseTensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The norm of all elements."""
    if dim is not None or keepdim or dtype is not None:
        raise refused("norm(dim=) of a sparse tensor")
    values: Any = input.coalesce()._held
    return titled(values.norm(2 if p == "fro" else p), "NormBackward1")


def softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``torch.sparse.softmax``: over the entries along a dimension; what is no entry counts as minus infinity."""
    tensor, groups, count = _along(input if dtype is None else to(input, dtype), dim)
    powers = _shifted(tensor, groups, count).exp()
    sums = call("put_entries", powers, (groups,), (count,))
    return tensor.over(titled(powers / call("take_entries", sums, (groups,)), "SparseSoftmaxBackward0"))


def log_softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``torch.sparse.log_softmax``."""
    tensor, groups, count = _along(input if dtype is None else to(input, dtype), dim)
    shifted = _shifted(tensor, groups, count)
    sums = call("put_entries", shifted.exp(), (groups,), (count,)).log()
    return tensor.over(titled(shifted - call("take_entries", sums, (groups,)), "SparseLogSoftmaxBackward0"))


def _along(input: SparseTensor, dim: int) -> tuple[SparseTensor, np.ndarray, int]:
    """The entries in order, and which of them share a line along a dimension."""
    if not isinstance(input, SparseTensor):
        raise refused("torch.sparse.softmax of a dense tensor")
    tensor = flat(input, "softmax").coalesce()
    axis = check_dim(dim, tensor.ndim)
    lines, groups = ordered(np.delete(tensor._places, axis, axis=0), tensor._size)
    return tensor, groups, lines.shape[1] if len(lines) else 1


def _shifted(tensor: SparseTensor, groups: np.ndarray, count: int) -> Any:
    highest = np.full(count, -np.inf)
    np.maximum.at(highest, groups, tensor._held._a)
    return tensor._held - new(highest[groups].astype(tensor._held._a.dtype))


# -- shapes and parts --------------------------------------------------------------------------------------------------


def _moved(input: SparseTensor, order: list[int], title: str) -> SparseTensor:
    flat(input, "transpose")
    values = titled(call("moved_entries", input._held), title)
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
    length = flat(input, "select")._size[axis]
    if not -length <= index < length:
        raise errors.SELECT_RANGE(index=index, shape=list(input.shape), dim=axis)
    tensor = input.coalesce()
    chosen = np.flatnonzero(tensor._places[axis] == index % length)
    values = titled(call("entries_at", tensor._held, (chosen,)), "SelectBackward0")
    if tensor.ndim == 1:
        return titled(values.sum(), "SelectBackward0")  # type: ignore[attr-defined]  # installed late
    rest = [n for d, n in enumerate(tensor._size) if d != axis]
    return SparseTensor(np.delete(tensor._places, axis, axis=0)[:, chosen], values, rest, coalesced=True)


def index_select(input: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    """The parts with the given numbers along a dimension, in the order of the index."""
    axis = check_dim(dim, input.ndim)
    tensor = flat(input, "index_select").coalesce()
    wanted = np.atleast_1d(index._a)
    at, chosen = np.nonzero(wanted[:, None] == tensor._places[axis][None, :])
    places = tensor._places[:, chosen].copy()
    places[axis] = at
    size = [len(wanted) if d == axis else n for d, n in enumerate(tensor._size)]
    values = titled(call("take_entries", tensor._held, (chosen,)), "IndexSelectBackward0")
    return SparseTensor(places, values, size)


def getitem(self: SparseTensor, key: Any) -> Tensor:
    """``s[i]`` and ``s[i, j]``, of numbers."""
    result: Any = self
    for index in key if isinstance(key, tuple) else (key,):
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise refused("indexing a sparse tensor with anything but numbers")
        result = select(result, 0, int(index))
    return result


def sparse_mask(input: Tensor, mask: Tensor) -> SparseTensor:
    """The elements of a tensor where a sparse one has entries."""
    if not isinstance(mask, SparseTensor):
        raise refused("sparse_mask without a sparse mask")
    dense = input.to_dense() if isinstance(input, SparseTensor) else input
    values = titled(call("take_entries", dense, tuple(mask._places)), "SparseMaskBackward0")
    return mask.over(values)


# -- copies and conversions --------------------------------------------------------------------------------------------


def clone(input: SparseTensor, *, memory_format: Any = None) -> SparseTensor:
    """A copy."""
    return input.over(call("clone", input._held))


def to(self: SparseTensor, *args: Any, **kwargs: Any) -> SparseTensor:
    """The tensor in another dtype; the tensor itself where it is so already."""
    dtype, copy = destination(args, kwargs)
    if (dtype is None or dtype is self.dtype) and not copy:
        return self
    return self.over(composite.to(self._held, dtype, copy=copy))


def type_of(self: SparseTensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the type, or the tensor in another dtype."""
    return f"torch.sparse.{self.dtype.legacy}Tensor" if dtype is None else to(self, dtype)


def to_sparse(self: Tensor, sparse_dim: Any = None, *, layout: Any = None, **others: Any) -> SparseTensor:
    """A dense tensor as its elements that are not zero; a sparse one as it is."""
    if isinstance(sparse_dim, type(SPARSE_COO)):
        layout, sparse_dim = sparse_dim, None
    if layout not in (None, SPARSE_COO) or any(value is not None for value in others.values()):
        raise refused("to_sparse with another layout than torch.sparse_coo")
    if isinstance(self, SparseTensor):
        return self
    ndim = self._a.ndim
    dims = ndim if sparse_dim is None else sparse_dim
    if not 0 <= dims <= ndim or (ndim and not dims):
        raise errors.PRODUCT_REFUSED(
            message=f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {dims} is given"
        )
    filled = self._a != 0
    places = np.stack(np.nonzero(filled.any(tuple(range(dims, ndim))) if dims < ndim else filled)).astype(np.int64)
    values = call("entries_at", self, tuple(places))
    titled(values, f"ToSparseBackward{int(sparse_dim is None)}")
    made = SparseTensor(places, values, self.shape, coalesced=True)
    made._source = self if values.requires_grad else None
    return made


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself: it is dense."""
    return self if dtype is None else composite.to(self, dtype)
