"""Convolutions in one to three dimensions: three bilinear operations that are each other's derivatives."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from gradflow.engine.numerics.libraries import convolutions as library
from gradflow.engine.numerics.libraries.products import matrix_product
from gradflow.engine.numerics.sums import cascade_sum
from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.ops.shape.windows import output_size, overlap_add, padded, windows
from gradflow.engine.registry import REGISTRY, Array, helper, op

LINE = [[[0.5, -1.25, 2.0, 1.0, 0.3], [1.5, 0.75, -0.5, 3.0, -0.2]]]
TAPS = [[[0.5, -1.0, 0.25], [1.5, 0.2, -0.3]], [[0.1, 0.7, -0.6], [2.0, -0.4, 0.9]]]
PLANE = [
    [[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5]]],
    [[[3.0, -0.2, 0.1], [0.4, 1.1, -0.9], [0.6, -1.3, 0.8]]],
]
PATCH = [[[[0.5, -1.0], [0.25, 1.5]]], [[[0.2, -0.3], [0.1, 0.7]]]]
GROUPED = [[[0.5, -1.0]], [[0.25, 1.5]]]
BIAS = [0.5, -1.0]
ONE, NONE = (1,), (0,)
COLUMNS = [[[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]]


def _grouped(columns: np.ndarray, groups: int, places: int) -> np.ndarray:
    """(N, C, kernel..., out...) as (N, groups, C / groups * kernel, out)."""
    return columns.reshape(columns.shape[0], groups, math.prod(columns.shape[1:]) // max(groups * places, 1), places)


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``, (groups, ...) or (N, groups, ...); of a single image without groups as PyTorch multiplies two matrices."""
    if b.shape[:2] == (1, 1):
        return matrix_product(a.reshape(a.shape[-2:]), b[0, 0])[None, None]
    return np.asarray(a @ b)


def _columns(input: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, out: Any) -> np.ndarray:
    return windows(padded(input, kernel, stride, padding, dilation, out, 0), kernel, stride, dilation, out)


def _forward(
    input: Any,
    weight: Any,
    bias: Any,
    shape: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    out: Any = None,
) -> np.ndarray:
    """shape: that of the input about which PyTorch's library is asked, or not."""
    kernel = weight.shape[2:]
    if out is None:
        out = tuple(map(output_size, input.shape[2:], kernel, stride, padding, dilation))
    columns = _columns(input, kernel, stride, padding, dilation, out)
    if library.asks_library(input, kernel, groups, tuple(shape)):
        forward = partial(library.forward, depthwise=weight.shape[1] == 1 and groups == len(weight) > 1)
        return _by_group(forward, groups, ((columns, 1), (weight, 0), (bias, 0)), 1)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    product = _products(filters, _grouped(columns, groups, math.prod(out)))
    return _with_bias(product.reshape(input.shape[0], weight.shape[0], *out), bias)


