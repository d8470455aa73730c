"""The functions of views as copies: ``permute_copy`` and its kin. They compute what the view shows, in memory of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import strided
from gradflow.engine.ops.index.indexing import select
from gradflow.engine.ops.pointwise import complex as complex_views
from gradflow.engine.ops.shape import joining, repeat_roll_flip, views
from gradflow.engine.ops.shape.slice_scatter import MISFIT, bounds, squeeze_dims
from gradflow.engine.ops.shape.strided import as_strided
from gradflow.engine.registry import REGISTRY, Array, helper, op

V, CUBE = views.V, views.CUBE


def _copy(name: str, gradient: str, number: str = "0", **more: Any) -> dict[str, Any]:
    """What the copying form of a view declares; ``number`` is that of PyTorch's overload."""
    title = "".join(part.capitalize() for part in name.split("_"))
    own = {
        "gradients": {"input": gradient},
        "grad_fn": f"{title}Backward{number}_copy",
        "symbol": name,
        "latex": rf"\operatorname{{{name.replace('_', ' ')}}}\left(⟨0⟩\right)",
        "inplace": False,
        "methods": (),
        "torch": f"{name}_copy",
    }
    return own | more


def _fresh(view: np.ndarray) -> np.ndarray:
    return np.array(view, order="C")


_HIDDEN: dict[str, Any] = {"functions": ()}


@op(**_copy("alias", "g"), samples=((V,), (CUBE,)))
def alias_copy(input: Array):
    """The tensor, copied in row-major order."""
    return _fresh(input)


@op(**_copy("view", "reshape(g, input.shape)"), samples=((V, (3, 2)), (V, (-1,))))
def view_copy(input: Array, size):
    """The same elements in another shape, copied."""
    return _fresh(views.view(input, tuple(size)))


@op(**_copy("expand", "unexpand(g, input.shape)"), samples=(([[1.0], [2.0]], (2, 3)), ([1.0, 2.0], (3, -1))))
def expand_copy(input: Array, size):
    """Dimensions of length 1 repeated, copied."""
    return _fresh(views.expand(input, tuple(size)))


@op(**_copy("permute", "permute(g, inverse(dims))"), samples=((CUBE, (2, 0, 1)), (V, (1, 0))))
def permute_copy(input: Array, dims):
    """The dimensions in another order, copied."""
    return _fresh(views.permute(input, tuple(dims)))


@op(**_copy("transpose", "transpose(g, dim0, dim1)"), samples=((V, 0, 1), (CUBE, -1, 0)))
def transpose_copy(input: Array, dim0, dim1):
    """Two dimensions swapped, copied."""
    return _fresh(views.transpose(input, dim0, dim1))


@op(**_copy("t", "t(g)"), samples=((V,), ([1.0, 2.0],)))
def t_copy(input: Array):
    """The transpose of a matrix, copied."""
    return _fresh(views.t(input))


@op(**_copy("unsqueeze", "squeeze_as(g, input.shape)"), samples=((V, 0), (V, -1)))
def unsqueeze_copy(input: Array, dim):
    """With a new dimension of length 1, copied."""
    return _fresh(views.unsqueeze(input, dim))


@op(**_copy("squeeze", "squeeze_as(g, input.shape)", **_HIDDEN), samples=(([[1.0, 2.0]],),))
def squeeze_all_copy(input: Array):
    """Without the dimensions of length 1, copied."""
    return _fresh(views.squeeze_all(input))


@op(**_copy("squeeze", "squeeze_as(g, input.shape)", "1", **_HIDDEN), samples=(([[1.0, 2.0]], 0), (V, 0)))
def squeeze_dim_copy(input: Array, dim):
    """Without the given dimension where it has length 1, copied."""
    return _fresh(views.squeeze_dim(input, dim))


@op(**_copy("squeeze", "squeeze_as(g, input.shape)", "2", **_HIDDEN), samples=(([[1.0, 2.0]], (0, 1)),))
def squeeze_dims_copy(input: Array, dim):
    """Without the given dimensions, those of them that have length 1, copied."""
    return _fresh(squeeze_dims(input, dim))


@op(**_copy("select", "select_backward(g, input.shape, dim, index)"), samples=((V, 0, 1), (V, -1, 0)))
def select_copy(input: Array, dim, index):
    """One slice along a dimension, copied."""
    return _fresh(select(input, dim, index))


