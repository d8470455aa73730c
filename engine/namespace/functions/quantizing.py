"""Fake quantisation: `torch.fake_quantize_per_tensor_affine` and `torch.fake_quantize_per_channel_affine`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim, dtypes


def _check_range(quant_min: int, quant_max: int, zero_points: Any) -> None:
    if quant_min > quant_max:
        raise errors.QUANTIZE_REFUSED(message="`quant_min` should be less than or         equal to `quant_max`.")
    if np.any((zero_points < quant_min) | (zero_points > quant_max)):
        raise errors.QUANTIZE_REFUSED(message="`zero_point` must be between `quant_min` and `quant_max`.")


def fake_quantize_per_tensor_affine(input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Any:
    """Each element rounded to a step of ``scale``, and cut off at the first and last one. Scale and zero: numbers or tensors."""
    step = float(scale)
    zero = int(zero_point)
    _check_range(quant_min, quant_max, zero)
    result = REGISTRY["fake_quantize_tensor"].call(input, step, zero, quant_min, quant_max)
    if isinstance(scale, Tensor):
        return titled(result, "FakeQuantizePerTensorAffineCachemaskTensorQparamsBackward0")
    return result


def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Any:
    """The same with a step and a zero for each number along ``axis``."""
    if scale.dtype is not dtypes.float32:
        raise errors.QUANTIZE_REFUSED(message=f"Scale must be Float or BFloat16, found {scale.dtype.legacy}")
    if zero_point.dtype not in (dtypes.int32, dtypes.float32, dtypes.float16):
        raise errors.QUANTIZE_REFUSED(
            message=f"Zero-point must be Int32, Float or Half, found {zero_point.dtype.legacy}"
        )
    dim = check_dim(axis, input._a.ndim)
    if scale._a.ndim != 1 or zero_point._a.ndim != 1 or len(scale._a) != len(zero_point._a):
        raise errors.QUANTIZE_REFUSED(message="scale and zero-point need to have the same dimensions")
    if len(scale._a) != input._a.shape[dim]:
        raise errors.QUANTIZE_REFUSED(message="dimensions of scale and zero-point are not consistent with input tensor")
    _check_range(quant_min, quant_max, zero_point._a)
    shape = [-1 if d == dim else 1 for d in range(input._a.ndim)]
    spread = (scale._a.reshape(shape), zero_point._a.reshape(shape))
    return REGISTRY["fake_quantize_channels"].call(input, *spread, quant_min, quant_max)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "fake_quantize_per_tensor_affine": fake_quantize_per_tensor_affine,
    "fake_quantize_per_channel_affine": fake_quantize_per_channel_affine,
}
