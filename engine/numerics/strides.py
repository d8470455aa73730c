"""Arrays by their strides: new ones laid out in memory in a given way, and views of the memory of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def window(
    base: np.ndarray, geometry: tuple[tuple[int, ...], tuple[int, ...], int], dtype: np.dtype | None = None
) -> np.ndarray:
    """The view of ``base`` with the given shape, strides and offset in bytes; ``dtype``: parts of complex numbers."""
    base = _lasting(base)
    if base.dtype.kind == "V":  # of which NumPy shows no memory
        return window(base.view(np.uint16), geometry).view(base.dtype)
    shape, strides, offset = geometry
    order = sorted(range(base.ndim), key=lambda i: -base.strides[i])
    flat = base.transpose(order) if base.ndim else base
    buffer = flat.data if flat.ndim else flat
    return np.ndarray(shape, dtype or base.dtype, buffer=buffer, offset=offset, strides=strides)


class _Memory:
    """Describes a part of an array's memory to NumPy, and keeps it alive."""

    is_whole = False
    """Whether the part counts as a memory of its own, beyond which nothing lies."""

    def __init__(
        self, array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int, opened: bool = False
    ) -> None:
        self.array = array
        start = address(array) + offset
        self.__array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": array.dtype.str,
            "version": 3,
            "data": (start, not opened and not array.flags.writeable),
        }


def _shown(memory: _Memory) -> np.ndarray:
    """The array that is described. A description cannot name the dtypes of other libraries."""
    array = np.asarray(memory)
    return array if array.dtype == memory.array.dtype else array.view(memory.array.dtype)


def _lasting(array: Any) -> np.ndarray:
    """The array itself; of a number of NumPy's, which shows memory that is gone at once, one that holds a copy."""
    return array if isinstance(array, np.ndarray) else np.asarray(array)


def shown(array: np.ndarray) -> np.ndarray:
    """The same view, of which no ``base`` leads back to the array."""
    array = _lasting(array)
    return _shown(_Memory(array, array.shape, array.strides, 0))


def whole(array: np.ndarray) -> np.ndarray:
    """The same view as a memory of its own, from its first element to its last."""
    array = _lasting(array)
    if memory_of(array) == _extent(array):
        return array
    memory = _Memory(array, array.shape, array.strides, 0)
    memory.is_whole = True
    return _shown(memory)


def memory_of(array: np.ndarray) -> tuple[int, int]:
    """Address and length, in bytes, of the memory that an array is a part of."""
    while True:
        base: Any = array.base
        if isinstance(base, _Memory) and not base.is_whole:
            array = base.array
        elif isinstance(base, np.ndarray):
            array = base
        else:
            return _extent(array)


def _extent(array: np.ndarray) -> tuple[int, int]:
    low, high = np.lib.array_utils.byte_bounds(array)
    return low, high - low if array.size else 0


def in_columns(matrices: np.ndarray) -> np.ndarray:
    """The same matrices with each column in one piece of memory, as LAPACK leaves its results."""
    return np.ascontiguousarray(matrices.mT).mT if matrices.ndim > 1 else matrices


def repeats(array: np.ndarray) -> bool:
    """Whether a dimension is repeated without a copy, so that several elements lie in one place."""
    return array.size > 1 and any(not step and n > 1 for step, n in zip(array.strides, array.shape, strict=True))


def opened(array: np.ndarray) -> np.ndarray:
    """The same view, for writing: NumPy closes what it has broadcast. A copy where the memory itself is not for writing."""
    array = _lasting(array)
    owner: Any = array
    while (behind := owner.array if isinstance(owner, _Memory) else owner.base) is not None:
        owner = behind
        if not isinstance(owner, np.ndarray | _Memory):
            return array.copy()
    if not owner.flags.writeable:
        return array.copy()
    return _shown(_Memory(array, array.shape, array.strides, 0, opened=True))


