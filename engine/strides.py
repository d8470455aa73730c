"""Arrays by their strides: new ones laid out in memory in a given way, and views of the memory of others."""

from __future__ import annotations

import numpy as np


def address(array: np.ndarray) -> int:
    """The address of an array's first element."""
    return int(array.__array_interface__["data"][0])


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of a shape in row-major order; an empty dimension counts as one of length 1."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def like(shape: tuple[int, ...], dtype: np.dtype, strides: tuple[int, ...]) -> np.ndarray:
    """A new array whose elements lie in memory as ``strides`` say."""
    order = sorted(range(len(shape)), key=lambda i: -strides[i])
    flat = np.empty([shape[i] for i in order], dtype)
    return flat.transpose(np.argsort(order)) if shape else flat


def window(base: np.ndarray, geometry: tuple[tuple[int, ...], tuple[int, ...], int]) -> np.ndarray:
    """The view of ``base`` with the given shape, strides and offset in bytes."""
    shape, strides, offset = geometry
    order = sorted(range(base.ndim), key=lambda i: -base.strides[i])
    flat = base.transpose(order) if base.ndim else base
    return np.ndarray(shape, base.dtype, buffer=flat.data if flat.ndim else flat, offset=offset, strides=strides)


class _Memory:
    """Describes a part of an array's memory to NumPy, and keeps it alive."""

    def __init__(self, array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> None:
        self.array = array
        start = address(array) + offset
        self.__array_interface__ = {
            "shape": shape, "strides": strides, "typestr": array.dtype.str, "version": 3,
            "data": (start, not array.flags.writeable),
        }  # fmt: skip


def memory_of(array: np.ndarray) -> tuple[int, int]:
    """Address and length, in bytes, of the memory that an array is a part of."""
    while True:
        if isinstance(array.base, _Memory):
            array = array.base.array
        elif isinstance(array.base, np.ndarray):
            array = array.base
        else:
            return np.lib.array_utils.byte_bounds(array)[0], array.nbytes


def strided(array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> np.ndarray:
    """A view of the memory behind an array, which may reach beyond the array itself but not beyond that memory."""
    start, length = memory_of(array)
    first = address(array) + offset - start
    last = first + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + array.itemsize
    if 0 not in shape and (first < 0 or last > length):
        raise ValueError("a view beyond its memory")
    return np.asarray(_Memory(array, shape, strides, offset))
