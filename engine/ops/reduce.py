"""Reductions: sums, means, products, extrema, norms, and their spread over the input on the way back."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.ops.axes import axes, expand_reduced
from engine.ops.elementwise import refuse_complex
from engine.registry import REGISTRY, Array, Spread, helper, op

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
        return input.mean(axis=dim, keepdims=keepdim)
    total = np.asarray(input.sum(axis=dim, keepdims=keepdim))
    return np.full_like(total, complex(np.nan, np.nan) if total.dtype.kind == "c" else np.nan)


def _kept(dtype: Any) -> Any:
    """The dtype to add up in: NumPy would widen a small integer that was asked for."""
    return None if dtype is None else dtype.numpy


def _floating(input: np.ndarray, dtype: Any, name: str) -> np.ndarray:
    if dtype is not None and dtype.numpy.kind not in "fc":
        raise errors.DTYPE_CHOSEN(name=name, dtype=dtype.legacy)
    if dtype is not None:
        return input.astype(dtype.numpy)
    if input.dtype.kind not in "fc":
        raise errors.DTYPE_NOT_FLOATING(name=name, dtype=dtypes.of(input).legacy)
    return input


# -- sums --------------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "spread(g, input.shape, None, False)"}, grad_fn="SumBackward0", latex=r"\textstyle\sum ⟨0⟩",
    symbol="Σ", functions=(), methods=(), samples=((V,), (2.5,)),
    torch="sum",
)  # fmt: skip
def sum_all(input: Array, dtype=None):
    """The sum of all elements."""
    return _accumulate(input, dtype).sum(dtype=_kept(dtype))


@op(
    gradients={"input": "spread(g, input.shape, dim, keepdim)"}, grad_fn="SumBackward1",
    latex=r"\textstyle\sum_{⟨1⟩} ⟨0⟩", symbol="Σ", functions=(), methods=(), samples=DIMS,
    torch="sum",
)  # fmt: skip
def sum_dim(input: Array, dim, keepdim=False, dtype=None):
    """The sum along one or more dimensions."""
    return _accumulate(input, dtype).sum(axis=axes(dim, input.ndim), keepdims=keepdim, dtype=_kept(dtype))


@op(
    gradients={"input": "spread(g, input.shape, None, False) / numel(input.shape, None)"}, grad_fn="MeanBackward0",
    latex=r"\operatorname{mean}\left(⟨0⟩\right)", symbol="mean", functions=(), methods=(), samples=((V,),),
    torch="mean",
)  # fmt: skip
def mean_all(input: Array, dtype=None):
    """The mean of all elements."""
    return _quietly(_floating(input, dtype, "mean"), None, False)


@op(
    gradients={"input": "spread(g, input.shape, dim, keepdim) / numel(input.shape, dim)"}, grad_fn="MeanBackward1",
    latex=r"\operatorname{mean}_{⟨1⟩}\left(⟨0⟩\right)", symbol="mean", functions=(), methods=(), samples=DIMS,
    torch="mean",
)  # fmt: skip
def mean_dim(input: Array, dim, keepdim=False, dtype=None):
    """The mean along one or more dimensions."""
    return _quietly(_floating(input, dtype, "mean"), axes(dim, input.ndim), keepdim)


@helper(latex="n")
def numel(shape, dim):
    """How many elements of a tensor of this shape go into one element of a reduction over ``dim``."""
    picked = range(len(shape)) if dim is None else axes(dim, len(shape)) or range(len(shape))
    return int(np.prod([shape[i] for i in picked], dtype=np.int64))


@op(
    gradients={"input": "sum_like(g, shape, dim, keepdim)"}, latex=r"\mathbf{1}\,⟨0⟩", symbol="expand",
    grad_fn="ExpandBackward0", functions=(), methods=(),
    samples=((2.5, (2, 3), None, False), ([1.0, 2.0], (2, 3), 1, False), ([[1.0], [2.0]], (2, 3), -1, True)),
    torch=None,
)  # fmt: skip
def spread(input: Array, shape, dim, keepdim):
    """What a reduction over ``dim`` made of a tensor of ``shape``, spread back over that shape."""
    return np.broadcast_to(expand_reduced(input, shape, dim, keepdim), shape)


@op(
    gradients={"input": "spread(g, shape, dim, keepdim)"}, latex=r"\textstyle\sum ⟨0⟩", symbol="Σ",
    grad_fn="SumBackward1", functions=(), methods=(),
    samples=((V, (2, 3), None, False), (V, (2, 3), 1, False), (V, (2, 3), 0, True)),
    torch=None,
)  # fmt: skip
def sum_like(input: Array, shape, dim, keepdim):
    """The sum that undoes `spread`."""
    picked = axes(dim, len(shape))
    return input.sum(axis=picked, keepdims=keepdim)


@op(
    gradients={"input": "spread_to(g, input.shape)"}, latex=r"\textstyle\sum ⟨0⟩", symbol="Σ", grad_fn="SumBackward1",
    functions=(), methods=(), samples=((CUBE, 2, 1), (V, 3), (V, 1, 1)), torch=None,
)  # fmt: skip
def sum_to_size(input: Array, size: Spread):
    """The sum over every dimension that was broadcast from ``size``."""
    from engine.backward import sum_to

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


@helper(latex=r"\textstyle\sum ⟨0⟩", tensors=summed)
def unexpand(g, shape):
    """The sum over every dimension that was broadcast from ``shape``."""
    from engine.backward import sum_to

    return sum_to(g, tuple(shape))


@op(
    gradients={"input": "sum_to_size(g, input.shape)"}, latex=r"\mathbf{1}\,⟨0⟩", symbol="expand",
    grad_fn="ExpandBackward0", functions=(), methods=(), samples=(([[1.0], [2.0]], (3, 2, 4)), (2.5, (2, 3))),
    torch=None,
)  # fmt: skip
def spread_to(input: Array, shape):
    """The input broadcast to a shape."""
    return np.broadcast_to(input, shape)


# -- products ----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "product_share(g, conj(input), conj(out), None, False)"},
    grad_fn="ProdBackward0", latex=r"\textstyle\prod ⟨0⟩", symbol="Π", functions=(), methods=(),
    samples=((V,), ([1.0, 0.0, 2.0],), ([[1.0, 0.0], [0.0, 2.0]],), ([[0.0, 0.0], [0.0, 2.0]],)),
    torch="prod",
)  # fmt: skip
def prod_all(input: Array, dtype=None):
    """The product of all elements."""
    return _accumulate(input, dtype).prod(dtype=_kept(dtype))


@op(
    gradients={"input": "product_share(g, conj(input), conj(out), dim, keepdim)"},
    grad_fn="ProdBackward1", latex=r"\textstyle\prod_{⟨1⟩} ⟨0⟩", symbol="Π", functions=(), methods=(),
    samples=((V, 0), (V, 1, True), ([[1.0, 0.0], [0.0, 0.0]], 1), (CUBE, -2), ([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]], 0, True)),
    torch="prod",
)  # fmt: skip
def prod_dim(input: Array, dim, keepdim=False, dtype=None):
    """The product along a dimension."""
    return _accumulate(input, dtype).prod(axis=axes(dim, input.ndim), keepdims=keepdim, dtype=_kept(dtype))


def _others_of_tensor(input: Any, dim: Any) -> Any:
    """The product of the others built from operations: each line once for each of its elements, that element replaced by 1."""
    from engine.namespace.composite import reshape

    call = {o: REGISTRY[o].call for o in ("permute", "masked_fill", "prod_dim", "unsqueeze", "expand")}
    picked = axes(dim, input.ndim)
    kept = [i for i in range(input.ndim) if picked is not None and i not in picked]
    order = kept + [i for i in range(input.ndim) if i not in kept]
    moved = call["permute"](input, order) if order else input
    width = numel(input.shape, dim)
    lines = call["unsqueeze"](reshape(moved, (-1, width)), 1)
    square = call["expand"](lines, (-1, width, -1))
    masked = call["masked_fill"](square, type(input)(np.eye(width, dtype=bool)), 1.0)
    result = reshape(call["prod_dim"](masked, -1), tuple(moved.shape))
    return call["permute"](result, [int(i) for i in np.argsort(order)]) if order else result


def _product_share_of_tensor(g: Any, input: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    spread, mul, div = (REGISTRY[o].call for o in ("spread", "mul", "div"))
    if not input.ndim:
        return g
    if np.all(input._a):
        return div(spread(mul(g, out), tuple(input.shape), dim, keepdim), input)
    return mul(spread(g, tuple(input.shape), dim, keepdim), _others_of_tensor(input, dim))


@helper(latex=r"⟨0⟩\,⟨2⟩ \oslash ⟨1⟩", tensors=_product_share_of_tensor)
def product_share(g, input, out, dim, keepdim):
    """The gradient times the product of all the other elements; right with zeros among them."""
    if np.all(input):
        return expand_reduced(g * out, input.shape, dim, keepdim) / input
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


# -- extrema -----------------------------------------------------------------------------------------------------------


@op(
    gradients={"input": "spread(g, input.shape, None, False) * even_share(input, out, None)"}, grad_fn="MaxBackward1",
    latex=r"\max ⟨0⟩", symbol="max", functions=(), methods=(), samples=((V,),),
    torch="max",
)  # fmt: skip
def max_all(input: Array):
    """The largest element; equal ones share the gradient evenly."""
    return _extreme(input, "max")


@op(
    gradients={"input": "spread(g, input.shape, None, False) * even_share(input, out, None)"}, grad_fn="MinBackward1",
    latex=r"\min ⟨0⟩", symbol="min", functions=(), methods=(), samples=((V,),),
    torch="min",
)  # fmt: skip
def min_all(input: Array):
    """The smallest element; equal ones share the gradient evenly."""
    return _extreme(input, "min")


def _values(input: np.ndarray, dim: Any, keepdim: bool, name: str) -> Any:
    """The extreme values along dimensions. Raises where there are none, or where numbers have no order."""
    refuse_complex(f"{name}_values_cpu", input)
    picked = axes(dim, input.ndim)
    if picked is None and not input.size:
        raise errors.EMPTY_REDUCTION(name=f"a{name}")
    for given, axis in zip(dim if isinstance(dim, tuple | list) else (dim,), picked or (), strict=False):
        if input.ndim and not input.shape[axis]:
            raise errors.EMPTY_DIMENSION(name=f"a{name}()", dim=given)
    return getattr(input, name)(axis=picked, keepdims=keepdim)


def _extreme(input: np.ndarray, name: str) -> Any:
    refuse_complex(f"{name}_all", input)
    if not input.size:
        raise errors.EMPTY_REDUCTION(name=name)
    return getattr(input, name)()


@op(latex=r"\left[⟨0⟩ = ⟨1⟩\right]", functions=(), methods=(), torch=None)
def even_share(input: Array, extreme: Array, dim, keepdim=False):
    """1 / k on the k elements that equal the extreme one, 0 elsewhere."""
    top = np.broadcast_to(expand_reduced(np.asarray(extreme), input.shape, dim, keepdim), input.shape)
    mask = (input == top) | (np.isnan(input) & np.isnan(top))
    return (mask / mask.sum(axis=axes(dim, input.ndim), keepdims=True)).astype(input.dtype)


@op(latex=r"\left[⟨0⟩ = ⟨1⟩\right]", functions=(), methods=(), torch=None)
def count_share(input: Array, extreme: Array, dim, keepdim=False):
    """`even_share` where NaN equals nothing: NaN all along a line whose extreme is NaN."""
    mask = input == np.broadcast_to(expand_reduced(np.asarray(extreme), input.shape, dim, keepdim), input.shape)
    return (mask / mask.sum(axis=axes(dim, input.ndim), keepdims=True)).astype(input.dtype)


def _extremum(symbol: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "put_along(g, indices, input.shape, dim, keepdim)"}, "latex": rf"\{symbol}_{{⟨1⟩}} ⟨0⟩",
        "symbol": symbol, "outputs": ("values", "indices"), "grad_fn": f"{symbol.capitalize()}Backward0",
        "functions": (symbol,), "methods": (), "samples": ((V, 0), (V, 1, True), (DISTINCT, -1)),
    }  # fmt: skip


@op(**_extremum("max"))
def max_dim(input: Array, dim, keepdim=False):
    """The largest element along a dimension, and its index; of equal ones the first, which gets the gradient."""
    return _with_index(input, dim, keepdim, np.argmax, "max")


@op(**_extremum("min"))
def min_dim(input: Array, dim, keepdim=False):
    """The smallest element along a dimension, and its index; of equal ones the first, which gets the gradient."""
    return _with_index(input, dim, keepdim, np.argmin, "min")


def _with_index(input: np.ndarray, dim: int, keepdim: bool, pick: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    if input.dtype.kind == "c":
        raise errors.UNSUPPORTED_INPUT(name=name, kind="complex")
    if not input.ndim:
        axes(dim, 0)
        return input.copy(), np.array(0)
    (axis,) = axes(dim, input.ndim) or (0,)
    if not input.shape[axis]:
        raise errors.EMPTY_DIMENSION(name=f"{name}()", dim=axis)
    index = np.expand_dims(pick(input, axis=axis), axis)
    values = np.take_along_axis(input, index, axis)
    return (values, index) if keepdim else (values.squeeze(axis), index.squeeze(axis))


@op(
    gradients={"input": "pick_along(g, indices, dim, keepdim)"}, functions=(), methods=(), grad_fn="ValueSelectingReductionBackward0",
    latex=r"\operatorname{put}\left(⟨0⟩, ⟨1⟩\right)", symbol="put",
    samples=(([1.0, 2.0], [0, 2], (2, 3), 1, False), ([[1.0, 2.0, 3.0]], [[1, 0, 1]], (2, 3), 0, True)),
    torch=None,
)  # fmt: skip
def put_along(input: Array, indices: Array, shape, dim, keepdim):
    """Zeros of ``shape`` with each value at the index it was picked from."""
    result = np.zeros(shape, input.dtype)
    if not shape:
        return result + input
    axis = dim % len(shape)
    if not keepdim:
        input, indices = np.expand_dims(input, axis), np.expand_dims(indices, axis)
    np.put_along_axis(result, indices, input, axis)
    return result


@op(
    gradients={"input": "put_along(g, indices, input.shape, dim, keepdim)"}, functions=(), methods=(), grad_fn="GatherBackward0",
    latex=r"\operatorname{pick}\left(⟨0⟩, ⟨1⟩\right)", symbol="pick", samples=((V, [0, 2], 1, False), (V, [[1, 0, 1]], 0, True)),
    torch=None,
)  # fmt: skip
def pick_along(input: Array, indices: Array, dim, keepdim):
    """The values at the given indices along a dimension."""
    if not input.ndim:
        return input.copy()
    axis = dim % input.ndim
    picked = np.take_along_axis(input, indices if keepdim else np.expand_dims(indices, axis), axis)
    return picked if keepdim else picked.squeeze(axis)


def _amax(symbol: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "spread(g, input.shape, dim, keepdim) * count_share(input, out, dim, keepdim)"},
        "latex": rf"\{symbol[1:]} ⟨0⟩", "symbol": symbol[1:], "samples": ((DISTINCT,), (V, 0), (V, -1, True), (DISTINCT, (0, 1), True)),
    }  # fmt: skip


@op(**_amax("amax"))
def amax(input: Array, dim=None, keepdim=False):
    """The largest element along dimensions; equal ones share the gradient evenly."""
    return _values(input, dim, keepdim, "max")


@op(**_amax("amin"))
def amin(input: Array, dim=None, keepdim=False):
    """The smallest element along dimensions; equal ones share the gradient evenly."""
    return _values(input, dim, keepdim, "min")


def _arg(input: np.ndarray, dim: int | None, keepdim: bool, pick: Any) -> Any:
    if input.dtype.kind in "bc":
        raise errors.UNSUPPORTED_INPUT(name=pick.__name__, kind="bool" if input.dtype.kind == "b" else "complex")
    if dim is None:
        if not input.size:
            raise errors.EMPTY_ARGUMENT(name=pick.__name__)
        return np.asarray(pick(input)).reshape((1,) * input.ndim if keepdim else ())
    return _with_index(input, dim, keepdim, pick, pick.__name__)[1]


@op(symbol="argmax")
def argmax(input: Array, dim=None, keepdim=False):
    """The index of the largest element, in the flattened tensor or along a dimension."""
    return _arg(input, dim, keepdim, np.argmax)


@op(symbol="argmin")
def argmin(input: Array, dim=None, keepdim=False):
    """The index of the smallest element, in the flattened tensor or along a dimension."""
    return _arg(input, dim, keepdim, np.argmin)


def _truth(input: np.ndarray, found: Any) -> Any:
    """Truth values; of uint8 as uint8."""
    return found.astype(np.uint8) if input.dtype == np.uint8 else found


@op(symbol="∀", edges=((V,), (V, 1), (np.array([1, 0], "uint8"),)))
def all(input: Array, dim=None, keepdim=False):
    """Whether all elements are nonzero."""
    return _truth(input, np.all(input, axis=axes(dim, input.ndim), keepdims=keepdim))


@op(symbol="∃", edges=((V,), (V, 0), (np.array([1, 0], "uint8"), 0)))
def any(input: Array, dim=None, keepdim=False):
    """Whether one element is nonzero."""
    return _truth(input, np.any(input, axis=axes(dim, input.ndim), keepdims=keepdim))


# -- norms -------------------------------------------------------------------------------------------------------------


def _norm(gradient: str, samples: Any, order: float | None = None) -> dict[str, Any]:
    return {
        "torch": "linalg.vector_norm",
        "adapt": None if order is None else lambda norm, input, *settings: norm(input, order, *settings),
        "gradients": {"input": gradient}, "grad_fn": "LinalgVectorNormBackward0", "symbol": "‖x‖", "functions": (),
        "methods": (), "latex": r"\left\lVert ⟨0⟩ \right\rVert", "samples": samples,
    }  # fmt: skip


def _sizes(input: np.ndarray, dim: Any, keepdim: bool) -> tuple[np.ndarray, dict[str, Any]]:
    size = np.hypot(input.real, input.imag) if input.dtype.kind == "c" else np.abs(input)
    return size, {"axis": axes(dim, input.ndim), "keepdims": keepdim}


@op(
    **_norm(
        "spread(g, input.shape, dim, keepdim) * where(spread(out, input.shape, dim, keepdim) == 0, 0.0,"
        " input / spread(out, input.shape, dim, keepdim))",
        ((V,), (V, 0), (V, 1, True)),
        2,
    )
)
def norm_two(input: Array, dim=None, keepdim=False):
    """The Euclidean norm; its gradient at zero is zero."""
    size, options = _sizes(input, dim, keepdim)
    return np.sqrt((size * size).sum(**options))


@op(**_norm("sgn(input) * spread(g, input.shape, dim, keepdim)", ((V,), (V, 0)), 1))
def norm_one(input: Array, dim=None, keepdim=False):
    """The sum of absolute values."""
    size, options = _sizes(input, dim, keepdim)
    return size.sum(**options)


@op(
    **_norm(
        "sgn(input) * (spread(g, input.shape, dim, keepdim) * even_share(abs(input), out, dim, keepdim))",
        ((DISTINCT,), (V, 0), (DISTINCT, -1, True)),
        np.inf,
    )
)
def norm_max(input: Array, dim=None, keepdim=False):
    """The largest absolute value; equal ones share the gradient evenly."""
    size, options = _sizes(input, dim, keepdim)
    return size.max(**options)


@op(
    **_norm(
        "sgn(input) * (spread(g, input.shape, dim, keepdim) * even_share(abs(input), out, dim, keepdim))",
        ((DISTINCT,), (V, 0), (DISTINCT, -1, True)),
        -np.inf,
    )
)
def norm_min(input: Array, dim=None, keepdim=False):
    """The smallest absolute value; equal ones share the gradient evenly."""
    size, options = _sizes(input, dim, keepdim)
    return size.min(**options)


@op(**_norm("None", ((V,), (V, 0)), 0))
def norm_count(input: Array, dim=None, keepdim=False):
    """The number of elements that are not zero."""
    size, options = _sizes(input, dim, keepdim)
    return (size != 0).sum(**options).astype(size.dtype)


@op(
    **_norm(
        "where(input == 0, 0.0, sgn(input) * pow_scalar(abs(input), ord - 1))"
        " * spread(where(out == 0, 0.0, g / pow_scalar(out, ord - 1)), input.shape, dim, keepdim)",
        ((V, 3), (V, 1.5, 0), (V, 0.5, 1, True)),
    )
)
def norm_power(input: Array, ord, dim=None, keepdim=False):
    """(sum |x| ** ord) ** (1 / ord); its gradient at zero is zero."""
    size, options = _sizes(input, dim, keepdim)
    return np.power(np.power(size, ord).sum(**options), 1 / ord)
