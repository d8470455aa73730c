"""Functions about the memory behind a tensor: ``as_strided``, and splits whose parts may be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import inplace
from gradflow.engine.autograd.held_graphs import while_held
from gradflow.engine.numerics.strides import address, memory_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, unrecorded
from gradflow.engine.tensor import Storage, Tensor


def relabelled(name: str, title: str) -> Callable[..., Tensor]:
    """The in-place form of a view operation: the same memory under another shape."""

    def change(self: Tensor, *args: Any) -> Tensor:
        inplace.check(self, self.requires_grad)
        if name == "t" and self._a.ndim > 2:
            raise errors.T_DIMENSIONS(name="t_", dimensions=self._a.ndim)
        result: Tensor = REGISTRY[name].call(self, *args)
        recorder, before = STATE.recorder, self._entry
        was, new, node = vars(self)["_a"], vars(result)["_a"], self._node  # the memory itself, also of a conjugate view
        if self._view is None:
            self._offset += (address(new) - address(was)) // new.itemsize
        if node is None:
            self._accumulator = while_held(self)
        self._a, self._node, self._nr = new, result._node, 0
        self._st.version += 1
        if self._view is not None:
            self._view.version = self._st.version
        if self._node is not None:
            self._node.title = title
        if recorder is not None and result._entry is not None:
            made = result._entry
            made.tensor, self._entry, made.version = self, made, self._st.version
            made.names = list(before.names) if before is not None else []
            if before is not None and before.tensor is self:  # what it was stays in the record as a tensor of its own
                result._a, result._node, result._entry, before.tensor = was, node, before, result
                if made.view_of is before:
                    made.view_of = None
        return self

    change.__name__ = f"{name}_"
    return change


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """The view with the given shape, strides and offset, in elements, of the memory behind a tensor.

    Raises RuntimeError where it would leave that memory.
    """
    result: Tensor = REGISTRY["as_strided"].call(input, *strided_arguments(input, size, stride, storage_offset))
    return result


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """`as_strided` in place."""
    return relabelled("as_strided", "AsStridedBackward1")(
        input, *strided_arguments(input, size, stride, storage_offset)
    )


def strided_arguments(
    input: Tensor, size: Any, stride: Any, storage_offset: int | None
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, strides and the offset from the tensor's own. Raises RuntimeError where they would leave its memory."""
    own = input.storage_offset()
    offset = own if storage_offset is None else int(storage_offset)
    shape, steps = tuple(int(n) for n in size), tuple(int(n) for n in stride)
    if len(shape) != len(steps):
        raise errors.AS_STRIDED(message="mismatch in length of strides and shape")
    if any(step < 0 for step in steps):
        raise errors.AS_STRIDED(
            message=f"as_strided: Negative strides are not supported at the moment, got strides: {list(steps)}"
        )
    _check_extent(input, shape, steps, offset, own)
    return shape, steps, offset - own


def _check_extent(input: Tensor, shape: tuple[int, ...], steps: tuple[int, ...], offset: int, own: int) -> None:
    own_array = vars(input)["_a"]  # the memory itself, also of a conjugate view
    (start, length), itemsize = memory_of(own_array), own_array.itemsize
    first = (input.data_ptr() - start) // itemsize - own
    last = offset + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    if 0 not in shape and (offset < 0 or (last + 1) * itemsize > length - first * itemsize):
        raise errors.AS_STRIDED(
            message=f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {offset}, and itemsize"
            f" {itemsize} requiring a storage size of {(last + 1) * itemsize} are out of bounds for storage of size"
            f" {length - first * itemsize}"
        )


def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """The main diagonal overwritten, in place; with ``wrap`` that of a tall matrix begins anew below.

    Raises RuntimeError for a vector, and for more than two dimensions that are not equally long.
    """
    shape = self._a.shape
    if len(shape) < 2:
        raise errors.ARRANGEMENT_REFUSED(message="dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise errors.ARRANGEMENT_REFUSED(message="all dimensions of input must be of equal length")
    fill = REGISTRY["fill"].call_inplace
    assert fill is not None
    steps: Any = self.stride()
    length, step = min(shape[:2]), sum(steps)
    fill(as_strided(self, (length,), (step,)), fill_value)
    width = shape[1]
    if wrap and len(shape) == 2 and shape[0] > width + 1:
        more = -(-self._a.size // (width + 1)) - length
        fill(as_strided(self, (more,), (step,), self.storage_offset() + steps[0] * (width + 1)), fill_value)
    return self


def _copied(outs: tuple[Tensor, ...], title: str) -> tuple[Tensor, ...]:
    """Parts that count as tensors of their own, although PyTorch lets them share memory."""
    for out in outs:
        out._view, out._st = None, Storage.uncounted(out._st.memory)
        if out._node is not None:
            out._node.title = title
    return outs


def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> Any:
    """Pieces of one size that may be written in place, as long as the whole is not used any more."""
    return _copied(REGISTRY["split_size"].call(input, split_size, dim), "UnsafeSplitBackward0")


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """At most ``chunks`` such pieces."""
    length = np.size(input._a, dim)
    return unsafe_split(input, -(-length // chunks) or 1, dim)


def contains(self: Tensor, element: Any) -> bool:
    """``element in tensor``. Raises RuntimeError for what is no number and no tensor."""
    if not isinstance(element, Tensor | bool | int | float | complex):
        raise errors.CONTAINS_TYPE(type=type(element))
    with unrecorded():
        first, second = (element, self) if isinstance(element, Tensor) else (self, element)
        return bool(REGISTRY["eq"].call(first, second)._a.any())


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "as_strided": as_strided,
    "as_strided_": as_strided_,
    "unsafe_split": unsafe_split,
    "unsafe_chunk": unsafe_chunk,
}