@op(**_copy("unfold", "unfold_backward(g, input.shape, dimension, size, step)"), samples=((V, 1, 2, 1), (V, -2, 1, 1)))
def unfold_copy(input: Array, dimension, size, step):
    """Windows along a dimension, copied."""
    return _fresh(repeat_roll_flip.unfold(input, dimension, size, step))


@op(
    **_copy("slice", "slice_scatter(zeros_of(g, input.shape), g, dim, start, end, step)"),
    samples=((V,), (V, 1, -2, None, 1), (V, 0, None, None, 2)),
)
def slice_copy(input: Array, dim=0, start=None, end=None, step=1):
    """The elements start, start + step, ... below end along a dimension, copied."""
    return _fresh(input[bounds(input, dim, start, end, step)])


@op(
    **_copy("as_strided", "strided_backward(g, input.shape, input.strides, size, stride, storage_offset)", **_HIDDEN),
    samples=((V, (2, 2), (3, 1), 1), (V, (6,), (1,))),
)
def as_strided_copied(input: Array, size, stride, storage_offset=0):
    """The view with the given shape and strides of the memory behind a tensor, copied."""
    return _fresh(as_strided(input, size, stride, storage_offset))


@op(**_copy("view_as_real", "view_as_complex(contiguous_copy(g))"), samples=(([1.0 + 2.0j, 0.5j],),))
def view_as_real_copy(input: Array):
    """Real and imaginary parts along a new last dimension, copied."""
    return _fresh(complex_views.view_as_real(input))


@op(**_copy("unbind", "stack_list(g, dim)", many=True), samples=((V, 0), (V, 1)))
def unbind_copy(input: Array, dim=0):
    """The slices along a dimension, copied."""
    if not input.ndim:
        raise errors.DIM_OF_SCALAR(dim=dim)
    return [_fresh(part) for part in joining.unbind(input, dim)]


@op(**_copy("split", "cat_list(g, dim)", many=True), samples=((V, 1, 1), (V, 2, 1)))
def split_copy(input: Array, split_size, dim=0):
    """Pieces of ``split_size`` along a dimension, copied."""
    return [_fresh(part) for part in joining.split_size(input, split_size, dim)]


@op(**_copy("split_with_sizes", "cat_list(g, dim)", many=True), samples=((V, (1, 2), 1),))
def split_with_sizes_copy(input: Array, split_sizes, dim=0):
    """Pieces of the given lengths along a dimension, copied."""
    return [_fresh(part) for part in joining.split_sizes(input, tuple(split_sizes), dim)]


def _part_of_tensor(g: Any, size: Any, stride: Any, storage_offset: int) -> Any:
    return REGISTRY["as_strided"].call(REGISTRY["contiguous_copy"].call(g), size, stride, storage_offset)


@helper(latex=r"\operatorname{strided}\left(⟨0⟩\right)", tensors=_part_of_tensor)
def strided_part(g, size, stride, storage_offset):
    """The strided part of a gradient."""
    return as_strided(np.array(g, order="C"), size, stride, storage_offset)


@op(
    gradients={
        # PyTorch gives the input the share of the elements that were replaced
        "input": "strided_scatter(zeros_of(g, input.shape), strided_part(g, size, stride, storage_offset), size, stride, "
        "storage_offset)",
        "src": "strided_part(g, size, stride, storage_offset)",
    },
    grad_fn="AsStridedScatterBackward0",
    latex=r"⟨0⟩ \leftarrow ⟨1⟩",
    symbol="←",
    inplace=False,
    functions=(),
    methods=(),
    edges=((V, [[1.0, 2.0], [3.0, 4.0]], (2, 2), (1, 2)), (V, [7.0, 8.0], (2,), (2,), 1)),
    torch="as_strided_scatter",
    errors=((V, [1.0, 2.0, 3.0], (2, 2), (1, 2), MISFIT.format([3], [2, 2])),),
)
def strided_scatter(input: Array, src: Array, size, stride, storage_offset=0):
    """The input with a strided part of it replaced by ``src``."""
    result = np.array(input, order="C")
    step = input.itemsize
    part = strided(result, tuple(size), tuple(s * step for s in stride), storage_offset * step)
    if part.shape != src.shape:
        raise errors.PART_SHAPE(src=list(src.shape), part=list(part.shape))
    part[...] = src
    return result
