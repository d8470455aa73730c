"""Normalisation in bfloat16 and float16: computed in float32, with parameters of the same precision or of float32.

Beside parameters of float32, as under autocast, all but the input, the result and the input's gradient is in float32;
else what is kept of the statistics is of the lower precision too. Gradients are functions of ``(saved, edges, g)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.dispatch.reduced import BFLOAT16, FLOAT32, ROUNDING, Rounding, lower
from gradflow.engine.ops.nn.normalization import batch_axes, column, last_axes
from gradflow.engine.registry import REGISTRY

Keep = Callable[[Any], np.ndarray]


def _wide(value: Any) -> Any:
    """An array of a lower precision in float32; anything else as it is."""
    return value.astype(FLOAT32) if lower(value) else value


def _narrow(value: Any, kind: np.dtype) -> Any:
    with np.errstate(all="ignore"):
        return value.astype(kind) if isinstance(value, np.ndarray | np.generic) and value.dtype == FLOAT32 else value


def _mixed(*parameters: Any) -> bool:
    """Whether the parameters are in float32."""
    return next((p.dtype == FLOAT32 for p in parameters if p is not None), False)


def _kept(kind: np.dtype, mixed: bool) -> Keep:
    """To the numbers that what is kept in between can hold, in float32."""

    def keep(value: Any) -> np.ndarray:
        single = np.asarray(value, FLOAT32)
        return single if mixed else np.asarray(_wide(_narrow(single, kind)))

    return keep


def _moments(x: np.ndarray, axes: tuple[int, ...], eps: float, keep: Keep) -> tuple[np.ndarray, np.ndarray]:
    exact = x.astype(np.float64)
    variance = exact.var(axis=axes, keepdims=True)
    return keep(exact.mean(axis=axes, keepdims=True)), keep(1 / np.sqrt(variance + eps))


def _wanted(edges: Any, kind: np.dtype, mixed: bool, first: Any, *others: Any) -> tuple[Any, ...]:
    made = [o() if edge is not None else None for o, edge in zip(others, edges[1:], strict=False)]
    return _narrow(first, kind), *[each if mixed else _narrow(each, kind) for each in made]


# -- over the last dimensions and over groups --------------------------------------------------------------------------


def _layer_norm(
    input: np.ndarray, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    plain = REGISTRY["layer_norm"].body(*map(_wide, (input, normalized_shape, weight, bias)), eps)
    return _narrow(plain, input.dtype)


def _layer_norm_gradients(saved: Any, edges: Any, g: np.ndarray) -> tuple[Any, ...]:
    held = dict(zip(REGISTRY["layer_norm"].slots, saved, strict=True))
    x, up, weight, shape = _wide(held["input"]), _wide(g), _wide(held["weight"]), tuple(held["normalized_shape"])
    kind, mixed = held["input"].dtype, _mixed(held["weight"])
    axes, keep = last_axes(shape), _kept(kind, mixed)
    mean, scale = _moments(x, axes, held["eps"], keep)
    weighted = up if weight is None else up * weight
    count = FLOAT32.type(np.prod(shape))
    total, product = weighted.sum(axis=axes, keepdims=True), (weighted * x).sum(axis=axes, keepdims=True)
    slope = (total * mean - product) * scale**3 / count
    shift = -slope * mean - total * scale / count
    of_input = scale * weighted + slope * x + shift

    def rows(terms: np.ndarray) -> np.ndarray:
        return _row_by_row(terms, shape, _kept(kind, mixed=False))

    return _wanted(edges, kind, mixed, of_input, lambda: rows(up * (x * scale - scale * mean)), lambda: rows(up))


def _row_by_row(terms: np.ndarray, shape: tuple[int, ...], keep: Keep) -> np.ndarray:
    """The sum over all but the last dimensions, rounded after each row, beside parameters of float32 too."""
    total = np.zeros(shape, FLOAT32)
    for row in terms.reshape(-1, *shape):
        total = keep(total + row)
    return total


def _group_norm(input: np.ndarray, num_groups: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    made = REGISTRY["group_norm"].body(_wide(input), num_groups, _wide(weight), _wide(bias), eps)
    found = made[1:] if _mixed(weight, bias) else [_narrow(each, input.dtype) for each in made[1:]]
    return [_narrow(made[0], input.dtype), *found]


def _group_norm_gradients(saved: Any, edges: Any, *gradients: Any) -> tuple[Any, ...]:
    op = REGISTRY["group_norm"]
    held = dict(zip(op.slots, saved, strict=True))
    kind, mixed = held["input"].dtype, _mixed(held["weight"], held.get("result1"))
    made = op.vjp(tuple(map(_wide, saved)), edges, *map(_wide, gradients))
    return _narrow(made[0], kind), *[each if mixed else _narrow(each, kind) for each in made[1:]]


# -- over the batch ----------------------------------------------------------------------------------------------------


def _batch_moments(x: np.ndarray, eps: float, kind: np.dtype, mixed: bool) -> tuple[np.ndarray, np.ndarray]:
    """The mean and one over the deviation of each channel; in bfloat16 the sum of squares and the variance are rounded too."""
    axes, keep = batch_axes(x.ndim), _kept(kind, mixed)
    if mixed or kind != BFLOAT16:
        return _moments(x, axes, eps, keep)
    exact = x.astype(np.float64)
    mean = exact.mean(axis=axes, keepdims=True)
    squares = np.square(exact - mean).sum(axis=axes, keepdims=True)
    variance = keep(keep(squares) / keep(x.size // max(mean.size, 1)))
    return keep(mean), keep(1 / np.sqrt(variance.astype(np.float64) + eps))


def _batch_norm(
    input: np.ndarray,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    given = map(_wide, (input, weight, bias, running_mean, running_var))
    plain = REGISTRY["batch_norm"].body(*given, training, momentum, eps)
    if not training:
        return _narrow(plain, input.dtype)
    x = _wide(input)
    mean, scale = _batch_moments(x, eps, input.dtype, _mixed(weight, bias, running_mean))
    factor = scale if weight is None else scale * column(_wide(weight), x.ndim)
    shift = -mean * factor if bias is None else column(_wide(bias), x.ndim) - mean * factor
    return _narrow(x * factor + shift, input.dtype)


def _batch_norm_gradients(saved: Any, edges: Any, g: np.ndarray) -> tuple[Any, ...]:
    op = REGISTRY["batch_norm"]
    held = dict(zip(op.slots, saved, strict=True))
    kind, mixed = held["input"].dtype, _mixed(held["weight"], held["running_mean"])
    if not held["training"]:
        plain = op.vjp(tuple(map(_wide, saved)), edges, _wide(g))
        return _narrow(plain[0], kind), *[each if mixed else _narrow(each, kind) for each in plain[1:]]
    x, up, weight = _wide(held["input"]), _wide(g), _wide(held["weight"])
    axes = batch_axes(x.ndim)
    mean, scale = _batch_moments(x, held["eps"], kind, mixed)
    count = FLOAT32.type(x.size // max(mean.size, 1))
    product = (up * (x - mean)).sum(axis=axes, keepdims=True)
    centred = up - up.sum(axis=axes, keepdims=True) / count - (x - mean) * (product * scale * scale / count)
    of_input = centred * scale if weight is None else centred * (scale * column(weight, x.ndim))
    return _wanted(edges, kind, mixed, of_input, lambda: (product * scale).reshape(-1), lambda: up.sum(axis=axes))


for _name, _body, _vjp in (
    ("layer_norm", _layer_norm, _layer_norm_gradients),
    ("group_norm", _group_norm, _group_norm_gradients),
    ("batch_norm", _batch_norm, _batch_norm_gradients),
):
    ROUNDING[_name] = Rounding(body=_body, vjp=_vjp, mixed=True)