def _backward(g: Any, weight: Any, size: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> np.ndarray:
    kernel, out = weight.shape[2:], g.shape[2:]
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    columns = filters.mT @ _grouped(g, groups, math.prod(out))
    shaped = columns.reshape(g.shape[0], weight.shape[1] * groups, *kernel, *out)
    return overlap_add(shaped, size, kernel, stride, padding, dilation)


def _spread(g: np.ndarray, size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> np.ndarray:
    """For each number of the input what its products went into, by places of the kernel: (N, filters, kernel..., size...)."""
    apart = np.zeros((*g.shape[:2], *((o - 1) * s + 1 for o, s in zip(g.shape[2:], stride, strict=True))), g.dtype)
    apart[(slice(None), slice(None), *(slice(None, None, s) for s in stride))] = g
    reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    before = [r - p for r, p in zip(reach, padding, strict=True)]
    after = [n + r - b - a for n, r, b, a in zip(size, reach, before, apart.shape[2:], strict=True)]
    around = [(max(b, 0), max(a, 0)) for b, a in zip(before, after, strict=True)]
    cut = [slice(max(-b, 0), min(a, 0) or None) for b, a in zip(before, after, strict=True)]
    whole = np.pad(apart[(slice(None), slice(None), *cut)], [(0, 0), (0, 0), *around])
    taps = windows(whole, kernel, (1,) * len(kernel), dilation, size)
    return np.flip(taps, tuple(range(2, 2 + len(kernel))))


def _by_group(function: Any, groups: int, split: tuple[tuple[np.ndarray | None, int], ...], joined: int) -> np.ndarray:
    """A function of the library for each group: its arrays are split along an axis each, the results joined along one."""
    if groups == 1:
        return np.asarray(function(*[array for array, _ in split]))
    parts = [[None] * groups if array is None else np.split(array, groups, axis) for array, axis in split]
    return np.concatenate([function(*each) for each in zip(*parts, strict=True)], axis=joined)


def _through(
    g: Any, weight: Any, shape: Any, size: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> np.ndarray:
    """`_backward` in the order of PyTorch's library, where it is asked about an input of this shape."""
    kernel = weight.shape[2:]
    if not library.asks_library(g, kernel, groups, shape):
        return _backward(g, weight, size, stride, padding, dilation, groups)
    columns = _spread(g, size, kernel, stride, padding, dilation)
    by_column = max(stride) > 1 and not any(n % s for n, s in zip(size, stride, strict=True))
    return _by_group(partial(library.of_input, by_column=by_column), groups, ((columns, 1), (weight, 0)), 1)


def _with_bias(result: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    return (
        result
        if bias is None
        else result + bias.astype(result.dtype, copy=False).reshape((1, -1, *(1 for _ in result.shape[2:])))
    )


_CONV: dict[str, Any] = {"functions": (), "methods": (), "grad_fn": "ConvolutionBackward0", "symbol": "conv"}


@op(
    gradients={
        "input": (
            "conv_input(g, conj(weight), input.shape, stride, padding, dilation, groups)",
            "conv_backward(g, conj(input), conj(weight), stride, padding, dilation, groups)[0]",
        ),
        "weight": (
            "conv_weight(g, conj(input), weight.shape, stride, padding, dilation, groups)",
            "conv_backward(g, conj(input), conj(weight), stride, padding, dilation, groups)[1]",
        ),
        "bias": (
            "conv_bias(g, input, weight)",
            "conv_backward(g, conj(input), conj(weight), stride, padding, dilation, groups)[2]",
        ),
    },
    latex=r"⟨1⟩ \star ⟨0⟩⟦2:+⟨2⟩⟧",
    torch="convolution",
    adapt=lambda f, x, w, b, s, p, d, n: f(x, w, b, s, p, d, False, [0] * len(s), n),
    samples=(
        (LINE, TAPS, BIAS, ONE, NONE, ONE, 1),
        (LINE, TAPS, None, (2,), (1,), ONE, 1),
        (LINE, TAPS, BIAS, ONE, (2,), (2,), 1),
        (LINE, GROUPED, BIAS, ONE, ONE, ONE, 2),
        (PLANE, PATCH, BIAS, (1, 1), (0, 0), (1, 1), 1),
        (PLANE, PATCH, None, (2, 1), (1, 0), (1, 2), 1),
    ),
    **_CONV,
)
def conv(input: Array, weight: Array, bias: Array | None, stride, padding, dilation, groups):
    """The sum of products of a window with each filter, as the window slides over the input."""
    return _forward(input, weight, bias, input.shape, stride, padding, dilation, groups)


@op(
    gradients={
        "input": "conv_cut(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(conj(input), g, weight.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨1⟩^{\top} \star ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, TAPS, (1, 2, 5), ONE, NONE, ONE, 1), (COLUMNS, GROUPED, (1, 2, 6), (2,), NONE, ONE, 2)),
)
def conv_input(input: Array, weight: Array, shape, stride, padding, dilation, groups):
    """The gradient of a convolution for its input: each value spreads over the window it came from."""
    return _through(input, weight, tuple(shape), shape[2:], stride, padding, dilation, groups)


@op(
    gradients={
        "input": "conv_cut(conj(other), g, input.shape, stride, padding, dilation, groups)",
        "other": "conv_input(conj(input), g, other.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨0⟩ \star ⟨1⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, LINE, (2, 2, 3), ONE, NONE, ONE, 1), (COLUMNS, LINE, (2, 1, 2), (2,), ONE, ONE, 2)),
)
def conv_weight(input: Array, other: Array, shape, stride, padding, dilation, groups):
    """The gradient of a convolution for its filters: the upstream gradient against every window of the input."""
    out = input.shape[2:]
    columns = _columns(other, shape[2:], stride, padding, dilation, out)
    if library.asks_library(other, tuple(shape[2:]), groups):
        return _by_group(library.of_weight, groups, ((columns, 1), (input, 1)), 0)
    columns = _grouped(columns, groups, math.prod(out))
    return _products(_grouped(input, groups, math.prod(out)), columns.mT).sum(0).reshape(shape)


@op(
    gradients={
        key: (rule, f"conv_transpose_backward(g, conj(input), conj(weight), stride, padding, dilation, groups)[{i}]")
        for i, (key, rule) in enumerate(
            {
                "input": "conv_cut(g, conj(weight), input.shape, stride, padding, dilation, groups)",
                "weight": "conv_weight(conj(input), g, weight.shape, stride, padding, dilation, groups)",
                "bias": "conv_bias(g, input, weight, True)",
            }.items()
        )
    },
    latex=r"⟨1⟩^{\top} \star ⟨0⟩⟦2:+⟨2⟩⟧",
    torch="convolution",
    adapt=lambda f, x, w, b, s, p, o, n, d: f(x, w, b, s, p, d, True, o, n),
    samples=(
        (COLUMNS, TAPS, BIAS, ONE, NONE, NONE, 1, ONE),
        (COLUMNS, TAPS, None, (2,), (1,), (1,), 1, ONE),
        (COLUMNS, GROUPED, BIAS, ONE, NONE, NONE, 2, (2,)),
    ),
    **_CONV,
)
def conv_transpose(input: Array, weight: Array, bias: Array | None, stride, padding, output_padding, groups, dilation):
    """Each value spreads over a window of the result by the filters: the transpose of a convolution."""
    size = [
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, s, p, d, k, o in zip(
            input.shape[2:], stride, padding, dilation, weight.shape[2:], output_padding, strict=True
        )
    ]
    result = _through(input, weight, tuple(input.shape), size, stride, padding, dilation, groups)
    return _with_bias(result, bias)


@op(
    gradients={
        "input": "conv_input(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(g, conj(input), weight.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨1⟩ \star ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((LINE, TAPS, (1, 2, 3), ONE, NONE, ONE, 1), (LINE, TAPS, (1, 2, 2), ONE, NONE, ONE, 1)),
)
def conv_cut(input: Array, weight: Array, shape, stride, padding, dilation, groups):
    """A convolution without its last places, as many as ``shape`` has less."""
    return _forward(input, weight, None, shape, stride, padding, dilation, groups, shape[2:])


@helper(
    latex="⟨0⟩", tensors=lambda g, shape: REGISTRY["expand"].call(g.reshape((1, -1, *(1,) * (len(shape) - 2))), *shape)
)
def channel_spread(g, shape):
    """One number for each channel, at all places."""
    return np.broadcast_to(g.reshape((1, -1, *(1,) * (len(shape) - 2))), shape)


@op(
    gradients={
        "input": "channel_spread(g, input.shape)",
        "other": "zeros_like_array(other)",
        "weight": "zeros_like_array(weight)",
    },
    latex=r"\textstyle\sum ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, LINE, TAPS),),
)
def conv_bias(input: Array, other: Array, weight: Array, transposed=False):
    """The gradient of a convolution for its bias: the sum over everything but the channels."""
    groups = (input if transposed else other).shape[1] // weight.shape[1]
    if library.asks_library(other, weight.shape[2:], groups):
        return library.of_bias(input, None if transposed else weight)
    return cascade_sum(input, (0, *range(2, input.ndim)))


@composed(r"\operatorname{through}^2\left(⟨0⟩\right)")
def conv_twice(find, g, g_weight, g_bias, input, other, weight, stride, padding, dilation, groups):
    """The gradients through those of a convolution; None where nothing comes back for what one would be made of."""
    settings = (stride, padding, dilation, groups)
    parts = []
    if g is not None:
        parts.append(find("conv_cut")(g, weight, input.shape, *settings))
    if g_weight is not None:
        parts.append(find("conv_cut")(other, g_weight, input.shape, *settings))
    if g_bias is not None:
        parts.append(find("expand")(find("view")(g_bias, (1, -1, *(1,) * (input.ndim - 2))), tuple(input.shape)))
    of_other = None if g_weight is None else find("conv_input")(input, g_weight, other.shape, *settings)
    of_weight = None if g is None else find("conv_weight")(input, g, weight.shape, *settings)
    return sum(parts[1:], parts[0]), of_other, of_weight


_TWICE = (
    "conv_twice(g, g_grad_weight, g_grad_bias, conj(input), conj(other), conj(weight),"
    " stride, padding, dilation, groups)"
)


@op(
    gradients={key: f"{_TWICE}[{i}]" for i, key in enumerate(("input", "other", "weight"))},
    undefined=True,
    outputs=("grad_input", "grad_weight", "grad_bias"),
    latex=r"⟨2⟩^{\top} \star ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, LINE, TAPS, ONE, NONE, ONE, 1), (COLUMNS, LINE, GROUPED, (2,), (1,), ONE, 2)),
)
def conv_backward(input: Array, other: Array, weight: Array, stride, padding, dilation, groups):
    """The three gradients of a convolution, as PyTorch records them: one function for all."""
    settings = (stride, padding, dilation, groups)
    own = conv_input(input, weight, other.shape, *settings), conv_weight(input, other, weight.shape, *settings)
    return *(np.ascontiguousarray(each) for each in own), conv_bias(input, other, weight)


@composed(r"\operatorname{through}^2\left(⟨0⟩\right)")
def conv_transpose_twice(find, g, g_weight, g_bias, input, other, weight, stride, padding, dilation, groups):
    """The gradients through those of a transposed convolution."""
    settings = (stride, padding, dilation, groups)
    parts = []
    if g is not None:
        parts.append(find("conv_input")(g, weight, input.shape, *settings))
    if g_weight is not None:
        parts.append(find("conv_input")(other, g_weight, input.shape, *settings))
    if g_bias is not None:
        parts.append(find("expand")(find("view")(g_bias, (1, -1, *(1,) * (input.ndim - 2))), tuple(input.shape)))
    of_other = None if g_weight is None else find("conv_cut")(input, g_weight, other.shape, *settings)
    of_weight = None if g is None else find("conv_weight")(g, input, weight.shape, *settings)
    return sum(parts[1:], parts[0]), of_other, of_weight


@op(
    gradients={
        key: f"{_TWICE.replace('conv_', 'conv_transpose_')}[{i}]" for i, key in enumerate(("input", "other", "weight"))
    },
    undefined=True,
    outputs=("grad_input", "grad_weight", "grad_bias"),
    latex=r"⟨2⟩ \star ⟨0⟩",
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ConvolutionBackwardBackward0",
    samples=((LINE, COLUMNS, TAPS, ONE, NONE, ONE, 1), (LINE, COLUMNS, GROUPED, (2,), (1,), ONE, 2)),
)
def conv_transpose_backward(input: Array, other: Array, weight: Array, stride, padding, dilation, groups):
    """The three gradients of a transposed convolution, as PyTorch records them: one function for all."""
    settings = (stride, padding, dilation, groups)
    own = conv_cut(input, weight, other.shape, *settings), conv_weight(other, input, weight.shape, *settings)
    return *(np.ascontiguousarray(each) for each in own), conv_bias(input, other, weight, True)
