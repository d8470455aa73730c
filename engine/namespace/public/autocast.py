"""Regions of mixed precision: ``torch.autocast`` and what asks for the one in force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.dispatch.autocast import Region
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import dtypes
from gradflow.engine.tensor.device import device

_NAMES: Final = ("cuda", "cpu", "mtia", "maia", "xpu", "hpu", "mps", "xla", "ipu")
_ON_THE_CPU: Final = (dtypes.bfloat16, dtypes.float16)
_OTHER_DTYPE: Final = (
    "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
    "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)


class autocast:
    """A region of mixed precision, as a block or as a decorator: on the CPU functions take their tensors in ``dtype``.

    Without a graphics card a region for one is not enabled, which a warning says.
    Source: https://pytorch.org/docs/stable/amp.html
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            shown = f"<class '{type_name(device_type)}'>"
            raise errors.MODULE_ARGUMENT(message=f"Expected `device_type` of type `str`, got: `{shown}`")
        if device(device_type).type not in _NAMES:
            raise errors.MODULE_RUNTIME(message=f"User specified an unsupported autocast device_type '{device_type}'")
        self.device, self.fast_dtype = (
            device_type,
            get_autocast_dtype(device(device_type).type) if dtype is None else dtype,
        )
        self._caching = True if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
        elif enabled and device_type == "cpu" and self.fast_dtype not in _ON_THE_CPU:
            warn(_OTHER_DTYPE)
        self._on = enabled and device_type == "cpu" and self.fast_dtype in _ON_THE_CPU

    def __enter__(self) -> autocast:
        self.prev = outer = STATE.autocast  # of this object, as in PyTorch: entered twice, it forgets what was before
        if self.device == "cpu":
            STATE.reduced = STATE.reduced or self._on
            STATE.autocast = Region(self.fast_dtype, self._caching, outer) if self._on else None
        return self

    def __exit__(self, *_: object) -> None:
        STATE.autocast = self.prev

    def __call__(self, func: Any) -> Any:
        passing(func)

        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        decorated.__name__ = decorated.__qualname__ = getattr(func, "__name__", "decorate_autocast")
        return decorated if self.device == "cpu" else func


def passing(function: Any) -> Any:
    """A function of the program as it is. Raises where it is something else."""
    if not callable(function):
        raise TypeError(f"'{type_name(function)}' object is not callable")
    return function


class CudaAutocast(autocast):
    """`autocast` under its name of before."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.float16, cache_enabled: bool = True) -> None:
        deprecated("torch.cuda.amp.autocast(args...)", "torch.amp.autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


def deprecated(old: str, new: str) -> None:
    warn(f"`{old}` is deprecated. Please use `{new}` instead.", "FutureWarning")


class CpuAutocast(autocast):
    """`autocast` on the CPU under its name of before."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.bfloat16, cache_enabled: bool = True) -> None:
        deprecated("torch.cpu.amp.autocast(args...)", "torch.amp.autocast('cpu', args...)")
        super().__init__("cpu", dtype, enabled, cache_enabled)


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether a region of mixed precision is in force; without a kind of device, on the graphics card."""
    return device_type == "cpu" and STATE.autocast is not None


def is_autocast_available(device_type: str) -> bool:
    """Whether a kind of device has regions of mixed precision."""
    return device_type in _NAMES


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype of a region of mixed precision."""
    if device_type == "cpu":
        return dtypes.bfloat16 if STATE.autocast is None else STATE.autocast.dtype
    return dtypes.bfloat16 if device_type in ("xla", "hpu", "mtia", "maia") else dtypes.float16


def _of_the_cpu(name: str, instead: str, value: Callable[[], Any]) -> Callable[[], Any]:
    def ask() -> Any:
        warn(
            f"torch.{name}() is deprecated. Please use torch.{instead}('cpu') instead.", "DeprecationWarning", once=True
        )
        return value()

    ask.__name__ = ask.__qualname__ = name
    return ask


NAMES: Final[dict[str, Any]] = {
    "autocast": autocast,
    "is_autocast_enabled": is_autocast_enabled,
    "is_autocast_available": is_autocast_available,
    "get_autocast_dtype": get_autocast_dtype,
    "get_autocast_gpu_dtype": lambda: dtypes.float16,
    "get_autocast_cpu_dtype": _of_the_cpu(
        "get_autocast_cpu_dtype", "get_autocast_dtype", lambda: get_autocast_dtype("cpu")
    ),
    "is_autocast_cpu_enabled": _of_the_cpu(
        "is_autocast_cpu_enabled", "is_autocast_enabled", lambda: is_autocast_enabled("cpu")
    ),
    "is_autocast_cache_enabled": lambda: STATE.autocast is None or STATE.autocast.caching,
    "clear_autocast_cache": lambda: None if STATE.autocast is None else STATE.autocast.casts.clear(),
}
"""What ``torch`` itself has of this."""
