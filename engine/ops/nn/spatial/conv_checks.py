"""What a convolution refuses, in PyTorch's words and order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.tensor import dtypes

_MKLDNN = " or input should be a MKLDNN tensor and weight is a dense tensor"
_NO_PRIMITIVE = (
    "could not create a primitive descriptor for the {kind} forward propagation primitive. Run workload with "
    "environment variable ONEDNN_VERBOSE=all to get additional diagnostic information."
)


def refuse(message: str) -> Exception:
    return errors.CONV_REFUSED(message=message)


def check(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    transposed: bool,
    extra: Any,
) -> None:
    """Raises RuntimeError in PyTorch's words where a convolution makes no sense."""
    if groups <= 0:
        raise errors.CONV_GROUPS()
    if min(padding) < 0:
        raise errors.CONV_PADDING()
    if extra is not None and min(extra) < 0:
        raise refuse("negative output_padding is not supported")
    if min(stride) <= 0:
        raise errors.CONV_STRIDE()
    if min(dilation) <= 0:
        raise _no_dilation(input, weight, dilation, groups, transposed)
    _check_weight(weight, groups)
    _check_channels(input, weight, bias, groups, transposed)
    if bias is not None and bias.dtype != input.dtype and not transposed:
        raise errors.CONV_BIAS_DTYPE(input=c_name(input), bias=c_name(bias))
    if not transposed:
        size = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
        if any(k > n for k, n in zip(reach, size, strict=True)):
            raise errors.CONV_KERNEL(size=" x ".join(map(str, size)), kernel=" x ".join(map(str, reach)))
    _check_dtypes(input, weight, dilation, groups, transposed)
    if 0 in weight.shape[2:]:
        raise _no_kernel(input, weight.shape[2:], dilation, groups, transposed)
    if bias is not None and transposed and bias.dtype != input.dtype:
        _check_bias_dtype(input, weight, bias, groups)
    if extra is not None:
        _check_extra(extra, stride, dilation)
        _check_size(input, weight, stride, padding, dilation, extra, groups)


def _check_dtypes(input: np.ndarray, weight: np.ndarray, dilation: Any, groups: int, transposed: bool) -> None:
    dims = input.ndim - 2
    if input.dtype.kind != "c" and not _by_library(input, weight, groups):
        if transposed:
            floating(input, f"slow_conv_transpose{max(dims, 2)}d_out_cpu", "f" if input.itemsize != 8 else "fi")
        elif max(dilation) > 1:
            floating(input, "slow_conv_dilated<>", "f" if input.itemsize != 8 else "fi")
        else:
            floating(input, "compute_columns3d" if dims == 3 else "slow_conv2d_cpu", "fiu")
    if input.dtype == weight.dtype:
        return
    if input.dtype.kind == "c" or _by_library(input, weight, groups):
        raise refuse(
            f"Input type ({dtypes.tensor_type(input)}) and weight type ({dtypes.tensor_type(weight)}) should be the same"
            + ("" if input.dtype.kind == "c" else _MKLDNN)
        )
    raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(weight).legacy)


def _check_bias_dtype(input: np.ndarray, weight: np.ndarray, bias: np.ndarray, groups: int) -> None:
    if _by_library(input, weight, groups):
        raise refuse(
            f"Input type ({dtypes.tensor_type(input)}) and bias type ({dtypes.tensor_type(bias)}) should be the same"
            + _MKLDNN.replace("weight", "bias")
        )
    if input.ndim == 5:
        raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.of(bias).legacy)
    if dtypes.category(bias) > dtypes.category(input):
        raise errors.RESULT_CAST(result=dtypes.of(bias).legacy, output=dtypes.of(input).legacy)


def _by_library(input: np.ndarray, weight: np.ndarray, groups: int) -> bool:
    """Whether PyTorch leaves the work to oneDNN."""
    line = (1, *weight.shape[2:]) if weight.ndim == 3 else weight.shape[2:]
    return input.dtype == np.float32 and (
        groups > 1 or min(line[-2:]) > 3 or len(input) > 1 or math.prod(input.shape[:4]) > 20480
    )


