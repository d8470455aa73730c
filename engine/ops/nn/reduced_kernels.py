"""Kernels of PyTorch that round to bfloat16 in between, where others compute in float32 and round once.

Bodies take and give arrays of bfloat16; gradients are functions of ``(saved, edges, g)`` as `Op.vjp` is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradflow.engine.dispatch.reduced import FLOAT32, ROUNDING, USUAL, added, as_held, rounded, widened
from gradflow.engine.ops.nn.normalization import batch_axes, column, last_axes
from gradflow.engine.ops.nn.softmax import log_softmax_dim, safe_softmax, softmax_dim
from gradflow.engine.registry import REGISTRY


def _declare(names: str, **fields: Any) -> None:
    for name in names.split():
        ROUNDING[name] = replace(ROUNDING.get(name, USUAL), **fields)


_declare(
    "fill full as_strided_copied clone copy data detach nextafter strided_backward strided_scatter to_dtype zero zeros_like_array",
    body="never",
)
_declare("entr xlog1py xlog1py_scalar xlogy xlogy_scalar", body="never", vjp="here")
_declare("acosh im2col linalg_cross logcumsumexp nll_loss_places replication_pad1d rsqrt", vjp="here")
_declare("mish silu weight_norm group_norm", vjp="once")
_declare("layer_norm batch_norm group_norm rms_norm", mixed=True)
_declare(
    "add add_scalar sub sub_scalar rsub_scalar eq ne lt le gt ge remainder_tensor remainder_scalar remainder_base fmod_tensor"
    " fmod_scalar pow_scalar pow_base eq_scalar_written ne_scalar_written lt_scalar_written le_scalar_written"
    " gt_scalar_written ge_scalar_written hardshrink isclose",
    numbers=True,
)


def _once(array: Any) -> np.ndarray:
    """float32 numbers that bfloat16 can hold: an intermediate result that is kept in it."""
    return np.asarray(widened(rounded(np.asarray(array, FLOAT32))))


# -- sums with a factor ------------------------------------------------------------------------------------------------


def _with_factor(name: str, sign: int) -> None:
    def body(input: Any, other: Any, *, alpha: Any = 1) -> Any:
        plain = REGISTRY[name].body(as_held(input), as_held(other), alpha=alpha)  # with what it says of the arguments
        if alpha == 1 or not isinstance(input, np.ndarray) or not isinstance(other, np.ndarray):
            return rounded(plain)
        return added(input, other, sign * alpha)

    _declare(name, body=body)


_with_factor("add", 1)
_with_factor("sub", -1)


# -- softmax -----------------------------------------------------------------------------------------------------------


def _softmax(input: np.ndarray, dim: int) -> Any:
    """Along any dimension but the last, the powers are kept in the result before they are divided."""
    x = widened(input)
    if not x.ndim or dim % x.ndim == x.ndim - 1 or not x.size:
        return rounded(softmax_dim(x, dim))
    softmax_dim(x[..., :0], dim)  # what it says of the arguments
    powers = np.exp((x - x.max(axis=dim, keepdims=True)).astype(np.float64)).astype(FLOAT32)
    return rounded(np.asarray(_once(powers) / powers.sum(axis=dim, keepdims=True), order="C"))


def _safe_softmax(input: np.ndarray, dim: int) -> Any:
    x = widened(input)
    masked = np.all(x == -np.inf, axis=dim, keepdims=True)
    if masked.any():
        return rounded(safe_softmax(x, dim))
    return _softmax(input, dim)


def _log_softmax(input: np.ndarray, dim: int) -> Any:
    """Along the last dimension, the sum of the powers and its logarithm are rounded."""
    x = widened(input)
    if (x.ndim and dim % x.ndim != x.ndim - 1) or not x.size:
        return rounded(log_softmax_dim(x, dim))
    log_softmax_dim(x, dim)  # what it says of the arguments
    shifted = x - x.max(axis=-1 if x.ndim else None, keepdims=True)
    total = _once(np.exp(shifted.astype(np.float64)).sum(axis=-1 if x.ndim else None, keepdims=True))
    return rounded(np.asarray(shifted - _once(np.log(total.astype(np.float64)))))


for _name, _body in (("softmax_dim", _softmax), ("safe_softmax", _safe_softmax), ("log_softmax_dim", _log_softmax)):
    _declare(_name, body=_body)


# -- normalisation: beside parameters of bfloat16, mean and deviation are kept in it -----------------------------------


def _single(array: Any) -> np.ndarray:
    return np.asarray(array, FLOAT32)


def _mixed(*parameters: Any) -> bool:
    """Whether the parameters are in float32, as under autocast: then so is all but the input and its gradient."""
    return next((p.dtype == FLOAT32 for p in parameters if p is not None), False)


def _moments(x: np.ndarray, axes: tuple[int, ...], eps: float, mixed: bool) -> tuple[np.ndarray, np.ndarray]:
    exact, kept = x.astype(np.float64), _single if mixed else _once
    variance = exact.var(axis=axes, keepdims=True)
    return kept(exact.mean(axis=axes, keepdims=True)), kept(1 / np.sqrt(variance + eps))


def _layer_norm_gradients(saved: Any, edges: Any, g: np.ndarray) -> tuple[Any, ...]:
    held = dict(zip(REGISTRY["layer_norm"].slots, saved, strict=True))
    x, up = widened(held["input"]), widened(g)
    weight, shape = widened(held["weight"]), tuple(held["normalized_shape"])
    axes = last_axes(shape)
    mixed = _mixed(held["weight"])
    mean, scale = _moments(x, axes, held["eps"], mixed)
    weighted = up if weight is None else up * weight
    count = FLOAT32.type(np.prod(shape))
    total, product = weighted.sum(axis=axes, keepdims=True), (weighted * x).sum(axis=axes, keepdims=True)
    slope = (total * mean - product) * scale**3 / count
    shift = -slope * mean - total * scale / count
    of_input = scale * weighted + slope * x + shift
    return _wanted(
        edges, mixed, of_input, lambda: _row_by_row(up * (x - mean) * scale, shape), lambda: _row_by_row(up, shape)
    )


def _row_by_row(terms: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum over all but the last dimensions, rounded after each row."""
    total = np.zeros(shape, FLOAT32)
    for row in terms.reshape(-1, *shape):
        total = _once(total + row)
    return total


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
    plain = REGISTRY["batch_norm"].body(
        *map(widened, (input, weight, bias, running_mean, running_var)), training, momentum, eps
    )
    if not training:
        return rounded(plain)
    x = widened(input)
    mean, scale = _moments(x, batch_axes(x.ndim), eps, _mixed(weight, bias, running_mean))
    factor = scale if weight is None else scale * column(widened(weight), x.ndim)
    shift = -mean * factor if bias is None else column(widened(bias), x.ndim) - mean * factor
    return rounded(x * factor + shift)


