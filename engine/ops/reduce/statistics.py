"""Statistics: spread around the mean, sums without NaN, log-sum-exp, distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.sums import cascade_sum
from gradflow.engine.ops.pointwise.elementwise import rounded, unsupported
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.reduce.medians import HOLES
from gradflow.engine.ops.reduce.reductions import CUBE, V, mean_dim, numel
from gradflow.engine.out_rules import OutRule
from gradflow.engine.registry import REGISTRY, Array, Dims, Gradient, helper, op
from gradflow.engine.tensor import dtypes

SPREADS = (
    (V, None, 1, False),
    (V, 0, 1, False),
    (V, -1, 0, True),
    (CUBE, (0, 2), 1, False),
    (CUBE, (0, 1), 2, True),
    (V, None, 0, False),
)
"""Dimensions, correction, keepdim."""
_ALONE: Any = (
    ([2.0], None, 1, False),
    ([2.0], 0, 1, True),
    ([1.0, 2.0], None, 2, False),
    ([1.0, 2.0], 0, 3, False),
    (1.5, 0, 1, False),
    (1.5, None, 0, False),
    (float("inf"), None, 0, False),
    ([2.0, 2.0], None, 1, False),
    ([2.0, 2.0], 0, 2, False),
)
"""With nothing left to vary, and constants."""


def _with_options(function: Callable[..., Any], input: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    return function(input, dim, correction=correction, keepdim=keepdim)


@helper(latex=r"(n-⟨2⟩)")
def freedom(shape, dim, correction):
    """The number of elements of a reduction less the correction."""
    return numel(shape, dim) - correction


def _moments(
    input: np.ndarray, dim: Any, correction: float, keepdim: bool, name: str = "std and var"
) -> tuple[Any, Any]:
    """Variance and mean in double precision, as PyTorch accumulates them."""
    if input.dtype.kind not in "fcV":
        raise errors.SPREAD_DTYPE(name=name)
    picked = axes(dim, input.ndim)
    exact = input.astype(np.complex128 if input.dtype.kind == "c" else np.float64)
    mean = exact.mean(axis=picked, keepdims=True)
    if np.isinf(mean).any() and input.dtype.kind == "f":
        mean = np.where(_grows_on(exact, picked), np.nan, mean)
    distance = exact - mean
    squares = (distance * distance.conj()).real.sum(axis=picked, keepdims=keepdim)
    left = max(freedom(input.shape, dim, correction), 0)
    return np.asarray(squares) / np.float64(left), mean if keepdim else mean.reshape(squares.shape)


def _grows_on(exact: np.ndarray, picked: Any) -> np.ndarray:
    """Where elements come after an infinite one: a running mean, as PyTorch has it, is NaN from there on."""
    if not exact.ndim:
        return np.zeros((), bool)
    last = exact.ndim - 1 if picked is None else picked[-1]
    size = exact.shape[last]
    before = np.delete(exact, size - 1, axis=last) if picked is None or len(picked) == 1 else exact
    return np.asarray(np.isinf(before).any(axis=picked, keepdims=True))


def _real(input: np.ndarray) -> np.dtype:
    return input.real.dtype


def _without_spread(input: np.ndarray, dim: Any, correction: float) -> bool:
    """Whether all elements are reduced and the correction leaves none: PyTorch then takes a rule of its own."""
    return (dim is None or not input.ndim) and freedom(input.shape, dim, correction) <= 0


@helper(latex=r"\tfrac{2}{n-⟨2⟩}")
def twice_over(input, dim, correction):
    """2 over the number of elements less the correction."""
    if _without_spread(getattr(input, "_a", input), dim, correction):
        return 1.0
    left = freedom(input.shape, dim, correction)
    return 2.0 / left if left else np.inf


def _from_mean_of_tensor(input: Any, dim: Any, correction: float) -> Any:
    if _without_spread(input._a, dim, correction):
        return type(input)(from_mean(input._a, dim, correction))
    mean = REGISTRY["mean_all"].call(input) if dim is None else REGISTRY["mean_dim"].call(input, dim, True)
    return input - mean


@helper(latex=r"\left(⟨0⟩-\overline{⟨0⟩}\right)", tensors=_from_mean_of_tensor)
def from_mean(input, dim, correction):
    """What lies between the elements and their mean. Where nothing is left to vary NaN, infinite beside the mean."""
    mean = mean_dim(input, dim, True)
    if _without_spread(input, dim, correction):
        return np.where(input == mean, np.nan, np.inf).astype(input.dtype)
    return input - mean


_SPREAD = (
    "twice_over(input, dim, correction) * restored({}, input.shape, dim, keepdim) * from_mean(input, dim, correction)"
)
_VARIANCE = _SPREAD.format("g")
_DEVIATION = _SPREAD.format("masked_fill({g} / ({out} * 2.0), {out} == 0, 0.0)")
_MEAN = "spread(g_mean, input.shape, dim, keepdim) / numel(input.shape, dim)"


def _statistic(name: str, symbol: str, gradient: Gradient, **more: Any) -> dict[str, Any]:
    return {
        "gradients": {"input": gradient},
        "latex": rf"\operatorname{{{name}}}\left(⟨0⟩\right)",
        "symbol": symbol,
        "functions": (),
        "methods": (),
        "torch": name,
        "adapt": _with_options,
        "samples": SPREADS,
        **more,
    }


@op(**_statistic("var", "σ²", _VARIANCE, edges=_ALONE))
def var(input: Array, dim: Dims = None, correction=1, keepdim=False):
    """The variance: the sum of squared distances from the mean, over the number of elements less ``correction``."""
    return _moments(input, dim, correction, keepdim)[0].astype(_real(input))


@op(**_statistic("std", "σ", _DEVIATION.format(out="out", g="g"), edges=_ALONE))
def std(input: Array, dim: Dims = None, correction=1, keepdim=False):
    """The standard deviation; its gradient is zero where it is zero."""
    return np.sqrt(_moments(input, dim, correction, keepdim)[0]).astype(_real(input))


@helper()
def arrived_sum(g, g_mean, of_spread, of_mean):
    """The gradient through two results, only one of which may have one of its own."""
    if _nothing(g_mean):
        return of_spread
    return of_mean if _nothing(g) else of_spread + of_mean


def _nothing(g: Any) -> bool:
    """Whether a gradient stands for none that came."""
    return not g.requires_grad and not np.any(g._a)


def _of_both(spread: str) -> Gradient:
    return f"{spread} + {_MEAN}", f"arrived_sum(g, g_mean, {spread}, {_MEAN})"


@op(**_statistic("var_mean", "σ², mean", _of_both(_VARIANCE), outputs=("var", "mean")))
def var_mean(input: Array, dim: Dims = None, correction=1, keepdim=False):
    """The variance and the mean."""
    variance, mean = _moments(input, dim, correction, keepdim, "var_mean")
    return variance.astype(_real(input)), mean.astype(input.dtype)


@op(**_statistic("std_mean", "σ, mean", _of_both(_DEVIATION.format(out="std", g="g")), outputs=("std", "mean")))
def std_mean(input: Array, dim: Dims = None, correction=1, keepdim=False):
    """The standard deviation and the mean."""
    variance, mean = _moments(input, dim, correction, keepdim, "std_mean")
    return np.sqrt(variance).astype(_real(input)), mean.astype(input.dtype)


# -- sums --------------------------------------------------------------------------------------------------------------


@op(
    gradients={
        "input": "restored(g, input.shape, dim, keepdim) * conj(exp(input - restored(out, input.shape, dim, keepdim)))"
    },
    latex=r"\log \textstyle\sum \exp\left(⟨0⟩\right)",
    symbol="logΣexp",
    samples=((V, 0), (V, -1, True), (CUBE, (0, 2)), ([1000.0, 1000.5], 0), ([-1000.0, 3.0], 0), (2.5, 0)),
    edges=(
        ([[1 + 2j, 0.5j], [1.0, -1 - 1j]], 0),
        ([float("-inf"), 1.0], 0),
        ([float("inf"), 1.0], 0),
        ([[1, 2], [3, 4]], 1),
    ),
    out=OutRule("{name}(): Expected floating point type for result tensor, but got: {O}"),
)
def logsumexp(input: Array, dim: Dims, keepdim=False):
    """log(sum(exp(input))) along dimensions, without overflow."""
    input = dtypes.to_float(input)
    picked = axes(dim, input.ndim)
    top = input.real.max(axis=picked, keepdims=True) if input.size else np.zeros((), input.real.dtype)
    top = np.where(np.isinf(top), np.zeros((), top.dtype), top)
    powers = rounded(np.exp, input - top)
    total = cascade_sum(powers, picked, True) if powers.dtype.kind == "f" else powers.sum(axis=picked, keepdims=True)
    result = rounded(np.log, total) + top
    return result if keepdim else result.squeeze(axis=picked)


@op(
    refuses={"c": unsupported("on CPU does not support complex inputs")},
    gradients={"input": "spread(g, input.shape, dim, keepdim) * logical_not(isnan(input))"},
    latex=r"\textstyle\sum ⟨0⟩",
    symbol="Σ",
    functions=(),
    methods=(),
    torch="nansum",
    samples=((V, None, False), (V, 0, False)),
    edges=((HOLES, None, False), (HOLES, 0, False), (HOLES, -1, True), ([1, 2], None, False)),
)
def nansum(input: Array, dim: Dims, keepdim, dtype=None):
    """The sum of all elements that are not NaN."""
    input = input.astype(dtype.numpy) if dtype is not None else input
    if input.dtype.kind in "iub":
        return input.astype(np.int64).sum(axis=axes(dim, input.ndim), keepdims=keepdim)
    return np.where(np.isnan(input), np.zeros((), input.dtype), input).sum(axis=axes(dim, input.ndim), keepdims=keepdim)


@op(symbol="#", functions=(), methods=(), torch="count_nonzero", samples=((V, None), (V, 0), (V, (0, 1)), ([1, 0], 0)))
def count_nonzero(input: Array, dim):
    """The number of elements that are not zero."""
    return np.asarray(np.count_nonzero(input, axis=axes(dim, input.ndim)))


# -- distances ---------------------------------------------------------------------------------------------------------


def vector_norm(p: float) -> tuple[Any, tuple[Any, ...]]:
    """The operation of a norm, and its settings."""
    names = {2: "norm_two", 1: "norm_one", 0: "norm_count", np.inf: "norm_max", -np.inf: "norm_min"}
    name = names.get(p, "norm_power")
    settings = (p,) if name == "norm_power" else ()
    return REGISTRY[name], settings


def _distance_rule_of_tensors(g: Any, difference: Any, out: Any, p: float) -> Any:
    operation, _ = vector_norm(p)
    return operation.vjp_tensors(_saved(operation, difference, out, p), (True,), g)[0]


def _saved(operation: Any, difference: Any, out: Any, p: float) -> list[Any]:
    """What the norm would have saved."""
    known = {
        "input": difference,
        "out": out,
        "dim": None,
        "keepdim": False,
        "ord": p,
        "input__shape": tuple(difference.shape),
    }
    return [known[slot] for slot in operation.slots]


@helper(latex=r"⟨0⟩\,\nabla \lVert ⟨1⟩ \rVert", tensors=_distance_rule_of_tensors)
def distance_rule(g, difference, out, p):
    """The gradient of a norm for the difference it is taken of."""
    operation, _ = vector_norm(p)
    return operation.vjp(_saved(operation, difference, out, p), (True,), g)[0]


@op(
    gradients={
        "input": "sum_to_size(distance_rule(g, input - other, out, p), input.shape)",
        "other": "sum_to_size(-distance_rule(g, input - other, out, p), other.shape)",
    },
    latex=r"\lVert ⟨0⟩-⟨1⟩ \rVert",
    symbol="dist",
    functions=(),
    methods=(),
    torch="dist",
    samples=(
        (V, [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]], 2),
        (V, [0.25, 1.0, -1.0], 1),
        (V, [0.25, 1.0, -1.0], 3),
        (V, [0.25, 1.0, -1.0], np.inf),
    ),
)
def dist(input: Array, other: Array, p):
    """The p-norm of the difference of two tensors."""
    operation, settings = vector_norm(p)
    if np.bool_ in (input.dtype, other.dtype):
        raise errors.BOOL_SUBTRACT() if input.dtype == other.dtype else errors.BOOL_SUBTRACT_ONE()
    dtype = dtypes.result_type(input, other)
    return operation.body(input.astype(dtype) - other.astype(dtype), *settings)
