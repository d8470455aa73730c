"""Normalisation over groups of channels: with what it has found, the mean and one over the deviation of every group."""

from __future__ import annotations

import math
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.numerics.bounded_counts import repeat
from gradflow.engine.numerics.fused import quick_fused
from gradflow.engine.numerics.moments import in_order, product_vector_sum, products_in_order, row_moments, vector_sum
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.nn.normalization import (
    IMAGE,
    ROWS,
    SCALE,
    SHIFT,
    column,
    deviation,
    same_dtype,
    scaled,
)
from gradflow.engine.ops.shape.reshaping import reshape
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor

_FEW: Final = 4


def _grouped(x: Any, groups: int) -> Any:
    return x.reshape((x.shape[0], groups, math.prod(x.shape[1:]) // groups))


def _channel_sums(g: np.ndarray, input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every channel of every example the sum of products with the input, and that of the upstream gradient."""
    shape = (*input.shape[:2], math.prod(input.shape[2:]))
    rows = g.reshape(shape)
    return product_vector_sum(rows, input.reshape(shape)), vector_sum(rows)


def _factored(sums: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """The sum over the channels of a group, each times its factor; of fewer than four rounded once with the sum."""
    if sums.shape[-1] < _FEW:
        return products_in_order(np.moveaxis(sums, -1, 0), np.moveaxis(factors, -1, 0))
    return product_vector_sum(sums, factors)


def _through(g: Any, input: Any, weight: Any, mean: Any, scale: Any) -> Any:
    """The gradient for the input through the normalised elements."""
    shape = (*mean.shape, input.shape[1] // mean.shape[1])
    products, sums = (each.reshape(shape) for each in _channel_sums(g, input))
    factors = np.ones(shape[1:], input.dtype) if weight is None else weight.reshape(shape[1:])
    along, total = (_factored(each, np.broadcast_to(factors, shape)) for each in (products, sums))
    share = input.dtype.type(1) / input.dtype.type(max(math.prod(input.shape[1:]) // shape[1], 1))
    slope = quick_fused(total, mean, -along) * scale * scale * scale * share
    shift = quick_fused(-(total * scale), share, -slope * mean)
    slope, shift = slope[..., None, None], shift[..., None, None]
    x = input.reshape(*shape, -1)
    return quick_fused((scale[..., None] * factors)[..., None], g.reshape(x.shape), slope * x) + shift


@helper(latex=r"\operatorname{through}\left(⟨0⟩\right)")
def group_norm_rule(g, g_mean, g_scale, input, weight, mean, scale, groups):
    """The gradient for the input of a group normalisation; None for what nothing was made of."""
    x = _grouped(input, groups)
    result = np.zeros_like(x) if g is None else _through(g, input, weight, mean, scale).reshape(x.shape)
    count = x.shape[2]
    if g_mean is not None:
        result = result + g_mean[..., None] / count
    if g_scale is not None:
        result = result - (x - mean[..., None]) * (scale**3 * g_scale / count)[..., None]
    return result.reshape(input.shape)


@helper(latex=r"⟨0⟩ \odot \hat{x}")
def group_norm_slope(g, input, weight, mean, scale):
    """The gradient for the factor of each channel."""
    if g is None:
        return np.zeros_like(weight)
    products, sums = _channel_sums(g, input)
    mean, scale = (repeat(each, input.shape[1] // each.shape[1], 1) for each in (mean, scale))
    return products_in_order(quick_fused(-sums, mean, products), scale)


@helper(latex=r"\textstyle\sum ⟨0⟩")
def group_norm_sum(g, bias):
    """The gradient for the summand of each channel."""
    return np.zeros_like(bias) if g is None else in_order(_channel_sums(g, g)[1])


class _Pieces:
    """The gradients for input, weight and bias in the pieces that PyTorch records them in; each is made when it is asked for."""

    def __init__(self, g: Any, g_mean: Any, g_scale: Any, input: Tensor, weight: Any, found: Any, groups: int) -> None:
        sizes = input._a.shape
        rows, ones = (sizes[0], groups, sizes[1] // groups, math.prod(sizes[2:])), (sizes[0], groups, 1, 1)
        self.shape, self.rows, self.given, self.weight = sizes, rows, (g, g_mean, g_scale), weight
        self.x, self.mean, self.scale = reshape(input, *rows), reshape(found[0], *ones), reshape(found[1], *ones)
        if g is not None:
            self.g = reshape(g, *rows)
            self.products, self.sums = self.total(self.g * self.x), self.total(self.g)

    def total(self, each: Any, dim: int = 3) -> Any:
        """The sum over a dimension, which stays."""
        return titled(REGISTRY["unsqueeze"].call(REGISTRY["sum_dim"].call(each, [dim]), dim), "UnsqueezeBackward1")

    def __getitem__(self, place: int) -> Tensor:
        return (self.of_input, self.of_weight, self.of_bias)[place]()

    def of_input(self) -> Tensor:
        ways = zip(self.given, (self.of_elements, self.through_mean, self.through_scale), strict=True)
        return reshape(reduce(add, [passed(given) for given, passed in ways if given is not None]), *self.shape)

    def of_elements(self, _: Tensor) -> Tensor:
        weight, times = self.weight, REGISTRY["mul_scalar"].call
        share = 1.0 / (self.rows[2] * self.rows[3])
        factor, products, sums = self.scale, self.products, self.sums
        wide = None if weight is None else reshape(weight, 1, *self.rows[1:3], 1)
        cube = self.scale * self.scale * self.scale
        if wide is not None:
            factor = self.scale * wide
        products = self.total(products if wide is None else products * wide, 2)
        sums = self.total(sums if wide is None else sums * wide, 2)
        slope = times((sums * self.mean - products) * cube, share)
        less = times(sums * self.scale, share)
        shift = -slope * self.mean - less
        along = slope * self.x
        return factor * self.g + along + shift

    def through_scale(self, g: Tensor) -> Tensor:
        centred = self.x - REGISTRY["mean_dim"].call(self.x, [2, 3], True)
        cube = self.scale * self.scale * self.scale
        steep = REGISTRY["mul_scalar"].call(
            cube * reshape(g, *self.rows[:2], 1, 1), -1.0 / (self.rows[2] * self.rows[3])
        )
        return steep * centred

    def through_mean(self, g: Tensor) -> Tensor:
        spread = REGISTRY["expand"].call(reshape(g, *self.rows[:2], 1, 1), *self.rows)
        return REGISTRY["div_scalar"].call(spread, self.rows[2] * self.rows[3])

    def of_weight(self) -> Tensor:
        less = self.sums * self.mean
        return self.over_examples((self.products - less) * self.scale)

    def of_bias(self) -> Tensor:
        return self.over_examples(self.sums)

    def over_examples(self, each: Tensor) -> Tensor:
        return reshape(REGISTRY["sum_dim"].call(each, [0]), self.shape[1])


@helper()
def group_norm_pieces(g, g_mean, g_scale, input, weight, mean, scale, groups):
    """The gradients of a group normalisation."""
    return _Pieces(g, g_mean, g_scale, input, weight, (mean, scale), groups)


_PIECES = "group_norm_pieces(g, g_result1, g_result2, input, weight, result1, result2, num_groups)"


def _native(function: Any, input: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    examples, channels, *sizes = input.shape
    return function(input, weight, bias, examples, channels, math.prod(sizes), groups, eps)


@op(
    gradients={
        "input": (
            "group_norm_rule(g, g_result1, g_result2, input, weight, result1, result2, num_groups)",
            f"{_PIECES}[0]",
        ),
        "weight": ("group_norm_slope(g, input, weight, result1, result2)", f"{_PIECES}[1]"),
        "bias": ("group_norm_sum(g, bias)", f"{_PIECES}[2]"),
    },
    outputs=("result0", "result1", "result2"),
    undefined=True,
    functions=(),
    adapt=_native,
    latex=r"\frac{⟨0⟩-\mu}{\sqrt{\sigma^2+\epsilon}}⟦2: \odot ⟨2⟩⟧⟦3:+⟨3⟩⟧",
    symbol="norm",
    grad_fn="NativeGroupNormBackward0",
    methods=(),
    torch="native_group_norm",
    samples=(
        (IMAGE, 2, None, None),
        (IMAGE, 1, [0.5, 2.0], [1.0, -1.0]),
        (IMAGE, 1, [0.5, 2.0], None, 0.1),
        (ROWS, 1, SCALE, SHIFT),
    ),
    errors=(
        (
            ROWS,
            2,
            None,
            None,
            "Expected number of channels in input to be divisible by num_groups,"
            " but got input of shape [3, 3] and num_groups=2",
        ),
        (
            ROWS,
            1,
            [1.0],
            None,
            "Expected weight to be a vector of size equal to the number of"
            " channels in input, but got weight of shape [1] and input of shape [3, 3]",
        ),
    ),
)
def group_norm(input: Array, num_groups, weight: Array | None = None, bias: Array | None = None, eps=1e-5):
    """Each group of channels at mean 0 and variance 1, times ``weight`` plus ``bias`` for each channel; and what was found."""
    if input.ndim < 2:
        raise errors.GROUP_DIMENSIONS(ndim=input.ndim)
    if num_groups <= 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if input.shape[1] % num_groups:
        raise errors.GROUP_CHANNELS(shape=list(input.shape), groups=num_groups)
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given.shape != (input.shape[1],):
            raise errors.GROUP_PARAMETER(
                name=name, given=list((weight if weight is not None else given).shape), shape=list(input.shape)
            )
    same_dtype(floating(input, "GroupNormKernelImpl"), weight, bias)
    mean, variance = (each.reshape(len(input), num_groups) for each in _group_moments(input, num_groups))
    scale = deviation(variance, eps)
    inside = input.shape[1] // num_groups
    of_channels = [
        repeat(each, inside, 1).reshape(*input.shape[:2], *(1 for _ in input.shape[2:])) for each in (mean, scale)
    ]
    if weight is None and bias is None:
        return (input - of_channels[0]) * of_channels[1], mean, scale
    columns = [None if each is None else column(each, input.ndim) for each in (weight, bias)]
    return scaled(input, *of_channels, *columns), mean, scale


def _group_moments(input: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray]:
    x = _grouped(input, groups)
    return row_moments(x.reshape(-1, x.shape[2]) if x.size else x.reshape(math.prod(x.shape[:2]), x.shape[2]))
