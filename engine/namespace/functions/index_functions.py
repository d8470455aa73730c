"""Functions of indices that PyTorch chooses or composes of several operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.namespace.functions.composite import reshape
from gradflow.engine.namespace.tensor.indexing import index_arrays
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.out_rules import EXPECTED, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, check_dim, dtypes

Runner = Callable[..., Any]
_REDUCE_WARNING = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. "
    "Use torch.scatter_reduce instead for more reduction options. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:225.)"
)

_BETA_WARNING = (
    "index_reduce() is in beta and the API may change at any time. (Triggered internally at "
    "/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp:1523.)"
)


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def _in_place(name: str, *args: Any, **kwargs: Any) -> Any:
    function = REGISTRY[name].call_inplace
    assert function is not None
    return function(*args, **kwargs)


def _pair(choose: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A function and its form in place, from one that is told how to run an operation."""

    def plain(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        return choose(_call, input, *args, **kwargs)

    def in_place(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        return choose(_in_place, input, *args, **kwargs)

    plain.__doc__ = choose.__doc__
    in_place.__doc__ = f"`{choose.__name__.strip('_')}` in place."
    for function in (plain, in_place):
        function.__wrapped__ = choose  # type: ignore[attr-defined]  # the parameters, for the check of arguments
    return plain, in_place


# -- writing -----------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, apart=3), "scatter")
def _scatter(
    run: Runner, input: Tensor, dim: int, index: Tensor, src: Any = None, value: Any = None, reduce: Any = None
) -> Any:
    """The input with elements, or one number, written along a dimension at the places that an index says."""
    given = value if src is None else src
    kind = isinstance(given, Tensor)
    if reduce is None:
        return run("scatter_src" if kind else "scatter_value", input, dim, index, given)
    if kind:
        warn(_REDUCE_WARNING, once=True)
    result = run("scatter" if kind else "scatter_value_reduce", input, dim, index, given, reduce=reduce)
    return without_derivative(result, "scatter", (input, given))


def _index_fill(run: Runner, input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """The input with one number in its slices of the given numbers."""
    return run("index_fill_tensor" if isinstance(value, Tensor) else "index_fill_scalar", input, dim, index, value)


def _masked_fill(run: Runner, input: Tensor, mask: Tensor, value: Any) -> Any:
    """The input with one number where the mask is true; the mask broadcasts."""
    if mask._a.dtype != np.bool_:
        raise errors.MASK_REFUSED(
            message=f"masked_fill_ only supports boolean masks, but got mask with dtype {dtypes.C_NAMES[mask.dtype.name]}"
        )
    shapes = (mask._a.shape, input._a.shape)
    check_broadcast(*(shapes if run is _call else shapes[::-1]))
    return run("masked_fill_tensor" if isinstance(value, Tensor) else "masked_fill", input, mask, value)


def _masked_scatter(run: Runner, input: Tensor, mask: Tensor, source: Tensor) -> Any:
    """The input with the elements that the mask marks replaced, in order, by those of ``source``."""
    if isinstance(mask, Tensor) and run is _call:
        check_broadcast(mask._a.shape, input._a.shape)
    elif isinstance(mask, Tensor):
        _expand(mask._a, input._a.shape)
    return run("masked_scatter", input, mask, source)


def _expand(mask: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raises RuntimeError where a mask does not expand to the shape of what it selects from."""
    if mask.ndim > len(shape):
        given = {"targets": list(shape), "given": len(shape), "dimensions": mask.ndim}
        raise errors.EXPAND_DIMENSIONS(dtype_type="CPUBoolType", shape=list(mask.shape), **given)
    REGISTRY["expand"].body(mask, shape)


def _index_put(run: Runner, input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    """The input with ``values`` written (or added) at index tensors, one for each dimension."""
    return run("index_put", input, index_arrays(input, indices), values, accumulate)


@has_out(exactly(EXPECTED), "index_reduce")
def _index_reduce(
    run: Runner, input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """The input with the slices of ``source`` combined into its slices of the given numbers."""
    warn(_BETA_WARNING, once=True)
    return run("index_reduce", input, dim, index, source, reduce, include_self=include_self)


scatter, scatter_ = _pair(_scatter)
index_reduce, index_reduce_ = _pair(_index_reduce)
index_fill, index_fill_ = _pair(_index_fill)
masked_fill, masked_fill_ = _pair(_masked_fill)
masked_scatter, masked_scatter_ = _pair(_masked_scatter)
index_put, index_put_ = _pair(_index_put)


# -- reading -----------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, gradient="gather", apart=0))
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` with input and index broadcast to each other; without a dimension, from the flattened tensor."""
    if dim is None:
        return _call("gather", reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    if input._a.ndim != indices._a.ndim:
        raise errors.GATHER_SHAPE(
            message="torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._a.ndim} dimensions for input, and {indices._a.ndim} dimensions for indices"
        )
    if indices._a.dtype != np.int64:
        raise errors.INDEX_KIND(
            message=f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.legacy}"
        )
    axis = check_dim(dim, input._a.ndim)
    length = input._a.shape[axis] if input._a.ndim else 1
    if length and ((indices._a < 0) | (indices._a >= length)).any():
        indices = Tensor(indices._a % length)  # as PyTorch, which counts on from the beginning
    own, other = _broadcast_apart(input._a.shape, indices._a.shape, axis)
    return _call("gather", _call("expand", input, *own), axis, _call("expand", indices, *other))


def _broadcast_apart(a: tuple[int, ...], b: tuple[int, ...], axis: int) -> tuple[list[int], list[int]]:
    """Two shapes broadcast to each other in all dimensions but one."""
    check_broadcast((*a[:axis], 1, *a[axis + 1 :]), (*b[:axis], 1, *b[axis + 1 :]))
    both = list(np.broadcast_shapes((*a[:axis], 1, *a[axis + 1 :]), (*b[:axis], 1, *b[axis + 1 :])))
    return [*both[:axis], a[axis], *both[axis + 1 :]], [*both[:axis], b[axis], *both[axis + 1 :]]


@has_out(exactly("{name}: Expected out tensor to have scalar type {R} but got scalar type{O}", gradient=None))
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero, one row each, or one vector for each dimension."""
    if STATE.levels:
        STATE.levels.check_size(
            "output",
            " Attempted to vmap over aten::nonzero. Please file an issue at"
            " https://github.com/pytorch/pytorch/issues if you need this feature.",
        )
    found = _call("argwhere", input)
    if not as_tuple:
        return found
    if not input._a.ndim:
        return (Tensor(np.zeros(len(found), np.int64)),)
    return tuple(REGISTRY["unbind"].call(found, 1))


# -- order -------------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED))
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = None) -> Any:
    """The elements along a dimension in order, and where they were."""
    if stable is None:
        return _call("sort", input, dim, descending)
    return _call("sort_stable", input, stable=stable, dim=dim, descending=descending)


@has_out(exactly(EXPECTED, gradient="sort"))
def msort(input: Tensor) -> Tensor:
    """The elements along the first dimension in order."""
    values: Tensor = sort(input, dim=0)[0]
    return values


def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the elements stand that come first, second, ... in order along a dimension."""
    indices: Tensor = sort(input, dim=dim, descending=descending)[1]
    return indices


_PLACES = exactly(
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
    "out_int32 flag is True, but we got output tensor's dtype {O} and out_int32 flag is {flag}",
    gradient=None,
)


@has_out(_PLACES)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where elements would have to stand in a sorted sequence, before equal ones (or behind)."""
    bounds, values = sorted_sequence, input if isinstance(input, Tensor) else Tensor(np.asarray(input, np.float32))
    _check_search(bounds._a, values._a, isinstance(input, Tensor), right, side)
    if sorter is not None:
        if sorter._a.shape != bounds._a.shape:
            raise errors.SEARCH_REFUSED(
                message="torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(bounds._a.shape)}and got sorter tensor {list(sorter._a.shape)}"
            )
        bounds = Tensor(np.take_along_axis(bounds._a, sorter._a, -1))
    return _call("searchsorted", bounds, values, out_int32=out_int32, right=right or side == "right")


def _check_search(bounds: np.ndarray, values: np.ndarray, tensor: bool, right: bool, side: str | None) -> None:
    name, own, other = "torch.searchsorted()", list(bounds.shape), list(values.shape)
    message = None
    if side not in (None, "left", "right"):
        message = f"side can only be 'left' or 'right' but got {side}"
    elif right and side == "left":
        message = f"side and right can't be set to opposites, got side of {side} while right was True"
    elif not bounds.ndim:
        message = "boundaries tensor should have positive dimension, but got 0 dimension"
    elif bounds.ndim != 1 and not values.ndim:
        message = (
            "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor "
            f"dim({bounds.ndim}) and input value's dim({values.ndim}) numel({values.size})"
        )
    elif bounds.ndim != 1 and own[:-1] != other[:-1]:
        message = (
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
            f"tensor must match, but we got boundaries tensor {own} and input value tensor {other}"
        )
    if message is not None:
        raise errors.SEARCH_REFUSED(message=f"{name}: {message}")


@has_out(_PLACES)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The number of the interval between sorted boundaries into which each element falls."""
    if boundaries._a.ndim != 1:
        raise errors.SEARCH_REFUSED(message=f"boundaries tensor must be 1 dimension, but got dim({boundaries._a.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@has_out(exactly(EXPECTED, gradient=None))
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Which elements are among those of another tensor."""
    own, other = (x if isinstance(x, Tensor) else Tensor(np.asarray(x)) for x in (elements, test_elements))
    return _call("isin", own, other, invert=invert)


# -- distinct ----------------------------------------------------------------------------------------------------------


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements (or slices) in order; on request the number of each one's like, and how many there are."""
    found = _call("unique_all", input) if dim is None else _call("unique_dim", input, dim)
    return _wanted(found, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or slices) without those equal to the one before."""
    return _wanted(_call("unique_consecutive", input, dim), return_inverse, return_counts)


def _wanted(found: Any, inverse: bool, counts: bool) -> Any:
    values, places, numbers = found
    chosen = (values, *([places] if inverse else []), *([numbers] if counts else []))
    return chosen if len(chosen) > 1 else values


# -- names -------------------------------------------------------------------------------------------------------------

_SHARED = (
    "scatter", "index_fill", "index_reduce", "masked_fill", "masked_scatter", "index_put", "take_along_dim", "nonzero", "sort", "msort", "argsort",
    "unique", "unique_consecutive",
)  # fmt: skip
_WRITING = ("scatter_", "index_fill_", "index_reduce_", "masked_fill_", "masked_scatter_", "index_put_")
_TABLE = globals()

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _TABLE[name] for name in (*_SHARED, "searchsorted", "bucketize", "isin")},
    "index_put_": index_put_,
}
"""Under ``torch``."""

METHODS: dict[str, Callable[..., Any]] = {name: _TABLE[name] for name in (*_SHARED, *_WRITING)}
"""On Tensor."""
