"""``torch.signal.windows``: windows from evenly spaced numbers, symmetric unless asked otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.creation import finish, linspace
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import Module
from gradflow.engine.tensor import Tensor, dtypes


def _call(name: str, *args: Any) -> Any:
    return REGISTRY[name].call(*args)


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise errors.MODULE_ARGUMENT(message=message)


def _kind(name: str, M: int, dtype: Any) -> Any:
    """The dtype of a window. Raises ValueError for one that there is not, and for a negative length."""
    element_dtype = dtypes.BY_NUMPY[dtypes.DEFAULT] if dtype is None else dtype
    _refuse(M < 0, f"{name} requires non-negative window length, got M={M}")
    wide = element_dtype.name in ("float32", "float64")
    _refuse(not wide, f"{name} expects float32 or float64 dtypes, got: {element_dtype}")
    return element_dtype


def _ones(M: int, kind: Any, requires_grad: bool) -> Tensor:
    return finish(REGISTRY["tensor"].call(np.ones(M, kind.numpy)), requires_grad)


def _whole(M: int, sym: bool) -> int:
    """The number of steps over which a window is symmetric."""
    return M if not sym and M > 1 else M - 1


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(-|n - center| / tau)."""
    element_dtype = _kind("exponential", M, dtype)
    _refuse(tau <= 0, f"Tau must be positive, got: {tau} instead.")
    _refuse(sym and center is not None, "Center must be None for symmetric windows")
    if M == 0:
        return _ones(0, element_dtype, requires_grad)
    middle, slope = _whole(M, sym) / 2.0 if center is None else center, 1 / tau
    k = linspace(-middle * slope, (-middle + (M - 1)) * slope, M, dtype=element_dtype, requires_grad=requires_grad)
    return _call("exp", _call("neg", _call("abs", k)))


def cosine(M: int, *, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """sin(pi (n + 1/2) / M)."""
    element_dtype = _kind("cosine", M, dtype)
    if M == 0:
        return _ones(0, element_dtype, requires_grad)
    step = math.pi / (M + 1 if not sym and M > 1 else M)
    k = linspace(0.5 * step, (0.5 + (M - 1)) * step, M, dtype=element_dtype, requires_grad=requires_grad)
    return _call("sin", k)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """exp(-(n / std)**2 / 2), with n from the middle."""
    element_dtype = _kind("gaussian", M, dtype)
    _refuse(std <= 0, f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return _ones(0, element_dtype, requires_grad)
    start, scale = -_whole(M, sym) / 2.0, 1 / (std * math.sqrt(2))
    k = linspace(start * scale, (start + (M - 1)) * scale, M, dtype=element_dtype, requires_grad=requires_grad)
    return _call("exp", _call("neg", _call("pow_scalar", k, 2)))


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """I0(beta sqrt(1 - (2 n / N - 1)**2)) / I0(beta)."""
    element_dtype = _kind("kaiser", M, dtype)
    _refuse(beta < 0, f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return _ones(M, element_dtype, requires_grad)
    number = element_dtype.numpy.type
    shape, step = number(beta), number(2) * number(beta) / number(M - 1 if sym else M)
    end = min(shape, -shape + number(M - 1) * step)
    k = linspace(float(-shape), float(end), M, dtype=element_dtype, requires_grad=requires_grad)
    whole = Tensor(np.asarray(shape))
    inside = _call("sqrt", _call("sub", whole * whole, _call("pow_scalar", k, 2)))
    return _call("i0", inside) / _call("i0", whole)


def bartlett(M: int, *, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """1 - |2 n / N - 1|."""
    element_dtype = _kind("bartlett", M, dtype)
    if M < 2:
        return _ones(M, element_dtype, requires_grad)
    end = -1 + (M - 1) * (2 / (M - 1 if sym else M))
    return 1 - _call("abs", linspace(-1, end, M, dtype=element_dtype, requires_grad=requires_grad))


def general_cosine(M: int, *, a: Any, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The sum of (-1)**i a_i cos(2 pi i n / N)."""
    element_dtype = _kind("general_cosine", M, dtype)
    if M < 2:
        return _ones(M, element_dtype, requires_grad)
    if not isinstance(a, Iterable):
        raise errors.MODULE_TYPE(message="Coefficients must be a list/tuple")
    _refuse(not a, "Coefficients cannot be empty")
    end = (M - 1) * (2 * math.pi / (M - 1 if sym else M))
    k = linspace(0, end, M, dtype=element_dtype, requires_grad=requires_grad)
    signed = np.array([(-1) ** i * weight for i, weight in enumerate(a)], element_dtype.numpy)
    weights = finish(REGISTRY["tensor"].call(signed), requires_grad)
    numbers = finish(REGISTRY["tensor"].call(np.arange(len(signed)).astype(element_dtype.numpy)), requires_grad)
    waves = _call("cos", _call("mul", _call("unsqueeze", numbers, -1), k))
    return _call("sum_dim", _call("mul", _call("unsqueeze", weights, -1), waves), 0)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """alpha - (1 - alpha) cos(2 pi n / N)."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, requires_grad=requires_grad)


def _of_cosines(name: str, coefficients: tuple[float, ...], text: str) -> Callable[..., Tensor]:
    def window(M: int, *, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        if name == "blackman":
            _kind(name, M, dtype)
        return general_cosine(M, a=list(coefficients), sym=sym, dtype=dtype, requires_grad=requires_grad)

    window.__name__ = window.__qualname__ = name
    window.__doc__ = text
    return window


hamming = _of_cosines("hamming", (0.54, 1.0 - 0.54), "0.54 - 0.46 cos(2 pi n / N).")
hann = _of_cosines("hann", (0.5, 0.5), "(1 - cos(2 pi n / N)) / 2.")
blackman = _of_cosines("blackman", (0.42, 0.5, 0.08), "The window of Blackman, of three cosines.")
nuttall = _of_cosines(
    "nuttall", (0.3635819, 0.4891775, 0.1365995, 0.0106411), "The window of Nuttall, of four cosines."
)

_WINDOWS: tuple[Callable[..., Tensor], ...] = (
    bartlett, blackman, cosine, exponential, gaussian, general_cosine, general_hamming, hamming, hann, kaiser, nuttall,
)  # fmt: skip


def modules() -> dict[str, Module]:
    """``torch.signal`` and ``torch.signal.windows``."""
    windows = Module("torch.signal.windows", {window.__name__: window for window in _WINDOWS})
    return {"torch.signal": Module("torch.signal", {"windows": windows}), "torch.signal.windows": windows}
