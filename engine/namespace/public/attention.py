"""``torch.nn.attention``: the choice of a kernel, fused or in steps, and causal masks by their corner."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor


class SDPBackend(enum.Enum):
    """The kernels of `scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self) -> str:
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"SDPBackend.{self.name}"


SDPBackend.__module__ = "torch._C"


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[dict[Any, Any]]:
    """Ask for these kernels: without the fused one attention goes in steps. Raises TypeError for what is no kernel."""
    if not isinstance(backends, list | SDPBackend):
        raise errors.MODULE_ASSERTION(
            message="Backend must be an instance of SDPBackend or a list of SDPBackend instances"
        )
    asked = backends if isinstance(backends, list) else [backends]
    before, STATE.fused_attention = STATE.fused_attention, SDPBackend.FLASH_ATTENTION in asked
    try:
        yield {}
    finally:
        STATE.fused_attention = before


def _triangle(shape: tuple[int, ...], diagonal: int) -> Any:
    if len(shape) != 2:
        raise errors.MODULE_RUNTIME(message="causal_lower_right only supports 2D tensors")
    return REGISTRY["tril"].call(Tensor(np.ones(shape, np.bool_)), diagonal)


def causal_upper_left(*size: int) -> Any:
    """The mask by which each query sees the keys up to its own place, counted from the first."""
    return _triangle(size, 0)


def causal_lower_right(*size: int) -> Any:
    """The mask by which each query sees the keys up to its own place, counted from the last."""
    return _triangle(size, size[1] - size[0] if len(size) == 2 else 0)


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    allow(SDPBackend, ("name", "value", *SDPBackend.__members__), shown_as=SDPBackend)
    return {
        "torch.nn.attention": {"SDPBackend": SDPBackend, "sdpa_kernel": sdpa_kernel},
        "torch.nn.attention.bias": {"causal_upper_left": causal_upper_left, "causal_lower_right": causal_lower_right},
    }
