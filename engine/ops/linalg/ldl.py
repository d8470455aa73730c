"""The LDL decomposition of symmetric and Hermitian matrices with the pivoting of Bunch and Kaufman (1977)."""

from __future__ import annotations

import math

import numpy as np

ALPHA = (1 + math.sqrt(17)) / 8


def factor(input: np.ndarray, hermitian: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The compact decomposition of each matrix by its lower triangle, its exchanges, and where it broke down."""
    compact = np.tril(input)
    pivots = np.zeros(input.shape[:-1], np.int32)
    info = np.zeros(input.shape[:-2], np.int32)
    conjugate = hermitian and input.dtype.kind == "c"
    for index in np.ndindex(*input.shape[:-2]):
        info[index] = _factor(compact[index], pivots[index], conjugate)
    return compact, pivots, info


def failure(info: np.ndarray) -> str:
    """PyTorch's words for a decomposition that cannot be used."""
    first = int(np.flatnonzero(info)[0])
    batch = f"(Batch element {first}): " if info.ndim else ""
    order = int(info.reshape(-1)[first])
    return (
        f"torch.linalg.ldl_factor_ex: {batch}The factorization was completed, but the diagonal block D[{order},{order}] is exactly "
        "singular, and division by zero will occur if it is used to solve a system of equations."
    )


def _size(x: np.ndarray) -> np.ndarray:
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _factor(a: np.ndarray, pivots: np.ndarray, conjugate: bool) -> int:
    n, k, info = len(a), 0, 0
    while k < n:
        if conjugate:
            a[k, k] = a[k, k].real
        width, pivot, zero = _choice(a, k)
        if zero:
            info = info or k + 1
        else:
            _exchange(a, k + width - 1, pivot, k, conjugate)
            _eliminate(a, k, width, conjugate)
        pivots[k : k + width] = pivot + 1 if width == 1 else -(pivot + 1)
        k += width
    return info


def _choice(a: np.ndarray, k: int) -> tuple[int, int, bool]:
    """The width of the next block, the row that comes into it, and whether its column is 0."""
    diagonal = _size(a[k, k])
    column = _size(a[k + 1 :, k])
    largest = column.max(initial=0)
    if max(diagonal, largest) == 0:
        return 1, k, True
    if diagonal >= ALPHA * largest:
        return 1, k, False
    row = k + 1 + int(column.argmax())
    across = max(_size(a[row, k:row]).max(initial=0), _size(a[row + 1 :, row]).max(initial=0))
    if diagonal >= ALPHA * largest * (largest / across):
        return 1, k, False
    if _size(a[row, row]) >= ALPHA * across:
        return 1, row, False
    return 2, row, False


def _exchange(a: np.ndarray, first: int, second: int, k: int, conjugate: bool) -> None:
    """Exchange two rows and columns of what is left of a symmetric matrix, given by its lower triangle."""
    if first == second:
        return
    rest = np.tril(a[k:, k:])
    turned = np.tril(rest, -1).T
    whole = rest + (turned.conj() if conjugate else turned)
    order = np.arange(len(whole))
    order[[first - k, second - k]] = order[[second - k, first - k]]
    a[k:, k:] = np.tril(whole[order][:, order])


def _eliminate(a: np.ndarray, k: int, width: int, conjugate: bool) -> None:
    end = k + width
    block = np.tril(a[k:end, k:end])
    turned = np.tril(block, -1).T
    block = block + (turned.conj() if conjugate else turned)
    columns = a[end:, k:end].copy()
    multipliers = columns @ np.linalg.inv(block)
    a[end:, end:] -= np.tril(multipliers @ (columns.conj() if conjugate else columns).T)
    a[end:, k:end] = multipliers


def solve(compact: np.ndarray, pivots: np.ndarray, right: np.ndarray, hermitian: bool) -> np.ndarray:
    """The solution X of A X = B."""
    batch = np.broadcast_shapes(compact.shape[:-2], right.shape[:-2])
    n, conjugate = compact.shape[-1], hermitian and compact.dtype.kind == "c"
    result = np.broadcast_to(right, (*batch, *right.shape[-2:])).copy()
    compact, pivots = np.broadcast_to(compact, (*batch, n, n)), np.broadcast_to(pivots, (*batch, n))
    for index in np.ndindex(*batch):
        _solve(compact[index], pivots[index], result[index], conjugate)
    return result


def _blocks(pivots: np.ndarray) -> list[tuple[int, int, int]]:
    """The first row, the width and the exchanged row of each block."""
    blocks, k = [], 0
    while k < len(pivots):
        width = 1 if pivots[k] > 0 else 2
        blocks.append((k, width, abs(int(pivots[k])) - 1))
        k += width
    return blocks


def _solve(a: np.ndarray, pivots: np.ndarray, x: np.ndarray, conjugate: bool) -> None:
    blocks = _blocks(pivots)
    for k, width, other in blocks:
        last, end = k + width - 1, k + width
        x[[last, other]] = x[[other, last]]
        x[end:] -= a[end:, k:end] @ x[k:end]
    for k, width, _ in blocks:
        block = np.tril(a[k : k + width, k : k + width])
        turned = np.tril(block, -1).T
        x[k : k + width] = np.linalg.solve(block + (turned.conj() if conjugate else turned), x[k : k + width])
    for k, width, other in reversed(blocks):
        last, end = k + width - 1, k + width
        below = a[end:, k:end].conj() if conjugate else a[end:, k:end]
        x[k:end] -= below.T @ x[end:]
        x[[last, other]] = x[[other, last]]
