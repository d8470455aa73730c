"""Reductions: sums, means, products, extrema, norms, and their spread over the input on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.broadcasting import sum_to
from gradflow.engine.numerics.sums import cascade_mean, cascade_sum, product_of_all
from gradflow.engine.ops.reduce.axes import axes, expand_reduced
from gradflow.engine.ops.shape.reshaping import reshape
from gradflow.engine.registry import REGISTRY, Array, Dims, Spread, composed, helper, op
from gradflow.engine.tensor import dtypes

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
DISTINCT = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.25]]
CUBE = [[[0.5, -1.25], [2.0, 1.0]], [[1.5, 0.75], [-0.5, 3.0]]]
DIMS = ((V, 0), (V, 1, True), (V, -1), (CUBE, (0, 2)), (CUBE, (0, 1), True))


def _accumulate(input: np.ndarray, dtype: Any) -> np.ndarray:
    """Integers and booleans are summed as int64."""
    if dtype is not None:
        return input.astype(dtype.numpy)
    return input.astype(np.int64) if input.dtype.kind in "iub" else input


def _quietly(input: np.ndarray, dim: Any, keepdim: bool) -> Any:
    """The mean. That of nothing is NaN, of which NumPy would warn."""
    if input.size:
        return cascade_mean(input, dim, keepdim)
    total = np.asarray(input.sum(axis=dim, keepdims=keepdim))
    return np.full_like(total, complex(np.nan, np.nan) if total.dtype.kind == "c" else np.nan)


def _kept(dtype: Any) -> Any:
    """The dtype to add up in: NumPy would widen a small integer that was asked for."""
    return None if dtype is None else dtype.numpy


def _total(input: np.ndarray, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """The sum, in PyTorch's order where that shows in the last bit."""
    if input.dtype.kind == "f":
        return cascade_sum(input, dim, keepdim)
    return input.sum(axis=dim, keepdims=keepdim, dtype=_kept(dtype))


def _product(input: np.ndarray, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if input.dtype.kind == "f":
        return product_of_all(input, dim, keepdim)
    return input.prod(axis=dim, keepdims=keepdim, dtype=_kept(dtype))


def _floating(input: np.ndarray, dtype: Any, name: str) -> np.ndarray:
    if dtype is not None and dtype.numpy.kind not in "fcV":
        raise errors.DTYPE_CHOSEN(name=name, dtype=dtype.legacy)
    if dtype is not None:
        return input.astype(dtype.numpy)
    if input.dtype.kind not in "fcV":
        raise errors.DTYPE_NOT_FLOATING(name=name, dtype=dtypes.of(input).legacy)
    return input


# -- sums --------------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "spread(g, input.shape, None, False)"},
    grad_fn="SumBackward0",
    latex=r"\textstyle\sum ⟨0⟩",
    symbol="Σ",
    functions=(),
    methods=(),
    samples=((V,), (2.5,)),
    torch="sum",
)
def sum_all(input: Array, dtype=None):
    """The sum of all elements."""
    return _total(_accumulate(input, dtype), None, False, dtype)


@op(
    gradients={"input": "spread(g, input.shape, dim, keepdim)"},
    grad_fn="SumBackward1",
    latex=r"\textstyle\sum⟦1:_{⟨1⟩}⟧ ⟨0⟩",
    symbol="Σ",
    functions=(),
    methods=(),
    samples=DIMS,
    torch="sum",
)
def sum_dim(input: Array, dim: Dims, keepdim=False, dtype=None):
    """The sum along one or more dimensions."""
    return _total(_accumulate(input, dtype), axes(dim, input.ndim), keepdim, dtype)


@op(
    gradients={"input": "spread(g, input.shape, None, False) / numel(input.shape, None)"},
    grad_fn="MeanBackward0",
    latex=r"\operatorname{mean}\left(⟨0⟩\right)",
    symbol="mean",
    functions=(),
    methods=(),
    samples=((V,),),
    torch="mean",
)
def mean_all(input: Array, dtype=None):
    """The mean of all elements."""
    return _quietly(_floating(input, dtype, "mean"), None, False)


@op(
    gradients={"input": "spread(g, input.shape, dim, keepdim) / numel(input.shape, dim)"},
    grad_fn="MeanBackward1",
    latex=r"\operatorname{mean}⟦1:_{⟨1⟩}⟧\left(⟨0⟩\right)",
    symbol="mean",
    functions=(),
    methods=(),
    samples=DIMS,
    torch="mean",
)
def mean_dim(input: Array, dim: Dims, keepdim=False, dtype=None):
    """The mean along one or more dimensions."""
    return _quietly(_floating(input, dtype, "mean"), axes(dim, input.ndim), keepdim)


