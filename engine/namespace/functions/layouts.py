"""Tensors of a given layout in memory, and tensors around memory that is there already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.creation import as_tensor, finish, tensor
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.strides import view_inside
from gradflow.engine.ops.creation import checked
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes

_ASARRAY = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)
_READ_ONLY = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to the "
    "underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its data or "
    "make it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
    "program."
)
_DEFAULT_TYPE = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise errors.MEMORY_FORMAT(message=message)


def _made(array: np.ndarray, requires_grad: bool) -> Tensor:
    return finish(REGISTRY["tensor"].call(array), requires_grad)


def _kind(dtype: Any) -> np.dtype:
    return dtypes.DEFAULT if dtype is None else dtype.numpy


def empty_strided(size: Any, stride: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of this size whose neighbours lie this far apart in memory, in elements."""
    shape, steps = tuple(map(int, size)), tuple(map(int, stride))
    message = f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
    _require(len(shape) == len(steps), message)
    checked(shape)
    overflow = f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}"
    _require(all(step >= 0 for step in steps), overflow)
    extent = 0 if 0 in shape else 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    checked((extent,))
    memory = np.zeros(extent, _kind(dtype))
    apart = [step * memory.itemsize for step in steps]
    return _made(view_inside(memory, shape, tuple(apart)), requires_grad)


def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """`empty_strided` in the dtype of this tensor."""
    return empty_strided(size, stride, dtype=dtype or self.dtype, requires_grad=requires_grad)


def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of this size without gaps, its dimensions in memory in the order of ``physical_layout``."""
    shape, order = tuple(map(int, size)), tuple(map(int, physical_layout))
    _require(
        len(shape) == len(order),
        "Number of dimensions in size does not match the length of the physical_layout; "
        f"i.e. len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}",
    )
    for place, axis in enumerate(order):
        _require(
            0 <= axis < len(shape),
            f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {axis} at index {place}).  "
            "NB: negative dims not currently supported; file an issue if you want it.",
        )
    _require(len(set(order)) == len(order), "Duplicate dim not allowed")
    memory = np.zeros(checked(tuple(shape[axis] for axis in order)), _kind(dtype))
    return _made(memory.transpose(np.argsort(order)), requires_grad)


def scalar_tensor(s: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A number as a tensor, of the default dtype whatever the number is."""
    element_dtype = _kind(dtype)
    return _made(np.array(checked_cast(s, element_dtype), element_dtype), requires_grad)


def asarray(obj: Any, *, dtype: Any = None, copy: bool | None = None, requires_grad: bool | None = None) -> Tensor:
    """A tensor of the data; it shares its memory where there is some and ``copy`` does not say otherwise."""
    if isinstance(obj, Tensor):
        return _of_tensor(obj, dtype, copy, requires_grad)
    made = tensor(obj, dtype=dtype) if copy or not isinstance(obj, np.ndarray) else as_tensor(obj, dtype)
    return finish(made, bool(requires_grad))


def _of_tensor(obj: Tensor, dtype: Any, copy: bool | None, requires_grad: bool | None) -> Tensor:
    if requires_grad is None and obj.requires_grad:
        warn(_ASARRAY)
    result: Tensor = as_tensor(obj, dtype)
    if copy and result is obj:
        result = REGISTRY["clone"].call(obj)
    if requires_grad is False and result.requires_grad:
        return result.detach()
    if requires_grad and not result.requires_grad:
        return finish(result.detach() if result is obj else result, True)
    return result


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """The bytes of an object as a tensor."""
    if not isinstance(buffer, bytes | bytearray | np.ndarray):
        raise errors.BUFFER(message="object does not implement Python buffer protocol.")
    if isinstance(buffer, bytes):
        warn(_READ_ONLY, once=True)
    data, size = bytes(buffer), dtype.itemsize
    if not data or not count:
        raise errors.BUFFER(message=f"both buffer length ({len(data)}) and count ({count}) must not be 0")
    if not 0 <= offset < len(data):
        message = f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({len(data)} bytes) minus 1"
        raise errors.BUFFER(message=message)
    rest = len(data) - offset
    if count < 0 and rest % size:
        raise errors.BUFFER(
            message=f"buffer length ({len(data)} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
        )
    wanted = rest // size if count < 0 else count
    if wanted * size > rest:
        raise errors.BUFFER(
            message=f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({len(data)} bytes)"
        )
    return _made(np.frombuffer(data, dtype.numpy, wanted, offset).copy(), requires_grad)


def set_default_tensor_type(t: Any, /) -> None:
    """From now on numbers with a decimal point have the dtype of this type: the old `set_default_dtype`."""
    warn(_DEFAULT_TYPE)
    named = {f"torch.{d.legacy}Tensor": d for d in dtypes.ALL}
    dtype = named.get(t) if isinstance(t, str) else getattr(t, "element", None)
    if dtype is None:
        raise errors.TENSOR_TYPE(message="invalid type object" if not isinstance(t, str) else f"invalid type: '{t}'")
    if not dtype.is_floating_point:
        raise errors.TENSOR_TYPE(message="only floating-point types are supported as the default type")
    dtypes.set_default(dtype.numpy)


NAMES = {"set_default_tensor_type": set_default_tensor_type}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (empty_strided, empty_permuted, scalar_tensor, asarray, frombuffer)
}


def dim_order(self: Tensor) -> tuple[int, ...]:
    """The dimensions from the one with the largest steps in memory to the one with the smallest."""
    shape = self._a.shape
    steps: Any = self.stride()
    order = list(range(len(shape)))
    if not self._a.size or self.is_contiguous():
        return tuple(order)
    order.reverse()
    for i in range(1, len(order)):
        for j in reversed(range(i)):
            inner, outer = order[j], order[j + 1]
            if not steps[inner] or not steps[outer]:
                break
            if (steps[inner], shape[inner]) <= (steps[outer], shape[outer]):
                break
            order[j], order[j + 1] = outer, inner
    return tuple(reversed(order))


METHODS: dict[str, Callable[..., Any]] = {"new_empty_strided": new_empty_strided, "dim_order": dim_order}
