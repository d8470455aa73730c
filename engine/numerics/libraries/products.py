"""Products of matrices, with the signs of PyTorch's zeros, and of small float32 ones with its last digits.

PyTorch's library (MKL) rounds every product before it adds it where the result has fewer than four rows or twelve columns,
as seen on AMD's processors with PyTorch 2.13; larger results are of fused additions, which those of NumPy's library are too.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np

_ROWS: Final = 4
_COLUMNS: Final = 12
"""A result with fewer rows, or with fewer columns, is small."""
_OWN: Final = 400
"""Matrices of a batch with fewer products are multiplied by a loop of PyTorch's own."""
_LARGEST: Final = 1 << 19
"""So many products are added one by one; of more, the time would show."""
_IN_LINES: Final = 1 << 18
"""The same for the sums of matrices whose rows are multiplied."""
_LANES: Final = 4
_AT_ONCE: Final = 1 << 20
"""So many products of rows with a vector are held at once."""
_SHORT: Final = 12
"""Fewer products of the rows that are left over are added one after another."""
_LONG: Final = 32
"""So many products are added to each element of a result at the least, and"""
_FEW: Final = 1 << 16
"""so many elements it has at the most, for NumPy's library to add in an order of its own."""
_CHAINED: Final = 900_000
"""So many products NumPy's library adds up without a break, on processors with AVX-512."""
_BLOCK: Final = 192
"""So many products are added up by PyTorch's library before it begins anew; of fewer than twice as many, half of them."""


