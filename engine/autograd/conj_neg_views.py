"""Conjugates and negatives that are views: tensors that share memory with another and show what a function makes of it.

``z.conj()`` is such a view of ``z``, and ``z.conj().imag`` one of ``z.imag``. A view of such a tensor is one of the
same kind. Both functions are their own inverse, so that a write goes through the function as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import gradient_edge_or_none
from gradflow.engine.autograd.saved_tensors import apply_modes
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, unseen
from gradflow.engine.tensor import Tensor

if TYPE_CHECKING:
    from gradflow.engine.registry import Op


class LazyView(Tensor):
    """A tensor whose values are a function of what lies in its memory (which the instance holds under ``_a``)."""

    title: ClassVar[str]
    short: ClassVar[str]
    operation: ClassVar[str]
    _through: Callable[[Any], Any]

    @property
    def _a(self) -> np.ndarray:
        """Computed anew, but the same array while nothing has changed."""
        own = self.__dict__
        values, known = np.asarray(self._through(own["_a"])), own.get("_known")
        if known is not None and known.shape == values.shape and known.tobytes() == values.tobytes():
            return known  # type: ignore[no-any-return]  # an array
        own["_known"] = values
        return values

    @_a.setter
    def _a(self, array: np.ndarray) -> None:
        self.__dict__["_a"] = array

    def stride(self, dim: int | None = None) -> Any:
        """As the memory has it."""
        return underlying(self).stride(dim)

    def is_contiguous(self, **settings: Any) -> bool:
        """As the memory has it."""
        return underlying(self).is_contiguous(**settings)

    def data_ptr(self) -> int:
        """As the memory has it."""
        return underlying(self).data_ptr()

    def storage_offset(self) -> int:
        """As the memory has it."""
        return underlying(self).storage_offset()

    def detach(self) -> Tensor:
        """The same memory outside the graph, seen in the same way."""
        result = underlying(self).detach()
        result.__class__ = self.__class__
        return result

    @property  # type: ignore[misc]  # cannot be set
    def data(self) -> Tensor:
        """As `detach`, and writes through it escape the version check."""
        result = underlying(self).data
        result.__class__ = self.__class__
        return result

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Raises RuntimeError: NumPy has no such views."""
        if force:
            return self._a
        if self.requires_grad:
            return underlying(self).numpy()
        raise errors.LAZY_VIEW_NUMPY(bit=self.title, resolve=self.short)


class ConjView(LazyView):
    """The complex conjugate of what lies in memory."""

    title, short, operation = "conjugate", "conj", "conjugate"
    _through = np.conjugate


class NegView(LazyView):
    """The negative of what lies in memory."""

    title, short, operation = "negative", "neg", "neg"
    _through = np.negative


LAZY_VIEWS = (ConjView, NegView)
for _kind in LAZY_VIEWS:
    _kind.__name__ = _kind.__qualname__ = "Tensor"
    _kind.__module__ = "torch"


def underlying(tensor: Tensor) -> Tensor:
    """A plain tensor with the same memory and the same place in the graph."""
    if tensor._through is None:
        return tensor
    if tensor._rg and tensor._node is None:
        gradient_edge_or_none(tensor)  # which makes the node that both share
    result: Tensor = object.__new__(Tensor)
    result.__dict__.update({k: v for k, v in tensor.__dict__.items() if k not in ("_known", "_entry")})
    return result


def lazy_view(tensor: Tensor, cls: type[Tensor]) -> Tensor:
    """A view of the memory of a tensor as another kind: conjugate, negative, or (of a conjugate one) plain again."""
    with unseen():
        out: Tensor = REGISTRY["alias"].call(underlying(tensor))
    op = REGISTRY[(cls if issubclass(cls, LazyView) else ConjView).operation]
    if out._node is not None:
        out._node.op = op
        out._node.title = "NegViewBackward0" if cls is NegView else None
    out.__class__ = cls
    if STATE.special:
        apply_modes(out._node, (out,))
    if STATE.recorder is not None:
        STATE.recorder.call(op, out._node, (tensor,), (), (out,))
    return out


def view_through(op: Op, tensor: Tensor, settings: tuple[Any, ...]) -> Any:
    """The result of an operation that gives a view, for a tensor of one of these kinds."""
    if op.refuses_lazy is not None:
        raise op.refuses_lazy()
    with unseen():
        result = op.call(underlying(tensor), *settings)
    outs = (result,) if isinstance(result, Tensor) else tuple(result)
    for out in outs:
        out.__class__ = tensor.__class__
    node = outs[0]._node if outs else None
    if STATE.special:
        apply_modes(node, outs)
    if STATE.recorder is not None:
        STATE.recorder.call(op, node, (tensor,), settings, outs)
    return result
