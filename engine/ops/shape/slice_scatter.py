"""Parts of a tensor cut out as copies, and tensors with a part replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.index.indexing import select as select_body
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.shape.diagonals import diagonal as diagonal_body
from gradflow.engine.ops.shape.joining import split_size as even_pieces
from gradflow.engine.ops.shape.joining import split_sizes as sized_pieces
from gradflow.engine.ops.shape.views import CUBE, V
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import Array, op
from gradflow.engine.tensor import check_dim

W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
MISFIT = "expected src to have a size equal to the slice of self. src size = {}, slice size = {}"


def _unsafe(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "cat_list(g, dim)"},
        "latex": r"\operatorname{split}\left(⟨0⟩\right)",
        "symbol": "split",
        "many": True,
        "inplace": False,
        "methods": (name,),
        "functions": (name,),
    }


@op(**_unsafe("unsafe_split"), samples=((V, 1, 1), (V, 2, 1)))
def unsafe_split(input: Array, split_size, dim=0):
    """Pieces of ``split_size`` along a dimension, that may each be written in place."""
    return [piece.copy() for piece in even_pieces(input, split_size, dim)]


@op(**_unsafe("unsafe_split_with_sizes"), samples=((V, (1, 2), 1),))
def unsafe_split_with_sizes(input: Array, split_sizes, dim=0):
    """Pieces of the given lengths along a dimension, that may each be written in place."""
    return [piece.copy() for piece in sized_pieces(input, split_sizes, dim)]


_INTERNAL = (
    "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error message be "
    "improved?  If so, please report an enhancement request to PyTorch.)"
)


@op(
    gradients={"input": "slice_backward(g, input.shape, dim, start, start + length, 1)"},
    latex="⟨0⟩_{⟨2⟩:}",
    symbol="[:]",
    methods=("narrow_copy",),
    inplace=False,
    samples=((V, 1, 0, 2), (V, 0, 1, 1)),
    edges=((V, 0, 2, 0),),
    errors=(
        (V, 0, 1, 2, "start (1) + length (2) exceeds dimension size (2)."),
        (V, 0, 1, -1, "start (1) + length (-1) exceeds dimension size (2)."),
        (V, 2, 0, 1, _INTERNAL),
    ),
    out=exactly(
        "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?"
        "  If so, please report an enhancement request to PyTorch.)",
        silent=True,
    ),
)
def narrow_copy(input: Array, dim, start, length):
    """``length`` slices from ``start`` along a dimension, copied."""
    if input.ndim and dim >= input.ndim:
        raise errors.CUT_REFUSED(message=_INTERNAL)
    axis, begin = narrowed(input, dim, start, max(length, 0))
    if length < 0:
        raise errors.CUT_REFUSED(
            message=f"start ({begin}) + length ({length}) exceeds dimension size ({input.shape[axis]})."
        )
    return input[(slice(None),) * axis + (slice(begin, begin + length),)].copy()


def narrowed(input: np.ndarray, dim: int, start: int, length: int) -> tuple[int, int]:
    """The dimension and the start of `narrow`, counted from the front. Raises as PyTorch where they do not fit."""
    if not input.ndim:
        raise errors.CUT_REFUSED(message="narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise errors.CUT_REFUSED(message="narrow(): length must be non-negative.")
    axis = check_dim(dim, input.ndim)
    size = input.shape[axis]
    if not -size <= start <= size:
        raise errors.CUT_RANGE(
            message=f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    begin = start + size if start < 0 else start
    if begin + length > size:
        raise errors.CUT_REFUSED(message=f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return axis, begin


# -- a part replaced ---------------------------------------------------------------------------------------------------


def _replaced(input: np.ndarray, src: np.ndarray, part: Any) -> np.ndarray:
    """A copy with ``src`` in the part that a function shows of it."""
    result = input.copy()
    target = part(result)
    if target.shape != src.shape:
        raise errors.PART_SHAPE(src=list(src.shape), part=list(target.shape))
    target[...] = src
    return result


def _scatter(name: str, part: str) -> dict[str, Any]:
    """The gradient is cut out for the source, and 0 there for the input."""
    return {
        "gradients": {"input": f"{name}(g, zeros_like_array({part}), {part.partition('(g, ')[2]}", "src": part},
        "latex": r"⟨0⟩ \leftarrow ⟨1⟩",
        "symbol": "←",
        "inplace": False,
    }


@op(
    **_scatter("select_scatter", "select(g, dim, index)"),
    samples=((V, [1.0, 2.0, 3.0], 0, 1), (V, [7.0, 8.0], -1, -1)),
    errors=(
        (V, [1.0, 2.0], 0, 0, MISFIT.format([2], [3])),
        (V, [1.0, 2.0, 3.0], 0, 5, "select(): index 5 out of range for tensor of size [2, 3] at dimension 0"),
    ),
)
def select_scatter(input: Array, src: Array, dim, index):
    """The input with one slice along a dimension replaced by ``src``."""
    return _replaced(input, src, lambda a: select_body(a, dim, index))


@op(
    **_scatter("diagonal_scatter", "diagonal(g, offset, dim1, dim2)"),
    samples=((V, [1.0, 2.0]), (V, [7.0, 8.0], 1), (CUBE, [[1.0, 2.0], [3.0, 4.0]], 0, 1, 2)),
    errors=((V, [1.0], MISFIT.format([1], [2])),),
)
def diagonal_scatter(input: Array, src: Array, offset=0, dim1=0, dim2=1):
    """The input with a diagonal replaced by ``src``."""
    return _replaced(input, src, lambda a: diagonal_body(a, offset, dim1, dim2))


def bounds(input: np.ndarray, dim: int, start: Any, end: Any, step: int) -> tuple[Any, ...]:
    """The key of a slice along a dimension. Raises RuntimeError where there is no such slice."""
    if not input.ndim:
        raise errors.CUT_REFUSED(message="slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise errors.CUT_REFUSED(message="slice step must be positive")
    return (slice(None),) * check_dim(dim, input.ndim) + (slice(start, end, step),)


@op(
    gradients={
        "input": "slice_scatter(g, zeros_like_array(sliced(g, dim, start, end, step)), dim, start, end, step)",
        "src": "sliced(g, dim, start, end, step)",
    },
    latex=r"⟨0⟩ \leftarrow ⟨1⟩",
    symbol="←",
    inplace=False,
    samples=(
        (V, W),
        (V, [[1.0, 2.0, 3.0]], 0, 1),
        (V, [[1.0, 2.0], [3.0, 4.0]], 1, 0, 3, 2),
        (V, [[1.0], [2.0]], -1, -1),
    ),
    edges=((V, [[1.0], [2.0]], 1, 2, 9),),
    errors=((V, W, 0, 0, 1, MISFIT.format([2, 3], [1, 3])), (V, W, 0, 0, 2, 0, "slice step must be positive")),
    out=exactly(EXPECTED, gradient=None),
)
def slice_scatter(input: Array, src: Array, dim=0, start=None, end=None, step=1):
    """The input with the elements start, start + step, ... below end along a dimension replaced by ``src``."""
    return _replaced(input, src, lambda a: a[bounds(a, dim, start, end, step)])


@op(
    gradients={"input": "slice_scatter(zeros_of(g, input.shape), g, dim, start, end, step)"},
    latex="⟨0⟩_{⟦2:⟨2⟩⟧:⟦3:⟨3⟩⟧}",
    symbol="[:]",
    functions=(),
    methods=(),
    grad_fn="SliceBackward0",
    inplace=False,
    samples=((V, 1, -2, None, 1), (V, 0, None, None, 2)),
    torch="slice_copy",
    adapt=lambda _, input, dim, start, end, step: _slice_view(input, dim, start, end, step),
)
def sliced(input: Array, dim, start, end, step):
    """The elements between bounds that may be left out or count from the end, copied."""
    return input[bounds(input, dim, start, end, step)].copy()


def _slice_view(input: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    return input[bounds(input, dim, start, end, step)]


@op(functions=(), methods=(), latex="⟨0⟩", symbol="view", torch=None)
def view_dtype(input: Array, dtype):
    """The same memory read as another dtype."""
    return input.view(dtype.numpy)


@op(
    gradients={"input": ("squeeze_as(g, input.shape)", "unsqueezed(g, input.shape, dim)")},
    grad_fn="SqueezeBackward2",
    symbol="squeeze",
    latex="⟨0⟩",
    view=True,
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]], (0, 1)), ([[[1.0]], [[2.0]]], (1, -1))),
    torch="squeeze",
)
def squeeze_dims(input: Array, dim):
    """Without the given dimensions, those of them that have length 1."""
    picked = axes(dim, input.ndim) or ()
    return input.reshape(tuple(n for i, n in enumerate(input.shape) if i not in picked or n != 1))
