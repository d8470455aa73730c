"""Views by strides and offset, and copies that are laid out in memory as asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.bounded_counts import check_view
from gradflow.engine.numerics.strides import like, strided, view_inside
from gradflow.engine.ops.shape.views import V
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor


@helper()
def strided_pieces(g, shape, strides, size, stride, offset):
    """The gradient of a strided view as PyTorch composes it: written into new memory, which is then seen as the input."""
    steps = tuple(step // g._a.itemsize for step in strides)
    last = max(_extent(shape, steps), offset + _extent(size, stride))
    memory = Tensor(np.zeros(last, g._a.dtype))
    view = REGISTRY["as_strided"].call
    region = view(memory, tuple(size), tuple(stride), offset)
    if _overlaps(last, size, stride, offset) or _overlaps(last, shape, steps, 0):
        return REGISTRY["strided_backward"].call(g, shape, strides, size, stride, offset)
    region.copy_(g)
    return view(memory, shape, steps, 0)


def _overlaps(extent: int, shape: tuple[int, ...], steps: tuple[int, ...], offset: int) -> bool:
    """Whether elements of a tensor share their place in memory."""
    places = np.arange(extent)
    seen = strided(places, tuple(shape), tuple(step * places.itemsize for step in steps), offset * places.itemsize)
    return len(np.unique(seen)) < seen.size


def _extent(shape: tuple[int, ...], steps: tuple[int, ...]) -> int:
    """How many elements of memory a tensor reaches over."""
    return 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True)) if 0 not in shape else 0


@op(
    gradients={
        "input": (
            "strided_backward(g, input.shape, input.strides, size, stride, storage_offset)",
            "strided_pieces(g, input.shape, input.strides, size, stride, storage_offset)",
        )
    },
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
    check_view(size, step)
    return strided(input, tuple(size), tuple(s * step for s in stride), storage_offset * step)


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


def _in_order_of_tensor(g: Any) -> Any:
    return g if g._a.flags.c_contiguous else REGISTRY["contiguous_copy"].call(g)


@helper(latex="⟨0⟩", tensors=_in_order_of_tensor)
def in_order(g):
    """The gradient in row-major order: itself where it is."""
    return np.ascontiguousarray(g)
