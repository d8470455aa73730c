"""Views: how they came to be, what that forbids, and the function that leads from them to what their base is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradflow.engine import errors
from gradflow.engine.autograd.copy_slices import region_node
from gradflow.engine.autograd.view_region import ViewRegion
from gradflow.engine.state import STATE, grad_mode, unseen
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op

_ADVICE = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving"
    " both the"
    " view and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or both"
    " outside (if you want the inplace to be tracked)."
)
_ENDINGS = {
    "many": " This view is the output of a function that returns multiple views. Such functions do not allow the output"
    " views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    "no_grad": _ADVICE.format(mode="no_grad"),
    "inference": _ADVICE.format(mode="inference_mode"),
    "function": " This view was created inside a custom Function (or because an input was returned as-is) and the"
    " autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to"
    " incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.",
}

_KINDS = {
    "many": errors.MULTI_VIEW_INPLACE,
    "no_grad": errors.NO_GRAD_VIEW_INPLACE,
    "inference": errors.INFERENCE_VIEW_INPLACE,
    "function": errors.FUNCTION_VIEW_INPLACE,
}


class View:
    """How a tensor came to be a view: of which base, in which way, at which version its grad_fn was made."""

    __slots__ = ("base", "creation", "version")

    def __init__(self, base: Tensor, creation: str, version: int) -> None:
        self.base, self.creation, self.version = base, creation, version

    def regenerate_grad_fn(self, view: Tensor) -> None:
        """Where the base was written since: give the view a grad_fn that leads to the base's new one.

        Raises RuntimeError where the view was made in a way that forbids such writes.
        """
        base = self.base
        if self.version == view._st.version or base is view or (view._node is None and not base.requires_grad):
            return
        check_creation(view, indirect=True)
        self.version = view._st.version
        region = ViewRegion.of(view, base)
        with grad_mode(True), unseen():
            node = region.of_base(base)._node
        if node is None:  # of a leaf that was a view itself before it was asked to require grad
            node = region_node(None, (base._a.shape, base._a.dtype), base._a.strides, region)
        view._node, view._nr, view._rg = node, 0, False
        if STATE.recorder is not None:
            STATE.recorder.grad_fn_regenerated(view, base, region)


def view_of(out: Tensor, source: Tensor, op: Op) -> None:
    """Make ``out`` a view of ``source``: shared storage, and the base it is a view of."""
    out._st = source._st
    base = source._view.base if source._view is not None else source
    if base._inference:
        out._view, out._inference = None, True
    else:
        out._view = View(base, creation(source, op.many), source._st.version)


def creation(source: Tensor, many: bool) -> str:
    """How a view of ``source`` that is made now comes to be: in which mode, and whether as one of several."""
    if STATE.inference:
        return "inference"
    if not STATE.grad:
        return "no_grad"
    if many:
        return "many"
    return "default" if source._view is None else source._view.creation


def check_creation(view: Tensor, *, indirect: bool) -> None:
    """Raises RuntimeError where a view may not be written, or (``indirect``) the memory behind it may not."""
    meta = view._view
    assert meta is not None
    if meta.creation == "default":
        return
    done = "its base or another view of its base has been" if indirect else "is being"
    message = (
        f"{_subject(view, meta.creation)} {done} modified inplace{_when(view, meta.creation)}.{_ENDINGS[meta.creation]}"
    )
    raise _KINDS[meta.creation](message=message, subject=view)


def _subject(view: Tensor, made: str) -> str:
    node = view._node
    if node is None:
        return f"A view was created in {'inference' if made == 'inference' else 'no_grad'} mode and"
    output = f"Output {view._nr} of {node.short_name} is a view"
    if made in ("no_grad", "inference"):
        return f"{output} of a view which was created in {made} mode and"
    return f"{output} and"


def _when(view: Tensor, made: str) -> str:
    if made == "inference":
        return " in normal mode"
    return " with grad mode enabled" if made == "no_grad" or view._node is None else ""
