"""Fractional max pooling: windows at random places that grow evenly (Graham 2014)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine.registry import Array, op

PLANE = [[[0.5, -1.25, 2.0, 0.9], [1.0, 0.3, -0.7, 1.7], [1.5, 0.75, -0.5, -1.9], [3.0, -0.2, 0.1, 2.2]]]
BLOCK = [
    [[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5]], [[3.0, -0.2, 0.1], [0.4, 1.1, -0.9], [0.6, -1.3, 0.8]]]
]


def _starts(draw: np.ndarray, size: int, out: int, window: int) -> np.ndarray:
    """Where the windows begin along one dimension, for each plane: (planes, out)."""
    last = np.full((draw.size, min(out, 1)), size - window, np.int64)
    if out <= 1:
        return last
    step = draw.dtype.type(size - window) / draw.dtype.type(out - 1)
    first = ((np.arange(out - 1, dtype=draw.dtype) + draw[:, None]) * step).astype(np.int64)
    return np.concatenate([first - (draw * step).astype(np.int64)[:, None], last], 1)


def _pooled(input: np.ndarray, kernel: Any, out: Any, samples: np.ndarray, order: Any) -> tuple[np.ndarray, np.ndarray]:
    n = len(kernel)
    size, lead = input.shape[input.ndim - n :], input.shape[: input.ndim - n]
    planes = math.prod(lead)
    draws = samples.reshape(planes, n)
    number: Any = np.zeros((planes, *(1,) * (2 * n)), np.int64)
    for axis in range(n):
        starts = _starts(draws[:, order[axis]], size[axis], out[axis], kernel[axis])
        spots = starts[:, :, None] + np.arange(kernel[axis])
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = out[axis], kernel[axis]
        number = number * size[axis] + spots.reshape(planes, *shape)
    number = np.broadcast_to(number, (planes, *out, *kernel)).reshape(planes, math.prod(out), math.prod(kernel))
    found = np.take_along_axis(input.reshape(planes, 1, math.prod(size)), number, 2)
    gaps = np.isnan(found)
    # of equal elements the first, of NaNs the last
    last = found.shape[2] - 1 - np.argmax(gaps[..., ::-1], -1) if found.size else np.zeros(found.shape[:2], np.int64)
    best = np.where(gaps.any(-1), last, np.argmax(np.where(gaps, -np.inf, found), -1))[..., None]
    values, indices = (np.take_along_axis(a, best, 2).reshape(*lead, *out) for a in (found, number))
    return values, indices


def _declared(dims: int, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                f"plane_put(g, indices, input.shape, {dims})",
                f"gradient_by(g, input, indices, 'plane_put', (input.shape, {dims}), 'FractionalMaxPool{dims}D')",
            )
        },
        "outputs": ("values", "indices"),
        "latex": r"\max_{\text{window}} ⟨0⟩",
        "symbol": "max pool",
        "functions": (),
        "methods": (),
        "samples": samples,
        "grad_fn": f"FractionalMaxPool{dims}DBackward0",
        "torch": f"ops.aten.fractional_max_pool{dims}d",
    }


@op(**_declared(2, (([PLANE], (2, 2), (2, 2), [[[0.3, 0.8]]]), ([PLANE], (2, 3), (3, 1), [[[0.9, 0.1]]]))))
def fractional_max_pool2d(input: Array, kernel_size, output_size, random_samples: Array):
    """The largest element of each of as many windows of a plane as are wanted, and its number in the plane."""
    return _pooled(input, kernel_size, output_size, random_samples, (1, 0))


@op(
    **_declared(
        3, (([BLOCK], (1, 2, 1), (1, 1, 2), [[[0.3, 0.8, 0.6]]]), ([BLOCK], (1, 2, 1), (1, 1, 2), [[[0.9, 0.1, 0.4]]]))
    )
)
def fractional_max_pool3d(input: Array, kernel_size, output_size, random_samples: Array):
    """The largest element of each of as many windows of a block as are wanted, and its number in the block."""
    return _pooled(input, kernel_size, output_size, random_samples, (0, 1, 2))
