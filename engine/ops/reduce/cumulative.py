"""Running sums, products and extrema along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.exponential import complex_logaddexp
from gradflow.engine.ops.reduce.axes import axes
from gradflow.engine.ops.reduce.reductions import CUBE, V
from gradflow.engine.out_rules import SCALAR_TYPE, OutRule, exactly
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import dtypes

NAN, INF = float("nan"), float("inf")
LINES = ((V, 0), (V, -1), (CUBE, 1), (2.5, 0))
ZEROS = [[1.5, 0.0, 2.0, -1.0, 0.0, 3.0], [0.0, 2.0, 0.5, 1.0, -2.0, 1.0]]
TIES = [[1.0, 3.0, 1.0, 3.0, 2.0], [2.0, 1.0, 2.0, 0.5, -1.0]]


def _axis(dim: int, ndim: int) -> int:
    picked = axes(dim, ndim)
    return picked[0] if picked else 0


def _at_least_1d(input: np.ndarray) -> np.ndarray:
    return input if input.ndim else input.reshape(1)


def _kind(input: np.ndarray, dtype: Any, name: str) -> np.ndarray:
    if dtype is dtypes.bool_:
        raise errors.NOT_IMPLEMENTED_DTYPE(name=f"{name}_out_cpu", dtype=dtype.legacy)
    if dtype is not None:
        return input.astype(dtype.numpy)
    return input.astype(np.int64) if input.dtype.kind in "iub" else input


def _run(function: Any, input: np.ndarray, dim: int) -> Any:
    """A running function in double precision, as PyTorch's kernels accumulate."""
    axis = _axis(dim, input.ndim)
    wide = np.float64 if input.dtype.kind == "f" else np.complex128 if input.dtype.kind == "c" else input.dtype
    return function(_at_least_1d(input), axis=axis, dtype=wide).astype(input.dtype).reshape(input.shape)


@op(
    gradients={"input": "reversed(g, dim)"},
    latex=r"\operatorname{reverse}\left(⟨0⟩\right)",
    symbol="reverse",
    functions=(),
    methods=(),
    grad_fn="FlipBackward0",
    torch=None,
    samples=((V, 0), (V, -1)),
)
def reversed(input: Array, dim):
    """The elements along a dimension in reverse order."""
    return np.flip(input, _axis(dim, input.ndim)) if input.ndim else input


@op(
    gradients={"input": "reversed(cumsum(reversed(g, dim), dim), dim)"},
    latex=r"\operatorname{cumsum}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="Σ↓",
    samples=LINES,
    edges=(([1, 2, 3], 0), ([True, True], 0), (V, 0, {"dtype": dtypes.float64})),
    inplace=True,
    errors=((V, 2, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),),
    out=OutRule(None, takes_dtype=True),
)
def cumsum(input: Array, dim, *, dtype=None):
    """The sum of each element and all before it along a dimension."""
    return _run(np.cumsum, _kind(input, dtype, "cumsum"), dim)


@op(
    gradients={"input": "cumprod_share(g, conj(input), conj(out), dim)"},
    latex=r"\operatorname{cumprod}_{⟨1⟩}\left(⟨0⟩\right)",
    symbol="Π↓",
    samples=LINES,
    edges=((ZEROS, 1), (ZEROS, 0), ([1, 2, 3], 0)),
    inplace=True,
    out=OutRule(None, takes_dtype=True),
)
def cumprod(input: Array, dim, *, dtype=None):
    """The product of each element and all before it along a dimension."""
    return _run(np.cumprod, _kind(input, dtype, "cumprod"), dim)


def _is_single(input: np.ndarray, dim: int) -> bool:
    """Whether nothing runs: one element a line, or none at all."""
    return input.size < 2 or input.shape[_axis(dim, input.ndim)] == 1


def _cumprod_share_of_tensors(g: Any, input: Any, out: Any, dim: int) -> Any:
    """With zeros: the running products with each element in turn replaced by 1, from that element on."""
    call = {
        name: REGISTRY[name].call
        for name in ("reversed", "cumsum", "cumprod", "masked_fill", "unsqueeze", "expand", "transpose")
    }
    if _is_single(input._a, dim):
        return g
    if input._a.all():
        flow = call["reversed"](call["cumsum"](call["reversed"](out * g, dim), dim), dim)
        return flow / input
    moved, flow = call["transpose"](input, dim, -1), call["transpose"](g, dim, -1)
    width = moved._a.shape[-1]
    square = call["expand"](call["unsqueeze"](moved, -2), *moved._a.shape[:-1], width, width)
    products = call["cumprod"](call["masked_fill"](square, type(g)(np.eye(width, dtype=bool)), 1.0), -1)
    before = type(g)(np.tril(np.ones((width, width), bool), -1))
    total = REGISTRY["sum_dim"].call(call["masked_fill"](products, before, 0.0) * call["unsqueeze"](flow, -2), -1)
    return call["transpose"](total, dim, -1)


