"""Arrays over the memory of others: ``frombuffer``, ``a.view(dtype)`` and ``a.base``, of numbers and of nothing else.

A truth value that is neither 0 nor 1 would have NumPy count what it selects otherwise than it copies it, so bytes are not
looked at as truth values; and what owns the memory of an array is shown where it is an array or bytes. An array of bytes is
one of a copy of them: bytes are shared by all of the process, and what writes into an array may not ask whether it may.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import address
from gradflow.engine.sandbox.array_elements import Texts, checked, refusal, short
from gradflow.engine.sandbox.classes.kept_whole import unshared
from gradflow.engine.sandbox.gate import NOT_SPECIAL, allow, read_special_by, type_name

_NUMBERS: Final = frozenset("iufc")
_BUFFERS: Final = (bytes,)


def _numbers(dtype: Any) -> np.dtype:
    found: np.dtype = np.dtype(unshared(dtype))
    if found.kind not in _NUMBERS or found.names is not None:
        raise refusal(found)
    return short(found)


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> np.ndarray:
    """An array of a copy of bytes, to be read only, or over the memory of another array."""
    if type(buffer) not in _BUFFERS and not (type(buffer) is np.ndarray and buffer.dtype.kind in _NUMBERS):
        raise TypeError(f"a bytes-like object is required, not '{type_name(buffer)}'")
    owned = memoryview(bytearray(buffer)).toreadonly() if type(buffer) is bytes else buffer
    return np.frombuffer(owned, _numbers(dtype), int(count), int(offset))


class _View:
    """``a.view``, of an array of numbers."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __call__(self, dtype: Any = None, type: Any = None) -> np.ndarray:
        if type is not None:
            raise errors.CALL_REFUSED(name="view() as another class")
        if dtype is None:
            found: np.ndarray = checked(self._array.view())
            return found
        if self._array.dtype.kind not in _NUMBERS:
            raise refusal(self._array.dtype)
        return self._array.view(_numbers(dtype))


def _view(value: Any, name: str) -> Any:
    return _View(value) if type(value) is np.ndarray else NOT_SPECIAL


def _base(value: Any, name: str) -> Any:
    """What owns the memory of an array; of an array of a tensor another array, which nobody else has."""
    if type(value) not in (np.ndarray, Texts):
        return NOT_SPECIAL
    owner = value.base
    if type(owner) is memoryview and owner.readonly:
        return bytes(owner)
    if owner is None or type(owner) is bytes:
        return owner
    return checked(owner) if type(owner) is np.ndarray else value.view()


class Pointer:
    """``a.ctypes``: the address of an array, to be compared, and nothing that is found at it."""

    __slots__ = ("data",)

    def __init__(self, array: np.ndarray) -> None:
        self.data = address(array)


def _pointer(value: Any, name: str) -> Any:
    return Pointer(value) if type(value) is np.ndarray else NOT_SPECIAL


def _interface(value: Any, name: str) -> Any:
    """``a.__array_interface__`` of an array, as data: a dictionary that nobody else has."""
    return dict(value.__array_interface__) if type(value) is np.ndarray else NOT_SPECIAL


def _register() -> None:
    allow(Pointer, ("data",))
    read_special_by(("ctypes",), _pointer)
    read_special_by(("__array_interface__",), _interface)
    read_special_by(("view",), _view)
    read_special_by(("base",), _base)


_register()
