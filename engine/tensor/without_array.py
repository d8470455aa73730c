"""Tensors that have no array: another tensor stands for their elements, their dtype and their place in the graph."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from gradflow.engine import errors
from gradflow.engine.tensor import dtypes
from gradflow.engine.tensor.storage import Storage
from gradflow.engine.tensor.tensor import Size, Tensor, check_dim


class WithoutArray(Tensor):
    """A tensor whose elements no function of the engine can take. ``_held``: the tensor that stands for it; ``_size``: the
    lengths of its dimensions."""

    _held: Tensor
    _size: Size

    @property
    def _a(self) -> np.ndarray:  # type: ignore[override]
        raise self._refused("this operation")

    def _refused(self, name: str) -> Exception:
        """The error that says that such a tensor has none of it."""
        raise NotImplementedError

    @property
    def _st(self) -> Storage:  # type: ignore[override]
        return self._held._st

    @property
    def _node(self) -> Any:  # type: ignore[override]
        return self._held._node

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The lengths of the dimensions."""
        return self._size

    @property
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return self._held.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._size)

    @property
    def itemsize(self) -> int:
        """Bytes for an element."""
        return self._held.itemsize

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the length of one dimension."""
        return self._size if dim is None else self._size[check_dim(dim, len(self._size))]

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._size)

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self._size)

    nelement = numel

    def element_size(self) -> int:
        """Bytes for an element."""
        return self._held.itemsize

    def is_floating_point(self) -> bool:
        """Whether the elements are real floating point numbers."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return self.dtype.is_complex

    # -- its place in the graph ------------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> Any:
        """The function that made it; None for a leaf."""
        return self._held.grad_fn

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted."""
        return self._held.requires_grad

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self._held.requires_grad = wanted

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` in place."""
        self._held.requires_grad_(requires_grad)  # type: ignore[attr-defined]  # installed late
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether it was not made by a function that recorded gradients."""
        return self._held.is_leaf

    def detach(self) -> Self:
        """The same outside the graph."""
        raise NotImplementedError

    @property
    def data(self) -> Tensor:
        """The same outside the graph."""
        return self.detach()

    @data.setter
    def data(self, new: Tensor) -> None:
        raise self._refused("other .data")

    # -- Python's protocols ----------------------------------------------------------------------------------------

    def __copy__(self) -> Self:
        return self.detach()

    def __format__(self, spec: str) -> str:
        if spec:
            raise errors.FORMAT_TENSOR(type="Tensor", subject=self)
        return repr(self)