@helper(latex=r"\left(\textstyle\sum_{j \ge i} ⟨0⟩_j\,⟨2⟩_j\right) / ⟨1⟩_i", tensors=_cumprod_share_of_tensors)
def cumprod_share(g, input, out, dim):
    """The gradient of running products; right with zeros among the factors."""
    if _is_single(input, dim):
        return g
    flow = reversed(cumsum(reversed(g * out, dim), dim), dim)
    zero = input == 0
    if not zero.any():
        return flow / input
    if not input.ndim:
        return g.copy()
    axis = _axis(dim, input.ndim)
    count = np.cumsum(zero, axis=axis)
    first = zero & (count == 1)
    without = np.cumprod(np.where(first, np.ones((), input.dtype), input), axis=axis)
    share = np.where(count > 0, g * without, 0).sum(axis=axis, keepdims=True)
    return np.where(count == 0, flow / np.where(zero, 1, input), np.where(first, share, 0)).astype(input.dtype)


# -- extrema -----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "pick_lines(g, indices, dim)"},
    functions=(),
    methods=(),
    torch=None,
    grad_fn="ScatterAddBackward0",
    latex=r"\operatorname{put}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="put",
    samples=((V, [[0, 0, 2], [1, 1, 1]], 1),),
)
def put_lines(input: Array, indices: Array, dim):
    """Zeros with each value added at its index along a dimension."""
    if not input.ndim:
        return input
    result = np.zeros_like(input)
    axis = _axis(dim, input.ndim)
    places: list[Any] = list(np.indices(input.shape, sparse=True))
    places[axis] = indices
    np.add.at(result, tuple(places), input)
    return result


@op(
    gradients={"input": "put_lines(g, indices, dim)"},
    functions=(),
    methods=(),
    torch=None,
    grad_fn="GatherBackward0",
    latex=r"\operatorname{pick}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="pick",
    samples=((V, [[0, 0, 2], [1, 1, 1]], 1),),
)
def pick_lines(input: Array, indices: Array, dim):
    """The values at the given indices along a dimension."""
    return np.take_along_axis(input, indices, _axis(dim, input.ndim)) if input.ndim else input


def _extreme(input: np.ndarray, dim: int, function: Any) -> tuple[np.ndarray, np.ndarray]:
    """Running extrema, and where each stands: the last of equal ones, and the last NaN."""
    axis = _axis(dim, input.ndim)
    lines = _at_least_1d(input)
    values = function.accumulate(lines, axis=axis)
    new = (lines == values) | (np.isnan(lines) if lines.dtype.kind == "f" else False)
    shape = [1] * lines.ndim
    shape[axis] = -1
    position = np.arange(lines.shape[axis]).reshape(shape)
    indices = np.maximum.accumulate(np.where(new, position, 0), axis=axis)
    return values.reshape(input.shape), indices.reshape(input.shape)


def _running_share_of_tensor(g: Any, input: Any, indices: Any, dim: Any) -> Any:
    return REGISTRY["put_lines"].call(g, indices, dim)


@helper(latex=r"\operatorname{put}\left(⟨0⟩, ⟨2⟩\right)", tensors=_running_share_of_tensor)
def running_share(g, input, indices, dim):
    """The gradient at the places of the extrema. PyTorch keeps the input for it too, and checks that it was not written."""
    return put_lines(g, indices, dim)


def _running(name: str, symbol: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "running_share(g, input, indices, dim)"},
        "outputs": ("values", "indices"),
        "symbol": symbol,
        "latex": rf"\operatorname{{{name}}}_{{⟨1⟩}}\left(⟨0⟩\right)",
        "samples": LINES,
        "edges": ((TIES, 1), (TIES, 0), ([1.0, NAN, 3.0, NAN, 0.0], 0), ([3, 1, 3], 0)),
    }


