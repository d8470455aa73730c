"""Sums of float32 and float64 that add in the order of PyTorch's kernel, so that their last bits are PyTorch's.

PyTorch adds rows of four vectors at a time, and what sixteen of them gave to a sum of a higher level (``cascade_sum`` in
aten/src/ATen/native/cpu/SumKernel.cpp). A vector has 32 bytes on every processor since AVX2. From 32768 elements on it
may split the work between threads, whose number decides.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.fused import fused, quick_fused

_VECTOR_BYTES: Final = 32
_LINE_BYTES: Final = 64
_LANES: Final = 4
_STEP: Final = 16
_LEVELS: Final = 4
_SEQUENTIAL: Final = 4
"""Up to so many numbers are added one after another, by NumPy too."""
_FOLLOWED: Final = 1 << 10
"""Among more losses than so many, those that are ignored count as zeros."""
_LARGEST: Final = 1 << 19
"""Longer sums have higher steps, and are split between threads."""
_add, _accumulate = np.add.reduce, np.add.accumulate


def cascade_sum(array: np.ndarray, axis: tuple[int, ...] | int | None, keepdims: bool = False) -> Any:
    """The sum of an array along axes (None: all), as ``array.sum`` gives it."""
    if not _is_followed(array) or not _SEQUENTIAL < array.size <= _LARGEST or 0 in array.strides:
        total = array.sum(axis=axis, keepdims=keepdims)
        return total + 0 if array.dtype.kind == "f" else total  # never -0.0
    axes = _axes(axis, array.ndim)
    if len(axes) == array.ndim and not keepdims and array.flags.c_contiguous:
        flat = array.reshape(-1)
        return (_of_vectors(flat) if flat.nbytes >= _VECTOR_BYTES else _of_rows(flat)) + 0  # never -0.0
    if keepdims:
        shape = tuple(1 if i in axes else n for i, n in enumerate(array.shape))
        return _summed(array, axes).reshape(shape)
    return _summed(array, axes)


def cascade_mean(array: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The mean of an array that has elements along axes (None: all), as ``array.mean`` gives it."""
    if not _is_followed(array):
        return array.mean(axis=axis, keepdims=keepdims)
    count = array.size if axis is None else math.prod([array.shape[i] for i in axis])
    return cascade_sum(array, axis, keepdims) / array.dtype.type(count)


