"""Normalisation over a batch or a layer: to mean 0 and variance 1, then scaled and shifted."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.fused import quick_fused
from gradflow.engine.numerics.moments import (
    in_order,
    product_vector_sum,
    products_in_order,
    row_moments,
    vector_sum,
)
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
ROWS = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [-1.0, 0.25, 0.6]]
IMAGE = [
    [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]],
    [[[0.1, 0.7], [-2.0, 1.2]], [[1.1, -0.3], [0.9, 0.4]]],
]
SCALE, SHIFT = [0.5, 2.0, -1.5], [0.25, -1.0, 0.75]
MEANS, VARIANCES = [0.1, -0.2, 0.3], [1.5, 0.5, 2.0]
_WIDTH: Final = 8
"""So many channels are a vector."""


def batch_axes(ndim: int) -> tuple[int, ...]:
    """All dimensions but that of the channels."""
    return (0, *range(2, ndim))


def column(vector: Any, ndim: int) -> Any:
    """One number for each channel, shaped to be broadcast."""
    return vector.reshape((1, -1, *(1 for _ in range(ndim - 2))))


def standard(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    """The input at mean 0 and variance 1, and one over its standard deviation; for arrays and for Tensors."""
    centred = x - x.mean(axis=axes, keepdims=True)
    scale = ((centred * centred).mean(axis=axes, keepdims=True) + eps) ** -0.5
    return centred * scale, scale


def moments(x: np.ndarray, count: int, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean over the last ``count`` dimensions, which stay, and one over the standard deviation."""
    kept = x.shape[: x.ndim - count]
    mean, variance = row_moments(x.reshape(math.prod(kept), -1 if x.size else math.prod(x.shape[x.ndim - count :])))
    scale = 1 / np.sqrt(variance + x.dtype.type(eps))
    return mean.reshape(kept + (1,) * count), scale.reshape(kept + (1,) * count)


def scaled(
    x: np.ndarray, mean: np.ndarray, scale: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None
) -> np.ndarray:
    """(x - mean) * scale * weight + bias as PyTorch has it: a factor and a summand, which are then applied at once."""
    factor = scale if weight is None else scale * weight
    summand = quick_fused(-mean, factor, np.zeros((), x.dtype) if bias is None else bias)
    return quick_fused(x, factor, summand)


def same_dtype(input: np.ndarray, *others: np.ndarray | None) -> None:
    """Raises RuntimeError in PyTorch's words. The first parameter tells whether float32 is to meet a lower precision."""
    given = [other.dtype for other in others if other is not None]
    if given and given[0] != input.dtype:
        if any(dtype != np.float32 for dtype in given):
            raise errors.MIXED_PARAMETER()
        raise errors.MIXED_DTYPE()
    for dtype in given:
        if dtype != input.dtype:
            raise errors.SCALAR_TYPE(expected=dtypes.of(input).legacy, found=dtypes.BY_NUMPY[dtype].legacy)


# -- over the last dimensions ------------------------------------------------------------------------------------------


def last_axes(shape: Any) -> tuple[int, ...]:
    return tuple(range(-len(shape), 0))


