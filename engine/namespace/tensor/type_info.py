"""``torch.finfo``, ``torch.iinfo`` and questions about dtypes and types."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import OpaqueType, allow, type_of
from gradflow.engine.tensor import Tensor, dtypes

_DIGITS = {2: 3, 4: 6, 8: 15}


def _checked(function: str, given: Any) -> dtypes.dtype:
    if not isinstance(given, dtypes.dtype):
        message = f"{function}(): argument 'type' (position 1) must be torch.dtype, not {type(given).__name__}"
        raise errors.FINFO_DTYPE(message=message)
    return given


class finfo:
    """The limits of a floating point dtype."""

    def __init__(self, type: Any = None) -> None:
        dtype = dtypes.BY_NUMPY[dtypes.DEFAULT] if type is None else _checked("finfo", type)
        if dtype.category < dtypes.FLOAT:
            other = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            raise errors.FINFO_DTYPE(message=other)
        limits = dtypes.limits(dtype.numpy)
        self.bits = limits.bits
        self.dtype = limits.dtype.name
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.tiny)
        self.resolution = 0.01 if dtype is dtypes.bfloat16 else float(f"1e-{_DIGITS[limits.bits // 8]}")

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, *given: Any, **named: Any) -> None:
        values = (*given, *named.values())
        if not values:
            raise errors.FINFO_DTYPE(message='iinfo() missing 1 required positional arguments: "type"')
        dtype = _checked("iinfo", values[0])
        if dtype.category >= dtypes.FLOAT:
            other = "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
            raise errors.FINFO_DTYPE(message=other)
        if dtype.category == dtypes.BOOL:
            raise errors.FINFO_DTYPE(message="torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(dtype.numpy)
        self.bits, self.dtype, self.min, self.max = limits.bits, dtype.name, int(limits.min), int(limits.max)

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"


for _kind, _names in (
    (finfo, ("bits", "dtype", "eps", "max", "min", "tiny", "smallest_normal", "resolution")),
    (iinfo, ("bits", "dtype", "max", "min")),
):
    _kind.__module__ = "torch"
    allow(_kind, _names, shown_as=_kind)


def typename(obj: Any, /) -> str:
    """The name of the type of an object, with that of its module."""
    if isinstance(obj, Tensor):
        return f"torch.{obj.dtype.legacy}Tensor"
    shown: Any = obj if isinstance(obj, type | OpaqueType) else type_of(obj)
    cls = getattr(shown, "kind", shown)
    module = getattr(cls, "__module__", "builtins")
    if cls is dtypes.dtype:
        return "torch.dtype"
    return cls.__qualname__ if module in ("builtins", "__main__") else f"{module}.{cls.__qualname__}"


def is_storage(obj: Any, /) -> bool:
    """Whether an object is a storage: programs cannot have one."""
    return False


def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input.is_inference()


def is_neg(input: Tensor) -> bool:
    """Whether the elements in memory have the other sign: never, negation is computed at once."""
    return False


FUNCTIONS = {"is_neg": is_neg, "is_inference": is_inference}
NAMES = {"finfo": finfo, "iinfo": iinfo, "typename": typename, "is_storage": is_storage}
