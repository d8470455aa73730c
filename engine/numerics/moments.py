"""Means and variances, and the sums of gradients through them, in the order of PyTorch's kernels of normalisation.

Rows have running moments in eight float32 at once (``RowwiseMoments`` in aten/src/ATen/native/cpu/moments_utils.h), sixteen
vectors to a piece; pieces are merged in pairs. The compiler has rounded some products once with their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine.numerics.fused import rounded_twice

_VECTOR_BYTES: Final = 32
_PIECE: Final = 16
_LARGEST: Final = 1 << 12
"""Moments of more elements are those of NumPy, which are faster."""

Moments = tuple[int, Any, Any]
"""How many numbers there are, their mean, and the sum of their squared distances from it."""


def _at_once(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, of float32 all but rounded once."""
    return rounded_twice(a, b, c) if a.dtype == np.float32 else a * b + c


def row_moments(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean and the variance of every row of a matrix."""
    if rows.size > _LARGEST or not rows.size:
        mean = rows.mean(axis=1)
        return mean, np.square(rows - mean[:, None]).mean(axis=1)
    length, width = rows.shape[1], _VECTOR_BYTES // rows.itemsize
    vectors = length // width
    found = _running(rows[:, vectors * width :].T) if length % width else (0, np.zeros(len(rows), rows.dtype), 0)
    if vectors:
        lanes = _merged_pieces(rows[:, : vectors * width].reshape(len(rows), vectors, width).swapaxes(0, 1))
        for lane in range(width):
            found = _lane_merged((vectors, lanes[1][:, lane], lanes[2][:, lane]), found)
    return found[1], found[2] / rows.dtype.type(length)


def _running(numbers: np.ndarray) -> Moments:
    """The moments over the first dimension, one number after another, each difference divided."""
    mean = numbers[0]
    squares = numbers[0] * (numbers[0] - mean)
    for count, number in enumerate(numbers[1:], 2):
        delta = number - mean
        mean = mean + delta / numbers.dtype.type(count)
        squares = squares + delta * (number - mean)
    return len(numbers), mean, squares


def _piece(vectors: np.ndarray) -> Moments:
    """The moments over the first dimension, each difference times one over their number."""
    mean, one = vectors[0], vectors.dtype.type(1)
    squares = vectors[0] * (vectors[0] - mean)
    for count, vector in enumerate(vectors[1:], 2):
        delta = vector - mean
        mean = _at_once(delta, one / vectors.dtype.type(count), mean)
        squares = _at_once(delta, vector - mean, squares)
    return len(vectors), mean, squares


def _merged_pieces(vectors: np.ndarray) -> Moments:
    """The moments over the first dimension: of sixteen vectors each, merged as numbers are counted in binary."""
    whole = len(vectors) // _PIECE
    pieces: list[Moments] = []
    if whole:
        _, mean, squares = _piece(vectors[: whole * _PIECE].reshape(whole, _PIECE, *vectors.shape[1:]).swapaxes(0, 1))
        pieces = [(_PIECE, *each) for each in zip(mean, squares, strict=True)]
    if len(vectors) % _PIECE:
        pieces.append(_piece(vectors[whole * _PIECE :]))
    levels: list[Moments | None] = [None] * max((len(pieces) - 1).bit_length(), 1)
    for number, piece in enumerate(pieces, 1):
        levels[0] = _vectors_merged(piece, levels[0])
        level = 1
        while level < len(levels) and number % (1 << level) == 0:
            levels[level], levels[level - 1] = _vectors_merged(levels[level - 1], levels[level]), None
            level += 1
    total = levels[0]
    for each in levels[1:]:
        total = _vectors_merged(each, total)
    assert total is not None
    return total


def _vectors_merged(added: Moments | None, kept: Moments | None) -> Moments | None:
    if added is None or kept is None:
        return kept if added is None else added
    share, delta = _share(added, kept)
    squares = _at_once(delta * delta * share, kept[1].dtype.type(kept[0]), kept[2] + added[2])
    return kept[0] + added[0], kept[1] + delta * share, squares


def _lane_merged(added: Moments, kept: Moments) -> Moments:
    share, delta = _share(added, kept)
    more = _at_once(delta * delta * share, kept[1].dtype.type(kept[0]), added[2])
    return kept[0] + added[0], _at_once(delta, share, kept[1]), kept[2] + more


def _share(added: Moments, kept: Moments) -> tuple[Any, Any]:
    """The share of what is added, and the difference of the means."""
    kind = added[1].dtype.type
    return kind(added[0]) / kind(added[0] + kept[0]), added[1] - kept[1]


# -- sums --------------------------------------------------------------------------------------------------------------


def products_in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum of ``a * b`` over the first dimension, one row after another, of float32 each rounded once with the sum."""
    if a.dtype != np.float32 or not len(a):
        return np.asarray((a * b).sum(axis=0))
    products = np.multiply(a, b, dtype=np.float64)
    total: np.ndarray = products[0].astype(np.float32)
    for row in products[1:]:
        np.add(row, total, out=total, casting="same_kind")
    return total


def in_order(rows: np.ndarray) -> np.ndarray:
    """The sum over the first dimension, one row after another."""
    return np.asarray(np.add.accumulate(rows, axis=0)[-1] if len(rows) else rows.sum(axis=0))


def vector_sum(rows: np.ndarray) -> np.ndarray:
    """The sum over the last dimension of vectors of eight float32, whose halves are added at last."""
    return _vector_sum(rows, lambda total, here: total + rows[..., here])


def product_vector_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same of ``a * b``; products in the last vector that are fewer are rounded once with their sum."""
    products = a * b
    width = _VECTOR_BYTES // a.itemsize

    def add(total: np.ndarray, here: slice) -> np.ndarray:
        if here.stop - here.start < width:
            return np.asarray(_at_once(a[..., here], b[..., here], total))
        return np.asarray(total + products[..., here])

    return _vector_sum(products, add)


def _vector_sum(rows: np.ndarray, add: Callable[[np.ndarray, slice], np.ndarray]) -> np.ndarray:
    width, length = _VECTOR_BYTES // rows.itemsize, rows.shape[-1]
    if length < width:
        return np.asarray(np.add.accumulate(rows, axis=-1)[..., -1] if length else rows.sum(axis=-1))
    total, whole = rows[..., :width], length // width * width
    for start in range(width, whole, width):
        total = add(total, slice(start, start + width))
    if rest := length - whole:
        total = np.concatenate([add(total[..., :rest], slice(whole, length)), total[..., rest:]], axis=-1)
    while total.shape[-1] > 1:
        half = total.shape[-1] // 2
        total = total[..., :half] + total[..., half:]
    return np.asarray(total[..., 0])
