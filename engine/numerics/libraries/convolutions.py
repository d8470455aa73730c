"""Convolutions of float32 in one and two dimensions, added up in the order of PyTorch's library.

The library (oneDNN, as seen with PyTorch 2.13 on processors with AVX-512) goes through sixteen channels at a time and fuses
every product with its addition: a number of the result is one chain of additions for each sixteen channels, the chains
are added up afterwards. Groups are convolutions of their own. Of the images, two threads take one half each where there
are no channels to divide.

Kernel, stride, padding, dilation and out have one length for each dimension of the window, in elements.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from gradflow.engine.numerics.libraries.products import fused_product

_CHANNELS: Final = 16
_HALVED: Final = 3
"""Of so many parts of channels, which two threads cannot divide evenly, each takes half of an even number of images, of more than two."""
_LARGE: Final = 20480
"""PyTorch asks its library about a single image from so many numbers on."""


def asks_library(array: np.ndarray, kernel: tuple[int, ...], groups: int, shape: tuple[int, ...] | None = None) -> bool:
    """Whether PyTorch lets the library convolve: not single small images, which it multiplies as matrices.

    array: the input, or one of its dtype where ``shape`` says the input's.
    """
    shape = shape or array.shape
    size = math.prod(shape)
    if array.dtype != np.float32 or len(kernel) > 2 or not size or not array.size:
        return False
    return shape[0] > 1 or groups > 1 or min((1, *kernel)[-2:]) > 3 or size > _LARGE


def forward(columns: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, depthwise: bool) -> np.ndarray:
    """The convolution, of shape (N, filters, out...). depthwise: each group has one channel and one filter.

    columns: the windows of the input, (N, channels, kernel..., out...). weight: (filters, channels, kernel...).
    bias: (filters,), added to the first chain, or where that begins, of single channels and of kernels of one place.
    """
    if bias is not None and (depthwise or _is_point(weight)):
        return _chained([(columns, weight)], 1, before=bias)
    parts = [(columns[:, part], weight[:, part]) for part in _parts(weight.shape[1], weight)]
    return _chained(parts, 1, behind=bias)


def of_input(columns: np.ndarray, weight: np.ndarray, by_column: bool) -> np.ndarray:
    """The gradient for the input, of shape (N, channels, size...).

    columns: for each number of the input the gradients of what it went into, (N, filters, kernel..., size...). weight:
    (filters, channels, kernel...). by_column: of strides that divide the sizes; one chain for each column of the kernel.
    """
    if by_column:
        taps = [slice(column, column + 1) for column in range(weight.shape[-1])]
        kernel = (slice(None),) * (weight.ndim - 1)
        return _chained([(columns[(*kernel, tap)], weight[(*kernel, tap)]) for tap in taps], 0)
    return _chained([(columns[:, part], weight[part]) for part in _parts(len(weight), weight)], 0)


def of_weight(columns: np.ndarray, upstream: np.ndarray) -> np.ndarray:
    """The gradient for the weight, of shape (filters, channels, kernel...): chains over images and places.

    columns: the windows of the input, (N, channels, kernel..., out...). upstream: (N, filters, out...).
    """
    count, filters = upstream.ndim - 2, upstream.shape[1]
    kernel = columns.shape[1 : 2 + count]
    outward = (0, *range(2 + count, 2 + 2 * count), *range(1, 2 + count))
    ours = columns.transpose(outward).reshape(len(upstream), -1, math.prod(kernel))
    theirs = np.moveaxis(upstream, 1, -1).reshape(len(upstream), -1, filters)
    sums = []
    point = math.prod(kernel[1:]) == 1
    for share in _shares(len(upstream), (filters, kernel[0]), kernel[0], point):
        chains = [slice(i, i + 1) for i in range(share.start, share.stop)] if point else [share]
        own = [fused_product(_joined(ours[each]).T, _joined(theirs[each])) for each in chains]
        sums.append(sum(own[1:], own[0]))
    return np.ascontiguousarray(sum(sums[1:], sums[0]).T).reshape(filters, *kernel)


def of_bias(upstream: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The gradient for the bias, of shape (filters,): one number after another.

    weight: (filters, channels, kernel...); None of a transposed convolution, whose images no threads divide.
    """
    rows = np.moveaxis(upstream, 1, -1).reshape(len(upstream), -1, upstream.shape[1])
    shares = [slice(None)]
    if weight is not None:
        shares = _shares(len(upstream), (upstream.shape[1],), weight.shape[1], _is_point(weight))
    sums = [np.add.accumulate(_joined(rows[share]), axis=0)[-1] for share in shares]
    return np.asarray(sum(sums[1:], sums[0]))


def _chained(
    parts: list[tuple[np.ndarray, np.ndarray]],
    summed: int,
    before: np.ndarray | None = None,
    behind: np.ndarray | None = None,
) -> np.ndarray:
    """A chain for each part, of columns and the weight they meet, and the sum of all: (N, channels, places...).

    summed: the axis of the weight that goes into the chains; the other one is the result's. before: what the first chain begins
    with, for each channel; behind: what is added when it has ended.
    """
    count, sums = parts[0][1].ndim - 2, []
    places = (len(parts[0][0]), *parts[0][0].shape[2 + count :])
    for columns, weight in parts:
        ours, theirs = _last(columns, count).reshape(-1, math.prod(places)), _filters(weight, summed)
        if before is not None:
            ours, theirs = np.concatenate([np.ones_like(ours[:1]), ours]), np.concatenate([before[None], theirs])
        sums.append(fused_product(ours.T, theirs))
    total = sum(sums[1:], sums[0] if behind is None else sums[0] + behind)
    return np.ascontiguousarray(np.moveaxis(total.reshape(*places, -1), -1, 1))


def _is_point(weight: np.ndarray) -> bool:
    """Whether a kernel has one place: its chain goes through all channels."""
    return math.prod(weight.shape[2:]) == 1


def _parts(channels: int, weight: np.ndarray) -> list[slice]:
    """The channels of each chain."""
    size = channels if _is_point(weight) else _CHANNELS
    return [slice(start, min(start + size, channels)) for start in range(0, channels, size)]


def _shares(images: int, divided: tuple[int, ...], channels: int, point: bool) -> list[slice]:
    """The images of each thread: all, where the threads can divide the channels, which are ``divided``.

    channels: those of the input, by which the library chooses how many it takes at a time. point: see `_is_point`.
    """
    taken = _CHANNELS // 2 if 3 < channels < _CHANNELS and not point else _CHANNELS
    parts = [-(-each // taken) for each in divided]
    count = math.prod(parts)
    evenly = count > 1 and (count != _HALVED or images % 2 or images < _HALVED)
    first = images if evenly else (images + 1) // 2
    return [slice(0, first), slice(first, images)][: 1 + (first < images)]


def _joined(rows: np.ndarray) -> np.ndarray:
    """(N, places, ...) as (N * places, ...)."""
    return rows.reshape(-1, rows.shape[-1])


def _last(columns: np.ndarray, count: int) -> np.ndarray:
    """(N, channels, kernel..., out...) as (kernel..., channels, N, out...)."""
    return columns.transpose(*range(2, 2 + count), 1, 0, *range(2 + count, 2 + 2 * count))


def _filters(weight: np.ndarray, summed: int) -> np.ndarray:
    """A weight as a matrix of what is summed, in the order of `_last`, and of what is not."""
    ordered = weight.transpose(*range(2, weight.ndim), summed, 1 - summed)
    return np.ascontiguousarray(ordered.reshape(-1, ordered.shape[-1]))
