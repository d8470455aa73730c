"""The transforms of ``numpy.fft`` of an axis without elements, which NumPy reads as if it had some.

Its inverse transforms of halves (`irfft`, `hfft` and those of several axes) take the first element of what they are given, and count those behind
it, without a look at how many there are. Padded with one zero, an axis is what it stands for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np


def padded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``numpy.fft``, which is never given an axis to transform that has no elements."""
    signature = inspect.signature(function)

    @wraps(function)
    def transform(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        array = np.asarray(bound.arguments["a"])
        if 0 in array.shape and (bound.arguments.get("n"), bound.arguments.get("s")) != (None, None):
            array = np.zeros(_filled(array.shape, bound.arguments), array.dtype)
        bound.arguments["a"] = array
        return function(*bound.args, **bound.kwargs)

    return transform


def _filled(shape: tuple[int, ...], arguments: Mapping[str, Any]) -> list[int]:
    """The shape with 1 for each axis without elements, of those that are transformed; all where that is not said plainly."""
    axes: Any = arguments["axes"] if "axes" in arguments else [arguments["axis"]]
    count, lengths = len(shape), arguments.get("s")
    if axes is None and isinstance(lengths, list | tuple) and len(lengths) <= count:
        axes = list(range(count - len(lengths), count))
    if not isinstance(axes, list | tuple) or not all(type(one) is int and -count <= one < count for one in axes):
        axes = range(count)
    places = {one % count for one in axes}
    return [size or int(k in places) for k, size in enumerate(shape)]
