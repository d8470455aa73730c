"""Convolutions in one to three dimensions: three bilinear operations that are each other's derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.ops.windows import output_size, overlap_add, padded, windows
from engine.registry import REGISTRY, Array, helper, op

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
    return columns.reshape(columns.shape[0], groups, -1, places)


def _columns(input: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, out: Any) -> np.ndarray:
    return windows(padded(input, kernel, stride, padding, dilation, out, 0), kernel, stride, dilation, out)


def _forward(
    input: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int, out: Any = None
) -> np.ndarray:
    kernel = weight.shape[2:]
    if out is None:
        out = tuple(map(output_size, input.shape[2:], kernel, stride, padding, dilation))
    columns = _grouped(_columns(input, kernel, stride, padding, dilation, out), groups, math.prod(out))
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    return (filters @ columns).reshape(input.shape[0], weight.shape[0], *out)


def _backward(g: Any, weight: Any, size: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> np.ndarray:
    kernel, out = weight.shape[2:], g.shape[2:]
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    columns = filters.mT @ _grouped(g, groups, math.prod(out))
    shaped = columns.reshape(g.shape[0], weight.shape[1] * groups, *kernel, *out)
    return overlap_add(shaped, size, kernel, stride, padding, dilation)


def _with_bias(result: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    return (
        result
        if bias is None
        else result + bias.astype(result.dtype, copy=False).reshape((1, -1, *(1 for _ in result.shape[2:])))
    )


_CONV: dict[str, Any] = {"functions": (), "methods": (), "grad_fn": "ConvolutionBackward0", "symbol": "conv"}


@op(
    gradients={
        "input": "conv_input(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(g, conj(input), weight.shape, stride, padding, dilation, groups)",
        "bias": "conv_bias(g, input, weight)",
    },
    latex=r"⟨1⟩ \star ⟨0⟩+⟨2⟩",
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
    return _with_bias(_forward(input, weight, stride, padding, dilation, groups), bias)


@op(
    gradients={
        "input": "conv_cut(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(conj(input), g, weight.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨1⟩^{\top} \star ⟨0⟩", functions=(), methods=(), torch=None, grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, TAPS, (1, 2, 5), ONE, NONE, ONE, 1), (COLUMNS, GROUPED, (1, 2, 6), (2,), NONE, ONE, 2)),
)  # fmt: skip
def conv_input(input: Array, weight: Array, shape, stride, padding, dilation, groups):
    """The gradient of a convolution for its input: each value spreads over the window it came from."""
    return _backward(input, weight, shape[2:], stride, padding, dilation, groups)


@op(
    gradients={
        "input": "conv_cut(conj(other), g, input.shape, stride, padding, dilation, groups)",
        "other": "conv_input(conj(input), g, other.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨0⟩ \star ⟨1⟩", functions=(), methods=(), torch=None, grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, LINE, (2, 2, 3), ONE, NONE, ONE, 1), (COLUMNS, LINE, (2, 1, 2), (2,), ONE, ONE, 2)),
)  # fmt: skip
def conv_weight(input: Array, other: Array, shape, stride, padding, dilation, groups):
    """The gradient of a convolution for its filters: the upstream gradient against every window of the input."""
    out = input.shape[2:]
    columns = _grouped(_columns(other, shape[2:], stride, padding, dilation, out), groups, math.prod(out))
    return (_grouped(input, groups, math.prod(out)) @ columns.mT).sum(0).reshape(shape)


@op(
    gradients={
        "input": "conv_cut(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(conj(input), g, weight.shape, stride, padding, dilation, groups)",
        "bias": "conv_bias(g, input, weight)",
    },
    latex=r"⟨1⟩^{\top} \star ⟨0⟩+⟨2⟩",
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
    return _with_bias(_backward(input, weight, size, stride, padding, dilation, groups), bias)


@op(
    gradients={
        "input": "conv_input(g, conj(weight), input.shape, stride, padding, dilation, groups)",
        "weight": "conv_weight(g, conj(input), weight.shape, stride, padding, dilation, groups)",
    },
    latex=r"⟨1⟩ \star ⟨0⟩", functions=(), methods=(), torch=None, grad_fn="ConvolutionBackwardBackward0",
    samples=((LINE, TAPS, (1, 2, 3), ONE, NONE, ONE, 1), (LINE, TAPS, (1, 2, 2), ONE, NONE, ONE, 1)),
)  # fmt: skip
def conv_cut(input: Array, weight: Array, shape, stride, padding, dilation, groups):
    """A convolution without its last places, as many as ``shape`` has less."""
    return _forward(input, weight, stride, padding, dilation, groups, shape[2:])


@helper(
    latex="⟨0⟩", tensors=lambda g, shape: REGISTRY["expand"].call(g.reshape((1, -1, *(1,) * (len(shape) - 2))), *shape)
)
def channel_spread(g, shape):
    """One number for each channel, at all places."""
    return np.broadcast_to(g.reshape((1, -1, *(1,) * (len(shape) - 2))), shape)


@op(
    gradients={
        "input": "channel_spread(g, input.shape)", "other": "zeros_like_array(other)", "weight": "zeros_like_array(weight)",
    },
    latex=r"\textstyle\sum ⟨0⟩", functions=(), methods=(), torch=None, grad_fn="ConvolutionBackwardBackward0",
    samples=((COLUMNS, LINE, TAPS),),
)  # fmt: skip
def conv_bias(input: Array, other: Array, weight: Array):
    """The gradient of a convolution for its bias: the sum over everything but the channels."""
    return input.sum(axis=(0, *range(2, input.ndim)))


# -- what is refused ---------------------------------------------------------------------------------------------------


def check(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    transposed: bool,
    extra: Any,
) -> None:
    """Raises RuntimeError in PyTorch's words where a convolution makes no sense."""
    if groups <= 0:
        raise errors.CONV_GROUPS()
    if min(padding) < 0:
        raise errors.CONV_PADDING()
    if min(stride) <= 0:
        raise errors.CONV_STRIDE()
    if min(dilation) <= 0:
        raise errors.CONV_DILATION(dilation=list(dilation))
    _check_weight(weight, groups)
    _check_channels(input, weight, bias, groups, transposed)
    if bias is not None and bias.dtype != input.dtype and not transposed:
        raise errors.CONV_BIAS_DTYPE(input=c_name(input), bias=c_name(bias))
    if input.dtype != weight.dtype:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(weight).legacy)
    if not transposed:
        size = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
        if any(k > n for k, n in zip(reach, size, strict=True)):
            raise errors.CONV_KERNEL(size=" x ".join(map(str, size)), kernel=" x ".join(map(str, reach)))
    elif any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation, strict=True)):
        names = {1: ("",), 2: ("height", "width"), 3: ("depth", "height", "width")}[len(stride)]
        rows = [
            f"{what}_{n}: {v}"
            for what, vs in (("output_padding", extra), ("stride", stride), ("dilation", dilation))
            for n, v in zip(names, vs, strict=True)
        ]
        raise errors.CONV_OUTPUT_PADDING(given=" ".join(rows))