@helper(latex="n")
def numel(shape, dim):
    """How many elements of a tensor of this shape go into one element of a reduction over ``dim``."""
    picked = range(len(shape)) if dim is None else axes(dim, len(shape)) or range(len(shape))
    return int(np.prod([shape[i] for i in picked], dtype=np.int64))


@op(
    gradients={"input": "sum_like(g, shape, dim, keepdim)"},
    latex=r"\mathbf{1}\,⟨0⟩",
    symbol="expand",
    grad_fn="ExpandBackward0",
    functions=(),
    methods=(),
    samples=((2.5, (2, 3), None, False), ([1.0, 2.0], (2, 3), 1, False), ([[1.0], [2.0]], (2, 3), -1, True)),
    torch=None,
)
def spread(input: Array, shape, dim, keepdim):
    """What a reduction over ``dim`` made of a tensor of ``shape``, spread back over that shape."""
    return np.broadcast_to(expand_reduced(input, shape, dim, keepdim), shape)


def _restored_tensor(input: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """Each reduced dimension put back by an operation of its own."""
    if not keepdim and input._a.ndim < len(shape):
        for each in sorted(axes(dim, len(shape)) or ()):
            input = REGISTRY["unsqueeze"].call(input, each)
    return input


@helper(latex="⟨0⟩", tensors=_restored_tensor)
def restored(input, shape, dim, keepdim):
    """What a reduction over ``dim`` made of a tensor of ``shape``, with the reduced dimensions as 1."""
    return input if dim is None else expand_reduced(input, shape, dim, keepdim)


@composed("spread")
def _spread_tensor(input: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    return REGISTRY["expand"].call(_restored_tensor(input, shape, dim, keepdim), *shape)


@op(
    gradients={"input": "spread(g, shape, dim, keepdim)"},
    latex=r"\textstyle\sum ⟨0⟩",
    symbol="Σ",
    grad_fn="SumBackward1",
    functions=(),
    methods=(),
    samples=((V, (2, 3), None, False), (V, (2, 3), 1, False), (V, (2, 3), 0, True)),
    torch=None,
)
def sum_like(input: Array, shape, dim: Dims, keepdim):
    """The sum that undoes `spread`."""
    picked = axes(dim, len(shape))
    return input.sum(axis=picked, keepdims=keepdim)


@op(
    gradients={"input": "spread_to(g, input.shape)"},
    latex=r"\textstyle\sum ⟨0⟩",
    symbol="Σ",
    grad_fn="SumBackward1",
    functions=(),
    methods=(),
    samples=((CUBE, 2, 1), (V, 3), (V, 1, 1)),
    torch=None,
)
def sum_to_size(input: Array, size: Spread):
    """The sum over every dimension that was broadcast from ``size``."""
    return sum_to(input, tuple(size))


def summed(g: Any, shape: tuple[int, ...]) -> Any:
    """The same of a tensor, by the operations that PyTorch records for it."""
    own = g._a.shape
    if own == shape:
        return g
    if not shape:
        return REGISTRY["sum_all"].call(g)
    lead = len(own) - len(shape)
    stretched = [i for i, n in enumerate(own) if i < lead or (shape[i - lead] == 1 != n)]
    result = REGISTRY["sum_dim"].call(g, stretched, True) if stretched else g
    return REGISTRY["view"].call(result, *shape) if lead else result


@composed("sum_to_size")
def _sum_to_size_tensor(input: Any, size: tuple[int, ...]) -> Any:
    return summed(input, tuple(size))


@helper(latex=r"\textstyle\sum ⟨0⟩", tensors=summed)
def unexpand(g, shape):
    """The sum over every dimension that was broadcast from ``shape``."""
    return sum_to(g, tuple(shape))


@op(
    gradients={"input": "sum_to_size(g, input.shape)"},
    latex=r"\mathbf{1}\,⟨0⟩",
    symbol="expand",
    grad_fn="ExpandBackward0",
    functions=(),
    methods=(),
    samples=(([[1.0], [2.0]], (3, 2, 4)), (2.5, (2, 3))),
    torch=None,
)
def spread_to(input: Array, shape):
    """The input broadcast to a shape."""
    return np.broadcast_to(input, shape)


# -- products ----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "product_share(g, conj(input), conj(out), None, False)"},
    grad_fn="ProdBackward0",
    latex=r"\textstyle\prod ⟨0⟩",
    symbol="Π",
    functions=(),
    methods=(),
    samples=((V,), ([1.0, 0.0, 2.0],), ([[1.0, 0.0], [0.0, 2.0]],), ([[0.0, 0.0], [0.0, 2.0]],)),
    torch="prod",
)
def prod_all(input: Array, dtype=None):
    """The product of all elements."""
    return _product(_accumulate(input, dtype), None, False, dtype)


@op(
    gradients={"input": "product_share(g, conj(input), conj(out), dim, keepdim)"},
    grad_fn="ProdBackward1",
    latex=r"\textstyle\prod_{⟨1⟩} ⟨0⟩",
    symbol="Π",
    functions=(),
    methods=(),
    samples=(
        (V, 0),
        (V, 1, True),
        ([[1.0, 0.0], [0.0, 0.0]], 1),
        (CUBE, -2),
        ([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], 0, True),
    ),
    torch="prod",
)
def prod_dim(input: Array, dim, keepdim=False, dtype=None):
    """The product along a dimension."""
    return _product(_accumulate(input, dtype), axes(dim, input.ndim), keepdim, dtype)


def _others_of_tensor(input: Any, dim: int) -> Any:
    """The product of the others along a dimension: of those before each element, and of those after it."""
    call = {o: REGISTRY[o].call for o in ("cat", "slice", "cumprod", "reversed")}
    axis, length = dim % input.ndim, input.shape[dim]
    one = type(input)(np.ones([1 if i == axis else n for i, n in enumerate(input.shape)], input._a.dtype))
    before = call["cumprod"](call["cat"]([one, call["slice"](input, axis, 0, length - 1, 1)], axis), axis)
    rest = call["reversed"](call["slice"](input, axis, 1, length, 1), axis)
    after = call["reversed"](call["cumprod"](call["cat"]([one, rest], axis), axis), axis)
    return before * after


def _product_share_of_tensor(g: Any, input: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    mul, div = (REGISTRY[o].call for o in ("mul", "div"))
    if not input.ndim:
        return g
    if numel(input.shape, dim) == 1 and not np.all(input._a):
        return _spread_tensor(g, tuple(input.shape), dim, keepdim)
    if np.all(input._a):
        if dim is None:
            return mul(g, div(out, input))
        wide = tuple(input.shape)
        g, out = (_restored_tensor(each, wide, dim, keepdim) for each in (g, out))
        return mul(g, div(out, input))
    if dim is None:
        return reshape(mul(g, _others_of_tensor(reshape(input, (-1,)), 0)), tuple(input.shape))
    return mul(_restored_tensor(g, tuple(input.shape), dim, keepdim), _others_of_tensor(input, dim))


@helper(latex=r"⟨0⟩\,⟨2⟩ \oslash ⟨1⟩", tensors=_product_share_of_tensor)
def product_share(g, input, out, dim, keepdim):
    """The gradient times the product of all the other elements; right with zeros among them."""
    if np.all(input):
        share = expand_reduced(np.asarray(out), input.shape, dim, keepdim) / input
        return expand_reduced(g, input.shape, dim, keepdim) * share
    return expand_reduced(g, input.shape, dim, keepdim) * _others(input, axes(dim, input.ndim))


def _lines(input: np.ndarray, picked: tuple[int, ...] | None) -> tuple[np.ndarray, Any]:
    """The input as (lines, elements of a line), the reduced dimensions last, and the way back."""
    order = [i for i in range(input.ndim) if picked is not None and i not in picked] + list(
        range(input.ndim) if picked is None else picked
    )
    moved = input.transpose(order)
    lines = moved.reshape(-1, numel(input.shape, picked)) if input.size else moved.reshape(0, 1)
    return lines.copy(), lambda result: result.reshape(moved.shape).transpose(np.argsort(order))


def _others(input: np.ndarray, picked: tuple[int, ...] | None) -> np.ndarray:
    lines, back = _lines(input, picked)
    before = np.ones_like(lines)
    after = np.ones_like(lines)
    np.cumprod(lines[:, :-1], axis=1, out=before[:, 1:])
    after[:, :-1] = np.cumprod(lines[:, :0:-1], axis=1)[:, ::-1]
    result: np.ndarray = back(before * after)
    return result
