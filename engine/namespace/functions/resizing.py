"""Tensors that get another shape or other memory in place, the memory itself, and functions called on every element."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import repeat
from operator import index
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import inplace
from gradflow.engine.namespace.functions.composite import broadcast_to
from gradflow.engine.namespace.tensor import storages
from gradflow.engine.namespace.tensor.indexing import as_source
from gradflow.engine.namespace.tensor.storages import UntypedStorage, start_of
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.numerics.strides import address, opened, strided
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.storage import Storage as Count

# -- another shape -----------------------------------------------------------------------------------------------------


def _row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(itemsize * math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))


def give_shape(tensor: Tensor, shape: tuple[int, ...]) -> None:
    """Another shape in the same memory, in row-major order; in new memory with the old elements where it is too small.

    Raises RuntimeError where NumPy has the memory and it is too small.
    """
    own = tensor._a
    first, length = start_of(own)
    needed = math.prod(shape) * own.itemsize
    if needed and first + needed > length and tensor._st.memory.exposed:
        raise errors.MEMORY_REFUSED(message="Trying to resize storage that is not resizable")
    if STATE.recorder is not None:
        STATE.recorder.forget(tensor)
    if not length and not needed:
        tensor._a = np.zeros(shape, own.dtype)
    elif not needed or first + needed <= length:
        tensor._a = strided(own, shape, _row_major(shape, own.itemsize), 0)
    else:
        memory = np.zeros((first + needed) // own.itemsize, own.dtype)
        old = length // own.itemsize
        if old:
            memory[:old] = strided(own, (old,), (own.itemsize,), -first)
        _take(tensor, memory[first // own.itemsize :].reshape(shape), first // own.itemsize)


def _take(tensor: Tensor, array: np.ndarray, offset: int = 0, memory: Count | None = None) -> None:
    """Give a tensor other memory. Its count of writes goes on."""
    version = tensor._st.version
    tensor._a, tensor._view, tensor._offset = array, None, offset
    tensor._st = Count() if memory is None else Count.uncounted(memory)
    tensor._st.version = version


def _require_plain(tensor: Tensor) -> None:
    if tensor.requires_grad:
        raise errors.RESIZE_GRADIENT()


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Another shape in the same memory, which grows where it has to. Raises RuntimeError where the tensor requires grad."""
    given = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    _require_plain(self)
    shape = tuple(int(n) for n in given)
    if any(n < 0 for n in shape):
        raise errors.MEMORY_REFUSED(message="numel: integer multiplication overflow")
    resized = shape != self._a.shape
    give_shape(self, shape)
    self._st.version += resized
    return self


def resize_as_(input: Tensor, the_template: Tensor) -> Tensor:
    """The shape of another tensor."""
    return resize_(input, tuple(the_template._a.shape))


# -- other memory ------------------------------------------------------------------------------------------------------


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """The memory, shape and strides of another tensor, or a part of a storage. Raises RuntimeError for another dtype."""
    inplace.check(self, self.requires_grad)
    array = (
        np.zeros(0, self._a.dtype)
        if source is None
        else source.array
        if isinstance(source, UntypedStorage)
        else need(source, "set_", "source")._a
    )
    if array.dtype != self._a.dtype:
        raise errors.MEMORY_REFUSED(
            message=f"Could not set tensor of type {_c_name(array)} to a tensor of type {_c_name(self._a)}"
        )
    memory, offset = None, 0
    if isinstance(source, Tensor):
        memory, offset = source._st.memory, source.storage_offset()
    elif source is not None:
        memory, offset = source.memory, index(storage_offset)
        shape = (array.size,) if size is None else tuple(map(index, size))
        steps = _row_major(shape, 1) if stride is None else tuple(map(index, stride))
        array = strided(array, shape, tuple(s * array.itemsize for s in steps), offset * array.itemsize)
    if STATE.recorder is not None:
        STATE.recorder.forget(self)
    _take(self, array, offset, memory)
    self._st.version += 1
    return self


def _c_name(array: np.ndarray) -> str:
    return dtypes.C_NAMES[dtypes.of(array).name]


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same part of the same memory."""
    a, b = self._a, tensor._a
    return a.dtype == b.dtype and address(a) == address(b) and (a.shape, a.strides) == (b.shape, b.strides)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return input._a.shape == other._a.shape


def nbytes(self: Tensor) -> int:
    """How many bytes the elements take."""
    return int(self._a.nbytes)


# -- every element -----------------------------------------------------------------------------------------------------


def _called(self: Tensor, name: str, function: Callable[..., Any], others: tuple[Tensor, ...]) -> Tensor:
    if any(t.requires_grad for t in (self, *others)):
        raise errors.MEMORY_REFUSED(
            message=f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )
    own = vars(self)["_a"]  # as in PyTorch what lies in memory, also of conjugate views
    read = [vars(broadcast_to(other, own.shape))["_a"] for other in others]
    own = self._a = own if own.flags.writeable else opened(own)
    columns = [array.reshape(-1).tolist() for array in read]
    self._st.before_write()
    for at, row in zip(np.ndindex(own.shape), zip(*columns, strict=True) if columns else repeat(()), strict=False):
        own[at] = as_source(self, function(own[at].item(), *row))._a
    return self


def apply_(self: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Each element replaced by what a function gives for it. Raises RuntimeError where the tensor requires grad."""
    return _called(self, "apply_", callable, ())


def map_(self: Tensor, tensor: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Each element replaced by what a function gives for it and the element of another tensor."""
    return _called(self, "map_", callable, (tensor,))


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Each element replaced by what a function gives for it and the elements of two other tensors."""
    return _called(self, "map2_", callable, (x, y))


METHODS: dict[str, Callable[..., Any]] = {
    "resize_": resize_, "resize_as_": resize_as_, "set_": set_, "is_set_to": is_set_to, "is_same_size": is_same_size,
    **storages.METHODS, "apply_": apply_, "map_": map_, "map2_": map2_,
}  # fmt: skip
"""On Tensor."""

FUNCTIONS: dict[str, Callable[..., Any]] = {"resize_as_": resize_as_, "is_same_size": is_same_size}
"""Under ``torch``."""
