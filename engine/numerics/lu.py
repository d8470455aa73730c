"""Gaussian elimination in the order of operations of the library behind PyTorch, so that small systems have its bits."""

from __future__ import annotations

import numpy as np

SMALL = 24
"""Up to this order a system is solved here; larger ones go to NumPy's LAPACK."""
_DIVIDED = 4
"""Up to this number of rows a column of one element is divided; any other is multiplied by the reciprocal."""


def sizes(x: np.ndarray) -> np.ndarray:
    """What LAPACK compares pivots by: of complex numbers not the absolute value."""
    return np.asarray(np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x))


def eliminate(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The compact LU decomposition with partial pivoting of each matrix, and its row exchanges, counted from 0."""
    lu = input.copy()
    rows, columns = input.shape[-2:]
    steps = min(rows, columns)
    pivots = np.zeros((*input.shape[:-2], steps), np.int64)
    for k in range(steps):
        pivot = k + sizes(lu[..., k:, k]).argmax(-1)
        pivots[..., k] = pivot
        _exchange(lu, k, pivot)
        divisor = lu[..., k : k + 1, k]
        divisor = np.where(divisor == 0, lu.dtype.type(1), divisor)
        below = lu[..., k + 1 :, k]
        if rows - k == 2 and rows <= _DIVIDED:
            below /= divisor
        else:
            below *= lu.dtype.type(1) / divisor
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k : k + 1] * lu[..., k : k + 1, k + 1 :]
    return lu, pivots


def _exchange(rows: np.ndarray, k: int, pivot: np.ndarray) -> None:
    """Exchange row ``k`` of each matrix with its row ``pivot``."""
    chosen = np.take_along_axis(rows, pivot[..., None, None], -2)
    np.put_along_axis(rows, pivot[..., None, None], rows[..., k : k + 1, :].copy(), -2)
    rows[..., k : k + 1, :] = chosen


def eliminate_for_determinant(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The decomposition that a determinant is read from: PyTorch hands a contiguous real matrix over transposed."""
    turned = input.flags.c_contiguous and input.dtype.kind != "c"
    lu, pivots = eliminate(input.swapaxes(-2, -1) if turned else input)
    swaps = (pivots != np.arange(pivots.shape[-1])).sum(-1)
    return np.diagonal(lu, axis1=-2, axis2=-1), (1 - 2 * (swaps % 2)).astype(input.dtype)


def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The solution X of a X = b, for matrices or batches of them. Raises LinAlgError where ``a`` is singular."""
    order = a.shape[-1]
    if order > SMALL or a.dtype.kind == "c" or not b.size:
        return np.linalg.solve(a, b)
    lu, pivots = eliminate(a)
    if (np.diagonal(lu, axis1=-2, axis2=-1) == 0).any():
        raise np.linalg.LinAlgError
    return _substitute(lu, pivots, b)


def solve_nearby(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same, where pivots that are 0 count as the smallest step above 1 of the dtype."""
    lu, pivots = eliminate(a)
    diagonal = np.einsum("...ii->...i", lu)
    diagonal[diagonal == 0] = np.finfo(lu.dtype).eps
    return _substitute(lu, pivots, b)


def _substitute(lu: np.ndarray, pivots: np.ndarray, b: np.ndarray) -> np.ndarray:
    order = lu.shape[-1]
    batch = np.broadcast_shapes(lu.shape[:-2], b.shape[:-2])
    x = np.broadcast_to(b, (*batch, *b.shape[-2:])).copy()
    pivots = np.broadcast_to(pivots, (*batch, order))
    for k in range(order):
        _exchange(x, k, pivots[..., k])
    for i in range(1, order):
        x[..., i, :] -= _products(lu, x, i, range(i))
    for i in reversed(range(order)):
        if i < order - 1:
            x[..., i, :] -= _products(lu, x, i, range(order - 1, i, -1))
        x[..., i, :] *= lu.dtype.type(1) / lu[..., i, i, None]
    return x


def _products(lu: np.ndarray, x: np.ndarray, row: int, columns: range) -> np.ndarray:
    """The sum, one after the other, of elements of a row times the rows of the solution that are known."""
    first, *others = columns
    total: np.ndarray = lu[..., row, first, None] * x[..., first, :]
    for j in others:
        total = total + lu[..., row, j, None] * x[..., j, :]
    return total


def partial_cholesky(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The factor as far as it goes, and the order of the first minor that is not positive, or 0."""
    factor, info = np.tril(input), np.zeros(input.shape[:-2], np.int32)
    for index in np.ndindex(*input.shape[:-2]):
        info[index] = _factor(factor[index])
    return factor, info


def _factor(a: np.ndarray) -> int:
    for k in range(len(a)):
        left = a[k, :k]
        a[k, k] = pivot = a[k, k].real - (left @ left.conj()).real
        if not pivot > 0:
            return k + 1
        a[k, k] = np.sqrt(pivot)
        a[k + 1 :, k] = (a[k + 1 :, k] - a[k + 1 :, :k] @ left.conj()) / a[k, k]
    return 0
