"""The gradients of layer and batch normalisation as functions of their own, and what follows for second derivatives.

With ``create_graph`` PyTorch records one function, which gives the gradients of input, weight and bias together.
"""

from __future__ import annotations

from typing import Any

from gradflow.engine.numerics.broadcasting import sum_to
from gradflow.engine.ops.nn.activation_backward import rule
from gradflow.engine.ops.nn.normalization import (
    IMAGE,
    ROWS,
    SCALE,
    V,
    batch_axes,
    batch_norm_rule,
    batch_norm_slope,
    channel_sum,
    column,
    last_axes,
    layer_norm_rule,
    layer_norm_slope,
    layer_norm_sum,
    standard,
)
from gradflow.engine.ops.reduce.reductions import summed
from gradflow.engine.registry import Array, helper, op

W = [[1.5, 2.5, -0.5], [0.25, -2.0, 3.0]]
THREE = ("grad_input", "grad_weight", "grad_bias")


def _three(name: str, twice: str, samples: Any) -> dict[str, Any]:
    """The declaration of a function that gives three gradients. twice: the call that gives the gradients through it."""
    keys = ("input", "saved", "weight")
    gradients = {key: f"{twice}[{i}]" for i, key in enumerate(keys)}
    return rule(name, r"\operatorname{through}\left(⟨0⟩\right)", samples, **gradients) | {"outputs": THREE}


def _twice(seeds: Any, g: Any, x: Any, weight: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any, Any]:
    """The gradients for upstream gradient, input and weight (not yet summed) from those of the three results."""
    v, of_weight, of_bias = seeds
    standard_x, scale = standard(x, axes, eps)

    def mean(z: Any) -> Any:
        return z.mean(axis=axes, keepdims=True)

    def through(z: Any) -> Any:
        return scale * (z - mean(z) - standard_x * mean(z * standard_x))

    weighted = g if weight is None else g * weight
    passed = through(v)
    of_standard = of_weight * g - scale * (v * mean(weighted * standard_x) + weighted * mean(v * standard_x))
    of_input = through(of_standard) - scale * standard_x * mean(v * through(weighted))
    of_g = (passed if weight is None else passed * weight) + of_weight * standard_x + of_bias
    return of_g, of_input, g * passed


# -- over the last dimensions ------------------------------------------------------------------------------------------


def _layer_twice(
    total: Any, g: Any, gw: Any, gb: Any, input: Any, saved: Any, weight: Any, shape: Any, eps: Any
) -> Any:
    of_g, of_input, each = _twice((g, gw, gb), input, saved, weight, last_axes(shape), eps)
    return of_g, of_input, total(each, tuple(shape))


def _layer_twice_of_tensors(*args: Any) -> Any:
    return _layer_twice(summed, *args)


@helper(latex=r"\operatorname{through}^2\left(⟨0⟩\right)", tensors=_layer_twice_of_tensors)
def layer_norm_twice(g, g_weight, g_bias, input, saved, weight, normalized_shape, eps):
    """The gradients through those of a layer normalisation."""
    return _layer_twice(sum_to, g, g_weight, g_bias, input, saved, weight, normalized_shape, eps)


@op(
    **_three(
        "NativeLayerNorm",
        "layer_norm_twice(g, g_grad_weight, g_grad_bias, input, saved, weight, normalized_shape, eps)",
        ((V, W, SCALE, (3,), 1e-5), (W, V, None, (3,), 0.1), (IMAGE, IMAGE, [2.0, -0.5], (2,), 0.5)),
    )
)
def layer_norm_backward(input: Array, saved: Array, weight: Array | None, normalized_shape, eps):
    """The gradients of a layer normalisation for its input, weight and bias."""
    shape = tuple(normalized_shape)
    of_input = layer_norm_rule(input, saved, weight, shape, eps)
    return of_input, layer_norm_slope(input, saved, shape, eps), layer_norm_sum(input, shape)


# -- over the batch ----------------------------------------------------------------------------------------------------


def _batch_twice(seeds: Any, g: Any, x: Any, weight: Any, mean: Any, var: Any, training: bool, eps: float) -> Any:
    ndim = x.ndim
    v, of_weight, of_bias = seeds[0], column(seeds[1], ndim), column(seeds[2], ndim)
    wide = None if weight is None else column(weight, ndim)
    if training:
        of_g, of_input, each = _twice((v, of_weight, of_bias), g, x, wide, batch_axes(ndim), eps)
    else:
        scale = column((var + eps) ** -0.5, ndim)
        passed = v * scale
        of_standard = (x - column(mean, ndim)) * scale
        of_g = (passed if wide is None else passed * wide) + of_weight * of_standard + of_bias
        of_input, each = of_weight * g * scale, g * passed
    return of_g, of_input, each.sum(batch_axes(ndim))


@helper(latex=r"\operatorname{through}^2\left(⟨0⟩\right)")
def batch_norm_twice(g, g_weight, g_bias, input, saved, weight, mean, var, training, eps):
    """The gradients through those of a batch normalisation."""
    return _batch_twice((g, g_weight, g_bias), input, saved, weight, mean, var, training, eps)


@op(
    **_three(
        "NativeBatchNorm",
        "batch_norm_twice(g, g_grad_weight, g_grad_bias, input, saved, weight, mean, var, training, eps)",
        (
            (ROWS, [[1.0, 0.5, -1.0], [0.25, 2.0, 1.5], [-0.5, 1.0, 0.75]], SCALE, None, None, True, 1e-5),
            (IMAGE, IMAGE, None, None, None, True, 0.1),
            (IMAGE, IMAGE, [0.5, -2.0], [0.1, 0.2], [1.0, 2.0], False, 1e-5),
        ),
    )
)
def batch_norm_backward(
    input: Array, saved: Array, weight: Array | None, mean: Array | None, var: Array | None, training, eps
):
    """The gradients of a batch normalisation for its input, weight and bias."""
    of_input = batch_norm_rule(input, saved, weight, var, training, eps)
    return of_input, batch_norm_slope(input, saved, mean, var, training, eps), channel_sum(input)