def view_inside(
    array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], writeable: bool = True
) -> np.ndarray:
    """A view of an array by its strides, in bytes, from its first element on. Raises ValueError beyond the array.

    The check is of the view as NumPy made it: the integers of a program may say one thing to a check and another to NumPy.
    """
    array = _lasting(array)
    view = _shown(_Memory(array, tuple(shape), tuple(strides), 0))
    _check_inside(view, *np.lib.array_utils.byte_bounds(array))
    if not writeable:
        view.flags.writeable = False
    return view


def _check_inside(view: np.ndarray, low: int, high: int) -> None:
    if view.size:
        first, last = np.lib.array_utils.byte_bounds(view)
        if first < low or last > high:
            raise ValueError("a view beyond its memory")


def strided(array: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> np.ndarray:
    """A view of the memory behind an array, which may reach beyond the array itself but not beyond that memory."""
    array = _lasting(array)
    start, length = memory_of(array)
    first = address(array) + offset - start
    last = first + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + array.itemsize
    if 0 not in shape and (first < 0 or last > length):
        raise ValueError("a view beyond its memory")
    view = _shown(_Memory(array, shape, strides, offset))
    _check_inside(view, start, start + length)
    return view


def as_operands_lie(result: np.ndarray, operands: Sequence[Any]) -> np.ndarray:
    """An element-wise result in the order in memory that PyTorch gives it: that of the first operand which has one.

    NumPy keeps rows where operands disagree, and turns an operand that is repeated along its rows into columns.
    """
    if result.ndim < 2 or not result.size:
        return result
    order = _order(result.shape, [one for one in operands if isinstance(one, np.ndarray) and one.ndim])
    strides, step = [0] * result.ndim, result.itemsize
    for axis in order:
        strides[axis] = step
        step *= result.shape[axis]
    wanted = zip(strides, result.strides, result.shape, strict=True)
    if all(a == b or n == 1 for a, b, n in wanted):
        return result
    made = like(result.shape, result.dtype, tuple(strides))
    made[...] = result
    return made


def _order(shape: tuple[int, ...], operands: Sequence[np.ndarray]) -> list[int]:
    """The axes from the one whose elements lie closest together to the one whose elements lie farthest apart."""
    steps = [
        [0] * (len(shape) - one.ndim)
        + [s if n == m else 0 for s, n, m in zip(one.strides, one.shape, shape[-one.ndim :], strict=True)]
        for one in operands
    ]
    order = list(range(len(shape)))[::-1]
    for place in range(1, len(order)):
        for before in range(place - 1, -1, -1):
            compared = _farther(order[before], order[place], steps, shape)
            if compared > 0:
                order[before], order[place] = order[place], order[before]
                place = before
            elif compared < 0:
                break
    return order


def _farther(a: int, b: int, steps: list[list[int]], shape: tuple[int, ...]) -> int:
    """1 where the elements along axis ``a`` lie farther apart than those along ``b``, -1 where closer, 0 where none can tell."""
    for own in steps:
        if own[a] and own[b]:
            if own[a] != own[b]:
                return 1 if own[a] > own[b] else -1
            if shape[a] > shape[b]:
                return 1
    return 0


def as_image_lies(result: np.ndarray, operands: Sequence[np.ndarray]) -> np.ndarray:
    """A result with the channels of each place together where one of the operands has them so, and else row by row."""
    if not any(map(has_channels_last, operands)):
        return np.asarray(result, order="C")
    return np.moveaxis(np.asarray(np.moveaxis(result, 1, -1), order="C"), -1, 1)


def has_channels_last(array: np.ndarray) -> bool:
    """Whether an array is an image, or a block, whose channels lie together: what PyTorch suggests as its memory format."""
    if array.ndim not in (4, 5) or not array.size or not array.strides[1]:
        return False
    least = 0
    for axis in (1, *range(array.ndim - 1, 1, -1), 0):
        step = array.strides[axis]
        if step < least or (axis == 0 and least == array.strides[1]):
            return False
        least = step * array.shape[axis]
    return True
