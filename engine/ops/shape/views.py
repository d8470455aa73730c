"""Shapes and views: reshape, permute, expand, join, cut. Nothing is computed, elements only move."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.strides import view_inside
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.registry import REGISTRY, Array, Arrays, Spread, helper, op
from gradflow.engine.tensor import check_dim

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
CUBE = [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]]


def resolve(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape with its one -1 filled in. Raises RuntimeError where the number of elements does not fit."""
    if shape.count(-1) > 1:
        raise errors.ONE_DIMENSION_INFERRED()
    for index, n in enumerate(shape):
        if n < -1:
            raise errors.INVALID_SHAPE_DIMENSION(size=n, index=index, shape=list(shape))
    known = int(np.prod([n for n in shape if n != -1], dtype=np.int64))
    if -1 in shape and not known and not size:
        raise errors.AMBIGUOUS_SHAPE(shape=list(shape))
    if -1 in shape and known and size % known == 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
    if -1 in shape or int(np.prod(shape, dtype=np.int64)) != size:
        raise errors.INVALID_SHAPE(shape=list(shape), size=size)
    return shape


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    view=True,
    functions=(),
    samples=((V, 3, 2), (V, -1), (V, (6,))),
)
def view(input: Array, size: Spread):
    """The same elements in another shape, in the same memory."""
    target = resolve(size, input.size)
    try:
        return input.reshape(target, copy=False)
    except ValueError:
        raise errors.VIEW_SIZE() from None


def _reshape_tensor(input: Any, shape: tuple[int, ...]) -> Any:
    from gradflow.engine.namespace.functions.composite import reshape

    return reshape(input, shape)


@helper(latex=r"\operatorname{view}\left(⟨0⟩\right)", tensors=_reshape_tensor)
def reshape(input, shape):
    """The same elements in another shape."""
    return input.reshape(shape)


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    grad_fn="UnsafeViewBackward0",
    functions=(),
    methods=(),
    inplace=False,
    samples=((V, (3, 2)),),
    torch="ops.aten._unsafe_view",
)
def unsafe_view(input: Array, shape):
    """A fresh tensor in another shape: what `reshape` runs after it had to copy."""
    return input.reshape(shape)


@op(
    gradients={"input": "reshape(g, input.shape)"},
    latex=r"\operatorname{view}\left(⟨0⟩\right)",
    symbol="view",
    grad_fn="ReshapeAliasBackward0",
    view=True,
    functions=(),
    methods=(),
    inplace=False,
    samples=((V, (3, 2)),),
    torch=None,
)
def reshape_alias(input: Array, shape):
    """A view in another shape: what `reshape` runs on memory that is not in row-major order."""
    return input.reshape(shape, copy=False)


@op(
    gradients={"input": "transpose(g, dim0, dim1)"},
    latex=r"⟨0⟩^{\top}",
    symbol="⊤",
    view=True,
    samples=((V, 0, 1), (CUBE, -1, 0)),
    inplace=False,
)
def transpose(input: Array, dim0, dim1):
    """Two dimensions swapped."""
    first, second = check_dim(dim0, input.ndim), check_dim(dim1, input.ndim)
    return input.swapaxes(first, second) if input.ndim else input.view()


@op(gradients={"input": "t(g)"}, latex=r"⟨0⟩^{\top}", symbol="⊤", view=True, samples=((V,), ([1.0, 2.0],)))
def t(input: Array):
    """The transpose of a matrix; a vector as it is."""
    if input.ndim > 2:
        raise errors.T_DIMENSIONS(name="t", dimensions=input.ndim)
    return input.T


@op(
    gradients={"input": "permute(g, inverse(dims))"},
    latex=r"\operatorname{permute}\left(⟨0⟩\right)",
    symbol="permute",
    view=True,
    samples=((CUBE, 2, 0, 1), (V, (1, 0))),
)
def permute(input: Array, dims: Spread):
    """The dimensions in another order."""
    if len(dims) != input.ndim:
        raise errors.PERMUTE_COUNT(dimensions=input.ndim, given=len(dims))
    order = [check_dim(d, input.ndim) for d in dims]
    if len(set(order)) != len(order):
        raise errors.PERMUTE_REPEATED()
    return input.transpose(order)


@helper()
def inverse(dims):
    """The order that undoes ``permute(dims)``."""
    return tuple(int(i) for i in np.argsort([d % len(dims) for d in dims])) if dims else ()


