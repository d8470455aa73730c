"""Windows of signal processing, and numbers evenly apart on a logarithmic scale or up to an end that is included."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.creation import bounds, finish
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.ops.creation import checked
from gradflow.engine.out_rules import OPTION, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes

RANGE_WARNING = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)


def _made(array: np.ndarray, requires_grad: bool) -> Tensor:
    return finish(REGISTRY["tensor"].call(array), requires_grad)


def _cos(x: np.ndarray) -> np.ndarray:
    return np.asarray(REGISTRY["cos"].body(x), x.dtype)


def _window(
    name: str, length: int, periodic: bool, dtype: Any, requires_grad: bool, shape: Callable[[np.ndarray, int], Any]
) -> Tensor:
    """A window of this length; a periodic one is a symmetric one of one more, without its last element."""
    element_dtype = dtypes.BY_NUMPY[dtypes.DEFAULT] if dtype is None else dtype
    if not element_dtype.is_floating_point and not element_dtype.is_complex:
        raise errors.WINDOW_DTYPE(function=name, dtype=dtypes.C_NAMES[element_dtype.name])
    if length < 0:
        raise errors.WINDOW_LENGTH(function=name, length=length)
    checked((length,))
    if length < 2:
        return _made(np.ones(length, element_dtype.numpy), requires_grad)
    whole = length + 1 if periodic else length
    return _made(
        np.asarray(shape(np.arange(whole).astype(element_dtype.numpy), whole - 1), element_dtype.numpy)[:length],
        requires_grad,
    )


def _raised_cosine(
    name: str, length: int, periodic: bool, alpha: float, beta: float, options: dict[str, Any]
) -> Tensor:
    def shape(x: np.ndarray, last: int) -> np.ndarray:
        scalar_type = x.dtype.type
        return np.asarray(_cos(x * scalar_type(2 * math.pi / last)) * scalar_type(-beta) + scalar_type(alpha))

    return _window(name, length, periodic, options.get("dtype"), options.get("requires_grad", False), shape)


def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """(1 - cos(2 pi n / (N - 1))) / 2."""
    options = {"dtype": dtype, "requires_grad": requires_grad}
    return _raised_cosine("hann_window", window_length, periodic, 0.5, 0.5, options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """alpha - beta cos(2 pi n / (N - 1))."""
    options = {"dtype": dtype, "requires_grad": requires_grad}
    return _raised_cosine("hamming_window", window_length, periodic, alpha, beta, options)


def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1))."""

    def shape(x: np.ndarray, last: int) -> np.ndarray:
        scalar_type = x.dtype.type
        angle = x * scalar_type(math.pi / last)
        fourth, second = (
            _cos(angle * scalar_type(4)) * scalar_type(0.08),
            _cos(angle * scalar_type(2)) * scalar_type(0.5),
        )
        return np.asarray(fourth - second + scalar_type(0.42))

    return _window("blackman_window", window_length, periodic, dtype, requires_grad, shape)


def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """A triangle from 0 to 1 and back."""

    def shape(x: np.ndarray, last: int) -> np.ndarray:
        rising = x * x.dtype.type(2 / last)
        return np.where(np.arange(last + 1) <= last >> 1, rising, x.dtype.type(2) - rising)

    return _window("bartlett_window", window_length, periodic, dtype, requires_grad, shape)


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Modified Bessel functions of order 0 of beta sqrt(1 - (2 n / (N - 1) - 1)^2), relative to that of beta."""

    def shape(x: np.ndarray, last: int) -> np.ndarray:
        place = x.astype(np.float64) * (2 / last) - 1
        return np.asarray(np.i0(beta * np.sqrt(np.maximum(1 - place * place, 0))) / np.i0(beta))

    return _window("kaiser_window", window_length, periodic, dtype, requires_grad, shape)


# -- numbers apart -----------------------------------------------------------------------------------------------------


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """``steps`` powers of ``base``, the exponents evenly apart from start to end."""
    low, high = bounds("logspace", start, end)
    element_dtype = dtypes.DEFAULT if dtype is None else dtype.numpy
    if steps < 0:
        raise errors.NEGATIVE_STEPS()
    checked((steps,))
    first, last = (
        np.asarray(checked_cast(v, element_dtype), np.complex128 if element_dtype.kind == "c" else np.float64)
        for v in (low, high)
    )
    step, index = (last - first) / max(steps - 1, 1), np.arange(steps)
    from_start = index < max(steps // 2, steps == 1)
    powers = np.power(float(base), np.where(from_start, first + step * index, last - step * index[::-1]))
    with np.errstate(all="ignore"):
        return _made(
            (powers.astype(np.int64) if element_dtype.kind in "iu" else powers).astype(element_dtype), requires_grad
        )


def range_(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """start, start + step, ... up to end, which is included: the old form of `arange`."""
    warn(RANGE_WARNING)
    if step == 0:
        raise errors.RANGE_STEP()
    if (end - start) * step < 0:
        raise errors.FRACTIONAL_STEP()
    if not (math.isfinite(start) and math.isfinite(end)):
        raise errors.INFINITE_RANGE(start=start, end=end)
    count = math.floor((end - start) / step) + 1
    checked((count,))
    element_dtype = dtypes.DEFAULT if dtype is None else dtype.numpy
    return _made((start + np.arange(count) * step).astype(element_dtype), requires_grad)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__.rstrip("_"): f
    for f in (hann_window, hamming_window, blackman_window, bartlett_window, kaiser_window, logspace, range_)
}