def _rows(x: np.ndarray, normalized_shape: Any) -> np.ndarray:
    count = math.prod(normalized_shape)
    return x.reshape(x.size // max(count, 1), count)


@helper(latex=r"\operatorname{through}\left(⟨0⟩\right)")
def layer_norm_rule(g, input, weight, normalized_shape, eps):
    """The gradient for the input of a layer normalisation."""
    x, rows = _rows(input, normalized_shape), _rows(g, normalized_shape)
    mean, scale = (each[:, 0] for each in moments(x, 1, eps))
    share = x.dtype.type(1) / x.dtype.type(max(x.shape[1], 1))
    if weight is None:
        along, total, steep = product_vector_sum(rows, x), vector_sum(rows), scale[:, None] * rows
    else:
        factor = weight.reshape(-1)
        along, total = product_vector_sum(rows * x, factor), product_vector_sum(rows, factor)
        steep = scale[:, None] * rows * factor
    slope = quick_fused(total, mean, -along) * scale * scale * scale * share
    shift = quick_fused(-slope, mean, -(total * scale * share))
    return (quick_fused(x, slope[:, None], steep) + shift[:, None]).reshape(input.shape)


@helper(latex=r"\textstyle\sum ⟨0⟩ \odot \hat{x}")
def layer_norm_slope(g, input, normalized_shape, eps):
    """The gradient for the factors of a layer normalisation."""
    x = _rows(input, normalized_shape)
    mean, scale = moments(x, 1, eps)
    return products_in_order(_rows(g, normalized_shape), quick_fused(x, scale, -scale * mean)).reshape(normalized_shape)


@helper(latex=r"\textstyle\sum ⟨0⟩")
def layer_norm_sum(g, normalized_shape):
    """The gradient for the summands of a layer normalisation."""
    return in_order(_rows(g, normalized_shape)).reshape(normalized_shape)


@op(
    gradients={
        "input": (
            "layer_norm_rule(g, input, weight, normalized_shape, eps)",
            "layer_norm_backward(g, input, weight, normalized_shape, eps)[0]",
        ),
        "weight": (
            "layer_norm_slope(g, input, normalized_shape, eps)",
            "layer_norm_backward(g, input, weight, normalized_shape, eps)[1]",
        ),
        "bias": (
            "layer_norm_sum(g, normalized_shape)",
            "layer_norm_backward(g, input, weight, normalized_shape, eps)[2]",
        ),
    },
    latex=r"\frac{⟨0⟩-\mu}{\sqrt{\sigma^2+\epsilon}}⟦2: \odot ⟨2⟩⟧⟦3:+⟨3⟩⟧",
    symbol="norm",
    grad_fn="NativeLayerNormBackward0",
    methods=(),
    torch="nn.functional.layer_norm",
    samples=(
        (V, (3,), None, None),
        (V, (3,), SCALE, SHIFT),
        (V, (3,), SCALE, None, 0.1),
        (IMAGE, (2, 2), [[1.0, 2.0], [0.5, -1.0]], None),
        (IMAGE, (2,), [2.0, -0.5], [0.5, 1.0]),
    ),
    errors=(
        (
            V,
            (2,),
            None,
            None,
            "Given normalized_shape=[2], expected input with shape [*, 2], but got input of size[2, 3]",
        ),
        (
            V,
            (3,),
            [1.0, 2.0],
            None,
            "Expected weight to be of same shape as normalized_shape, but got"
            " weight of shape [2] and normalized_shape = [3]",
        ),
        (
            V,
            (3,),
            None,
            [1.0, 2.0],
            "Expected bias to be of same shape as normalized_shape, but got bias"
            " of shape [2] and normalized_shape = [3]",
        ),
    ),
)
def layer_norm(input: Array, normalized_shape, weight: Array | None = None, bias: Array | None = None, eps=1e-5):
    """The input at mean 0 and variance 1 over its last dimensions, times ``weight`` plus ``bias``."""
    shape = tuple(normalized_shape)
    same_dtype(input, weight, bias)
    check_shape(input, shape, weight=weight, bias=bias)
    floating(input, "LayerNormKernelImpl")
    mean, scale = moments(input, len(shape), eps)
    result = (input - mean) * scale
    if weight is None:
        return result if bias is None else result + bias
    return result * weight if bias is None else quick_fused(result, weight, bias)


def check_shape(input: np.ndarray, shape: tuple[int, ...], gap: str = ", ", **parameters: np.ndarray | None) -> None:
    """Raises RuntimeError where the input does not end in ``shape``, or a parameter has another shape."""
    if not shape:
        raise errors.NORMALIZED_EMPTY()
    for name, given in parameters.items():
        if given is not None and given.shape != shape:
            raise errors.NORMALIZED_PARAMETER(name=name, given=list(given.shape), shape=list(shape))
    if input.shape[-len(shape) :] != shape:
        wanted = ", ".join(map(str, shape))
        raise errors.NORMALIZED_SHAPE(shape=list(shape), wanted=f"[*{gap}{wanted}]", given=list(input.shape))


# -- over the batch ----------------------------------------------------------------------------------------------------


def _flat(x: np.ndarray) -> bool:
    """Whether an example has one element of each channel: these are added up row by row, others example by example."""
    return math.prod(x.shape[2:]) == 1


def _channels(x: np.ndarray) -> np.ndarray:
    return x.reshape(x.shape[:2] if _flat(x) else (*x.shape[:2], -1))


def channel_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum of ``a * b`` over everything but the channels, in double precision where there are several examples' sums."""
    if _flat(a):
        return products_in_order(_channels(a), _channels(b))
    return product_vector_sum(_channels(a), _channels(b)).sum(axis=0, dtype=np.float64)


def _wide_sum(g: np.ndarray) -> np.ndarray:
    if not g.size:
        return np.asarray(g.sum(axis=batch_axes(g.ndim)))
    return in_order(_channels(g)) if _flat(g) else vector_sum(_channels(g)).sum(axis=0, dtype=np.float64)


@helper(latex=r"\textstyle\sum ⟨0⟩")
def channel_sum(g):
    """The sum over everything but the channels."""
    return _wide_sum(g).astype(g.dtype, copy=False)


def batch_moments(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each channel, and the sum of its squared distances from it."""
    if _flat(x) and x.dtype == np.float32 and x.size:
        rows = _channels(x)
        mean = in_order(rows) / x.dtype.type(len(rows))
        return mean, products_in_order(rows - mean, rows - mean)
    wide, axes = x.astype(np.float64), batch_axes(x.ndim)
    mean = wide.mean(axis=axes).astype(x.dtype)
    squares = np.square(x - column(mean, x.ndim))
    return mean, squares.sum(axis=axes, dtype=np.float64).astype(x.dtype)


def deviation(variance: np.ndarray, eps: float) -> np.ndarray:
    """One over the standard deviation, computed in double precision."""
    return np.asarray((1 / np.sqrt(variance.astype(np.float64) + eps)).astype(variance.dtype))


def _found(x: np.ndarray, mean: Any, variance: Any, training: bool, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each channel and one over its standard deviation, by the batch or by the running statistics."""
    if not training:
        return mean, deviation(variance, eps)
    mean, squares = batch_moments(x)
    return mean, deviation(squares / x.dtype.type(x.size // max(x.shape[1], 1)), eps)


@helper(latex=r"\operatorname{through}\left(⟨0⟩\right)")
def batch_norm_rule(g, input, weight, running_var, training, eps):
    """The gradient for the input of a batch normalisation."""
    ndim = input.ndim
    mean, scale = _found(input, None, running_var, training, eps)
    if training:
        g = _through_batch(g, input - column(mean, ndim), scale)
    passed = g * column(scale, ndim)
    return passed if weight is None else passed * column(weight, ndim)


def _through_batch(g: np.ndarray, centred: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The upstream gradient less its mean and its part along the input."""
    count, kind, ndim = g.size // max(g.shape[1], 1), g.dtype.type, g.ndim
    slope = column(channel_products(g, centred).astype(g.dtype) * scale * scale / kind(count), ndim)
    less = g - column((_wide_sum(g) / count).astype(g.dtype), ndim)
    through = quick_fused(-centred, slope, less)
    if _flat(g):  # channels that fill no vector
        last = slice(g.shape[1] // _WIDTH * _WIDTH, None)
        through[:, last] = less[:, last] - centred[:, last] * slope[:, last]
    return through


@helper(latex=r"\textstyle\sum ⟨0⟩ \odot \hat{x}")
def batch_norm_slope(g, input, running_mean, running_var, training, eps):
    """The gradient for the factor of each channel."""
    mean, scale = _found(input, running_mean, running_var, training, eps)
    return (channel_products(g, input - column(mean, input.ndim)) * scale).astype(g.dtype)


def _positional(function: Any, *args: Any) -> Any:
    return function(*args, *(0.1, 1e-5)[len(args) - 6 :], False)


@op(
    gradients={
        "input": (
            "batch_norm_rule(g, input, weight, running_var, training, eps)",
            "batch_norm_backward(g, input, weight, running_mean, running_var, training, eps)[0]",
        ),
        "weight": (
            "batch_norm_slope(g, input, running_mean, running_var, training, eps)",
            "batch_norm_backward(g, input, weight, running_mean, running_var, training, eps)[1]",
        ),
        "bias": (
            "channel_sum(g)",
            "batch_norm_backward(g, input, weight, running_mean, running_var, training, eps)[2]",
        ),
    },
    latex=r"\frac{⟨0⟩-\mu}{\sqrt{\sigma^2+\epsilon}}⟦1: \odot ⟨1⟩⟧⟦2:+⟨2⟩⟧",
    symbol="norm",
    grad_fn="NativeBatchNormBackward0",
    functions=(),
    methods=(),
    torch="batch_norm",
    adapt=_positional,
    samples=(
        (ROWS, None, None, None, None, True),
        (ROWS, SCALE, SHIFT, MEANS, VARIANCES, True),
        (ROWS, SCALE, SHIFT, MEANS, VARIANCES, False),
        (IMAGE, [0.5, 2.0], None, None, None, True),
        (IMAGE, [0.5, -2.0], [1.0, -1.0], [0.1, 0.2], [1.0, 2.0], False),
    ),
)
def batch_norm(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training,
    momentum=0.1,
    eps=1e-5,
):
    """Each channel at mean 0 and variance 1, times ``weight`` plus ``bias``."""
    channels = input.shape[1] if input.ndim > 1 else 0
    for name, given in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if given is None and not training and name.startswith("running"):
            raise errors.RUNNING_MISSING(name=name)
        if given is not None and given.size != channels:
            raise errors.CHANNEL_COUNT(name=name, channels=channels, given=given.size)
    same_dtype(floating(input, "batch_norm"), weight, bias, running_mean, running_var)
    found = _found(input, None, None, True, eps) if training else (running_mean, 1 / np.sqrt(running_var + eps))
    columns: list[Any] = [None if each is None else column(each, input.ndim) for each in (*found, weight, bias)]
    return scaled(input, *columns)


def batch_statistics(input: np.ndarray, kind: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each channel, and its variance without bias, for running statistics of a dtype.

    Of a lower precision they are found in float32; those that are kept in bfloat16 are rounded as their sums are.
    """
    count = input.size // max(input.shape[1], 1)
    wide = input.astype(np.float32) if input.itemsize == 2 else input
    kept = kind if kind == dtypes.BFLOAT16 else wide.dtype
    with np.errstate(all="ignore"):
        mean, squares = (each.astype(kept) for each in batch_moments(wide))
        return mean, squares / kept.type(count - 1)