@op(
    gradients={"input": "squeeze_as(g, input.shape)"},
    grad_fn="SqueezeBackward0",
    symbol="squeeze",
    latex="⟨0⟩",
    view=True,
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]],),),
    torch="squeeze",
)
def squeeze_all(input: Array):
    """Without the dimensions of length 1."""
    return input.reshape(tuple(n for n in input.shape if n != 1))


@helper(latex="⟨0⟩", tensors=_reshape_tensor)
def squeeze_as(input, shape):
    """The dimensions of length 1 back."""
    return input.reshape(shape)


@op(
    gradients={"input": "squeeze_as(g, input.shape)"},
    grad_fn="SqueezeBackward1",
    symbol="squeeze",
    latex="⟨0⟩",
    view=True,
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]], 0), (V, 0)),
    torch="squeeze",
)
def squeeze_dim(input: Array, dim):
    """Without the given dimensions where they have length 1."""
    picked = axes(dim, input.ndim) or ()
    return input.reshape(tuple(n for i, n in enumerate(input.shape) if i not in picked or n != 1))


@op(
    gradients={"input": "squeeze_as(g, input.shape)"},
    grad_fn="SqueezeBackward4",
    symbol="squeeze",
    latex="⟨0⟩",
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0]],),),
    torch=None,
)
def squeeze_row(input: Array):
    """A matrix of one row as a vector: the end of vector times matrix."""
    return input.reshape(input.shape[1:])


@op(
    gradients={"input": "squeeze_dim(g, dim)"},
    latex="⟨0⟩",
    symbol="unsqueeze",
    view=True,
    samples=((V, 0), (V, -1)),
)
def unsqueeze(input: Array, dim):
    """With a new dimension of length 1 at ``dim``."""
    return np.expand_dims(input, check_dim(dim, input.ndim + 1))


@op(
    gradients={"input": "unexpand(g, input.shape)"},
    latex=r"\operatorname{expand}\left(⟨0⟩\right)",
    symbol="expand",
    view=True,
    functions=(),
    samples=(([[1.0], [2.0]], 2, 3), ([1.0, 2.0], (3, -1))),
)
def expand(input: Array, size: Spread):
    """Dimensions of length 1 repeated without copying; -1 keeps a length."""
    missing = len(size) - input.ndim
    if missing < 0:
        raise errors.EXPAND_DIMENSIONS(
            dtype_type=_type_name(input),
            shape=list(input.shape),
            targets=list(size),
            given=len(size),
            dimensions=input.ndim,
        )
    target = []
    for i, n in reversed(list(enumerate(size))):  # the last dimension is looked at first
        own = input.shape[i - missing] if i >= missing else None
        if n == -1 and own is None:
            raise errors.EXPAND_LEADING(target=n, dim=i)
        if own is not None and n not in (-1, own) and own != 1:
            raise errors.EXPAND_SIZE(target=n, size=own, dim=i, targets=list(size), shape=list(input.shape))
        target.append(own if n == -1 and own is not None else n)
    shape = tuple(target[::-1])
    writeable = shape == (1,) * missing + input.shape  # unlike what is repeated
    result = input.reshape(shape, copy=False) if writeable else np.broadcast_to(input, shape)
    strides = _expanded_strides(input, shape)
    return result if result.strides == strides else view_inside(input, shape, strides, writeable)


