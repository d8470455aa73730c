"""Rearrangements of images: pixel shuffles, channel shuffles, windows as columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.shape.windows import output_size as windows_along
from gradflow.engine.ops.shape.windows import overlap_add, padded, windows
from gradflow.engine.registry import Array, helper, op

CHANNELS = [
    [[0.5, -1.25], [2.0, 1.0]],
    [[0.3, -0.7], [1.5, 0.75]],
    [[-0.5, 3.0], [-0.2, 0.1]],
    [[0.4, 1.1], [-0.9, 0.6]],
]
PLANE = [[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5]]]]
COLUMNS = [[[0.5, -1.25, 2.0, 1.0], [1.0, 0.3, -0.7, 0.2], [1.5, 0.75, -0.5, -0.3], [3.0, -0.2, 0.1, 0.9]]]


@op(
    gradients={"input": "pixel_unshuffle(g, upscale_factor)"},
    latex=r"\operatorname{shuffle}\left(⟨0⟩\right)",
    symbol="shuffle",
    methods=(),
    samples=((CHANNELS, 2), ([CHANNELS], 2)),
    errors=(
        (
            CHANNELS,
            3,
            "pixel_shuffle expects its input's 'channel' dimension to be divisible"
            " by the square of upscale_factor, but input.size(-3)=4 is not divisible by 9",
        ),
    ),
)
def pixel_shuffle(input: Array, upscale_factor):
    """Channels as pixels: (..., C r r, H, W) -> (..., C, H r, W r)."""
    r = upscale_factor
    _check_image("pixel_shuffle", input, "upscale_factor", r)
    if input.shape[-3] % (r * r):
        raise errors.SHUFFLE_CHANNELS(channels=input.shape[-3], square=r * r)
    *lead, c, h, w = input.shape
    parts = np.moveaxis(input.reshape(*lead, c // (r * r), r, r, h, w), (-4, -3), (-3, -1))
    return parts.reshape(*lead, c // (r * r), h * r, w * r)


def _check_image(name: str, input: np.ndarray, factor: str, r: int) -> None:
    if input.ndim < 3:
        raise errors.SHUFFLE_DIMENSIONS(name=name, ndim=input.ndim)
    if r <= 0:
        raise errors.SHUFFLE_FACTOR(name=name, factor=factor, value=r)


@op(
    gradients={"input": "pixel_shuffle(g, downscale_factor)"},
    latex=r"\operatorname{unshuffle}\left(⟨0⟩\right)",
    symbol="unshuffle",
    methods=(),
    samples=(([[[0.5, -1.25], [2.0, 1.0]]], 2), (CHANNELS, 2)),
    errors=(
        (
            PLANE,
            2,
            "pixel_unshuffle expects height to be divisible by downscale_factor,"
            " but input.size(-2)=3 is not divisible by 2",
        ),
    ),
)
def pixel_unshuffle(input: Array, downscale_factor):
    """Pixels as channels: (..., C, H r, W r) -> (..., C r r, H, W)."""
    r = downscale_factor
    _check_image("pixel_unshuffle", input, "downscale_factor", r)
    for side, dim in (("height", -2), ("width", -1)):
        if input.shape[dim] % r:
            raise errors.UNSHUFFLE_SIZE(side=side, dim=dim, size=input.shape[dim], factor=r)
    *lead, c, h, w = input.shape
    parts = np.moveaxis(input.reshape(*lead, c, h // r, r, w // r, r), (-3, -1), (-4, -3))
    return parts.reshape(*lead, c * r * r, h // r, w // r)


def _shuffled(input: np.ndarray, groups: int) -> np.ndarray:
    n, c, *rest = input.shape
    return input.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(input.shape)


@op(
    gradients={"input": "channel_unshuffle(g, groups)"},
    latex=r"\operatorname{shuffle}\left(⟨0⟩\right)",
    symbol="shuffle",
    methods=(),
    samples=(([CHANNELS], 2), ([CHANNELS], 1)),
    errors=(([CHANNELS], 3, "Number of channels must be divisible by groups. Got 4 channels and 3 groups."),),
)
def channel_shuffle(input: Array, groups):
    """The channels of all groups in turn."""
    if input.ndim < 3:
        raise errors.CHANNEL_SHUFFLE_DIMENSIONS(shape=list(input.shape))
    if input.shape[1] % groups:
        raise errors.CHANNEL_SHUFFLE_GROUPS(channels=input.shape[1], groups=groups)
    return _shuffled(input, groups)


@op(
    gradients={"input": "channel_shuffle(g, groups)"},
    latex=r"\operatorname{unshuffle}\left(⟨0⟩\right)",
    grad_fn="ChannelShuffleBackward0",
    functions=(),
    methods=(),
    torch=None,
    samples=(([CHANNELS], 2),),
)
def channel_unshuffle(input: Array, groups):
    """What undoes `channel_shuffle`."""
    return _shuffled(input, input.shape[1] // groups)


# -- windows as columns ------------------------------------------------------------------------------------------------


@helper()
def spatial(shape):
    """Height and width."""
    return shape[-2:]


def plain(values: Any) -> str:
    """Integers as they stand in a message."""
    return ", ".join(map(str, values))


def _check_settings(kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    for what, name, given, least in (
        ("kernel size", "kernel", kernel, 1),
        ("dilation", "dilation", dilation, 1),
        ("padding", "pad", padding, 0),
        ("stride", "stride", stride, 1),
    ):
        if min(given) < least:
            wanted = "greater than zero" if least else "non-negative"
            raise errors.FOLD_SETTING(what=what, wanted=wanted, name=name, height=given[0], width=given[1])


def _unfolded(input: np.ndarray, kernel: Any, dilation: Any, padding: Any, stride: Any) -> np.ndarray:
    _check_settings(kernel, dilation, padding, stride)
    out = tuple(map(windows_along, input.shape[-2:], kernel, stride, padding, dilation))
    if min(out) < 1:
        raise errors.UNFOLD_EMPTY(
            size=plain(input.shape[-2:]),
            kernel=plain(kernel),
            dilation=plain(dilation),
            padding=plain(padding),
            out=plain(out),
        )
    columns = windows(padded(input, kernel, stride, padding, dilation, out, 0), kernel, stride, dilation, out)
    return columns.reshape(*input.shape[:-3], input.shape[-3] * math.prod(kernel), math.prod(out))


@op(
    gradients={"input": "col2im(g, spatial(input.shape), kernel_size, dilation, padding, stride)"},
    grad_fn="Im2ColBackward0",
    latex=r"\operatorname{unfold}\left(⟨0⟩\right)",
    symbol="unfold",
    functions=(),
    methods=(),
    torch="nn.functional.unfold",
    samples=(
        (PLANE, (2, 2), (1, 1), (0, 0), (1, 1)),
        (PLANE, (2, 3), (1, 1), (1, 1), (2, 1)),
        (PLANE, (2, 2), (2, 2), (0, 0), (1, 1)),
    ),
)
def im2col(input: Array, kernel_size, dilation, padding, stride):
    """Every window of an image as a column: (N, C, H, W) -> (N, C kernel, windows)."""
    return _unfolded(input, kernel_size, dilation, padding, stride)


@op(
    gradients={"input": "im2col(g, kernel_size, dilation, padding, stride)"},
    grad_fn="Col2ImBackward0",
    latex=r"\operatorname{fold}\left(⟨0⟩\right)",
    symbol="fold",
    functions=(),
    methods=(),
    torch="nn.functional.fold",
    samples=((COLUMNS, (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)), (COLUMNS, (4, 4), (2, 2), (1, 1), (0, 0), (2, 2))),
)
def col2im(input: Array, output_size, kernel_size, dilation, padding, stride):
    """The columns of `im2col` added up at the places they were taken from."""
    out = tuple(map(windows_along, output_size, kernel_size, stride, padding, dilation))
    block = math.prod(kernel_size)
    if input.shape[-2] % block:
        raise errors.FOLD_ROWS(rows=input.shape[-2], kernel=plain(kernel_size))
    if math.prod(out) != input.shape[-1]:
        raise errors.FOLD_COLUMNS(
            size=plain(output_size),
            kernel=plain(kernel_size),
            dilation=plain(dilation),
            padding=plain(padding),
            stride=plain(stride),
            rows=out[0],
            columns=out[1],
            total=math.prod(out),
            given=input.shape[-1],
        )
    columns = input.reshape(*input.shape[:-2], input.shape[-2] // block, *kernel_size, *out)
    return overlap_add(columns, output_size, kernel_size, stride, padding, dilation)
