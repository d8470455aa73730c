"""Normalisation over a batch or a layer: to mean 0 and variance 1, then scaled and shifted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.fused import fused
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


def moments(x: np.ndarray, axes: tuple[int, ...], eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean, and one over the standard deviation, computed in double precision."""
    wide = x.astype(np.float64)
    mean = wide.mean(axis=axes, keepdims=True)
    scale = 1 / np.sqrt(np.square(wide - mean).mean(axis=axes, keepdims=True) + eps)
    return mean.astype(x.dtype), scale.astype(x.dtype)


def scaled(
    x: np.ndarray, mean: np.ndarray, scale: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None
) -> np.ndarray:
    """(x - mean) * scale * weight + bias as PyTorch has it: a factor and a summand, which are then applied at once."""
    factor = scale if weight is None else scale * weight
    summand = fused(-mean, factor, np.zeros((), x.dtype) if bias is None else bias)
    return fused(x, factor, summand)


def through(g: Any, x: Any, axes: tuple[int, ...], eps: float) -> Any:
    """The gradient through `standard`: less its mean, less its part along the result."""
    normal, scale = standard(x, axes, eps)
    along = (g * normal).mean(axis=axes, keepdims=True)
    return scale * (g - g.mean(axis=axes, keepdims=True) - normal * along)


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


@helper(latex=r"\operatorname{through}\left(⟨0⟩\right)")
def layer_norm_rule(g, input, weight, normalized_shape, eps):
    """The gradient for the input of a layer normalisation."""
    return through(g if weight is None else g * weight, input, last_axes(normalized_shape), eps)


@helper(latex=r"\hat{x}")
def standard_layer(input, normalized_shape, eps):
    """The input at mean 0 and variance 1 over its last dimensions."""
    return standard(input, last_axes(normalized_shape), eps)[0]


@op(
    gradients={
        "input": (
            "layer_norm_rule(g, input, weight, normalized_shape, eps)",
            "layer_norm_backward(g, input, weight, normalized_shape, eps)[0]",
        ),
        "weight": (
            "sum_to_size(g * standard_layer(input, normalized_shape, eps), weight.shape)",
            "layer_norm_backward(g, input, weight, normalized_shape, eps)[1]",
        ),
        "bias": ("sum_to_size(g, bias.shape)", "layer_norm_backward(g, input, weight, normalized_shape, eps)[2]"),
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
    result = standard(input, last_axes(shape), eps)[0]
    if weight is not None:
        result = result * weight
    return result if bias is None else result + bias


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


@helper(latex=r"\operatorname{through}\left(⟨0⟩\right)")
def batch_norm_rule(g, input, weight, running_var, training, eps):
    """The gradient for the input of a batch normalisation."""
    weighted = g if weight is None else g * column(weight, input.ndim)
    if training:
        return through(weighted, input, batch_axes(input.ndim), eps)
    return weighted * column((running_var + eps) ** -0.5, input.ndim)


@helper(latex=r"\hat{x}")
def standard_batch(input, running_mean, running_var, training, eps):
    """The input at mean 0 and variance 1 in each channel, by the batch or by the running statistics."""
    if training:
        return standard(input, batch_axes(input.ndim), eps)[0]
    return (input - column(running_mean, input.ndim)) * column((running_var + eps) ** -0.5, input.ndim)


@helper(latex=r"\textstyle\sum ⟨0⟩")
def channel_sum(g):
    """The sum over everything but the channels."""
    return g.sum(axis=batch_axes(g.ndim))


def _positional(function: Any, *args: Any) -> Any:
    return function(*args, *(0.1, 1e-5)[len(args) - 6 :], False)


@op(
    gradients={
        "input": (
            "batch_norm_rule(g, input, weight, running_var, training, eps)",
            "batch_norm_backward(g, input, weight, running_mean, running_var, training, eps)[0]",
        ),
        "weight": (
            "channel_sum(g * standard_batch(input, running_mean, running_var, training, eps))",
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
    if training:
        mean, scale = moments(input, batch_axes(input.ndim), eps)
    else:
        mean, scale = (column(each, input.ndim) for each in (running_mean, 1 / np.sqrt(running_var + eps)))
    columns = [None if each is None else column(each, input.ndim) for each in (weight, bias)]
    return scaled(input, mean, scale, *columns)


def batch_statistics(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each channel, and its variance without bias."""
    axes = batch_axes(input.ndim)
    count = input.size // max(input.shape[1], 1)
    with np.errstate(all="ignore"):
        return input.mean(axis=axes), input.var(axis=axes) * input.dtype.type(
            count / (count - 1) if count > 1 else math.nan
        )
