"""Pools: the maximum or the mean of each window, and the way back from a maximum."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.shape.windows import output_size, overlap_add, padded, windows
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

PLANE = [[[0.5, -1.25, 2.0, 0.9], [1.0, 0.3, -0.7, 1.7], [1.5, 0.75, -0.5, -1.9], [3.0, -0.2, 0.1, 2.2]]]
BLOCK = [
    [[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5]], [[3.0, -0.2, 0.1], [0.4, 1.1, -0.9], [0.6, -1.3, 0.8]]]
]
TINY = [[[0.5, -1.25], [2.0, 0.9]]]
SPOTS = [[[0, 2], [9, 15]]]


def places(shape: tuple[int, ...], dims: int) -> int:
    """How many places the last dimensions have."""
    return math.prod(shape[len(shape) - dims :])


def _lowest(dtype: np.dtype) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _best(candidates: np.ndarray) -> np.ndarray:
    """The place of the largest element of each window: the first of equal ones, but the last NaN."""
    best = np.argmax(candidates, axis=-2)
    odd = np.isnan(candidates)
    if not odd.any():
        return best
    last = candidates.shape[-2] - 1 - np.argmax(odd[..., ::-1, :], axis=-2)
    return np.where(odd.any(axis=-2), last, best)


def _max_pool(
    input: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The largest element of each window, and its number in the plane; of equal ones the first. NaN wins, the last one."""
    n = len(kernel)
    size, lead = input.shape[input.ndim - n :], input.shape[: input.ndim - n]
    out = tuple(output_size(*each, ceil) for each in zip(size, kernel, stride, padding, dilation, strict=True))
    whole = padded(input, kernel, stride, padding, dilation, out, _lowest(input.dtype))
    columns = windows(whole, kernel, stride, dilation, out).reshape(*lead, math.prod(kernel), math.prod(out))
    numbers = padded(np.arange(math.prod(size)).reshape(size), kernel, stride, padding, dilation, out, -1)
    numbered = windows(numbers, kernel, stride, dilation, out).reshape(math.prod(kernel), -1)
    candidates = np.where(numbered >= 0, columns, _lowest(input.dtype)) if (numbered < 0).any() else columns
    best = _best(candidates)
    first = np.argmax(numbered >= 0, axis=0)  # a window of -inf alone still points into the plane
    indices = np.take_along_axis(np.broadcast_to(numbered, columns.shape), best[..., None, :], -2)[..., 0, :]
    indices = np.where(indices >= 0, indices, numbered[first, np.arange(numbered.shape[1])])
    values = np.take_along_axis(columns, best[..., None, :], -2)[..., 0, :]
    return values.reshape(*lead, *out), indices.reshape(*lead, *out).astype(np.int64)


def _pooling(dims: int, name: str, samples: Any, adapt: Any = None) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                f"plane_put(g, indices, input.shape, {dims})",
                f"gradient_by(g, input, indices, 'plane_put', (input.shape, {dims}), {name!r})",
            )
        },
        "outputs": ("values", "indices"),
        "latex": r"\max_{\text{window}} ⟨0⟩",
        "symbol": "max pool",
        "functions": (),
        "methods": (),
        "samples": samples,
        "grad_fn": f"{name}Backward0",
        "adapt": adapt,
    }


