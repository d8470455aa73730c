"""Products of matrices, with the signs of PyTorch's zeros, and of small float32 ones with its last digits.

PyTorch's library (MKL) rounds every product before it adds it where the result has fewer than four rows or twelve columns,
as seen on AMD's processors with PyTorch 2.13; larger results are of fused additions, which those of NumPy's library are too.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np

_ROWS: Final = 4
_COLUMNS: Final = 12
"""A result with fewer rows, or with fewer columns, is small."""
_OWN: Final = 400
"""Matrices of a batch with fewer products are multiplied by a loop of PyTorch's own."""
_LARGEST: Final = 1 << 15
"""So many products are added one by one; of more, the time would show."""
_IN_LINES: Final = 1 << 13
"""The same for the sums of matrices whose rows are multiplied."""
_LANES: Final = 4


def matrix_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``. Of a column and a row PyTorch adds nothing up: a product that is -0 stays so, and is not 0 + -0.

    Shapes as NumPy takes them. Seen with PyTorch 2.13: of matrices of one column and one row, both longer than one.
    """
    if a.ndim < 2 or a.ndim != b.ndim or a.dtype.kind != "f":
        return np.asarray(a @ b)
    rows, inner, columns = *a.shape[-2:], b.shape[-1]
    if inner == 1 and rows > 1 and columns > 1 and a.ndim == 2:
        return np.asarray(np.multiply(a, b, order="C"))
    own = a.ndim > 2 and rows * inner * columns < _OWN
    small = own or rows < _ROWS or columns < _COLUMNS
    if not small or a.dtype != np.float32 or not 0 < inner * columns * math.prod(a.shape[:-1]) <= _LARGEST:
        return np.asarray(a @ b)
    if own or columns == 1 or inner < _LANES or a.strides[-1] != a.itemsize or b.strides[-2] != a.itemsize:
        return _in_order(a, b)
    return _of_lines(a, b.mT) if a.size * columns <= _IN_LINES else np.asarray(a @ b)


def _in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b`` of products that are rounded, then added one after another."""
    if b.shape[-1] > 1:
        return np.asarray(np.einsum("...ik,...kj->...ij", a, np.ascontiguousarray(b), order="C"))
    return np.add.accumulate(a * b.mT, axis=-1)[..., -1:].copy()


def _of_lines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b.mT`` of matrices whose rows lie in one piece: four sums of every fourth product, of eight in the last columns."""
    if a.ndim > 2:
        return np.stack([_of_lines(*pair) for pair in zip(a, b, strict=True)])
    shape = (len(a), len(b), a.shape[1])
    products = np.zeros(math.prod(shape) + 1, a.dtype)  # at last a zero, for sums that have no more products
    np.multiply(a[:, None], b, out=products[:-1].reshape(shape))
    together, after = _places(*shape)
    sums = np.add.reduce(products.take(together), axis=0)
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
    total = sums[0]
    for each in after:
        total = total + products.take(each)
    return np.asarray(total)


@lru_cache(maxsize=32)
def _places(rows: int, columns: int, inner: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Which products are added to each of eight sums of an element, step by step, and which come after these.

    What lies before the first whole vector of four in memory goes into the first sum.
    """
    lanes = np.where(np.arange(columns) < columns // _LANES * _LANES, _LANES, 2 * _LANES)
    before = np.minimum(-np.arange(rows)[:, None] * inner % _LANES, inner)
    vectors = (inner - before) // lanes
    step, lane = np.arange(_LANES - 1 + inner // _LANES)[:, None, None, None], np.arange(2 * _LANES)[:, None, None]
    inside = (step >= before) & (step < before + vectors) & (lane < lanes)
    places = np.where((step < before) & (lane == 0), step, inner)
    places = np.where(inside, before + (step - before) * lanes + lane, places)
    after = np.minimum(before + vectors * lanes + lane, inner)
    first = np.arange(rows * columns).reshape(rows, columns) * inner
    together, after = (np.where(each < inner, first + each, rows * columns * inner) for each in (places, after))
    none = rows * columns * inner
    return together[(together < none).any(axis=(1, 2, 3))], [each for each in after if (each < none).any()]
