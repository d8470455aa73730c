"""Writing in place: what is refused, the write itself, and how the graph is rewired after it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.copy_slices import CopySlices
from gradflow.engine.autograd.node import Node
from gradflow.engine.autograd.views import check_creation
from gradflow.engine.numerics.strides import opened, repeats
from gradflow.engine.state import STATE, unseen
from gradflow.engine.tensor import Tensor, address, dtypes

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


def check(tensor: Tensor, needed: bool, op: Op | None = None) -> None:
    """Raises RuntimeError where an in-place write would lose a leaf's value or a view's history.

    ``needed``: the write is to be recorded for gradients.
    """
    if not STATE.grad:
        return
    if not needed and not tensor.requires_grad:
        return
    view = tensor._view
    if view is not None:
        check_creation(tensor, indirect=False)
        if view.base._a.dtype.kind != tensor._a.dtype.kind or tensor._through is not None:
            raise errors.PART_IN_PLACE(subject=tensor)
        view.regenerate_grad_fn(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise errors.LEAF_VIEW_INPLACE(subject=view.base)
    if tensor._rg and tensor._node is None:
        raise errors.LEAF_INPLACE(subject=tensor)


_APART = frozenset({
    "index_put", "scatter", "scatter_src", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_reduce", "put",
})  # fmt: skip
"""What may not even read exactly what it writes."""
_ONE_NUMBER = frozenset({"masked_fill_tensor", "fill_tensor", "index_fill_tensor"})
"""What reads one number before it writes."""


def refuse_overlap(tensor: Tensor, other: object, op: Op | None = None) -> None:
    """Raises RuntimeError where what is written shares a part of its memory, and not all of it, with what is read."""
    if not isinstance(other, Tensor) or other._st.memory is not tensor._st.memory:
        return
    a, b = tensor._a, other._a
    if op is not None and op.name in _APART and a.size and address(a) == address(b) and a.nbytes == b.nbytes:
        raise errors.PARTIAL_OVERLAP()
    if other is tensor or (op is not None and op.name in _ONE_NUMBER):
        return
    if a.size and b.size and is_dense(a) and is_dense(b):
        start, other_start = address(a), address(b)
        if (start, a.nbytes) == (other_start, b.nbytes):
            if a.strides != b.strides:
                raise errors.PARTIAL_OVERLAP()
        elif start < other_start + b.nbytes and other_start < start + a.nbytes:
            raise errors.PARTIAL_OVERLAP()


def is_dense(array: np.ndarray) -> bool:
    """Whether the elements fill their stretch of memory without gaps, in whatever order of dimensions."""
    steps = sorted((step, n) for step, n in zip(array.strides, array.shape, strict=True) if n != 1)
    expected = array.itemsize
    for step, n in steps:
        if step != expected:
            return False
        expected *= n
    return True


def _too_large(op: Op | None, shape: list[int], result: list[int]) -> Exception:
    """The error for a result that its tensor cannot hold: some functions look at the sizes themselves."""
    match op.name if op is not None else "":
        case "addmm" | "addmv" | "baddbmm":
            return errors.INPLACE_PRODUCT(shape=shape, result=result)
        case "addr" if len(shape) != 2:
            return errors.INPLACE_OUTER_DIMENSIONS(ndim=len(shape))
        case "addr":
            return errors.INPLACE_OUTER(shape=shape, rows=result[:1], columns=result[1:])
        case _:
            return errors.INPLACE_BROADCAST(shape=shape, broadcast=result)


def assign(tensor: Tensor, result: np.ndarray, op: Op | None = None) -> None:
    """Write ``result`` into the tensor's memory. Raises RuntimeError where its shape or dtype does not fit."""
    target = tensor._a
    if result.shape != target.shape:
        try:
            result = np.broadcast_to(result, target.shape)
        except ValueError:
            raise _too_large(op, list(target.shape), list(result.shape)) from None
    if result.dtype != target.dtype and dtypes.category(result) > dtypes.category(target):
        raise errors.RESULT_CAST(result=dtypes.of(result).legacy, output=dtypes.of(target).legacy, subject=tensor)
    write(tensor, result, same=op is not None and op.name == "zero")


def write(tensor: Tensor, values: np.ndarray, *, same: bool = False) -> None:
    """Copy ``values`` into the tensor's memory, whatever their dtype, and count the new version.

    ``same``: they are all 0. Raises RuntimeError for others where a dimension is repeated without a copy.
    """
    target = tensor._a
    if 0 in target.strides and not same and repeats(target):
        raise errors.OVERLAPPING_WRITE()
    if not target.flags.writeable:
        target = tensor._a = opened(target)
    tensor._st.before_write()
    if tensor._through is not None:  # a view of conjugates: the function is its own inverse
        target, values = tensor.__dict__["_a"], tensor._through(values)
    target[...] = values
    tensor._st.version += 1
    if STATE.special and not STATE.inference and tensor._st.owner is None and tensor.is_inference():
        raise errors.INFERENCE_INPLACE(subject=tensor)  # after the write, as in PyTorch


def rebase(tensor: Tensor, node: Node) -> None:
    """Make ``node`` the history of a tensor that was written in place; for a view, rewire its base."""
    if tensor._view is None:
        _lead(tensor, node)
        return
    base = tensor._view.base
    kept = _retained_by(tensor)
    _lead(base, CopySlices(base, tensor, node))
    with unseen():  # the recorder notes the view after the write
        tensor._view.regenerate_grad_fn(tensor)
    if kept is not None and tensor._node is not None:
        tensor._node.on_fast_path, tensor._node.retained = False, {**(tensor._node.retained or {}), tensor._nr: kept}


def _lead(tensor: Tensor, node: Node) -> None:
    """Give a tensor a new grad_fn. What `retain_grad` has asked for goes with the tensor, hooks stay with the old one."""
    kept = _retained_by(tensor)
    tensor._node, tensor._nr, tensor._rg = node, 0, False
    if kept is not None:
        node.on_fast_path, node.retained = False, {**(node.retained or {}), 0: kept}


def _retained_by(tensor: Tensor) -> weakref.ref[Tensor] | None:
    if not tensor._retains or tensor._node is None or tensor._node.retained is None:
        return None
    return tensor._node.retained.pop(tensor._nr, None)
