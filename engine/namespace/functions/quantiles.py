"""Quantiles: elements by their rank, and what lies between two ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.namespace.functions import composite, elementwise, index_functions
from gradflow.engine.namespace.functions.memory import relabelled
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
    lines = composite.flatten(input) if dim is None else input
    axis = check_dim(0 if dim is None else dim, lines._a.ndim)
    if dim is not None and (not lines._a.ndim or axis != lines._a.ndim - 1):
        lines = _call("unsqueeze", lines, -1)
        lines = _call("transpose", lines, axis, -1)
    ordered = _call("sort", lines, -1)[0]
    ordered = _call("view", ordered, *_kept(input._a.shape, dim, keepdim), ordered._a.shape[-1])
    ranks = _ranks(ordered._a, shares._a.reshape(-1), skip)
    followed = _followed(ordered._a, shares, skip) if shares.requires_grad else None
    values = _at_ranks(ordered, ranks, interpolation, followed)
    return _shaped(values, shares)


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


def _followed(ordered: np.ndarray, shares: Tensor, skip: bool) -> Tensor:
    """The same positions as a function of the shares, where these are differentiated."""
    missing, last = np.isnan(ordered), ordered.shape[-1] - 1
    line = shares if shares._a.ndim else _call("unsqueeze", shares, 0)
    if skip:
        counted = ((~missing).sum(-1, keepdims=True) - 1).astype(ordered.dtype)
        ranks = _call("mul", line, Tensor(counted))
        return index_functions.masked_fill_(ranks, Tensor(ranks._a < 0), 0)
    ranks = _call("mul_scalar", line, last)
    broken = missing.any(-1, keepdims=True)
    shape = np.broadcast_shapes(ranks._a.shape, broken.shape)
    wide = ranks if shape == ranks._a.shape else _call("expand", ranks, *shape)
    return index_functions.masked_fill(wide, Tensor(broken), last)


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


def _kept(shape: tuple[int, ...], dim: Any, keepdim: bool) -> tuple[int, ...]:
    """The shape of one quantile: the reduced dimension is 1 or gone."""
    if dim is None or not shape:
        return (1,) * len(shape) if keepdim else ()
    axis = check_dim(dim, len(shape))
    return (*shape[:axis], *((1,) if keepdim else ()), *shape[axis + 1 :])


def _shaped(values: Tensor, shares: Tensor) -> Tensor:
    """One quantile for each line: several shares stand first."""
    if shares._a.ndim:
        values = relabelled("unsqueeze", "UnsqueezeBackward1")(values, 0)
        values = relabelled("transpose", "TransposeBackward1")(values, 0, -1)
    return relabelled("squeeze_dim", "SqueezeBackward4")(values, -1)


FUNCTIONS: dict[str, Callable[..., Any]] = {"quantile": quantile, "nanquantile": nanquantile}
"""Under ``torch``, and on Tensor."""
