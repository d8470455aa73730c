"""Fake quantisation: numbers rounded to the steps of a few bits, and still numbers of floating point."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.registry import Array, helper, op

X, W = [-1.52, -0.26, 0.31, 0.93, 3.0], [[0.31, -0.52, 0.11], [0.27, -2.0, 0.95]]
STEPS, ZEROS = np.array([[0.1], [0.2]]), np.array([[0.0], [1.0]])


def _levels(input: np.ndarray, scale: Any, zero_point: Any) -> Any:
    """The number of the step that each element is rounded to; NaN has the lowest."""
    inverse = 1 / np.asarray(scale, input.dtype)
    levels = np.rint(input * inverse) + np.asarray(zero_point, input.dtype)
    return np.where(np.isnan(levels), -np.inf, levels)


@helper(latex=r"\left[⟨3⟩ \le \operatorname{round}\left(⟨0⟩ / ⟨1⟩\right) + ⟨2⟩ \le ⟨4⟩\right]")
def within_steps(input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Any:
    """1 where an element was rounded, 0 where it was cut off."""
    array = input if isinstance(input, np.ndarray) else input._a
    levels = _levels(array, scale, zero_point)
    return ((levels >= quant_min) & (levels <= quant_max)).astype(array.dtype)


def _rounded(input: np.ndarray, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> np.ndarray:
    levels = np.clip(_levels(input, scale, zero_point), quant_min, quant_max)
    result: np.ndarray = (levels - np.asarray(zero_point, input.dtype)) * np.asarray(scale, input.dtype)
    return result.astype(input.dtype)


@op(
    gradients={"input": "g * within_steps(input, scale, zero_point, quant_min, quant_max)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    grad_fn="FakeQuantizePerTensorAffineCachemaskBackward0",
    symbol="quantize",
    latex=r"\operatorname{quantize}\left(⟨0⟩\right)",
    edges=((X, 0.1, 0, -10, 10), ([0.05, float("nan"), float("inf")], 0.1, 3, -10, 10)),
    refuses={"bilc": "fake_quantize_tensor_cachemask_kernel_type_handling"},
)
def fake_quantize_tensor(input: Array, scale, zero_point, quant_min, quant_max):
    """Each element rounded to a step of ``scale``, and cut off at the first and last step."""
    return _rounded(input, scale, zero_point, quant_min, quant_max)


@op(
    gradients={"input": "g * within_steps(input, scale, zero_point, quant_min, quant_max)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("scale", "zero_point"),
    grad_fn="FakeQuantizePerChannelAffineCachemaskBackward0",
    symbol="quantize",
    latex=r"\operatorname{quantize}\left(⟨0⟩\right)",
    edges=((W, STEPS, ZEROS, -4, 4),),
    refuses={"bilc": "fake_quantize_channel_cachemask_cpu_type_handling"},
)
def fake_quantize_channels(input: Array, scale, zero_point, quant_min, quant_max):
    """The same with a step for each channel."""
    return _rounded(input, scale, zero_point, quant_min, quant_max)
