"""What else programs ask of PyTorch's public modules: whether there are other devices, errors by name, small settings."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from gradflow.engine.namespace.checked_calls import checked
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.tensor import Tensor


class OutOfMemoryError(RuntimeError):
    """The memory of a graphics card is full: never raised here."""


class AcceleratorError(RuntimeError):
    """A graphics card has failed: never raised here."""


def _nothing(*given: Any, **named: Any) -> None:
    pass


def _no(*given: Any) -> bool:
    return False


def _no_accelerator(*given: Any, **named: Any) -> NoReturn:
    raise RuntimeError("Cannot access accelerator device when none is available.")


@contextmanager
def _flags(*given: Any, **named: Any) -> Any:
    yield


def _assert_allclose(
    actual: Any, expected: Any, rtol: Any = None, atol: Any = None, equal_nan: bool = True, msg: str = ""
) -> None:
    """``assert_close`` under its old name."""
    close = _close(actual, expected, 1.3e-6 if rtol is None else rtol, 1e-5 if atol is None else atol, equal_nan)
    if not close:
        raise AssertionError(msg or "Tensor-likes are not close!")


def _close(actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool) -> bool:
    first, second = (each._a if isinstance(each, Tensor) else np.asarray(each) for each in (actual, expected))
    return first.shape == second.shape and bool(np.allclose(first, second, rtol, atol, equal_nan))


def _backends() -> dict[str, dict[str, Any]]:
    return {
        "torch.backends.mkl": {"is_available": lambda: True, "verbose": _flags, "VERBOSE_OFF": 0, "VERBOSE_ON": 1},
        "torch.backends.openmp": {"is_available": lambda: True},
        "torch.backends.opt_einsum": {"is_available": _no, "enabled": False, "strategy": None},
        "torch.backends.cpu": {"get_cpu_capability": lambda: "DEFAULT"},
        "torch.backends.nnpack": {"is_available": _no, "flags": _flags, "set_flags": lambda enabled: (False,)},
    }


def _accelerator() -> dict[str, Any]:
    refusing = ("current_device_index", "current_device_idx", "current_stream", "set_device_index", "set_device_idx")
    doing_nothing = ("empty_cache", "reset_peak_memory_stats", "reset_accumulated_memory_stats")
    counting = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    return {
        "current_accelerator": lambda check_available=False: None,
        **dict.fromkeys((*refusing, "synchronize", "set_stream"), _no_accelerator),
        **dict.fromkeys(doing_nothing, _nothing),
        **dict.fromkeys(counting, lambda *given: 0),
    }


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    for cls in (OutOfMemoryError, AcceleratorError):
        cls.__module__ = "torch"
        allow(cls, ("args",), subclass=True)
    return {
        "torch": {
            "OutOfMemoryError": OutOfMemoryError,
            "AcceleratorError": AcceleratorError,
            "is_vulkan_available": checked("is_vulkan_available", lambda: False),
        },
        "torch.cuda": {"OutOfMemoryError": OutOfMemoryError},
        "torch.accelerator": _accelerator(),
        "torch.mps": {"is_available": _no, "synchronize": _nothing, "current_allocated_memory": lambda: 0},
        "torch.cpu": {
            "current_stream": lambda device=None: None,
            "set_device": _nothing,
            "is_initialized": lambda: True,
        },
        "torch.version": {"debug": False, "git_version": "", "xpu": None, "rocm": None},
        "torch.testing": {"assert_allclose": _assert_allclose},
        **_backends(),
    }