def euclidean_norm(array: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The root of the sum of squares along axes (None: all).

    Along the last dimensions in memory PyTorch has a loop of its own for it (``norm_kernel_tensor_iterator_impl`` in
    aten/src/ATen/native/cpu/ReduceOpsKernel.cpp): sums of every eighth square, of float64 of every fourth, added in order, then
    the squares that are left, of which the last few are rounded once with their sum.
    """
    axes = _axes(axis, array.ndim)
    last = axes and sorted(axes) == list(range(array.ndim - len(axes), array.ndim))
    if not last or not array.size or not _is_followed(array) or not array.flags.c_contiguous:
        return np.sqrt(sum_in_order(array * array, axis, keepdims))
    kept = array.shape[: array.ndim - len(axes)]
    rows = array.reshape(math.prod(kept), -1)
    total = np.sqrt(_squares_added(rows)).reshape(kept + (1,) * len(axes) * keepdims)
    return total if total.ndim else total[()]


def sum_in_order(array: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The sum along axes (None: all) of numbers added one after another, as PyTorch's loops over single numbers do."""
    axes = _axes(axis, array.ndim)
    if not axes or not array.size or not _is_followed(array) or not array.flags.c_contiguous:
        return array.sum(axis=axis, keepdims=keepdims)
    kept = [i for i in range(array.ndim) if i not in axes]
    lines = array.transpose([*kept, *sorted(axes)]).reshape(*(array.shape[i] for i in kept), -1)
    total = _accumulate(lines, axis=-1)[..., -1]
    return np.expand_dims(total, tuple(sorted(axes))) if keepdims else total


def product_of_all(array: np.ndarray, axis: tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The product along axes (None: all). Along the last dimensions in memory four vectors are multiplied at a time."""
    axes = _axes(axis, array.ndim)
    last = axes and sorted(axes) == list(range(array.ndim - len(axes), array.ndim))
    if not last or not array.size or not _is_followed(array) or not array.flags.c_contiguous:
        return array.prod(axis=axis, keepdims=keepdims)
    kept = array.shape[: array.ndim - len(axes)]
    rows = array.reshape(math.prod(kept), -1)
    width = _VECTOR_BYTES // rows.itemsize
    whole = rows.shape[1] // (_LANES * width) * _LANES * width
    if whole:
        vectors = np.multiply.reduce(rows[:, :whole].reshape(len(rows), -1, _LANES, width), axis=1)
        lanes = (vectors[:, 0] * vectors[:, 1]) * (vectors[:, 2] * vectors[:, 3])
        rows = np.concatenate([lanes, rows[:, whole:]], axis=1)
    total = np.multiply.accumulate(rows, axis=1)[:, -1].reshape(kept + (1,) * len(axes) * keepdims)
    return total if total.ndim else total[()]


def _squares_added(rows: np.ndarray) -> np.ndarray:
    squares, count = rows * rows, rows.shape[1]
    width = _VECTOR_BYTES // rows.itemsize
    whole = count // width * width
    beside = (count - whole) // _LANES * _LANES
    parts = [squares[:, :whole].reshape(-1, whole // width, width).sum(axis=1)] if whole else []
    parts += [squares[:, whole : whole + beside]] if beside else []
    total = _accumulate(np.concatenate(parts, axis=1), axis=1)[:, -1] if parts else np.zeros(len(rows), rows.dtype)
    for k in range(whole + beside, count):
        total = fused(rows[:, k], rows[:, k], total)
    return np.asarray(total)


def _is_followed(array: np.ndarray) -> bool:
    """Whether it has float32 or float64, whose sums are those of PyTorch's kernel."""
    return array.dtype.kind == "f" and array.itemsize >= 4


def _axes(axis: tuple[int, ...] | int | None, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(i % ndim for i in axis) if isinstance(axis, tuple) else (axis % ndim,)


def _summed(array: np.ndarray, axes: tuple[int, ...]) -> Any:
    kept = [i for i in range(array.ndim) if i not in axes]
    strides = array.strides
    inner = sorted((i for i in axes if array.shape[i] != 1), key=strides.__getitem__, reverse=True)
    shape = [array.shape[i] for i in kept]
    if not inner:
        return array.reshape(shape) + 0
    groups = _groups(array, inner)
    view = array.transpose([*kept, *(i for i in axes if array.shape[i] == 1), *inner])
    view = view.reshape([*shape, *groups])
    step, columns = strides[inner[-1]], [i for i in kept if array.shape[i] != 1]
    if step == array.itemsize and groups[-1] * array.itemsize >= _VECTOR_BYTES:
        total = _of_vectors(view)
    elif len(groups) == 1 and columns and strides[columns[-1]] < step:
        total = _of_columns(view, _groups(array, columns)[-1], strides[columns[-1]] == array.itemsize)
    else:
        total = _of_rows(_first(view, view.ndim - 1))
    for _ in groups[1:]:
        total = _accumulate(total, axis=-1)[..., -1]
    return total + 0


def _groups(array: np.ndarray, dims: list[int]) -> list[int]:
    """The lengths of dimensions, outermost first, those joined that lie in one piece."""
    lengths: list[int] = []
    after = None
    for i in reversed(dims):
        n, stride = array.shape[i], array.strides[i]
        if lengths and stride == after:
            lengths[0] *= n
        else:
            lengths.insert(0, n)
        after = stride * n
    return lengths


def _of_vectors(view: np.ndarray) -> Any:
    """The sums over the last dimension, which lies in one piece: of whole vectors, then of the elements that are left."""
    width = _VECTOR_BYTES // view.itemsize
    whole = view.shape[-1] // width
    vectors = view[..., : whole * width].reshape(*view.shape[:-1], whole, width)
    sums = _of_rows(_first(vectors, vectors.ndim - 2))
    if whole * width < view.shape[-1]:
        sums = np.concatenate([view[..., whole * width :], sums], axis=-1)
    return _accumulate(sums, axis=-1)[..., -1]


def _first(view: np.ndarray, dim: int) -> np.ndarray:
    """The array with this dimension before all others."""
    return view if dim == 0 else view.transpose(dim, *range(dim), *range(dim + 1, view.ndim))


def _of_columns(view: np.ndarray, count: int, in_one_piece: bool) -> Any:
    """The sums over the last dimension, of columns that lie closer together: four of them, or of their vectors, at a time."""
    width = _VECTOR_BYTES // view.itemsize if in_one_piece and count * view.itemsize >= _VECTOR_BYTES else 1
    together = count // (width * _LANES) * width * _LANES
    rows = _first(view, view.ndim - 1)
    if together == 0:
        return _of_rows(rows)
    flat = rows.reshape(rows.shape[0], -1, count)
    if together == count:
        return _level_sums(flat).reshape(rows.shape[1:])
    parts = [_level_sums(flat[..., :together]), _of_rows(flat[..., together:])]
    return np.concatenate(parts, axis=-1).reshape(rows.shape[1:])


def _of_rows(rows: np.ndarray) -> Any:
    """The sum over the first dimension: four sums of every fourth row, added at the end."""
    length = rows.shape[0] // _LANES
    if length == 0:
        return _in_order(rows)
    sums = _level_sums(rows[: length * _LANES].reshape(length, _LANES, *rows.shape[1:]))
    first = sums[0]
    for row in rows[length * _LANES :]:
        first = first + row
    return first + sums[1] + sums[2] + sums[3]


def _level_sums(rows: np.ndarray) -> Any:
    """The sum over the first dimension: what sixteen rows give is added to the next level, and so on."""
    total: Any = None
    for level in range(_LEVELS):
        length = rows.shape[0]
        whole = 0 if level == _LEVELS - 1 else length // _STEP * _STEP
        if whole < length:
            here = _in_order(rows[whole:])
            total = here if total is None else total + here
        if whole == 0:
            break
        blocks = rows[:whole].reshape(whole // _STEP, _STEP, *rows.shape[1:])
        rows = _in_order(blocks.swapaxes(0, 1)) if whole > _STEP else _in_order(blocks[0])[None]
    return total


def _in_order(rows: np.ndarray) -> Any:
    """The sum over the first dimension, one row after another."""
    if len(rows) == 1:
        return rows[0]
    if rows.strides[-1] < rows.strides[0] and rows.shape[-1] > 1:  # so NumPy adds whole rows
        return _add(rows, axis=0)
    total = rows[0]
    for row in rows[1:]:
        total = total + row
    return total


def line_sum(array: np.ndarray, axis: int | None) -> Any:
    """The sum along a dimension, which is kept, in the order of softmax: along the last one vectors of 64 bytes are
    added, and then their halves, as on processors with AVX-512."""
    if axis is None or array.ndim == 0 or axis % array.ndim != array.ndim - 1 or not _is_followed(array):
        return array.sum(axis=axis, keepdims=True)
    width, length = _LINE_BYTES // array.itemsize, array.shape[-1]
    if length <= _SEQUENTIAL or array.size == 0:
        return array.sum(axis=-1, keepdims=True)
    if length < width:
        return _accumulate(array, axis=-1)[..., -1:]
    total = array[..., :width]
    whole = length // width * width
    for start in range(width, whole, width):
        total = total + array[..., start : start + width]
    if whole < length:
        rest = array[..., whole:]
        total = np.concatenate([total[..., : length - whole] + rest, total[..., length - whole :]], axis=-1)
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = total[..., :half] + total[..., half:]
    return total


def sum_of_products(a: np.ndarray, b: np.ndarray, axis: int | None) -> Any:
    """The sum of a * b along a dimension, which is kept, in the order of softmax: along any but the last one, each
    product is rounded once with the sum (of more than sixteen, which takes long, with itself too)."""
    dim = None if axis is None else axis % a.ndim
    if dim is None or dim == a.ndim - 1 or not _is_followed(a) or not a.size or a.shape[dim] > _STEP:
        return line_sum(a * b, axis)
    first, second = _first(a, dim), _first(b, dim)
    total = np.asarray(first[0] * second[0])
    for one, other in zip(first[1:], second[1:], strict=True):
        total = quick_fused(one, other, total)
    return total.reshape(*a.shape[:dim], 1, *a.shape[dim + 1 :])


def sum_of_losses(terms: np.ndarray, kept: np.ndarray) -> Any:
    """The sum of all elements in the order of ``nll_loss``, whose first term is added last. Those not kept are 0."""
    if not _is_followed(terms) or terms.size < 3:
        return terms.sum() + 0
    flat = terms.reshape(-1)
    if flat.size > _FOLLOWED or kept.reshape(-1)[::_STEP].all():
        return _level_sums(flat[1:]) + flat[0] + 0
    return _with_gaps(flat, kept.reshape(-1))


def _with_gaps(flat: np.ndarray, kept: np.ndarray) -> Any:
    """That of losses some of which are ignored: a level is added to the next one only at an element that is kept."""
    levels = [flat.dtype.type(0)] * _LEVELS
    for start in range(0, flat.size, _STEP):
        levels[0] = levels[0] + flat[start]
        for level in range(_LEVELS - 1):
            if not kept[start] or start % _STEP ** (level + 1):
                break
            levels[level + 1], levels[level] = levels[level + 1] + levels[level], flat.dtype.type(0)
        for term in flat[start + 1 : start + _STEP]:
            levels[0] = levels[0] + term
    return sum(levels[1:], levels[0]) + 0
