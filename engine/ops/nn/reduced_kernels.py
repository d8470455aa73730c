"""Kernels of PyTorch that round to bfloat16 in between, where others compute in float32 and round once.

Bodies take and give arrays of bfloat16; gradients are functions of ``(saved, edges, g)`` as `Op.vjp` is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradflow.engine.dispatch.reduced import FLOAT32, ROUNDING, USUAL, added, as_held, rounded, widened
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
_declare("mish silu weight_norm", vjp="once")
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
