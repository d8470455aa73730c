"""Elements in other places: repeated, rolled, turned over, cut into windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.bounded_counts import check_view, tile
from gradflow.engine.numerics.strides import view_inside
from gradflow.engine.ops.creation import checked
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.shape.reshaping import reshape
from gradflow.engine.ops.shape.views import CUBE, V
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import check_dim

ROW = [0.5, -1.25, 2.0, 1.5, 0.75]


@op(functions=(), methods=(), latex="0", torch=None)
def zeros_of(input: Array, shape):
    """Zeros of the dtype of the input and of the given shape."""
    return np.zeros(tuple(shape), input.dtype)


# -- repeated ----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": ("repeat_backward(g, repeats, input.shape)", "copies_added(g, repeats, input.shape)")},
    latex=r"\operatorname{repeat}\left(⟨0⟩\right)",
    functions=(),
    methods=("repeat",),
    inplace=False,
    samples=((V, (2, 1)), (V, (2, 1, 3)), (2.5, (3,)), (V, (1, 1))),
    edges=(([1, 2], (2,)), (2.5, ())),
    torch="Tensor.repeat",
    errors=((V, (2,), "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"),),
)
def repeat(input: Array, repeats):
    """The whole tensor ``repeats`` times along each dimension, copied; new dimensions come first."""
    if len(repeats) < input.ndim:
        raise errors.REPEAT_REFUSED(
            message="Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    padded = (1,) * (len(repeats) - input.ndim) + input.shape
    shape = [n * times for n, times in zip(padded, repeats, strict=True)]
    check_view(checked(tuple(shape)), input.itemsize)
    return tile(input.reshape(padded), tuple(repeats))


@helper()
def copies_added(g, repeats, shape):
    """The copies that `repeat` made, added up as PyTorch does it: new dimensions first, then the others at once."""
    new = len(repeats) - len(shape)
    for _ in range(new):
        g = REGISTRY["sum_dim"].call(g, 0)
    sizes, copies = list[int](), list[int]()
    for times, n in zip(repeats[new:], shape, strict=True):
        if times != 1:
            copies.append(len(sizes))
            sizes.append(times)
        sizes.append(n)
    return REGISTRY["sum_dim"].call(reshape(g, tuple(sizes)), copies) if copies else g


@op(
    gradients={"input": "repeat(g, repeats)"},
    latex=r"\sum_{\text{copies}} ⟨0⟩",
    symbol="Σ",
    functions=(),
    methods=(),
    grad_fn="RepeatBackward0",
    samples=(([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], (1, 2), (3,)),),
    torch=None,
)
def repeat_backward(input: Array, repeats, shape):
    """The copies that `repeat` made, added up."""
    padded = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    pairs = [size for pair in zip(repeats, padded, strict=True) for size in pair]
    copies = tuple(range(0, len(pairs), 2))
    return input.reshape(pairs).sum(axis=copies).reshape(shape)


# -- rolled and turned over --------------------------------------------------------------------------------------------


@helper()
def negated(shifts):
    """The steps that undo ``shifts``."""
    return tuple(-s for s in _several(shifts))


def _several(value: Any) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


@op(
    gradients={"input": "roll(g, negated(shifts), dims)"},
    latex=r"\operatorname{roll}\left(⟨0⟩\right)",
    inplace=False,
    samples=((V, 1), (V, 2, 1), (V, (1, -2), (0, 1)), (V, -1, -1)),
    edges=((V, 0, 0), ([], 1), (V, (1, 1), (0, 0)), ([1, 2], 1)),
    errors=(
        (V, (1, 2), 0, "shifts and dimensions must align. shifts: 2, dims:1"),
        (V, 1, 3, "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
        (V, (), (), "`shifts` required"),
    ),
)
def roll(input: Array, shifts, dims=()):
    """Elements moved by ``shifts`` places along dimensions, those at the end to the front."""
    steps, where = _several(shifts), _several(dims)
    if not steps:
        raise errors.REPEAT_REFUSED(message="`shifts` required")
    if len(steps) == 1 and not where:
        return np.roll(input, steps[0])
    if len(steps) != len(where):
        raise errors.REPEAT_REFUSED(
            message=f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(where)}"
        )
    if not input.ndim and where:
        raise errors.DIM_OF_SCALAR(dim=where[0])
    return np.roll(input, steps, tuple(check_dim(d, input.ndim) for d in where)) if input.ndim else input.copy()


@op(
    gradients={"input": "flip(g, dims)"},
    latex=r"\operatorname{flip}\left(⟨0⟩\right)",
    inplace=False,
    samples=((V, (0,)), (V, (-1, 0)), (CUBE, (1,))),
    edges=((V, ()), ([1, 2], (0,))),
    errors=(
        (V, (0, 0), "dim 0 appears multiple times in the list of dims"),
        (V, (3,), "Dimension out of range (expected to be in range of [-2, 1], but got 3)"),
    ),
)
def flip(input: Array, dims):
    """The order of elements reversed along dimensions, copied."""
    return np.flip(input, axes(_several(dims), input.ndim) or ()).copy()


def _planes(input: np.ndarray, dims: Any) -> tuple[int, int]:
    """The two dimensions of a rotation. Raises RuntimeError for other than two different ones."""
    if len(dims) != 2:
        raise errors.ARRANGEMENT_REFUSED(message=f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise errors.ARRANGEMENT_REFUSED(message=f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = dims
    if first == second or abs(first - second) == input.ndim:
        raise errors.ARRANGEMENT_REFUSED(
            message=f"expected rotation dims to be different, but got dim0 = {first} and dim1 = {second}"
        )
    return check_dim(first, input.ndim), check_dim(second, input.ndim)


@op(
    gradients={"input": "rot90(g, -k, dims)"},
    latex=r"\operatorname{rot}_{⟨1⟩ \cdot 90°}\left(⟨0⟩\right)",
    inplace=False,
    samples=((V,), (V, 2), (V, -1, (1, 0)), (CUBE, 3, (0, 2)), (V, 4)),
    errors=(
        (ROW, "expected total dims >= 2, but got total dims = 1"),
        (V, 1, (0, 0), "expected rotation dims to be different, but got dim0 = 0 and dim1 = 0"),
        (V, 1, (0, 1, 2), "expected total rotation dims == 2, but got dims = 3"),
    ),
)
def rot90(input: Array, k=1, dims=(0, 1)):
    """Turned by ``k`` quarters from the first dimension towards the second."""
    first, second = _planes(input, tuple(dims))
    if k % 4 == 0:
        return input.copy()
    flipped = np.flip(input, ((), (second,), (first, second), (first,))[k % 4]).copy(order="K")
    return flipped.swapaxes(first, second) if k % 2 else flipped


# -- windows -----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "unfold_backward(g, input.shape, dimension, size, step)"},
    view=True,
    functions=(),
    latex=r"\operatorname{windows}\left(⟨0⟩\right)",
    inplace=False,
    samples=((ROW, 0, 2, 1), (ROW, 0, 3, 2), (V, 1, 2, 1), (V, -2, 1, 1), (2.5, 0, 1, 1)),
    edges=((ROW, 0, 0, 2),),
    errors=(
        (ROW, 0, 9, 1, "maximum size for tensor at dimension 0 is 5 but size is 9"),
        (ROW, 0, 2, 0, "step is 0 but must be > 0"),
        (ROW, 0, -2, 1, "size is -2 but must be >= 0"),
    ),
)
def unfold(input: Array, dimension, size, step):
    """Windows of ``size`` elements, ``step`` apart, along a dimension, as a view; they become the last dimension."""
    axis = check_dim(dimension, input.ndim)
    length = input.shape[axis] if input.ndim else 1
    if size < 0:
        raise errors.CUT_REFUSED(message=f"size is {size} but must be >= 0")
    if size > length:
        raise errors.CUT_REFUSED(message=f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    if step <= 0:
        raise errors.CUT_REFUSED(message=f"step is {step} but must be > 0")
    shape, strides = list(input.shape), list(input.strides)
    if input.ndim:
        shape[axis], strides[axis] = (length - size) // step + 1, input.strides[axis] * step
    inner = input.strides[axis] if input.ndim else input.itemsize
    apart = step >= size and input.flags.writeable
    return view_inside(input, (*shape, size), (*strides, inner), writeable=apart)


@op(
    gradients={"input": "unfold(g, dim, size, step)"},
    latex=r"\sum_{\text{windows}} ⟨0⟩",
    symbol="Σ",
    functions=(),
    methods=(),
    samples=(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], (5,), 0, 2, 1),),
    torch=None,
)
def unfold_backward(input: Array, shape, dim, size, step):
    """The windows that `unfold` showed, added up at their places."""
    axis = check_dim(dim, len(shape))
    if not shape:
        return input.reshape(())
    result = np.zeros(shape, input.dtype)
    lead, count = (slice(None),) * axis, input.shape[axis]
    for offset in range(size):
        result[(*lead, slice(offset, offset + (count - 1) * step + 1, step))] += input[..., offset]
    return result
