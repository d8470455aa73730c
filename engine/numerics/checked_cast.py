"""A number as a dtype takes it: refused where the dtype cannot hold it, as PyTorch's checked conversions do."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.limits import limits

_C_NAMES: Final = {
    "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t", "uint8": "uint8_t", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "float32": "float", "float64": "double", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def checked_cast(value: Any, dtype: np.dtype) -> np.ndarray:
    """The number in a dtype, as an array of no dimensions. Raises RuntimeError where the dtype cannot hold it.

    A negative number wraps in an unsigned dtype; a fraction is cut off in an integer; infinities and NaN fit floats.
    """
    if dtype.kind == "b":
        return np.asarray(bool(value))
    if isinstance(value, complex) and dtype.kind != "c" and not value.imag:
        value = value.real
    if not _fits(value, dtype):
        raise errors.NUMBER_TOO_LARGE(dtype=_C_NAMES[dtype.name])
    if dtype.kind in "iu":
        return np.asarray(int(value)).astype(dtype)
    return np.asarray(value, dtype)


def checked_fill(value: Any, dtype: np.dtype) -> np.ndarray:
    """The same for elements that are filled with one number: half precision by way of double, so that it overflows."""
    wide = np.dtype("float64") if dtype.kind in "fV" and dtype.itemsize == 2 else dtype
    with np.errstate(over="ignore"):
        return checked_cast(value, wide).astype(dtype)


def _fits(value: Any, dtype: np.dtype) -> bool:
    if isinstance(value, complex):
        return dtype.kind == "c" and _fits(value.real, dtype) and _fits(value.imag, dtype)
    if dtype.kind in "iu":
        whole = np.iinfo(dtype)
        low = -int(whole.max) if whole.min == 0 else int(whole.min)
        return bool(low <= value <= int(whole.max))
    return not math.isfinite(value) or abs(value) <= float(limits(dtype).max)
