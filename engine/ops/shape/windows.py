"""Sliding windows over the last dimensions: what convolutions, pools and unfolding have in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from gradflow.engine.numerics.strides import view_inside

Sizes = Sequence[int]


def output_size(length: int, kernel: int, stride: int, padding: int, dilation: int, ceil: bool = False) -> int:
    """How many windows fit; with ``ceil`` also one that hangs over the end, unless it begins in the padding there."""
    span = length + 2 * padding - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil else span // stride) + 1
    if ceil and (count - 1) * stride >= length + padding:
        count -= 1
    return count


def padded(
    input: np.ndarray, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes, fill: float
) -> np.ndarray:
    """The input with ``fill`` around it, as far as the windows reach."""
    lead = input.ndim - len(kernel)
    widths = [(0, 0)] * lead
    for n, k, s, p, d, o in zip(input.shape[lead:], kernel, stride, padding, dilation, out, strict=True):
        widths.append((p, max((o - 1) * s + d * (k - 1) + 1 - n - p, 0)))
    if not any(map(any, widths)):
        return input
    return np.pad(input, widths, constant_values=fill)


def windows(input: np.ndarray, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> np.ndarray:
    """A view of shape (..., kernel..., out...): the elements at each place of each window."""
    lead = input.ndim - len(kernel)
    steps = input.strides[lead:]
    inner = tuple(d * s for d, s in zip(dilation, steps, strict=True))
    outer = tuple(t * s for t, s in zip(stride, steps, strict=True))
    shape = (*input.shape[:lead], *kernel, *out)
    return view_inside(input, shape, (*input.strides[:lead], *inner, *outer), writeable=False)


def overlap_add(
    columns: np.ndarray,
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    by_window: bool = False,
) -> np.ndarray:
    """Undoes `windows`: (..., kernel..., out...) added up at the places they were taken from, less the padding.

    by_window: what the first window gives is added first, and not what its first place does.
    """
    n = len(kernel)
    lead, out = columns.shape[: columns.ndim - 2 * n], columns.shape[columns.ndim - n :]
    reach = [
        max(s + 2 * p, d * (k - 1) + t * (o - 1) + 1)
        for s, p, d, k, t, o in zip(size, padding, dilation, kernel, stride, out, strict=True)
    ]
    result = np.zeros((*lead, *reach), columns.dtype)
    everything = (slice(None),) * len(lead)
    for place in product(*(range(k)[:: -1 if by_window else 1] for k in kernel)):
        spots = tuple(
            slice(i * d, i * d + t * (o - 1) + 1, t) for i, d, t, o in zip(place, dilation, stride, out, strict=True)
        )
        result[everything + spots] += columns[everything + place]
    return result[everything + tuple(slice(p, p + s) for p, s in zip(padding, size, strict=True))]
