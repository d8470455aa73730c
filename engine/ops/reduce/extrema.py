"""The largest and the smallest element: of all, or along dimensions, and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.elementwise import refuse_complex
from gradflow.engine.ops.reduce.axes import axes, expand_reduced
from gradflow.engine.ops.reduce.medians import EVENLY, HOLES, ODD, TIES
from gradflow.engine.ops.reduce.reductions import DISTINCT, V
from gradflow.engine.ops.shape.reshaping import reshape
from gradflow.engine.out_rules import EXPECTED, exactly
from gradflow.engine.registry import REGISTRY, Array, Dims, composed, helper, op
from gradflow.engine.tensor import Tensor


@op(
    gradients={"input": EVENLY},
    grad_fn="MaxBackward1",
    latex=r"\max ⟨0⟩",
    symbol="max",
    functions=(),
    methods=(),
    samples=((V,),),
    torch="max",
)
def max_all(input: Array):
    """The largest element; equal ones share the gradient evenly."""
    return _extreme(input, "max")


@op(
    gradients={"input": EVENLY},
    grad_fn="MinBackward1",
    latex=r"\min ⟨0⟩",
    symbol="min",
    functions=(),
    methods=(),
    samples=((V,),),
    torch="min",
)
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


# -- as PyTorch records the gradients: what each gets, then a mask -----------------------------------------------------


def _equals(input: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Where the extreme element is; NaN equals NaN."""
    result: np.ndarray = (input == top) | (np.isnan(input) & np.isnan(top))
    return result


@helper()
def even_mask(input, extreme, dim, keepdim=False):
    """Where the elements equal the extreme one, of Tensors."""
    return Tensor(np.asarray(_equals(input._a, np.asarray(expand_reduced(extreme._a, input._a.shape, dim, keepdim)))))


@helper()
def count_mask(input, extreme, dim, keepdim):
    """`even_mask` where NaN equals nothing."""
    return Tensor(np.asarray(input._a == expand_reduced(extreme._a, input._a.shape, dim, keepdim)))


@helper()
def shared_along(g, mask, dim):
    """A gradient in equal parts to the elements of a mask, whose lines lie along ``dim``."""
    count = mask._a.sum(axis=axes(dim, mask._a.ndim), keepdims=True)
    return REGISTRY["mul"].call(REGISTRY["div"].call(g, Tensor(np.asarray(count))), mask)


@helper()
def viewed_back(g, shape, dim, keepdim):
    """What a reduction over ``dim`` made of a tensor of ``shape``, with the reduced dimensions as 1, at once."""
    picked = axes(dim, len(shape))
    sizes = [1 if i in picked else n for i, n in enumerate(shape)] if picked is not None else ()
    return g if keepdim else reshape(g, tuple(sizes))


@helper()
def shared_evenly(g, input, out):
    """A gradient in equal parts to the elements that equal the extreme one."""
    mask = even_mask(input, out, None)
    part = REGISTRY["div"].call(g, Tensor(np.asarray(mask._a.sum())))
    return REGISTRY["masked_fill_tensor"].call(Tensor(np.zeros_like(input._a)), mask, part)


@op(latex=r"\left[⟨0⟩ = ⟨1⟩\right]", functions=(), methods=(), torch=None)
def even_share(input: Array, extreme: Array, dim, keepdim=False):
    """1 / k on the k elements that equal the extreme one, 0 elsewhere."""
    top = np.broadcast_to(expand_reduced(np.asarray(extreme), input.shape, dim, keepdim), input.shape)
    mask = _equals(input, top)
    return (mask / mask.sum(axis=axes(dim, input.ndim), keepdims=True)).astype(input.dtype)


@op(latex=r"\left[⟨0⟩ = ⟨1⟩\right]", functions=(), methods=(), torch=None)
def count_share(input: Array, extreme: Array, dim, keepdim=False):
    """`even_share` where NaN equals nothing: NaN all along a line whose extreme is NaN."""
    mask = input == np.broadcast_to(expand_reduced(np.asarray(extreme), input.shape, dim, keepdim), input.shape)
    return (mask / mask.sum(axis=axes(dim, input.ndim), keepdims=True)).astype(input.dtype)


def _extremum(symbol: str) -> dict[str, Any]:
    return {
        "gradients": {"input": "put_along(g, indices, input.shape, dim, keepdim)"},
        "latex": rf"\{symbol}_{{⟨1⟩}} ⟨0⟩",
        "symbol": symbol,
        "outputs": ("values", "indices"),
        "grad_fn": f"{symbol.capitalize()}Backward0",
        "functions": (symbol,),
        "methods": (),
        "samples": ((V, 0), (V, 1, True), (DISTINCT, -1)),
    }


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
    gradients={"input": "pick_along(g, indices, dim, keepdim)"},
    functions=(),
    methods=(),
    grad_fn="ValueSelectingReductionBackward0",
    latex=r"\operatorname{put}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="put",
    samples=(([1.0, 2.0], [0, 2], (2, 3), 1, False), ([[1.0, 2.0, 3.0]], [[1, 0, 1]], (2, 3), 0, True)),
    torch=None,
)
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