def _expanded_strides(input: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides in bytes: 0 where a dimension is repeated, and those of contiguous memory where one is added."""
    strides: list[int] = []
    own = list(zip(input.shape, input.strides, strict=True))
    for i, n in reversed(list(enumerate(shape))):
        following = shape[i + 1] * strides[-1] if strides else 0
        length, stride = own.pop() if own else (1, following)
        strides.append(stride if n == length else 0)
    return tuple(reversed(strides))


def _type_name(input: np.ndarray) -> str:
    from gradflow.engine.tensor import dtypes

    return f"torch.{dtypes.of(input).legacy}Tensor"


@op(
    gradients={"input": "strided_backward(g, input.shape, input.strides, size, stride, storage_offset)"},
    latex=r"\operatorname{strided}\left(⟨0⟩\right)",
    symbol="view",
    view=True,
    functions=(),
    methods=(),
    torch="as_strided",
    samples=((V, (2, 2), (3, 1), 1), (V, (2, 2), (1, 1), 0), (V, (6,), (1,))),
)
def as_strided(input: Array, size, stride, storage_offset=0):
    """The view with the given shape, strides and offset, in elements, of the memory behind a tensor."""
    step = input.itemsize
    return _window(input, tuple(size), tuple(s * step for s in stride), storage_offset * step)


def _window(input: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> np.ndarray:
    from gradflow.engine.numerics.strides import strided

    return strided(input, shape, strides, offset)


@op(
    gradients={"input": "as_strided(laid_out(g, strides), size, stride, storage_offset)"},
    functions=(),
    methods=(),
    latex=r"\operatorname{scatter}\left(⟨0⟩\right)",
    symbol="scatter",
    samples=(
        ([[1.0, 2.0], [3.0, 4.0]], (2, 3), (24, 8), (2, 2), (3, 1), 1),
        ([[1.0, 2.0], [3.0, 4.0]], (2, 3), (8, 16), (2, 2), (1, 1), 0),
    ),
    torch=None,
)
def strided_backward(input: Array, shape, strides, size, stride, storage_offset):
    """Zeros of ``shape`` and ``strides`` (in bytes) with each element of a strided view added at its place."""
    spots = np.full(tuple(size), storage_offset, np.int64)
    for axis, (n, step) in enumerate(zip(size, stride, strict=True)):
        spots = spots + (np.arange(n) * step).reshape([-1 if i == axis else 1 for i in range(len(size))])
    steps = [step // input.itemsize for step in strides]
    extent = 1 + int(np.dot(np.array(shape, np.int64) - 1, np.array(steps, np.int64)))
    memory = np.zeros(max(extent, 0), input.dtype)
    inside = (spots >= 0) & (spots < extent)  # the view may reach beyond the tensor it was made from
    np.add.at(memory, spots[inside], np.asarray(input)[inside])
    return view_inside(memory, shape, strides)


@op(
    gradients={"input": "g"},
    latex="⟨0⟩",
    symbol="clone",
    grad_fn="CloneBackward0",
    functions=(),
    methods=(),
    samples=((V, (8, 16)),),
    torch=None,
)
def laid_out(input: Array, strides):
    """A copy whose elements lie in memory as ``strides``, in bytes, say."""
    from gradflow.engine.numerics.strides import like

    result = like(input.shape, input.dtype, strides)
    result[...] = input
    return result


@op(
    gradients={"input": "g"},
    latex="⟨0⟩",
    symbol="clone",
    grad_fn="CloneBackward0",
    functions=(),
    methods=(),
    samples=((V,),),
    torch=None,
)
def contiguous_copy(input: Array):
    """A copy in row-major order."""
    return np.ascontiguousarray(input).copy()


@op(
    gradients={"input": "g"},
    latex="⟨0⟩",
    symbol="alias",
    view=True,
    functions=(),
    methods=(),
    samples=((V,),),
    torch="ops.aten.alias",
)
def alias(input: Array):
    """A view of the whole tensor."""
    return input.view()


# -- joining and cutting -----------------------------------------------------------------------------------------------


@op(
    gradients={"tensors": "cut(g, tensors.shape, dim)"},
    latex=r"\operatorname{cat}\left(⟨0⟩\right)",
    symbol="cat",
    promote="common",
    elementwise=False,
    inplace=False,
    methods=(),
    samples=(([V, V], 0), ([V, [[1.0], [2.0]]], 1), ([V, [[1.0], [2.0]], V], -1)),
)
def cat(tensors: Arrays, dim=0):
    """Tensors joined along an existing dimension."""
    if not tensors:
        raise errors.CAT_EMPTY()
    for index, each in enumerate(tensors):
        if not each.ndim:
            raise errors.JOIN_REFUSED(message=f"zero-dimensional tensor (at position {index}) cannot be concatenated")
    real = [a for a in tensors if a.shape != (0,)] or list(tensors)
    first = real[0]
    axis = check_dim(dim, first.ndim)
    for index, other in enumerate(tensors):
        if other.shape == (0,):
            continue
        if other.ndim != first.ndim:
            raise errors.CAT_DIMENSIONS(a=first.ndim, b=other.ndim)
        for i, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)):
            if i != axis and a != b:
                raise errors.CAT_SIZE(dim=axis, expected=a, actual=b, index=index)
    return np.ascontiguousarray(np.concatenate(real, axis))


def _cut_tensor(g: Any, shapes: list[tuple[int, ...]], dim: int) -> list[Any]:
    narrow = REGISTRY["slice"].call
    starts = _starts(shapes, dim)
    return [
        narrow(g, dim, start, start + shape[dim % len(shape)], 1) if shape != (0,) else g.new_zeros(0)
        for shape, start in zip(shapes, starts, strict=True)
    ]


def _starts(shapes: list[tuple[int, ...]], dim: int) -> list[int]:
    lengths = [shape[dim % len(shape)] if shape != (0,) else 0 for shape in shapes]
    return [sum(lengths[:i]) for i in range(len(lengths))]


@helper(latex=r"\operatorname{split}\left(⟨0⟩\right)", tensors=_cut_tensor)
def cut(g, shapes, dim):
    """The pieces that were joined."""
    if g.ndim == 0 or all(shape == (0,) for shape in shapes):
        return [g for _ in shapes]
    axis = dim % g.ndim
    return [
        g[(slice(None),) * axis + (slice(start, start + shape[axis]),)] if shape != (0,) else np.zeros(0, g.dtype)
        for shape, start in zip(shapes, _starts(shapes, dim), strict=True)
    ]


@op(
    gradients={"tensors": "unbind_list(g, dim)"},
    latex=r"\operatorname{stack}\left(⟨0⟩\right)",
    symbol="stack",
    promote="common",
    elementwise=False,
    inplace=False,
    methods=(),
    samples=(([V, V], 0), ([V, V], -1)),
)
def stack(tensors: Arrays, dim=0):
    """Tensors of one shape joined along a new dimension."""
    if not tensors:
        raise errors.STACK_EMPTY()
    axis = check_dim(dim, tensors[0].ndim + 1)
    for index, other in enumerate(tensors):
        if other.shape != tensors[0].shape:
            raise errors.STACK_SIZE(a=list(tensors[0].shape), b=list(other.shape), index=index)
    return np.ascontiguousarray(np.stack(list(tensors), axis))


def _unbind_tensor(g: Any, dim: int) -> list[Any]:
    return list(REGISTRY["unbind"].call(g, dim))


@helper(latex=r"\operatorname{unbind}\left(⟨0⟩\right)", tensors=_unbind_tensor)
def unbind_list(g, dim):
    """The slices along a dimension."""
    return list(np.moveaxis(g, dim, 0))


def _stack_tensor(g: list[Any], dim: int) -> Any:
    return REGISTRY["stack"].call(g, dim)


@helper(latex=r"\operatorname{stack}\left(⟨0⟩\right)", tensors=_stack_tensor)
def stack_list(g, dim):
    """Slices joined along a new dimension."""
    return np.stack(g, dim)


@op(
    gradients={"input": "stack_list(g, dim)"},
    latex=r"\operatorname{unbind}\left(⟨0⟩\right)",
    symbol="unbind",
    view=True,
    many=True,
    samples=((V, 0), (V, 1)),
)
def unbind(input: Array, dim=0):
    """The slices along a dimension, as views."""
    axis = check_dim(dim, input.ndim)
    return [input[(slice(None),) * axis + (i, ...)] for i in range(input.shape[axis])] if input.ndim else [input]


def _cat_tensor(g: list[Any], dim: int) -> Any:
    return REGISTRY["cat"].call(g, dim)


@helper(latex=r"\operatorname{cat}\left(⟨0⟩\right)", tensors=_cat_tensor)
def cat_list(g, dim):
    """Pieces joined along a dimension."""
    return np.concatenate(g, dim)


def _split_op(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "cat_list(g, dim)"},
        "latex": r"\operatorname{split}\left(⟨0⟩\right)",
        "symbol": "split",
        "view": True,
        "many": True,
        "functions": (),
        "methods": (),
        "grad_fn": name,
    }


@op(**_split_op("SplitBackward0"), samples=((V, 1, 1), (V, 2, 1)), torch="split")
def split_size(input: Array, split_size, dim=0):
    """Pieces of ``split_size`` along a dimension, the last one shorter if need be, as views."""
    axis = check_dim(dim, input.ndim)
    length, step = input.shape[axis], max(int(split_size), 1)
    starts = range(0, length, step) if length else range(1)
    return [input[(slice(None),) * axis + (slice(s, min(s + step, length)),)] for s in starts]


@op(**_split_op("SplitWithSizesBackward0"), samples=((V, (1, 2), 1),), torch="split")
def split_sizes(input: Array, split_sizes, dim=0):
    """Pieces of the given lengths along a dimension, as views."""
    axis = check_dim(dim, input.ndim)
    if sum(split_sizes) != input.shape[axis]:
        raise errors.SPLIT_SIZES(size=input.shape[axis], dim=axis, sizes=list(split_sizes))
    ends = np.cumsum(split_sizes).tolist()
    return [input[(slice(None),) * axis + (slice(e - n, e),)] for e, n in zip(ends, split_sizes, strict=True)]
