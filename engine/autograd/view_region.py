"""Which part of its base a view shows, and as what: its own numbers, their parts, or numbers of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradflow.engine.autograd.conj_neg_views import LAZY_VIEWS, lazy_view, underlying
from gradflow.engine.numerics.strides import address, window
from gradflow.engine.registry import REGISTRY

if TYPE_CHECKING:
    from gradflow.engine.registry import Op
    from gradflow.engine.tensor import Tensor

Step = tuple["Op", tuple[Any, ...], tuple[int, ...], np.dtype, tuple[int, ...]]
"""An operation that gives a view: its settings, and shape, dtype and strides (in bytes) of its result."""


@dataclass(frozen=True, slots=True, eq=False)
class ViewRegion:
    """A view's place in the memory of its base.

    shape, strides, offset: in bytes. dtype: of the view, which may show the real parts of complex numbers, or complex
    numbers in pairs of real ones. kind: the class of the view, plain or one of `LAZY_VIEWS`.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: np.dtype
    kind: Any

    @classmethod
    def of(cls, view: Tensor, base: Tensor) -> ViewRegion:
        """The region of ``base`` that ``view`` shows."""
        shown = underlying(view)._a
        return cls(shown.shape, shown.strides, address(shown) - address(base._a), shown.dtype, type(view))

    @property
    def through(self) -> Callable[[Any], Any]:
        """The function between what lies in memory and what the view shows, its own inverse."""
        return self.kind._through or _as_it_is

    def in_memory(self, base: np.ndarray) -> np.ndarray:
        """The region of an array laid out as the base is."""
        return window(base, (self.shape, self.strides, self.offset), self.dtype)

    def steps(self, shape: tuple[int, ...], dtype: np.dtype, strides: tuple[int, ...]) -> Iterator[Step]:
        """The operations that lead from a base of this shape, dtype and strides (in bytes) to the view."""
        lazy, pairs = self.kind in LAZY_VIEWS, self.dtype.kind == "c" != dtype.kind
        other = lazy or self.dtype.kind != dtype.kind
        if self.dtype.kind != "c" == dtype.kind:
            shape, dtype, strides = (*shape, 2), self.dtype, (*strides, self.dtype.itemsize)
            yield REGISTRY["view_as_real"], (), shape, dtype, strides
        if lazy and not pairs:
            yield REGISTRY[self.kind.operation], (), shape, dtype, strides
        own, steps = ((*self.shape, 2), (*self.strides, dtype.itemsize)) if pairs else (self.shape, self.strides)
        if not other or (own, steps, self.offset) != (shape, strides, 0):
            size = dtype.itemsize
            yield REGISTRY["as_strided"], (own, tuple(s // size for s in steps), self.offset // size), own, dtype, steps
        if pairs:
            yield REGISTRY["view_as_complex"], (), self.shape, self.dtype, self.strides
        if lazy and pairs:
            yield REGISTRY[self.kind.operation], (), self.shape, self.dtype, self.strides

    def of_base(self, base: Tensor) -> Any:
        """The view of this region of ``base``, by operations that record themselves."""
        view = base
        for op, settings, *_ in self.steps(base._a.shape, base._a.dtype, base._a.strides):
            view = op.call(view, *settings) if op.view else lazy_view(view, self.kind)
        return view


def _as_it_is(values: Any) -> Any:
    return values