@op(
    refuses={"c": "cummax_cpu"},
    **_running("cummax", "max↓"),
    out=exactly(SCALAR_TYPE),
)
def cummax(input: Array, dim):
    """The largest of each element and all before it, and its index; of equal ones the last, which gets the gradient."""
    return _extreme(input, dim, np.maximum)


@op(
    refuses={"c": "cummin_cpu"},
    **_running("cummin", "min↓"),
    out=exactly(SCALAR_TYPE),
)
def cummin(input: Array, dim):
    """The smallest of each element and all before it, and its index; of equal ones the last, which gets the gradient."""
    return _extreme(input, dim, np.minimum)


# -- log-sum-exp -------------------------------------------------------------------------------------------------------


def _logcumsumexp_share_of_tensors(g: Any, input: Any, out: Any, dim: int) -> Any:
    """The sum over j >= i of g_j exp(x_i - out_j), its positive and its negative part in logarithms."""
    call = {name: REGISTRY[name].call for name in ("abs", "log", "where", "exp", "reversed", "logcumsumexp")}
    if not input._a.ndim or not input._a.size:
        return g

    def flow(part: Any) -> Any:
        running = call["logcumsumexp"](call["reversed"](part - out, dim), dim)
        return call["exp"](call["reversed"](running, dim) + input)

    if input._a.dtype.kind == "c":
        return flow(call["log"](g))
    size, least = call["log"](call["abs"](g)), type(g)(np.array(np.finfo(input._a.dtype).min))
    parts = [call["where"](type(g)(mask), size, least) for mask in (g._a > 0, g._a < 0)]
    positive, negative = flow(parts[0]), flow(parts[1])
    return positive - negative


def _complex_share(g: np.ndarray, input: np.ndarray, out: np.ndarray, dim: int) -> np.ndarray:
    """The sum over j >= i of g_j exp(x_i - out_j) of complex numbers, line by line."""
    axis = _axis(dim, input.ndim)
    moved, total, flow = (np.moveaxis(a, axis, -1) for a in (input, out, g))
    shares = np.empty_like(moved)
    for i in range(moved.shape[-1]):
        shares[..., i] = (np.exp(moved[..., i, None] - total[..., i:]) * flow[..., i:]).sum(-1)
    return np.ascontiguousarray(np.moveaxis(shares, -1, axis))


@helper(latex=r"\textstyle\sum_{j \ge i} ⟨0⟩_j\,e^{⟨1⟩_i-⟨2⟩_j}", tensors=_logcumsumexp_share_of_tensors)
def logcumsumexp_share(g, input, out, dim):
    """The gradient of running log-sum-exp, its positive and its negative part in logarithms."""
    if not input.ndim or not input.size:
        return g
    if input.dtype.kind == "c":
        return _complex_share(g, input, out, dim)
    size = np.log(np.abs(g))

    def flow(mask: np.ndarray) -> Any:
        logs = np.where(mask, size, -np.inf).astype(input.dtype) - out
        return np.exp(reversed(logcumsumexp(reversed(logs, dim), dim), dim) + input)

    return flow(g > 0) - flow(g < 0)


@op(
    refuses={"bil": "logcumsumexp_out_cpu"},
    gradients={"input": "logcumsumexp_share(g, conj(input), conj(out), dim)"},
    latex=r"\log \operatorname{cumsum} e^{⟨0⟩}",
    symbol="logΣexp↓",
    samples=LINES,
    edges=(([5.0, -90.0, 6.0], 0),),
    inplace=False,
    out=exactly(SCALAR_TYPE),
)
def logcumsumexp(input: Array, dim):
    """The logarithm of the running sum of exponentials, without overflow."""
    if not input.ndim:
        axes(dim, 0)
        return input.copy()
    if input.dtype.kind == "c":
        return _complex_running(input, _axis(dim, input.ndim))
    wide = input.astype(np.float64) if input.dtype.kind == "f" else input
    return np.logaddexp.accumulate(wide, axis=_axis(dim, input.ndim)).astype(input.dtype)


def _complex_running(input: np.ndarray, axis: int) -> np.ndarray:
    lines = np.moveaxis(input.astype(np.complex128), axis, 0).copy()
    for i in range(1, len(lines)):
        lines[i] = complex_logaddexp(lines[i - 1], lines[i])
    return np.ascontiguousarray(np.moveaxis(lines, 0, axis)).astype(input.dtype)
