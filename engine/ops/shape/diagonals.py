"""Diagonals, triangles and blocks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.ops.shape.repeat_roll_flip import ROW
from gradflow.engine.ops.shape.views import CUBE, V
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import REGISTRY, Array, Arrays, helper, op
from gradflow.engine.tensor import check_dim

_DIAGONAL: dict[str, Any] = {
    "latex": r"\operatorname{diag}\left(⟨0⟩\right)", "inplace": False,
    "gradients": {"input": "diagonal_backward(g, input.shape, offset, dim1, dim2)"},
}  # fmt: skip


def _pair(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    first, second = check_dim(dim1, ndim), check_dim(dim2, ndim)
    if first == second:
        raise errors.ARRANGEMENT_REFUSED(message=f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


def _diagonal(input: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    """As a view, written through where the tensor can be."""
    first, second = _pair(dim1, dim2, input.ndim)
    result = bounded_counts.diagonal(input, offset, first, second)
    if input.flags.writeable:
        result.flags.writeable = True
    return result


@op(
    **_DIAGONAL,
    view=True,
    samples=((V,), (V, 1), (V, -1), (CUBE, 0, 1, 2), (CUBE, 0, -1, 0)),
    edges=((V, 9),),
    errors=(
        (V, 0, 0, 0, "diagonal dimensions cannot be identical 0, 0"),
        (ROW, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ),
)
def diagonal(input: Array, offset=0, dim1=0, dim2=1):
    """The elements of a diagonal, as a view; it becomes the last dimension."""
    return _diagonal(input, offset, dim1, dim2)


@op(
    **_DIAGONAL,
    functions=(),
    methods=(),
    symbol="diag",
    samples=((V,), (V, 1)),
    grad_fn="DiagonalBackward0_copy",
    torch="diagonal_copy",
)
def diagonal_copy(input: Array, offset=0, dim1=0, dim2=1):
    """The elements of a diagonal, copied: what `diag` makes of a matrix."""
    return _diagonal(input, offset, dim1, dim2).copy()


@op(
    gradients={"input": "diagonal(g, offset, dim1, dim2)"},
    latex=r"\operatorname{diag}\left(⟨0⟩\right)",
    symbol="diag",
    functions=(),
    methods=(),
    samples=(([1.0, 2.0], (2, 3), 0, 0, 1),),
    torch=None,
)
def diagonal_backward(input: Array, shape, offset, dim1, dim2):
    """Zeros with the given diagonal."""
    result = np.zeros(shape, input.dtype)
    _diagonal(result, offset, dim1, dim2)[...] = input
    return result


@op(
    gradients={"input": "diagonal(g, offset, dim1, dim2)"},
    latex=r"\operatorname{diag}\left(⟨0⟩\right)",
    symbol="diag",
    inplace=False,
    samples=(([1.0, 2.0, 3.0],), (V,), (V, 1), (V, -1, 0, 2), ([1.0, 2.0], 0, -1, 0)),
    errors=(([1.0, 2.0], 0, 0, 0, "diagonal dimensions cannot be identical 0, 0"),),
)
def diag_embed(input: Array, offset=0, dim1=-2, dim2=-1):
    """Zeros with the last dimension on a diagonal between two new ones."""
    if not input.ndim:
        check_dim(dim1, 1)
    first, second = _pair(dim1, dim2, input.ndim + 1)
    length = input.shape[-1] + abs(offset)
    shape = list(input.shape[:-1])
    for axis in sorted((first, second)):
        shape.insert(axis, length)
    return diagonal_backward(input, tuple(shape), offset, first, second)


def _triangle(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": f"{name}(g, diagonal)"},
        "latex": rf"\operatorname{{{name}}}\left(⟨0⟩\right)",
        "inplace": True,
        "samples": ((V,), (V, 1), (V, -1), (CUBE,)),
        "edges": (([[1, 2], [3, 4]],), (V, 9), (V, -9)),
        "errors": ((ROW, f"{name}: input tensor must have at least 2 dimensions"),),
    }


def _matrices(input: np.ndarray, name: str) -> np.ndarray:
    if input.ndim < 2:
        raise errors.ARRANGEMENT_REFUSED(message=f"{name}: input tensor must have at least 2 dimensions")
    return input


@op(
    **_triangle("tril"),
    out=exactly(EXPECTED),
)
def tril(input: Array, diagonal=0):
    """The lower triangle of matrices; 0 above the diagonal of that number."""
    return np.tril(_matrices(input, "tril"), diagonal)


@op(
    **_triangle("triu"),
    out=exactly(EXPECTED),
)
def triu(input: Array, diagonal=0):
    """The upper triangle of matrices; 0 below the diagonal of that number."""
    return np.triu(_matrices(input, "triu"), diagonal)


def _corners(shapes: list[tuple[int, ...]]) -> list[tuple[int, int, int, int]]:
    """Row, column, height and width of each block."""
    found, row, column = [], 0, 0
    for shape in shapes:
        height, width = (1, 1, *shape)[-2:]
        found.append((row, column, height, width))
        row, column = row + height, column + width
    return found


def _blocks_tensor(g: Any, shapes: list[tuple[int, ...]]) -> list[Any]:
    cut, squeeze = REGISTRY["slice"].call, REGISTRY["squeeze_dim"].call
    found = []
    for (r, c, h, w), shape in zip(_corners(shapes), shapes, strict=True):
        block = cut(cut(g, 0, r, r + h, 1), 1, c, c + w, 1)
        for _ in range(2 - len(shape)):
            block = squeeze(block, -1)
        found.append(block)
    return found


@helper(latex=r"\operatorname{blocks}\left(⟨0⟩\right)", tensors=_blocks_tensor)
def blocks(g, shapes):
    """The blocks along the diagonal of a matrix."""
    return [
        g[r : r + h, c : c + w].reshape(shape) for (r, c, h, w), shape in zip(_corners(shapes), shapes, strict=True)
    ]


@op(
    gradients={"tensors": "blocks(g, tensors.shape)"},
    latex=r"\operatorname{blocks}\left(⟨0⟩\right)",
    promote="common",
    elementwise=False,
    inplace=False,
    functions=(),
    methods=(),
    samples=(([V, ROW],), ([V, 2.5, [[1.0], [2.0]]],)),
    torch="block_diag",
    adapt=lambda join, tensors: join(*tensors),
)
def block_diag(tensors: Arrays):
    """Matrices, vectors as rows and numbers along the diagonal of a matrix of zeros."""
    for number, each in enumerate(tensors):
        if each.ndim > 2:
            raise errors.JOIN_REFUSED(
                message="torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {number} has {each.ndim} dimensions"
            )
    corners = _corners([a.shape for a in tensors])
    row, column, height, width = corners[-1]
    result = np.zeros((row + height, column + width), tensors[0].dtype)
    for (r, c, h, w), each in zip(corners, tensors, strict=True):
        result[r : r + h, c : c + w] = each
    return result