@composed("put_along")
def _put_along_tensor(input: Tensor, indices: Tensor, shape: tuple[int, ...], dim: int, keepdim: bool) -> Tensor:
    if shape and not keepdim:
        input, indices = (REGISTRY["unsqueeze"].call(each, dim) for each in (input, indices))
    return REGISTRY["scatter_src"].call(Tensor(np.zeros(shape, input._a.dtype)), dim, indices, input)


@op(
    gradients={"input": "put_along(g, indices, input.shape, dim, keepdim)"},
    functions=(),
    methods=(),
    grad_fn="GatherBackward0",
    latex=r"\operatorname{pick}\left(⟨0⟩, ⟨1⟩\right)",
    symbol="pick",
    samples=((V, [0, 2], 1, False), (V, [[1, 0, 1]], 0, True)),
    torch=None,
)
def pick_along(input: Array, indices: Array, dim, keepdim):
    """The values at the given indices along a dimension."""
    if not input.ndim:
        return input.copy()
    axis = dim % input.ndim
    picked = np.take_along_axis(input, indices if keepdim else np.expand_dims(indices, axis), axis)
    return picked if keepdim else picked.squeeze(axis)


def _amax(symbol: str) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                "spread(g, input.shape, dim, keepdim) * count_share(input, out, dim, keepdim)",
                "shared_along(viewed_back(g, input.shape, dim, keepdim), count_mask(input, out, dim, keepdim), dim)",
            )
        },
        "latex": rf"\{symbol[1:]} ⟨0⟩",
        "symbol": symbol[1:],
        "samples": ((DISTINCT,), (V, 0), (V, -1, True), (DISTINCT, (0, 1), True)),
    }


@op(
    **_amax("amax"),
    out=exactly(
        "Expected the dtype for input and out to match, but got {R} for input's dtype and {O} for out's dtype."
    ),
)
def amax(input: Array, dim: Dims = None, keepdim=False):
    """The largest element along dimensions; equal ones share the gradient evenly."""
    return _values(input, dim, keepdim, "max")


@op(
    **_amax("amin"),
    out=exactly(
        "Expected the dtype for input and out to match, but got {R} for input's dtype and {O} for out's dtype."
    ),
)
def amin(input: Array, dim: Dims = None, keepdim=False):
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


@op(
    symbol="argmax",
    out=exactly(EXPECTED, gradient=None),
)
def argmax(input: Array, dim=None, keepdim=False):
    """The index of the largest element, in the flattened tensor or along a dimension."""
    return _arg(input, dim, keepdim, np.argmax)


@op(
    symbol="argmin",
    out=exactly(EXPECTED, gradient=None),
)
def argmin(input: Array, dim=None, keepdim=False):
    """The index of the smallest element, in the flattened tensor or along a dimension."""
    return _arg(input, dim, keepdim, np.argmin)


def _truth(input: np.ndarray, found: Any) -> Any:
    """Truth values; of uint8 as uint8."""
    return found.astype(np.uint8) if input.dtype == np.uint8 else found


@op(
    symbol="∀",
    edges=((V,), (V, 1), (np.array([1, 0], "uint8"),)),
    out=exactly("{name} only supports {r} tensor for result, got: {O}", gradient=None),
)
def all(input: Array, dim=None, keepdim=False):
    """Whether all elements are nonzero."""
    return _truth(input, np.all(input, axis=axes(dim, input.ndim), keepdims=keepdim))


@op(
    symbol="∃",
    edges=((V,), (V, 0), (np.array([1, 0], "uint8"), 0)),
    out=exactly("{name} only supports {r} tensor for result, got: {O}", gradient=None),
)
def any(input: Array, dim=None, keepdim=False):
    """Whether one element is nonzero."""
    return _truth(input, np.any(input, axis=axes(dim, input.ndim), keepdims=keepdim))


def _bounds(function: Callable[..., Any], input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return function(input, dim=dim, keepdim=keepdim)


@op(
    refuses={"c": "aminmax_cpu"},
    gradients={
        "input": (
            "spread(g, input.shape, dim, keepdim) * count_share(input, min, dim, keepdim)"
            " + spread(g_max, input.shape, dim, keepdim) * count_share(input, max, dim, keepdim)",
            "shared_along(viewed_back(g, input.shape, dim, keepdim), count_mask(input, min, dim, keepdim), dim)"
            " + shared_along(viewed_back(g_max, input.shape, dim, keepdim), count_mask(input, max, dim, keepdim), dim)",
        )
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
