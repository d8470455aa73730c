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


def check(tensor: Tensor, needed: bool) -> None:
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
        view.regenerate_grad_fn(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise errors.LEAF_VIEW_INPLACE(subject=view.base)
    if tensor._rg and tensor._node is None:
        raise errors.LEAF_INPLACE(subject=tensor)


def refuse_overlap(tensor: Tensor, other: object) -> None:
    """Raises RuntimeError where what is written shares a part of its memory, and not all of it, with what is read."""
    if other is tensor or not isinstance(other, Tensor) or other._st.memory is not tensor._st.memory:
        return
    a, b = tensor._a, other._a
    if a.size and b.size and is_dense(a) and is_dense(b):
        start, other_start = address(a), address(b)
        if (start, a.nbytes) == (other_start, b.nbytes):
            if a.strides != b.strides:
                raise errors.PARTIAL_OVERLAP()
        elif start < other_start + b.nbytes and other_start < start + a.nbytes:
            raise errors.PARTIAL_OVERLAP()


def refuse_any_overlap(tensor: Tensor, other: object) -> None:
    """The same for what may not even read exactly what it writes."""
    if isinstance(other, Tensor) and other._st.memory is tensor._st.memory:
        a, b = tensor._a, other._a
        if a.size and address(a) == address(b) and a.nbytes == b.nbytes:
            raise errors.PARTIAL_OVERLAP()
        refuse_overlap(tensor, other)


def is_dense(array: np.ndarray) -> bool:
    """Whether the elements fill their stretch of memory without gaps, in whatever order of dimensions."""
    steps = sorted((step, n) for step, n in zip(array.strides, array.shape, strict=True) if n != 1)
    expected = array.itemsize
    for step, n in steps:
        if step != expected:
            return False
        expected *= n
    return True


def assign(tensor: Tensor, result: np.ndarray, op: Op | None = None) -> None:
    """Write ``result`` into the tensor's memory. Raises RuntimeError where its shape or dtype does not fit."""
    target = tensor._a
    if result.shape != target.shape:
        try:
            result = np.broadcast_to(result, target.shape)
        except ValueError:
            own, other = list(target.shape), list(result.shape)
            if op is not None and op.misfit is not None:
                raise op.misfit(own, other) from None
            raise errors.INPLACE_BROADCAST(shape=own, broadcast=other) from None
    if result.dtype != target.dtype and dtypes.category(result) > dtypes.category(target):
        raise errors.RESULT_CAST(result=dtypes.of(result).legacy, output=dtypes.of(target).legacy, subject=tensor)
    write(tensor, result, same=op is not None and op.uniform)


def write(tensor: Tensor, values: np.ndarray, *, same: bool = False) -> None:
    """Copy ``values`` into the tensor's memory, whatever their dtype, and count the new version.

    ``same``: they are all 0. Raises RuntimeError for others where a dimension is repeated without a copy.
    """
    target = tensor._a if tensor._through is None else vars(tensor)["_a"]
    if 0 in target.strides and not (same and tensor._through is None) and repeats(target):
        raise errors.OVERLAPPING_WRITE()
    if not target.flags.writeable:
        tensor._a = opened(target)
    tensor._st.before_write()
    into_memory(tensor, values)
    tensor._st.version += 1
    if STATE.special and not STATE.inference and tensor._st.owner is None and tensor.is_inference():
        raise errors.INFERENCE_INPLACE(subject=tensor)  # after the write, as in PyTorch


def into_memory(tensor: Tensor, values: np.ndarray) -> None:
    """Copy ``values`` into the tensor's memory and tell nobody."""
    if tensor._through is None:
        tensor._a[...] = values
    else:  # a view of conjugates: the function is its own inverse
        vars(tensor)["_a"][...] = tensor._through(np.asarray(values, tensor._a.dtype))


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