def _batch_norm_gradients(saved: Any, edges: Any, g: np.ndarray) -> tuple[Any, ...]:
    op = REGISTRY["batch_norm"]
    held = dict(zip(op.slots, saved, strict=True))
    mixed = _mixed(held["weight"], held["running_mean"])
    if not held["training"]:
        plain = op.vjp(widened(saved), edges, widened(g))
        return (rounded(plain[0]), *(plain[1:] if mixed else rounded(plain[1:])))
    x, up, weight = widened(held["input"]), widened(g), widened(held["weight"])
    axes = batch_axes(x.ndim)
    mean, scale = _moments(x, axes, held["eps"], mixed)
    count = FLOAT32.type(x.size // max(mean.size, 1))
    product = (up * (x - mean)).sum(axis=axes, keepdims=True)
    centred = up - up.sum(axis=axes, keepdims=True) / count - (x - mean) * (product * scale * scale / count)
    of_input = centred * scale if weight is None else centred * (scale * column(weight, x.ndim))
    return _wanted(edges, mixed, of_input, lambda: (product * scale).reshape(-1), lambda: up.sum(axis=axes))


def _wanted(edges: Any, mixed: bool, first: Any, *others: Any) -> tuple[Any, ...]:
    kept = _single if mixed else rounded
    return (
        rounded(first),
        *[kept(o()) if edge is not None else None for o, edge in zip(others, edges[1:], strict=False)],
    )


_declare("batch_norm", body=_batch_norm, vjp=_batch_norm_gradients)
_declare("layer_norm", vjp=_layer_norm_gradients)


# -- losses: every step is rounded -------------------------------------------------------------------------------------


def _reduced(terms: np.ndarray, reduction: str) -> Any:
    if reduction == "none":
        return rounded(terms)
    total = terms.sum(dtype=FLOAT32)
    return rounded(np.asarray(total / FLOAT32.type(terms.size) if reduction == "mean" else total))


def _mse_gradients(saved: Any, edges: Any, g: np.ndarray) -> tuple[Any, ...]:
    held = dict(zip(REGISTRY["mse_loss"].slots, saved, strict=True))
    a, b, up = (widened(held["input"]), widened(held["target"]), widened(g))
    factor = _once(2 / a.size if held["reduction"] == "mean" and a.size else 2)
    slope = rounded(_once(factor * _once(a - b)) * up)
    return slope if edges[0] is not None else None, -slope if edges[1] is not None else None


def _cross_entropy(input: np.ndarray, target: np.ndarray, weight: Any = None, reduction: str = "mean") -> Any:
    x, t, w = widened(input), widened(target), widened(weight)
    REGISTRY["binary_cross_entropy"].body(x, t, w, reduction)  # what it says of the arguments
    low, high = (np.maximum(_once(np.log(v.astype(np.float64))), -100) for v in (_once(1 - x), x))
    terms = _once(_once(_once(t - 1) * low) - _once(t * high))
    return _reduced(terms if w is None else _once(terms * w), reduction)


_declare("binary_cross_entropy", body=_cross_entropy)
_declare("mse_loss", vjp=_mse_gradients)
