"""Writing in place: what is refused, the write itself, and how the graph is rewired after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine import dtypes, errors
from engine.autograd import CopySlices, Node
from engine.state import STATE
from engine.tensor import Tensor, refresh
from engine.views import check_creation

if TYPE_CHECKING:
    from engine.registry import Op


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
        refresh(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise errors.LEAF_VIEW_INPLACE(subject=view.base)
    if tensor._rg and tensor._node is None:
        raise errors.LEAF_INPLACE(subject=tensor)


def assign(tensor: Tensor, result: np.ndarray, op: Op | None = None) -> None:
    """Write ``result`` into the tensor's memory. Raises RuntimeError where its shape or dtype does not fit."""
    target = tensor._a
    if result.shape != target.shape:
        try:
            result = np.broadcast_to(result, target.shape)
        except ValueError:
            raise errors.INPLACE_BROADCAST(shape=list(target.shape), broadcast=list(result.shape)) from None
    if result.dtype != target.dtype and dtypes.category(result) > dtypes.category(target):
        raise errors.RESULT_CAST(
            result=dtypes.of(result).legacy, output=dtypes.of(target).legacy, subject=tensor
        )
    write(tensor, result)


def write(tensor: Tensor, values: np.ndarray) -> None:
    """Copy ``values`` into the tensor's memory, whatever their dtype, and count the new version."""
    if not tensor._a.flags.writeable:
        raise errors.OVERLAPPING_WRITE()
    tensor._st.before_write()
    tensor._a[...] = values
    tensor._st.version += 1


def rebase(tensor: Tensor, node: Node) -> None:
    """Make ``node`` the history of a tensor that was written in place; for a view, rewire its base."""
    if tensor._view is None:
        tensor._node, tensor._nr, tensor._rg = node, 0, False
        return
    base = tensor._view.base
    base._node, base._nr, base._rg = CopySlices(base, tensor, node), 0, False
    refresh(tensor)
