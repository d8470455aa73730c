"""Quantiles: elements by their rank, and what lies between two ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functions import composite, elementwise
from gradflow.engine.out_rules import exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


@has_out(exactly("{name}() out tensor must be same dtype as the input tensor", gradient=None))
@autocast.takes("float32")
def quantile(input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    """The value below which a share ``q`` of the elements lies."""
    return _quantile(input, q, dim, keepdim, interpolation, skip=False)


@has_out(exactly("quantile() out tensor must be same dtype as the input tensor", gradient=None))
@autocast.takes("float32")
def nanquantile(input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    """`quantile` of what is not NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, skip=True)


def _quantile(input: Tensor, q: Any, dim: Any, keepdim: bool, interpolation: str, skip: bool) -> Any:
    shares = _shares(input, q, interpolation)
    lines = composite.flatten(input) if dim is None or not input._a.ndim else input
    axis = check_dim(0 if dim is None else dim, lines._a.ndim)
    if lines._a.ndim and axis != lines._a.ndim - 1:
        lines = _call("unsqueeze", lines, -1)
        lines = _call("transpose", lines, axis, -1)
    ordered = _call("sort", lines, -1)[0]
    ranks = _ranks(ordered._a, shares._a.reshape(-1), skip)
    followed = _followed(ordered._a, ranks, shares, skip) if shares.requires_grad else None
    values = _at_ranks(ordered, ranks, interpolation, followed)
    return _shaped(values, input, shares, dim, axis, keepdim)


def _shares(input: Tensor, q: Any, interpolation: str) -> Tensor:
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise errors.QUANTILE_RANGE(q=q)
        q = Tensor(np.asarray(q, input._a.dtype))
    if q._a.ndim > 1:
        raise errors.QUANTILE_SHAPE()
    if not input._a.size:
        raise errors.QUANTILE_EMPTY()
    if input.dtype.name not in ("float32", "float64"):
        raise errors.QUANTILE_DTYPE()
    if q._a.dtype != input._a.dtype:
        raise errors.QUANTILE_SHARES_DTYPE()
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise errors.QUANTILE_INTERPOLATION(given=interpolation)
    return q


def _ranks(ordered: np.ndarray, shares: np.ndarray, skip: bool) -> np.ndarray:
    """Fractional positions in each sorted line; a line with NaN gives NaN, or is shortened by it."""
    missing = np.isnan(ordered)
    last = (~missing).sum(-1, keepdims=True) - 1 if skip else np.full((*ordered.shape[:-1], 1), ordered.shape[-1] - 1)
    ranks = np.maximum((shares * last.astype(ordered.dtype)).astype(ordered.dtype), 0)
    return (
        ranks
        if skip
        else np.where(missing.any(-1, keepdims=True), np.asarray(ordered.shape[-1] - 1, ordered.dtype), ranks)
    )


def _followed(ordered: np.ndarray, ranks: np.ndarray, shares: Tensor, skip: bool) -> Tensor:
    """The same positions as a function of the shares, where these are differentiated."""
    missing = np.isnan(ordered)
    last = (~missing).sum(-1, keepdims=True) - 1 if skip else np.asarray(ordered.shape[-1] - 1)
    slopes = np.maximum(np.broadcast_to(last, (*ranks.shape[:-1], 1)), 0).astype(ordered.dtype)
    if not skip:
        slopes = np.where(missing.any(-1, keepdims=True), 0, slopes).astype(ordered.dtype)
    line = shares if shares._a.ndim else _call("unsqueeze", shares, 0)
    moving = _call("mul", line, Tensor(slopes))
    return moving + Tensor(ranks - moving._a)


def _at_ranks(ordered: Tensor, ranks: np.ndarray, interpolation: str, followed: Tensor | None = None) -> Tensor:
    roundings: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
    rounding = roundings.get(interpolation)
    if rounding is not None:
        ranks = rounding(ranks)
    below = np.floor(ranks)
    low = _call("gather", ordered, -1, Tensor(below.astype(np.int64)))
    if interpolation not in ("linear", "midpoint"):
        return low
    weight = Tensor(np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below)
    if followed is not None and interpolation == "linear":
        weight = followed - Tensor(below)
    high = _call("gather", ordered, -1, Tensor(np.ceil(ranks).astype(np.int64)))
    result: Tensor = elementwise.lerp(low, high, weight)
    return result


def _shaped(values: Tensor, input: Tensor, shares: Tensor, dim: Any, axis: int, keepdim: bool) -> Any:
    """One quantile for each line: several shares stand first, and the reduced dimension is 1 or gone."""
    if dim is None and keepdim:
        values = composite.reshape(values, (*([1] * input._a.ndim), values._a.shape[-1]))
    elif dim is not None and input._a.ndim:
        values = _placed(values, input._a.ndim, axis, keepdim)
    first = _call("permute", values, (values._a.ndim - 1, *range(values._a.ndim - 1)))
    return _call("squeeze_row", first if shares._a.ndim == 0 else _call("unsqueeze", first, 0))


def _placed(values: Tensor, ndim: int, axis: int, keepdim: bool) -> Tensor:
    """The quantiles last; the reduced dimension as 1 at its place, or gone."""
    if axis == ndim - 1:
        return _call("unsqueeze", values, -2) if keepdim else values
    return values if keepdim else _call("squeeze_dim", values, axis)


FUNCTIONS: dict[str, Callable[..., Any]] = {"quantile": quantile, "nanquantile": nanquantile}
"""Under ``torch``, and on Tensor."""
