"""``segment_reduce``: sums, means, products and extremes of stretches of a dimension."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor

_OF_NONE: Final = {"sum": 0.0, "mean": math.nan, "max": -math.inf, "min": math.inf, "prod": 1.0}
_JOINED: Final = {"sum": "add", "max": "maximum", "min": "minimum", "prod": "mul"}


def segment_reduce(
    data: Any,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Any:
    """The stretches of a dimension, given by their lengths or by where they begin, each as one number.

    Raises RuntimeError where the stretches do not make up the dimension.
    """
    if reduce not in _OF_NONE:
        raise errors.REDUCE_NAME(message=f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if data._a.dtype.kind not in "fV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="_segment_reduce_cpu", dtype=data.dtype.legacy)
    bounds = _bounds(data, lengths, offsets, axis)
    return titled(_of_rows(data, bounds, reduce, initial), "SegmentReduceBackward0")


def _bounds(data: Any, lengths: Any, offsets: Any, axis: int) -> np.ndarray:
    """Where the stretches begin and the last ends, row by row."""
    if lengths is None and offsets is None:
        raise errors.MODULE_RUNTIME(message="segment_reduce(): Either lengths or offsets must be defined.")
    given = np.asarray((offsets if lengths is None else lengths)._a)
    if given.dtype.kind not in "iu":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="_segment_reduce_lengths_cpu_kernel1", dtype="Float")
    if given.ndim > 1 + data._a.ndim or axis % data._a.ndim != given.ndim - 1:
        raise errors.MODULE_RUNTIME(message="segment_reduce(): Expected axis to be the last dimension of lengths.")
    bounds = given.astype(np.int64)
    if lengths is not None:
        first = np.zeros((*given.shape[:-1], 1), np.int64)
        bounds = np.concatenate([first, bounds.cumsum(-1)], -1)
    size = data._a.shape[given.ndim - 1]
    if (np.diff(bounds) < 0).any() or (bounds < 0).any() or (bounds[..., -1] != size).any():
        raise errors.MODULE_RUNTIME(
            message="segment_reduce(): Expected all rows of lengths along axis to sum to"
            " data.size(lengths.dim()-1) when !unsafe."
        )
    return bounds


def _of_rows(data: Any, bounds: np.ndarray, reduce: str, initial: float | None) -> Any:
    if bounds.ndim > 1:
        rows = [_of_rows(data[i], bounds[i], reduce, initial) for i in range(len(bounds))]
    else:
        pairs = zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        rows = [_of_stretch(data[start:end], reduce, initial) for start, end in pairs]
    return REGISTRY["stack"].call(rows, 0)


def _of_stretch(part: Any, reduce: str, initial: float | None) -> Any:
    """One stretch. ``initial`` takes part in it, and is what an empty one gives."""
    if not len(part._a):
        value = _OF_NONE[reduce] if initial is None else initial
        return Tensor(np.full(part._a.shape[1:], value, part._a.dtype))
    found = getattr(part, "mean" if reduce == "mean" else _METHODS[reduce])(0)
    if initial is None:
        return found
    if reduce == "mean":
        return (found * len(part._a) + initial) / len(part._a)
    return REGISTRY[_JOINED[reduce]].call(found, Tensor(np.full(found._a.shape, initial, found._a.dtype)))


_METHODS: Final = {"sum": "sum", "max": "amax", "min": "amin", "prod": "prod"}
FUNCTIONS: Final = {"segment_reduce": segment_reduce}
