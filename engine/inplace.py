"""Writing in place: what is refused, the write itself, and how the graph is rewired after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine import dtypes, errors
from engine.autograd import CopySlices, Node
from engine.state import STATE
from engine.tensor import Tensor, refresh

if TYPE_CHECKING:
    from engine.registry import Op


def check(tensor: Tensor, needed: bool, op: Op | None = None) -> None:
    """Raises RuntimeError where an in-place write would lose a leaf's value or a view's history.

    ``needed``: the write is to be recorded for gradients.
    """
    if not STATE.grad:
        return
    view = tensor._view
    if view is not None:
        refresh(tensor)
        if view.base._rg and view.base._node is None:
            raise errors.LEAF_VIEW_INPLACE(subject=view.base)
        if needed or tensor.requires_grad or view.base.requires_grad:
            _check_creation(tensor)
    elif tensor._rg and tensor._node is None:
        raise errors.LEAF_INPLACE(subject=tensor)


def _check_creation(tensor: Tensor) -> None:
    view = tensor._view
    assert view is not None
    if view.creation == "many":
        raise errors.MULTI_VIEW_INPLACE(name=view.maker, output_nr=tensor._nr)
    if view.creation == "no_grad":
        raise errors.NO_GRAD_VIEW_INPLACE()


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