def _no_dilation(input: np.ndarray, weight: np.ndarray, dilation: Any, groups: int, transposed: bool) -> Exception:
    own = (1, *dilation) if len(dilation) == 1 else dilation
    if _by_library(input, weight, groups):
        return refuse(
            "non-positive dilation is not supported"
            if not transposed
            else "dimensions are invalid"
            if len(own) == 3
            else _NO_PRIMITIVE.format(kind="deconvolution")
        )
    if not transposed:
        return errors.CONV_DILATION(dilation=list(own))
    names = ("depth", "height", "width")[3 - len(own) :]
    return errors.CONV_DILATION(dilation=", ".join(f"dilation_{n}: {d}" for n, d in zip(names, own, strict=True)))


def _no_kernel(input: np.ndarray, kernel: Any, dilation: Any, groups: int, transposed: bool) -> Exception:
    own = (1, *kernel) if len(kernel) == 1 else tuple(kernel)
    if not transposed and input.dtype == np.float32 and (len(input) > 1 or groups > 1):
        return refuse(_NO_PRIMITIVE.format(kind="convolution"))
    if max(dilation) > 1 and not transposed:
        return refuse(f"kernel size should be greater than zero, but got {list(own)}")
    if len(own) == 3:
        return refuse(f"kernel size should be greater than zero, but got: {' x '.join(map(str, own))} (TxHxW)")
    return refuse(f"kernel size should be greater than zero, but got kernel_height: {own[0]} kernel_width: {own[1]}")


def _check_extra(extra: Any, stride: Any, dilation: Any) -> None:
    if not any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation, strict=True)):
        return
    rows = []
    for what, own, first in (("output_padding", extra, 0), ("stride", stride, 1), ("dilation", dilation, 1)):
        values = (first, *own) if len(own) == 1 else tuple(own)
        names = ("depth", "height", "width")[3 - len(values) :]
        rows += [f"{what}_{name}: {value}" for name, value in zip(names, values, strict=True)]
    raise errors.CONV_OUTPUT_PADDING(given=" ".join(rows))


def _check_size(
    input: np.ndarray, weight: np.ndarray, stride: Any, padding: Any, dilation: Any, extra: Any, groups: int
) -> None:
    shape = input.shape[2:]
    each = zip(shape, stride, padding, dilation, weight.shape[2:], extra, strict=True)
    size = [(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, s, p, d, k, o in each]
    if min(size) >= 1:
        return
    if _by_library(input, weight, groups):
        raise refuse("could not construct a memory descriptor using a format tag")
    before, after = ([1, *sizes] if len(sizes) == 1 else list(sizes) for sizes in (shape, size))
    raise refuse(
        f"Given input size per channel: ({' x '.join(map(str, before))}). Calculated output size per channel: "
        f"({' x '.join(map(str, after))}). Output size is too small"
    )


def _check_weight(weight: np.ndarray, groups: int) -> None:
    if weight.shape[0] < groups:
        raise errors.CONV_WEIGHT_COUNT(groups=groups, shape=list(weight.shape))
    if weight.shape[0] % groups:
        raise errors.CONV_WEIGHT_GROUPS(groups=groups, shape=list(weight.shape))


def _check_channels(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, groups: int, transposed: bool
) -> None:
    if transposed:
        if input.shape[1] != weight.shape[0]:
            raise errors.CONV_TRANSPOSED_CHANNELS(
                weight=list(weight.shape), input=list(input.shape), wanted=weight.shape[0], given=input.shape[1]
            )
    elif input.shape[1] != weight.shape[1] * groups:
        raise errors.CONV_CHANNELS(
            groups=groups,
            weight=list(weight.shape),
            input=list(input.shape),
            wanted=weight.shape[1] * groups,
            given=input.shape[1],
        )
    outputs = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and bias.shape != (outputs,):
        form = errors.CONV_TRANSPOSED_BIAS if transposed else errors.CONV_BIAS
        raise form(weight=list(weight.shape), count=outputs, bias=list(bias.shape))


def c_name(array: np.ndarray) -> str:
    """The dtype as C++ knows it."""
    return dtypes.C_NAMES[dtypes.of(array).name]
