"""Functions that choose or combine operations, as PyTorch composes them: the graph shows the operations themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch import autocast
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.dispatch.operands import broadcast_error
from gradflow.engine.numerics.checked_cast import checked_fill
from gradflow.engine.numerics.scalars import python_number
from gradflow.engine.ops.pointwise.powers import power
from gradflow.engine.ops.reduce.axes import norm_dtype
from gradflow.engine.ops.shape.reshaping import reshape as reshape
from gradflow.engine.out_rules import EXPECTED, OF_INPUT, OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, check_dim, dtypes
from gradflow.engine.tensor.memory_format import CONTIGUOUS, PRESERVE, is_ordered, memory_format

_REVERSE_WARNING = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


def _need(value: Any, function: str, argument: str = "input", position: int = 1) -> Tensor:
    if not isinstance(value, Tensor):
        raise errors.ARGUMENT_TYPE(
            function=function, argument=argument, position=position, expected="Tensor", actual=type_title(value)
        )
    return value


# -- reductions --------------------------------------------------------------------------------------------------------


@has_out(exactly(EXPECTED, takes_dtype=True))
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along one or more dimensions."""
    return _reduction("sum", input, dim, keepdim, dtype)


@has_out(OutRule("{name}.dtype_out(): input types can't be cast to the desired output type {O}"))
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along one or more dimensions."""
    return _reduction("mean", input, dim, keepdim, dtype)


@has_out(exactly(EXPECTED, takes_dtype=True))
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along a dimension."""
    return _reduction("prod", input, dim, keepdim, dtype)