def matrix_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``. Of a column and a row PyTorch adds nothing up: a product that is -0 stays so, and is not 0 + -0.

    Shapes as NumPy takes them. Seen with PyTorch 2.13: of matrices of one column and one row, both longer than one.
    """
    if a.ndim < 2 or a.ndim != b.ndim or a.dtype.kind != "f":
        return np.asarray(a @ b)
    rows, inner, columns = *a.shape[-2:], b.shape[-1]
    if inner == 1 and rows > 1 and columns > 1 and a.ndim == 2:
        return np.asarray(np.multiply(a, b, order="C"))
    count = inner * columns * math.prod(a.shape[:-1])
    if a.dtype != np.float32 or not count:
        return np.asarray(a @ b)
    if a.ndim == 2 and (rows == 1 or columns == 1) and count <= _AT_ONCE:
        if columns == 1 and (a.strides[1] == a.itemsize if rows > 1 else b.strides[1] != b.itemsize):
            return _of_rows(a, b[:, 0]).reshape(rows, 1)
        if columns > 1 and b.strides[0] == b.itemsize:
            return _of_rows(b.T, a[0]).reshape(1, columns)
    own = a.ndim > 2 and rows * inner * columns < _OWN
    small = own or rows < _ROWS or columns < _COLUMNS
    if not small or count > _LARGEST:
        return _in_blocks(a, b) if inner >= _LONG else np.asarray(a @ b)
    if own or columns == 1 or inner < _LANES or a.strides[-1] != a.itemsize or b.strides[-2] != a.itemsize:
        return _in_order(a, b)
    return _of_lines(a, b.mT) if a.size * columns <= _IN_LINES else np.asarray(a @ b)


def affine_product(a: np.ndarray, b: np.ndarray, added: np.ndarray) -> np.ndarray:
    """``a @ b + added`` of two matrices: the parts of a long sum are added to what is there."""
    if a.dtype == np.float32 and len(a) >= _ROWS and b.shape[1] >= _COLUMNS and len(b) > _BLOCK:
        return _in_blocks(a, b, added)
    product = matrix_product(a, b)
    return np.asarray(np.add(product, added, out=product) if added.ndim <= 1 else product + added)


def fused_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b`` of matrices, every element one chain of fused additions, however long.

    a lies in memory column after column, b row after row. NumPy's library adds up so what is small, and short sums.
    """
    rows, inner, columns = *a.shape, b.shape[1]
    if rows == 1:
        return fused_product(np.concatenate([a, a]), b)[:1]
    if columns == 1:
        return fused_product(a, np.concatenate([b, b], axis=1))[:, :1]
    if inner <= 2 * _BLOCK or rows * inner * columns <= _CHAINED:
        return np.asarray(_in_columns(a) @ b)
    if rows > 2:
        return np.concatenate([fused_product(each, b) for each in (a[: rows // 2], a[rows // 2 :])])
    if columns > 2:
        return np.concatenate([fused_product(a, each) for each in (b[:, : columns // 2], b[:, columns // 2 :])], axis=1)
    return np.asarray(_in_columns(a) @ b)


def matrix_vector(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """``a @ x`` of a matrix and a vector, with the last digits of PyTorch's."""
    if a.dtype != np.float32 or not 0 < a.size <= _AT_ONCE:
        return np.asarray(a @ x)
    return _of_rows(a, x) if a.strides[1] == a.itemsize else _in_order(a, x[:, None]).reshape(-1)


def vector_product(a: np.ndarray, b: np.ndarray) -> Any:
    """``a @ b`` of two vectors. PyTorch's library adds vectors of four products to four sums, what is left to the first ones."""
    if a.dtype != np.float32 or not a.flags.c_contiguous or not b.flags.c_contiguous or not a.size:
        return a @ b
    products = a * b
    whole = a.size // _LANES
    vectors = products[: whole * _LANES].reshape(whole, _LANES)
    rounds = whole // _LANES
    sums = np.full((_LANES, _LANES), -0.0, np.float32)
    if rounds:
        sums = np.add.reduce(vectors[: rounds * _LANES].reshape(rounds, _LANES, _LANES), axis=0)
    if whole % _LANES >= 2:
        sums[:2] += vectors[rounds * _LANES : rounds * _LANES + 2]
    if whole % 2:
        sums[0] += vectors[-1]
    for each in products[whole * _LANES :]:
        sums[0, 0] += each
    total = sums[0] + sums[1] + sums[2] + sums[3]
    return (total[0] + total[2]) + (total[1] + total[3])


def _in_blocks(a: np.ndarray, b: np.ndarray, added: np.ndarray | None = None) -> np.ndarray:
    """``a @ b`` of fused additions, as PyTorch's library divides long sums: in parts that are added up after one another."""
    inner = b.shape[-2]
    size = inner if inner <= _BLOCK else inner // 2 if inner <= 2 * _BLOCK else _BLOCK
    if a.shape[-2] * b.shape[-1] <= _FEW:
        a = _in_columns(a)
    total = np.asarray(a[..., :size] @ b[..., :size, :])
    if added is not None:
        total = total + added
    for start in range(size, inner, size):
        total += a[..., start : start + size] @ b[..., start : start + size, :]
    return total


def _in_columns(a: np.ndarray) -> np.ndarray:
    """A matrix that lies in memory column after column: of others NumPy's library adds up small results in another order."""
    return a if a.strides[-2] == a.itemsize else np.ascontiguousarray(a.mT).mT


def _of_rows(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """``a @ x`` of a matrix whose rows lie in one piece, and a vector: of four rows at a time, and of those that are left."""
    products = a * x
    rows, inner = products.shape
    whole = rows // _LANES * _LANES
    parts = [_strided(products[:whole], (inner - 1) % _LANES + 1, _LANES)] if whole else []
    if whole < rows:
        few = products[whole:]
        parts.append(np.add.accumulate(few, axis=1)[:, -1] if inner < _SHORT else _strided(few, _LANES, 2 * _LANES))
    return np.concatenate(parts)


def _strided(products: np.ndarray, head: int, lanes: int) -> np.ndarray:
    """The sum of each row: every ``lanes``-th from the ``head``-th on, to the first of these sums what comes before; then the rest."""
    rows, inner = products.shape
    steps = (inner - head) // lanes
    first = np.add.accumulate(products[:, :head], axis=1)[:, -1]
    if steps <= 0:
        return first
    end = head + steps * lanes
    sums = products[:, head:end].reshape(rows, steps, lanes)
    sums[:, 0, 0] += first
    sums = np.add.reduce(sums, axis=1)
    while (lanes := lanes // 2) > 0:
        sums = sums[:, :lanes] + sums[:, lanes:]
    if end == inner:
        return np.asarray(sums[:, 0])
    return np.add.accumulate(np.concatenate([sums, products[:, end:]], axis=1), axis=1)[:, -1]


def _in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b`` of products that are rounded, then added one after another, but in front of the first whole vector of a row."""
    columns = b.shape[-1]
    if columns == 1:
        return np.add.accumulate(a * b.mT, axis=-1)[..., -1:].copy()
    out = np.asarray(np.einsum("...ik,...kj->...ij", a, np.ascontiguousarray(b), order="C"))
    if a.ndim == 2 and columns > _LANES and columns % _LANES and len(b) >= 2 * _LANES:
        before = -np.arange(len(a)) * columns % _LANES
        before[before + _LANES > columns] = 0
        apart = np.arange(_LANES - 1) < before[:, None]
        out[:, : _LANES - 1][apart] = _in_eights(a, b[:, : _LANES - 1])[apart]
    return out


def _in_eights(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``: to the sum so far the first four of eight products are added one by one, the others once they have been added up."""
    products = a[:, :, None] * b
    rows, inner, columns = products.shape
    whole = inner // (2 * _LANES) * 2 * _LANES
    eights = products[:, :whole].reshape(rows, -1, 2 * _LANES, columns)
    added = np.add.accumulate(eights[:, :, _LANES:], axis=2)[:, :, -1:]
    terms = np.concatenate([eights[:, :, :_LANES], added], axis=2).reshape(rows, -1, columns)
    return np.add.accumulate(np.concatenate([terms, products[:, whole:]], axis=1), axis=1)[:, -1]


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


@lru_cache(maxsize=16)
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