def _check_weight(weight: np.ndarray, groups: int) -> None:
    if weight.shape[0] < groups:
        raise errors.CONV_WEIGHT_COUNT(groups=groups, shape=list(weight.shape))
    if weight.shape[0] % groups:
        raise errors.CONV_WEIGHT_GROUPS(groups=groups, shape=list(weight.shape))


def _check_channels(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, groups: int, transposed: bool
) -> None:
    if transposed:
        if input.shape[1] != weight.shape[0]:
            raise errors.CONV_TRANSPOSED_CHANNELS(
                weight=list(weight.shape), input=list(input.shape), wanted=weight.shape[0], given=input.shape[1]
            )
    elif input.shape[1] != weight.shape[1] * groups:
        raise errors.CONV_CHANNELS(
            groups=groups,
            weight=list(weight.shape),
            input=list(input.shape),
            wanted=weight.shape[1] * groups,
            given=input.shape[1],
        )
    outputs = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and bias.shape != (outputs,):
        form = errors.CONV_TRANSPOSED_BIAS if transposed else errors.CONV_BIAS
        raise form(weight=list(weight.shape), count=outputs, bias=list(bias.shape))


def c_name(array: np.ndarray) -> str:
    """The dtype as C++ knows it."""
    return dtypes.C_NAMES[dtypes.of(array).name]