def _reduction(name: str, input: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    _need(input, name)
    if dim is None and not keepdim:
        return _call(f"{name}_all", input, dtype)
    picked = tuple(range(input._a.ndim)) if dim is None or dim == () else dim
    return _call(f"{name}_dim", input, picked, keepdim, dtype)


@has_out(exactly(EXPECTED, apart=0))
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; along a dimension also its index; of two tensors the larger elements."""
    return _extremum("max", "maximum", input, dim, keepdim, other)


@has_out(exactly(EXPECTED, apart=0))
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; along a dimension also its index; of two tensors the smaller elements."""
    return _extremum("min", "minimum", input, dim, keepdim, other)


def _extremum(name: str, pairwise: str, input: Tensor, dim: Any, keepdim: bool, other: Any) -> Any:
    _need(input, name)
    if isinstance(dim, Tensor) or other is not None:
        return _call(pairwise, input, dim if other is None else other)
    return _call(f"{name}_all", input) if dim is None else _call(f"{name}_dim", input, dim, keepdim)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The p-norm of all elements, or along dimensions; ``fro`` is the Euclidean one."""
    order = 2.0 if p is None or p == "fro" else python_number(p) if isinstance(p, np.generic) else p
    if not isinstance(order, int | float):
        raise errors.INVALID_ORDER(order=order)
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


@has_out(exactly(EXPECTED), "linalg.vector_norm")
def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """(sum |x| ** ord) ** (1 / ord)."""
    _need(x, "linalg_vector_norm")
    if isinstance(ord, complex):
        raise errors.NORM_REFUSED(message="linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    if x.dtype.category < dtypes.FLOAT:
        raise errors.NORM_DTYPE(dtype=x.dtype.legacy)
    if dtype is not None:
        x = to(x, norm_dtype(x._a, dtype))
    named = {2: "norm_two", 1: "norm_one", 0: "norm_count", math.inf: "norm_max", -math.inf: "norm_min"}
    if ord in named:
        return _call(named[int(ord) if math.isfinite(ord) else ord], x, dim, keepdim)
    return _call("norm_power", x, float(ord), dim, keepdim)


# -- arithmetic --------------------------------------------------------------------------------------------------------


def pow(input: Any, exponent: Any) -> Tensor:
    """``input ** exponent``, where one of the two may be a number."""
    if isinstance(input, Tensor):
        return power(input._a, exponent).call(input, exponent)
    _need(exponent, "pow", "exponent", 2)
    return _call("pow_base", input, exponent)


def pow_(input: Tensor, exponent: Any) -> Tensor:
    """``input **= exponent``."""
    call = power(input._a, exponent).call_inplace
    assert call is not None
    return call(input, exponent)


@has_out(exactly("Expected out type to be {R} but got {O}"))
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """``input`` where the condition holds, else ``other``; with the condition alone, its indices."""
    if input is None and other is None:
        return tuple(Tensor(a) for a in np.nonzero(_need(condition, "where", "condition")._a))
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        dtype = np.dtype("float32") if isinstance(input, float) or isinstance(other, float) else np.dtype("int64")
        input = Tensor(np.asarray(input, dtype))
    for number, tensor in ((input, other), (other, input)):
        if isinstance(number, int | float) and isinstance(tensor, Tensor):
            checked_fill(number, dtypes.result_type(tensor._a, number))
    return _call("where", condition, input, other)


# -- products ----------------------------------------------------------------------------------------------------------


@has_out(OutRule(gradient="matmul"), "linalg.matmul")
@has_out(exactly(OF_INPUT))
@autocast.takes("lower")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices or batches of matrices."""
    a, b = _need(input, "matmul"), _need(other, "matmul", "other", 2)
    match a._a.ndim, b._a.ndim:
        case (0, _) | (_, 0):
            raise errors.MATMUL_SCALAR(a=a._a.ndim, b=b._a.ndim)
        case (1, 1):
            return _call("dot", a, b)
        case (2, 1):
            return _call("mv", a, b)
        case (1, 2):
            product = _call("squeeze_row", _call("mm", _call("unsqueeze", a, 0), b))
            product._st.version += 1  # PyTorch squeezes it in place
            return product
        case (2, 2):
            return _call("mm", a, b)
    return _batched(a, b)


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """At least one operand has three or more dimensions: fold it into one matrix where that pays, else a batch."""
    if a._a.ndim <= 2 or b._a.ndim <= 2:
        swapped = a._a.ndim < b._a.ndim
        small = a if swapped else b
        large = adjoint(b) if swapped else a
        if small.requires_grad or _folds(large._a):
            return _folded(large, _call("t", small) if swapped and small._a.ndim == 2 else small, swapped)
    if a._a.ndim == b._a.ndim == 3 and len(a._a) != len(b._a):
        if len(a._a) == 1 and a.requires_grad:
            return _batched(_call("squeeze_dim", a, 0), b)
        if len(b._a) == 1 and b.requires_grad:
            return _batched(a, _call("squeeze_dim", b, 0))
    left = _call("unsqueeze", a, 0) if a._a.ndim == 1 else a
    right = _call("unsqueeze", b, 1) if b._a.ndim == 1 else b
    try:
        batch = np.broadcast_shapes(left._a.shape[:-2], right._a.shape[:-2])
    except ValueError as error:
        raise broadcast_error(error, (left._a[..., 0, 0], right._a[..., 0, 0])) from None
    count = math.prod(batch)
    x = reshape(expand(left, *batch, *left._a.shape[-2:]), (count, *left._a.shape[-2:]))
    y = reshape(expand(right, *batch, *right._a.shape[-2:]), (count, *right._a.shape[-2:]))
    product = _call("bmm", x, y)
    shape = (
        batch + (product._a.shape[-2:-1] if a._a.ndim > 1 else ()) + (product._a.shape[-1:] if b._a.ndim > 1 else ())
    )
    return _call("unsafe_view", product, shape)


def _folds(array: np.ndarray) -> bool:
    """Whether the leading dimensions can be taken as one without copying."""
    steps = zip(array.strides[:-2], array.strides[1:-1], array.shape[1:-1], strict=True)
    return all(outer == inner * n for outer, inner, n in steps)


def _folded(large: Tensor, small: Tensor, swapped: bool) -> Tensor:
    """The product as one of matrices; ``swapped``: both operands are transposed, and the product is transposed back."""
    rows = large._a.shape[:-1]
    matrix = reshape(large, (math.prod(rows), large._a.shape[-1]))
    if small._a.ndim == 1:
        return _call("unsafe_view", _call("mv", matrix, small), rows)
    product = _call("unsafe_view", _call("mm", matrix, small), (*rows, small._a.shape[1]))
    return contiguous(adjoint(product)) if swapped else product


def expand(input: Tensor, *size: Any) -> Tensor:
    """Dimensions of length 1 repeated without copying."""
    return _call("expand", input, *size)


def rmatmul(input: Tensor, other: Any) -> Tensor:
    """``other @ input``."""
    return matmul(other, input)


@has_out(OutRule(gradient="mul"))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every element of one vector times every element of another."""
    a, b = _need(input, "outer"), _need(vec2, "outer", "vec2", 2)
    for name, each in (("self", a), ("vec2", b)):
        if each._a.ndim != 1:
            raise errors.OUTER_DIMENSIONS(name=name, dimensions=each._a.ndim)
    return _call("mul", reshape(a, (a._a.size, 1)), b)


# -- shapes ------------------------------------------------------------------------------------------------------------


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` as one."""
    shape = _need(input, "flatten")._a.shape
    first, last = check_dim(start_dim, len(shape)), check_dim(end_dim, len(shape))
    if not shape:
        return reshape(input, (1,))
    if first > last:
        raise errors.FLATTEN_ORDER()
    if first == last:
        return input
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return reshape(contiguous(input), (-1,))


def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped."""
    if input._a.ndim < 2:
        raise errors.MT_DIMENSIONS(dimensions=input._a.ndim)
    return _call("transpose", input, -2, -1)


def reverse_dims(input: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    if input._a.ndim != 2:
        warn(_REVERSE_WARNING, once=True)
    return _call("permute", input, *range(input._a.ndim - 1, -1, -1)) if input._a.ndim else _call("permute", input, ())


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of another tensor."""
    return _call("view", input, *other._a.shape)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """The elements in the shape of another tensor."""
    return reshape(input, other._a.shape)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Broadcast to the shape of another tensor."""
    return _call("expand", input, *other._a.shape)


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Broadcast to a shape."""
    return _call("expand", input, *size)


def contiguous(input: Tensor, *, memory_format: memory_format = CONTIGUOUS) -> Tensor:
    """The tensor itself where its elements lie in row-major order (or the one asked for), else a copy that does."""
    if is_ordered(input._a, memory_format):
        return input
    if memory_format is CONTIGUOUS:
        return _call("contiguous_copy", input)
    result: Tensor = REGISTRY["clone"].call(input, memory_format=memory_format)
    return result


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """``length`` slices from ``start`` along a dimension."""
    return _call("slice", input, check_dim(dim, input._a.ndim), start, start + length, 1)


# -- dtypes ------------------------------------------------------------------------------------------------------------


def to(input: Tensor, *args: Any, dtype: Any = None, copy: bool = False, memory_format: Any = None, **_: Any) -> Tensor:
    """The tensor in another dtype; the tensor itself where it has it already. Devices are all the CPU."""
    for given in args:
        if isinstance(given, dtypes.dtype):
            dtype = given
        elif isinstance(given, Tensor):
            dtype = given.dtype
    element_dtype = input.dtype if dtype is None else dtype
    ordered = memory_format in (None, PRESERVE) or is_ordered(input._a, memory_format)
    if element_dtype is input.dtype and ordered and not copy:
        return input
    result: Tensor = REGISTRY["to_dtype"].call(input, element_dtype, memory_format=memory_format)
    return result


def type_of(input: Tensor, dtype: Any = None) -> Any:
    """The name of the tensor's type; or the tensor in another dtype, given by object or by name."""
    if dtype is None:
        return f"torch.{input.dtype.legacy}Tensor"
    if isinstance(dtype, str):
        legacy = {f"torch.{d.legacy}Tensor": d for d in dtypes.ALL}
        if dtype not in legacy:
            raise errors.TYPE_NAME(type=dtype)
        dtype = legacy[dtype]
    element_dtype = getattr(dtype, "element", dtype)
    if not isinstance(element_dtype, dtypes.dtype):
        raise errors.TYPE_NAME(type=getattr(element_dtype, "__name__", element_dtype))
    return to(input, element_dtype)


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    return input._a.shape == other._a.shape and bool((input._a == other._a).all())
