"""Statistics: spread around the mean, sums without NaN, log-sum-exp, medians and modes, distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.elementwise import rounded, unsupported
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.reduce.reductions import CUBE, V, mean_dim, numel
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import dtypes

ODD = [0.5, -1.25, 2.0, 1.5, 0.75]
TIES = [[1.0, 3.0, 1.0, 2.0, 3.0], [2.0, 2.0, 2.0, 0.5, -1.0]]
NAN = float("nan")
HOLES = [[0.5, NAN, 2.0], [NAN, 0.75, -0.25]]
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
    if input.dtype.kind not in "fc":
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
    return input - REGISTRY["mean_dim"].call(input, dim, True)


@helper(latex=r"\left(⟨0⟩-\overline{⟨0⟩}\right)", tensors=_from_mean_of_tensor)
def from_mean(input, dim, correction):
    """What lies between the elements and their mean. Where nothing is left to vary NaN, infinite beside the mean."""
    mean = mean_dim(input, dim, True)
    if _without_spread(input, dim, correction):
        return np.where(input == mean, np.nan, np.inf).astype(input.dtype)
    return input - mean


_VARIANCE = (
    "spread(g * twice_over(input, dim, correction), input.shape, dim, keepdim) * from_mean(input, dim, correction)"
)
_DEVIATION = _VARIANCE.replace("(g *", "(where({out} == 0, 0.0, {g} / ({out} * 2.0)) *")
_MEAN = "spread(g_mean, input.shape, dim, keepdim) / numel(input.shape, dim)"


def _statistic(name: str, symbol: str, gradient: str, **more: Any) -> dict[str, Any]:
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
def var(input: Array, dim=None, correction=1, keepdim=False):
    """The variance: the sum of squared distances from the mean, over the number of elements less ``correction``."""
    return _moments(input, dim, correction, keepdim)[0].astype(_real(input))


@op(**_statistic("std", "σ", _DEVIATION.format(out="out", g="g"), edges=_ALONE))
def std(input: Array, dim=None, correction=1, keepdim=False):
    """The standard deviation; its gradient is zero where it is zero."""
    return np.sqrt(_moments(input, dim, correction, keepdim)[0]).astype(_real(input))


@op(**_statistic("var_mean", "σ², mean", f"{_VARIANCE} + {_MEAN}", outputs=("var", "mean")))
def var_mean(input: Array, dim=None, correction=1, keepdim=False):
    """The variance and the mean."""
    variance, mean = _moments(input, dim, correction, keepdim, "var_mean")
    return variance.astype(_real(input)), mean.astype(input.dtype)


@op(**_statistic("std_mean", "σ, mean", f"{_DEVIATION.format(out='std', g='g')} + {_MEAN}", outputs=("std", "mean")))
def std_mean(input: Array, dim=None, correction=1, keepdim=False):
    """The standard deviation and the mean."""
    variance, mean = _moments(input, dim, correction, keepdim, "std_mean")
    return np.sqrt(variance).astype(_real(input)), mean.astype(input.dtype)


# -- sums --------------------------------------------------------------------------------------------------------------


@op(
    gradients={
        "input": "spread(g, input.shape, dim, keepdim) * conj(exp(input - spread(out, input.shape, dim, keepdim)))"
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
)
def logsumexp(input: Array, dim, keepdim=False):
    """log(sum(exp(input))) along dimensions, without overflow."""
    input = dtypes.to_float(input)
    picked = axes(dim, input.ndim)
    top = input.real.max(axis=picked, keepdims=True) if input.size else np.zeros((), input.real.dtype)
    top = np.where(np.isinf(top), np.zeros((), top.dtype), top)
    total = rounded(np.exp, input - top).sum(axis=picked, keepdims=True, dtype=input.dtype)
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
def nansum(input: Array, dim, keepdim, dtype=None):
    """The sum of all elements that are not NaN."""
    input = input.astype(dtype.numpy) if dtype is not None else input
    if input.dtype.kind in "iub":
        return input.astype(np.int64).sum(axis=axes(dim, input.ndim), keepdims=keepdim)
    return np.where(np.isnan(input), np.zeros((), input.dtype), input).sum(axis=axes(dim, input.ndim), keepdims=keepdim)


@op(symbol="#", functions=(), methods=(), torch="count_nonzero", samples=((V, None), (V, 0), (V, (0, 1)), ([1, 0], 0)))
def count_nonzero(input: Array, dim):
    """The number of elements that are not zero."""
    return np.asarray(np.count_nonzero(input, axis=axes(dim, input.ndim)))


# -- medians and modes -------------------------------------------------------------------------------------------------


def _selected(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "put_along(g, indices, input.shape, dim, keepdim)"},
        "outputs": ("values", "indices"),
        "latex": rf"\operatorname{{{name}}}_{{⟨1⟩}}\left(⟨0⟩\right)",
        "symbol": name,
        "functions": (name,),
        "methods": (),
    }


def _evenly(name: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "spread(g, input.shape, None, False) * even_share(input, out, None)"},
        "symbol": name,
        "latex": rf"\operatorname{{{name}}}\left(⟨0⟩\right)",
        "functions": (),
        "methods": (),
        "torch": name,
    }


def _on_last(
    input: np.ndarray, dim: int, function: Callable[[np.ndarray], np.ndarray], keepdim: bool, name: str = "median"
) -> tuple[Any, Any]:
    """Values and indices, where ``function`` gives the index for each line along the last axis."""
    if not input.ndim:
        axes(dim, 0)
        return input.copy(), np.array(0)
    (axis,) = axes(dim, input.ndim) or (0,)
    if not input.shape[axis]:
        raise errors.EMPTY_DIMENSION(name=f"{name}()", dim=axis)
    index = np.expand_dims(function(np.moveaxis(input, axis, -1)), axis)
    values = np.take_along_axis(input, index, axis)
    return (values, index) if keepdim else (values.squeeze(axis), index.squeeze(axis))


def _middle(lines: np.ndarray) -> np.ndarray:
    """The index of the lower median of each line, or of its first NaN."""
    order = np.argsort(lines, axis=-1, kind="stable")
    index = order[..., (lines.shape[-1] - 1) // 2]
    missing = np.isnan(lines) if lines.dtype.kind == "f" else np.zeros(lines.shape, bool)
    return np.where(missing.any(-1), missing.argmax(-1), index)


def _middle_of_numbers(lines: np.ndarray) -> np.ndarray:
    """The index of the lower median of what is not NaN in each line."""
    order = np.argsort(lines, axis=-1, kind="stable")
    count = lines.shape[-1] - (np.isnan(lines).sum(-1) if lines.dtype.kind == "f" else 0)
    picked = np.broadcast_to(np.maximum(count - 1, 0) // 2, lines.shape[:-1])[..., None]
    return np.take_along_axis(order, picked, -1)[..., 0]


def _most_frequent(lines: np.ndarray) -> np.ndarray:
    """The last index of the smallest of the most frequent values of each line."""
    order = np.argsort(lines, axis=-1, kind="stable")
    ordered = np.take_along_axis(lines, order, -1)
    position = np.broadcast_to(np.arange(lines.shape[-1]), lines.shape)
    begins = np.concatenate([np.ones((*lines.shape[:-1], 1), bool), ordered[..., 1:] != ordered[..., :-1]], -1)
    run = position - np.maximum.accumulate(np.where(begins, position, 0), axis=-1)
    return np.take_along_axis(order, run.argmax(-1)[..., None], -1)[..., 0]


def _of_all(input: np.ndarray, pick: Callable[[np.ndarray], np.ndarray]) -> Any:
    flat = input.reshape(-1)
    return flat[pick(flat)] if flat.size else np.asarray(np.nan, input.dtype)


@op(
    refuses={"bc": "median_cpu"},
    **_evenly("median"),
    grad_fn="MedianBackward0",
    samples=((ODD,), (V,)),
    edges=((TIES,), (HOLES,), ([3, 1, 2],)),
)
def median_all(input: Array):
    """The middle element, the lower one of two; equal ones share the gradient evenly."""
    return _of_all(input, _middle)


@op(
    refuses={"bc": "median_out"},
    **_selected("median"),
    grad_fn="MedianBackward1",
    samples=((V, 0), (V, 1), ([ODD], -1, True), (2.5, 0)),
    edges=((HOLES, 1), (HOLES, 0, True), ([[3, 1, 2]], 1)),
)
def median_dim(input: Array, dim, keepdim=False):
    """The middle element along a dimension, the lower one of two, and its index."""
    return _on_last(input, dim, _middle, keepdim)


@op(
    refuses={"bc": "median_cpu"},
    **_evenly("nanmedian"),
    grad_fn="NanmedianBackward0",
    samples=((ODD,), (V,)),
    edges=((TIES,), (HOLES,)),
)
def nanmedian_all(input: Array):
    """The middle one of the elements that are not NaN."""
    return _of_all(input, _middle_of_numbers)


@op(
    refuses={"bc": "median_out"},
    **_selected("nanmedian"),
    grad_fn="NanmedianBackward1",
    samples=((V, 0), ([ODD], -1, True)),
    edges=((HOLES, 1), (HOLES, 0, True), ([[NAN, NAN]], 1)),
)
def nanmedian_dim(input: Array, dim, keepdim=False):
    """The middle one along a dimension of the elements that are not NaN, and its index."""
    return _on_last(input, dim, _middle_of_numbers, keepdim)


@op(
    refuses={"c": "mode_cpu"},
    **_selected("mode"),
    samples=((V, 0), (V, -1, True), (2.5, 0)),
    edges=((TIES, 1), (TIES, 0), ([[1, 2, 2, 1, 3]], 1, True)),
)
def mode(input: Array, dim=-1, keepdim=False):
    """The most frequent value along a dimension, the smallest of several, and its index."""
    return _on_last(input, dim, _most_frequent, keepdim, "mode")


def _bounds(function: Callable[..., Any], input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return function(input, dim=dim, keepdim=keepdim)


@op(
    refuses={"c": "aminmax_cpu"},
    gradients={
        "input": "spread(g, input.shape, dim, keepdim) * count_share(input, min, dim, keepdim)"
        " + spread(g_max, input.shape, dim, keepdim) * count_share(input, max, dim, keepdim)"
    },
    outputs=("min", "max"),
    latex=r"(\min ⟨0⟩, \max ⟨0⟩)",
    symbol="min, max",
    functions=("aminmax",),
    methods=(),
    adapt=_bounds,
    samples=((ODD,), (V, 0), (V, -1, True)),
    edges=((TIES,), (TIES, 1, True), (HOLES,), (HOLES, 1), ([3, 1, 2],)),
    errors=(
        (
            np.zeros((2, 0)),
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
        ),
        (np.zeros((2, 0)), -1, "aminmax: Expected reduction dim 1 to have non-zero size."),
    ),
)
def aminmax(input: Array, dim=None, keepdim=False):
    """The smallest and the largest element, of all or along a dimension; equal ones share the gradient evenly."""
    if not input.size and dim is None:
        raise errors.EMPTY_AMINMAX()
    picked = axes(dim, input.ndim)
    if picked and not input.shape[picked[0]]:
        raise errors.EMPTY_DIMENSION(name="aminmax", dim=picked[0])
    return input.min(axis=picked, keepdims=keepdim), input.max(axis=picked, keepdims=keepdim)


# -- distances ---------------------------------------------------------------------------------------------------------


def _vector_norm(p: float) -> tuple[Any, tuple[Any, ...]]:
    names = {2: "norm_two", 1: "norm_one", 0: "norm_count", np.inf: "norm_max", -np.inf: "norm_min"}
    name = names.get(p, "norm_power")
    settings = (p,) if name == "norm_power" else ()
    return REGISTRY[name], settings


def _distance_rule_of_tensors(g: Any, difference: Any, out: Any, p: float) -> Any:
    operation, _ = _vector_norm(p)
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
    operation, _ = _vector_norm(p)
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
    operation, settings = _vector_norm(p)
    if np.bool_ in (input.dtype, other.dtype):
        raise errors.BOOL_SUBTRACT() if input.dtype == other.dtype else errors.BOOL_SUBTRACT_ONE()
    kind = dtypes.result_type(input, other)
    return operation.body(input.astype(kind) - other.astype(kind), *settings)
