"""Views whose base was written: the function that leads from them to what the base is now."""

from __future__ import annotations

from engine.autograd import Edge, Meta, Node, geometry
from engine.state import STATE, sequence
from engine.strides import address
from engine.tensor import Tensor, View
from engine.views import check_creation


def strided_node(
    following: Edge | None,
    meta: Meta,
    base_strides: tuple[int, ...],
    place: tuple[tuple[int, ...], tuple[int, ...], int],
) -> Node:
    """A function behind a view, by its shape, strides and offset (in bytes) in a base of the given form."""
    from engine.registry import REGISTRY

    node, (shape, strides, offset) = Node(), place
    itemsize = meta[1].itemsize
    known = {
        "input__shape": meta[0], "input__strides": base_strides, "size": shape,
        "stride": tuple(s // itemsize for s in strides), "storage_offset": offset // itemsize,
    }  # fmt: skip
    node.op, node.seq, node.next = REGISTRY["as_strided"], next(sequence), (following,)
    node.meta = ((shape, meta[1]),)
    node.saved = tuple(known[slot] for slot in node.op.slots)
    node.guards = (None,) * len(node.saved)
    return node


def _regenerate_mirrored(view: Tensor, base: Tensor) -> None:
    """The same for a view of conjugates: its memory is a view of the base, which it shows in its own way."""
    from engine.mirrored import as_kind, behind
    from engine.registry import REGISTRY

    plain = behind(view)
    settings = geometry(plain, base)
    with_grad, STATE.grad = STATE.grad, True
    recorder, STATE.recorder = STATE.recorder, None
    try:
        whole = (plain._a.shape, plain._a.strides) == (base._a.shape, base._a.strides)
        again = as_kind(base if whole else REGISTRY["as_strided"].call(base, *settings), type(view))
    finally:
        STATE.grad, STATE.recorder = with_grad, recorder
    view._node, view._nr, view._rg = again._node, 0, False
    if recorder is not None:
        recorder.regenerated(view, base, settings)


def regenerate_view(view: Tensor, meta: View) -> None:
    """After an in-place write to the base: give a view a grad_fn that leads to the base's new one."""
    base = meta.base
    if view._node is None and not base.requires_grad:
        return
    check_creation(view, indirect=True)
    meta.version = view._st.version
    from engine.registry import REGISTRY

    if view._through is not None:
        _regenerate_mirrored(view, base)
        return
    settings = geometry(view, base)
    with_grad, STATE.grad = STATE.grad, True
    recorder, STATE.recorder = STATE.recorder, None
    try:
        again = REGISTRY["as_strided"].call(base, *settings)
    finally:
        STATE.grad, STATE.recorder = with_grad, recorder
    node = again._node
    if node is None:  # a view of a leaf that was a view itself before it was asked to require grad
        place = (view._a.shape, view._a.strides, address(view._a) - address(base._a))
        node = strided_node(None, (base._a.shape, base._a.dtype), base._a.strides, place)
    view._node, view._nr, view._rg = node, 0, False
    if recorder is not None:
        recorder.regenerated(view, base, settings)