@op(
    refuses={"bc": partial(errors.NOT_IMPLEMENTED_DTYPE, name="max_pool2d")},
    **_pooling(
        2,
        "MaxPool2DWithIndices",
        (
            (PLANE, (2, 2), (2, 2), (0, 0), (1, 1), False),
            (PLANE, (3, 2), (1, 1), (1, 0), (1, 1), False),
            (PLANE, (2, 2), (2, 2), (1, 1), (2, 1), False),
            (PLANE, (3, 3), (2, 2), (0, 0), (1, 1), True),
        ),
    ),
    torch="ops.aten.max_pool2d_with_indices",
)
def max_pool2d_with_indices(input: Array, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window of a plane, and its number in the plane."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode)


@op(
    refuses={"bc": partial(errors.NOT_IMPLEMENTED_DTYPE, name="max_pool3d")},
    **_pooling(
        3,
        "MaxPool3DWithIndices",
        (
            (BLOCK, (2, 2, 2), (1, 1, 1), (0, 0, 0), (1, 1, 1), False),
            (BLOCK, (1, 2, 2), (1, 2, 2), (0, 1, 1), (1, 1, 1), True),
        ),
    ),
    torch="ops.aten.max_pool3d_with_indices",
)
def max_pool3d_with_indices(input: Array, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element of each window of a block, and its number in the block."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode)


@op(
    gradients={"input": "plane_pick(g, indices, dims)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{put}\left(⟨0⟩, ⟨1⟩\right)",
    samples=((TINY, SPOTS, (1, 4, 4), 2), (TINY, [[[0, 0], [9, 15]]], (1, 4, 4), 2)),
)
def plane_put(input: Array, indices: Array, shape, dims):
    """Zeros of ``shape`` with each value added at its number in the plane."""
    planes = math.prod(shape[: len(shape) - dims])
    flat = np.zeros((planes, places(shape, dims)), input.dtype)
    np.add.at(flat, (np.arange(planes)[:, None], indices.reshape(planes, -1)), input.reshape(planes, -1))
    return flat.reshape(shape)


@op(
    gradients={"input": "plane_put(g, indices, input.shape, dims)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{pick}\left(⟨0⟩, ⟨1⟩\right)",
    samples=((PLANE, SPOTS, 2),),
)
def plane_pick(input: Array, indices: Array, dims):
    """The elements with the given numbers in each plane."""
    planes = math.prod(input.shape[: input.ndim - dims])
    picked = np.take_along_axis(input.reshape(planes, -1), indices.reshape(planes, -1), 1)
    return picked.reshape(indices.shape)


@helper()
def plane_gather(g, indices, dims):
    """`plane_pick` by PyTorch's steps."""
    shape = indices._a.shape
    planes = shape[: len(shape) - dims]
    flat = REGISTRY["view"].call(g, *planes, -1)
    picked = REGISTRY["gather"].call(flat, -1, Tensor(indices._a.reshape(*planes, -1)))
    return REGISTRY["view"].call(picked, *shape)


def _unpooling(dims: int) -> dict[str, Any]:
    return {
        "gradients": {"input": (f"plane_pick(g, indices, {dims})", f"plane_gather(g, indices, {dims})")},
        "functions": (),
        "methods": (),
        "symbol": "unpool",
        "latex": r"\operatorname{put}\left(⟨0⟩, ⟨1⟩\right)",
        "grad_fn": f"MaxUnpool{dims}DBackward0",
    }


def _unpool(input: np.ndarray, indices: np.ndarray, size: Any) -> np.ndarray:
    lead = input.shape[: input.ndim - len(size)]
    flat = np.zeros((math.prod(lead), math.prod(size)), input.dtype)
    numbers = indices.reshape(math.prod(lead), -1)
    wrong = (numbers < 0) | (numbers >= flat.shape[1])
    if wrong.any():
        raise errors.UNPOOL_RANGE(index=int(numbers[wrong][-1]), size="x".join(map(str, size)))
    np.put_along_axis(flat, numbers, input.reshape(math.prod(lead), -1), 1)
    return flat.reshape(*lead, *size)


@op(**_unpooling(2), samples=((TINY, SPOTS, (4, 4)),), torch="ops.aten.max_unpool2d")
def max_unpool2d(input: Array, indices: Array, output_size):
    """Zeros with each maximum at the place in the plane where it was found."""
    return _unpool(input, indices, output_size)


@op(**_unpooling(3), samples=(([TINY], [[[[0, 2], [9, 15]]]], (1, 4, 4)),), torch=None)
def max_unpool3d(input: Array, indices: Array, output_size):
    """Zeros with each maximum at the place in the block where it was found."""
    return _unpool(input, indices, output_size)


# -- means -------------------------------------------------------------------------------------------------------------


def _divisors(size: Any, kernel: Any, stride: Any, padding: Any, out: Any, include: bool, override: Any) -> Any:
    """By what the sum of each window is divided."""
    if override is not None:
        return override
    counts: Any = 1
    for axis, (n, k, s, p, o) in enumerate(zip(size, kernel, stride, padding, out, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        length = end - start if include else np.minimum(end, n) - np.maximum(start, 0)
        counts = counts * length.reshape([-1 if i == axis else 1 for i in range(len(out))])
    return counts


def _averaging(dims: int, samples: Any) -> dict[str, Any]:
    arguments = "kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override"
    return {
        "gradients": {
            "input": (
                f"average_spread(g, input.shape, {arguments})",
                f"gradient_by(g, input, None, 'average_spread', (input.shape, {arguments}), 'AvgPool{dims}D')",
            )
        },
        "symbol": "mean pool",
        "latex": r"\operatorname{mean}_{\text{window}} ⟨0⟩",
        "functions": (),
        "methods": (),
        "samples": samples,
        "grad_fn": f"AvgPool{dims}DBackward0",
        "torch": f"nn.functional.avg_pool{dims}d",
    }


def _added_in_order(columns: np.ndarray, n: int) -> np.ndarray:
    """The sum of each window, element after element, row by row."""
    lead, kernel, out = (columns.shape[: -2 * n], columns.shape[-2 * n : -n], columns.shape[-n:])
    rows = columns.reshape(*lead, math.prod(kernel), *out)
    rows = np.ascontiguousarray(np.moveaxis(rows, len(lead), 0))
    return np.add.reduce(rows, axis=0) if rows[:1].size > 1 else np.add.accumulate(rows, axis=0)[-1]


def _avg_pool(
    input: np.ndarray, kernel: Any, stride: Any, padding: Any, ceil: bool, include: bool, override: Any
) -> np.ndarray:
    n = len(kernel)
    size, one = input.shape[input.ndim - n :], (1,) * n
    out = tuple(output_size(*each, ceil) for each in zip(size, kernel, stride, padding, one, strict=True))
    columns = windows(padded(input, kernel, stride, padding, one, out, 0), kernel, stride, one, out)
    total = _added_in_order(columns, n)
    count = np.asarray(_divisors(size, kernel, stride, padding, out, include, override))
    if input.dtype.kind == "f":
        return total / count.astype(input.dtype)
    return np.sign(total) * np.sign(count) * (np.abs(total) // np.abs(count))  # toward zero, as in C


@op(
    refuses={"bic": "avg_pool2d"},
    **_averaging(
        2,
        (
            (PLANE, (2, 2), (2, 2), (0, 0), False, True, None),
            (PLANE, (3, 3), (2, 2), (1, 1), False, True, None),
            (PLANE, (3, 3), (2, 2), (1, 1), True, False, None),
            (PLANE, (3, 3), (2, 2), (1, 1), True, True, None),
            (PLANE, (2, 2), (1, 2), (0, 0), False, True, 3),
        ),
    ),
)
def avg_pool2d(input: Array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window of a plane."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    refuses={"bice": "avg_pool3d_out_frame"},
    **_averaging(
        3,
        (
            (BLOCK, (2, 2, 2), (1, 1, 1), (0, 0, 0), False, True, None),
            (BLOCK, (2, 2, 2), (2, 2, 2), (1, 1, 1), True, False, None),
        ),
    ),
)
def avg_pool3d(input: Array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window of a block."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    gradients={
        "input": "average_gather(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"
    },
    latex=r"\operatorname{spread}\left(⟨0⟩\right)",
    functions=(),
    methods=(),
    torch=None,
    samples=((TINY, (1, 4, 4), (2, 2), (2, 2), (0, 0), False, True, None),),
)
def average_spread(input: Array, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The gradient of a mean over windows: each value spread evenly over its window."""
    n = len(kernel_size)
    size, out = shape[len(shape) - n :], input.shape[input.ndim - n :]
    count = np.asarray(_divisors(size, kernel_size, stride, padding, out, count_include_pad, divisor_override))
    share = input / count.astype(input.dtype)
    lead = input.shape[: input.ndim - n]
    columns = np.broadcast_to(share.reshape(*lead, *(1,) * n, *out), (*lead, *kernel_size, *out))
    return overlap_add(columns, size, kernel_size, stride, padding, (1,) * n, by_window=True)


@op(
    gradients={
        "input": "average_spread(g, input.shape, kernel_size, stride, padding,"
        " ceil_mode, count_include_pad, divisor_override)"
    },
    latex=r"\operatorname{mean}_{\text{window}} ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    samples=((PLANE, (2, 2), (2, 2), (0, 0), False, True, None),),
)
def average_gather(input: Array, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    """The mean of each window, in any number of dimensions."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
