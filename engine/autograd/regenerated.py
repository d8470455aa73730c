"""Views whose base was written: the function that leads from them to what the base is now."""

from __future__ import annotations

from typing import Any

from gradflow.engine.autograd.node import Edge, Meta, Node, geometry
from gradflow.engine.autograd.views import check_creation
from gradflow.engine.numerics.strides import address
from gradflow.engine.state import STATE, grad_mode, sequence, unseen
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.storage import View


def strided_node(
    following: Edge | None,
    meta: Meta,
    base_strides: tuple[int, ...],
    place: tuple[tuple[int, ...], tuple[int, ...], int],
) -> Node:
    """A function behind a view, by its shape, strides and offset (in bytes) in a base of the given form."""
    from gradflow.engine.registry import REGISTRY

    node, (shape, strides, offset) = Node(), place
    itemsize = meta[1].itemsize
    known = {
        "input__shape": meta[0],
        "input__strides": base_strides,
        "size": shape,
        "stride": tuple(s // itemsize for s in strides),
        "storage_offset": offset // itemsize,
    }
    node.op, node.seq, node.next = REGISTRY["as_strided"], next(sequence), (following,)
    node.meta = ((shape, meta[1]),)
    node.saved = tuple(known[slot] for slot in node.op.slots)
    node.guards = (None,) * len(node.saved)
    return node


def regenerate_view(view: Tensor, meta: View) -> None:
    """After an in-place write to the base: give a view a grad_fn that leads to the base's new one."""
    base = meta.base
    if view._node is None and not base.requires_grad:
        return
    check_creation(view, indirect=True)
    meta.version = view._st.version
    from gradflow.engine.autograd.conj_neg_views import behind

    settings = geometry(behind(view), base)
    with grad_mode(True), unseen():
        again = _seen_again(view, base, settings)
    node = again._node
    if (
        node is None and view._through is None
    ):  # a view of a leaf that was a view itself before it was asked to require grad
        place = (view._a.shape, view._a.strides, address(view._a) - address(base._a))
        node = strided_node(None, (base._a.shape, base._a.dtype), base._a.strides, place)
    view._node, view._nr, view._rg = node, 0, False
    if STATE.recorder is not None:
        STATE.recorder.regenerated(view, base, settings)


def _seen_again(view: Tensor, base: Tensor, settings: tuple[Any, ...]) -> Tensor:
    """The part of the base that a view shows; a view of conjugates shows it in its own way."""
    from gradflow.engine.autograd.conj_neg_views import as_kind, behind
    from gradflow.engine.registry import REGISTRY

    plain = behind(view)
    if view._through is not None and (plain._a.shape, plain._a.strides) == (base._a.shape, base._a.strides):
        return as_kind(base, type(view))
    part: Tensor = REGISTRY["as_strided"].call(base, *settings)
    return part if view._through is None else as_kind(part, type(view))
