"""Normalisation over neighbouring channels with sums of windows that are centred: ``CrossMapLRN2d``."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.function.function import Function
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


def _window_sums(array: np.ndarray, before: int, after: int) -> np.ndarray:
    """For every channel the sum over it, ``before`` channels below it and ``after`` above."""
    places = np.arange(array.shape[1])
    upper = np.clip(places + after + 1, 0, array.shape[1])
    lower = np.minimum(np.clip(places - before, 0, array.shape[1]), upper)
    sums = np.concatenate([np.zeros_like(array[:, :1]), array.cumsum(1)], 1)
    found: np.ndarray = sums[:, upper] - sums[:, lower]
    return found


def _sums_of_squares(squares: np.ndarray, reach: int) -> np.ndarray:
    """Over ``reach`` channels on either side. The first channel stays in all sums: PyTorch never takes it out again."""
    found = _window_sums(squares, reach, reach)
    found[:, reach + 1 :] += squares[:, :1]
    return found


class CrossMapLRN2dFunction(Function):
    """The input divided by (k + alpha / size * sum of squares over the window) ** beta."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
        if has(input, "dim")._a.ndim != 4:
            raise errors.MODULE_ARGUMENT(
                message=f"CrossMapLRN2d: Expected input to be 4D, got {input._a.ndim}D instead."
            )
        reach = int((size - 1) / 2)
        ctx.size, ctx.rate, ctx.beta = size, alpha / size, beta
        wide = input._a.astype(np.float64)
        scale = k + ctx.rate * _sums_of_squares(wide * wide, reach)
        output = _tensor((wide * scale**-beta).astype(input._a.dtype))
        ctx.scale = scale
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        input, output = ctx.saved_tensors
        (g,) = grad_outputs
        before = int(ctx.size - (ctx.size - 1) / 2)  # PyTorch's windows are not those of the way forward
        spread = _window_sums(g._a.astype(np.float64) * output._a / ctx.scale, before, ctx.size - 1 - before)
        own = g._a * ctx.scale**-ctx.beta
        found = own - 2 * ctx.rate * ctx.beta * input._a * spread
        return _tensor(found.astype(input._a.dtype)), None, None, None, None


def _tensor(array: np.ndarray) -> Tensor:
    made: Tensor = REGISTRY["tensor"].call(array)
    return made


CrossMapLRN2dFunction.__name__ = CrossMapLRN2dFunction.__qualname__ = "CrossMapLRN2d"


class CrossMapLRN2d(Module):
    """Local response normalisation across channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Any:
        """The normalised input."""
        return CrossMapLRN2dFunction.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


CLASSES: dict[str, tuple[type, ...]] = {"normalization": (CrossMapLRN2d,)}
