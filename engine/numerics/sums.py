"""Sums of floats in the order in which PyTorch adds: four running sums, over vectors of 32 bytes where there are such.

Source: ``aten/src/ATen/native/cpu/SumKernel.cpp`` of PyTorch 2.13, which is the same for all instruction sets.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any, Final

import numpy as np

_RUNNING: Final = 4
_STEP: Final = 16
"""So many rows are added to a running sum before it goes to the level above, of which there are three."""
_MOST: Final = 2**15
"""So many elements PyTorch shares out among its threads: these sums are NumPy's."""


def total(array: np.ndarray, dtype: Any = None) -> Any:
    """The sum of all elements. dtype: to add up in."""
    size, kind = array.size, array.dtype
    if size <= _RUNNING or size >= _MOST or kind.char not in "fd" or not array.flags.c_contiguous:
        return array.sum(dtype=dtype)
    flat, lanes = array.reshape(-1), 32 // kind.itemsize
    if size < 2 * lanes:
        return np.add.accumulate(flat[_order(size, lanes)])[-1]
    return _along(flat, lanes)


def along(array: np.ndarray, axes: tuple[int, ...] | None, keepdims: bool, dtype: Any = None) -> Any:
    """The sum along axes; along several, in NumPy's order where they are not all there are."""
    shape = array.shape
    if (
        array.dtype.char not in "fd"
        or axes is None
        or len(axes) != 1
        or not _RUNNING < shape[axes[0]] < _MOST
        or not array.flags.c_contiguous
    ):
        whole = axes is None or len(axes) == array.ndim > 1
        found = total(array, dtype) if whole and not keepdims else None
        return array.sum(axis=axes, keepdims=keepdims, dtype=dtype) if found is None else found
    (axis,), lanes = axes, 32 // array.itemsize
    behind = prod(shape[axis + 1 :])
    if shape[axis] == array.size:
        sums = np.asarray(total(array))
    elif behind > 1:
        sums = _down(array.reshape(-1, shape[axis], behind).transpose(1, 0, 2), lanes)
    elif shape[axis] < 2 * lanes:
        turns = array.reshape(-1, shape[axis])[:, _order(shape[axis], lanes)]
        sums = np.add.accumulate(turns, 1)[:, -1].copy()
    else:
        sums = _along(array.reshape(-1, shape[axis]).T, lanes)
    return sums.reshape((*shape[:axis], *(1,) * keepdims, *shape[axis + 1 :]))


@cache
def _order(size: int, lanes: int) -> np.ndarray:
    """The turn of each of a few elements, which all go into one running sum, or are a vector and what is left over."""
    if size < lanes:
        return np.array([0, *range(_RUNNING, size), *range(1, _RUNNING)])
    return np.array([*range(lanes, size), *range(lanes)])


def _along(rows: np.ndarray, lanes: int) -> Any:
    """Sums of what lies side by side in memory, here along the first axis."""
    count = len(rows) // lanes
    if not count:
        return _running(rows)
    vectors = rows[: count * lanes].reshape(count, lanes, *rows.shape[1:])
    return _in_turn(np.concatenate((rows[count * lanes :], _running(vectors))))


def _down(rows: np.ndarray, lanes: int) -> Any:
    """Sums of columns: of four at a time each in its turn, of the others as running sums."""
    group = _RUNNING * (lanes if rows.shape[-1] >= lanes else 1)
    whole = rows.shape[-1] // group * group
    if whole == rows.shape[-1]:
        return _levels(rows) if len(rows) >= _STEP else np.add.reduce(rows)
    return np.concatenate((_levels(rows[..., :whole]), _running(rows[..., whole:])), -1)


def _running(rows: np.ndarray) -> Any:
    """Four running sums, of every fourth row each, and what is left over in the first."""
    count = len(rows) // _RUNNING
    if not count:
        return _in_turn(rows)
    left = count * _RUNNING
    sums = _levels(rows[:left].reshape(count, _RUNNING, *rows.shape[1:]))
    return _in_turn(np.concatenate((sums[:1], rows[left:], sums[1:])))


def _levels(rows: np.ndarray) -> Any:
    """One row after the other, sixteen at a time; sixteen of these sums at a time, and so on."""
    sums: list[Any] = []
    while len(rows) >= _STEP and len(sums) < 3:
        blocks = len(rows) // _STEP
        if len(rows) > blocks * _STEP:
            sums.append(_in_turn(rows[blocks * _STEP :]))
        rows = _in_turn(rows[: blocks * _STEP].reshape(blocks, _STEP, *rows.shape[1:]), 1)
    return _in_turn(np.stack([*sums, _in_turn(rows)])) if sums else _in_turn(rows)


def _in_turn(rows: np.ndarray, axis: int = 0) -> Any:
    """One after the other along an axis. NumPy adds so by itself unless it is that axis that lies closest in memory."""
    step = rows.strides[axis]
    if any(size > 1 and stride < step for size, stride in zip(rows.shape, rows.strides, strict=True)):
        return np.add.reduce(rows, axis)
    return np.add.accumulate(rows, axis)[(slice(None),) * axis + (-1,)]
