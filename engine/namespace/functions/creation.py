"""``torch.tensor``, ``zeros`` and the other ways to begin: data and sizes in, leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.numerics.scalars import own_number
from gradflow.engine.numerics.strides import whole
from gradflow.engine.out_rules import OPTION, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes, memory_format
from gradflow.engine.tensor.tensor import SCALAR_WARNING

_COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)

_SLOW_WARNING = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single "
    "numpy.ndarray with numpy.array() before converting to a tensor."
)

Scalar = bool | int | float | complex


def finish(result: Tensor, requires_grad: Any) -> Tensor:
    """A new tensor with the wanted ``requires_grad``. Raises RuntimeError where its dtype has no gradient."""
    if not isinstance(requires_grad, bool):
        raise errors.REQUIRES_GRAD_ARGUMENT(type=type(requires_grad).__name__)
    if requires_grad:
        if result.dtype.category < dtypes.FLOAT:
            raise errors.INTEGER_REQUIRES_GRAD(subject=result)
        result.requires_grad = True
    return result


# -- from data ---------------------------------------------------------------------------------------------------------


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of ``data``: nested lists, numbers, an array or a tensor.

    Raises ValueError, TypeError or RuntimeError in PyTorch's words where the data is ragged or not made of numbers.
    """
    return finish(REGISTRY["tensor"].call(array_of(data, dtype)), requires_grad)


def array_of(data: Any, dtype: Any = None) -> np.ndarray:
    """Nested lists, numbers, an array or a tensor as an array; by default of the dtype that they have of themselves.

    Raises as `tensor`.
    """
    wanted = None if dtype is None else dtypes.as_numpy(dtype)
    if isinstance(data, Tensor):
        warn(_COPY_WARNING)
        return data._a.astype(wanted or data._a.dtype)
    if isinstance(data, np.ndarray | np.generic):
        if isinstance(data, np.ndarray) and data.dtype.kind in "biufc":
            _check_layout(data)
        _check_elements(data.dtype)
        return np.array(data, wanted)
    if data is None and wanted is not None:
        raise errors.DATA_NOT_REAL(type="NoneType")
    shape = _shape(data)
    flat: list[Any] = []
    error_kinds: set[np.dtype] = set()
    try:
        _collect(data, shape, 0, flat, error_kinds)
    except TypeError as error:
        if wanted is not None and errors.kind_of(error) is errors.DATA_INVALID:
            raise errors.DATA_NOT_REAL(type="str") from None
        if errors.kind_of(error) is errors.DATA_NOT_REAL and _whole(data, wanted):
            raise errors.DATA_NOT_NUMBER(**errors.details_of(error)) from None
        raise
    except ValueError as error:
        if errors.kind_of(error) is errors.TENSORS_AS_NUMBERS:
            errors.details_of(error)["data"] = data  # for those that look for the cause
        raise
    if len(flat) != math.prod(shape):  # a list was changed while its entries were asked for theirs
        raise errors.RAGGED_DATA(expected=shape[0], dim=0, actual=len(data))
    if wanted is None:
        wanted = dtypes.joined(error_kinds)
    if wanted.kind != "c" and any(isinstance(v, complex) for v in flat):
        raise errors.DATA_NOT_REAL(type="complex")
    return _numbers(flat, wanted).reshape(shape)


def _numbers(flat: list[Any], wanted: np.dtype) -> np.ndarray:
    """Numbers as an array. Raises ValueError or RuntimeError for one that the dtype cannot hold."""
    if wanted.kind not in "iu":
        return np.array(flat, wanted)
    if any(isinstance(v, int) and not -(2**63) <= v < 2**63 for v in flat):
        raise errors.INTEGER_TOO_LARGE()
    high = int(np.iinfo(wanted).max)
    low = -high if wanted.kind == "u" else -high - 1
    if not all(low <= v <= high for v in flat):
        raise errors.NUMBER_TOO_LARGE(dtype=wanted.name)
    return np.array([int(v) for v in flat], np.int64).astype(wanted)


_NO_SEQUENCES = (str, bytes, dict, Tensor, np.ndarray, np.generic)


def is_sequence(data: Any) -> bool:
    """Whether data has entries by number: lists, tuples, ranges, a ``deque``, objects with ``__len__`` and ``__getitem__``."""
    if isinstance(data, list | tuple | range):
        return True
    return (
        not isinstance(data, _NO_SEQUENCES) and _defines(type(data), "__getitem__") and _defines(type(data), "__len__")
    )


def _defines(cls: type, name: str) -> bool:
    """Whether objects of a class have a method: not the class alone, as by the metaclass of an ``Enum``."""
    return any(name in vars(kind) for kind in cls.__mro__)


def _shape(data: Any) -> tuple[int, ...]:
    """The shape that the first entries at every depth give."""
    shape: list[int] = []
    while is_sequence(data):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
        if len(shape) > 64:
            raise errors.DATA_INVALID(type=type(data).__name__)
    if isinstance(data, str):
        raise errors.DATA_DIMENSIONS(type="str") if shape else errors.DATA_INVALID(type="str")
    if isinstance(data, dict | set) or data is None:
        raise errors.DATA_DTYPE_UNKNOWN(type=type(data).__name__)
    if isinstance(data, np.ndarray):
        warn(_SLOW_WARNING)
        shape += list(data.shape)
    return tuple(shape)


def _collect(data: Any, shape: tuple[int, ...], depth: int, flat: list[Any], kinds: set[np.dtype]) -> None:
    """The numbers in nested lists, in order, and the dtypes that they have of themselves."""
    if isinstance(data, Tensor):
        if data.requires_grad:
            warn(SCALAR_WARNING, once=True)
        if data._a.size != 1:
            raise errors.TENSORS_AS_NUMBERS()
        kinds.add(data._a.dtype)
        data = data._a.item()
    elif isinstance(data, np.ndarray | np.generic):
        if not (data.dtype.kind in "US" and data.size):  # of texts each is looked at
            _check_elements(data.dtype)
        kinds.add(data.dtype)
        data = data.tolist()
    elif depth == len(shape):
        data = _element(data)
        kinds.add(dtypes.default_for(dtypes.category(data)))
    if depth == len(shape):
        flat.append(_element(data))
        return
    if not is_sequence(data):
        if not shape[-1]:  # then PyTorch reads nothing of it but the type
            _element(data)
            return
        raise errors.DATA_NOT_SEQUENCE()
    if len(data) != shape[depth]:
        if not shape[-1]:
            return
        raise errors.RAGGED_DATA(expected=shape[depth], dim=depth, actual=len(data))
    if depth == len(shape) - 1 and _of_one_type(data):
        kinds.add(dtypes.default_for(dtypes.category(data[0])))
        flat += data
        return
    for each in data:
        _collect(each, shape, depth + 1, flat, kinds)


def _of_one_type(data: Any) -> bool:
    """Whether a list or tuple holds numbers of Python's, all of one type."""
    return type(data) in (list, tuple) and len(types := set(map(type, data))) == 1 and types <= _NUMBERS


_NUMBERS: Final = frozenset({bool, int, float, complex})
"""Types of Python's whose dtype no number of them changes."""


def _whole(data: Any, wanted: np.dtype | None) -> bool:
    """Whether the data would be integers."""
    if wanted is not None:
        return wanted.kind in "iu"
    if isinstance(data, list | tuple):
        return all(_whole(each, None) for each in data)
    return not isinstance(data, float | complex)


def _element(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Scalar):
        return own_number(value)
    if isinstance(value, list | tuple):
        raise errors.DATA_NOT_REAL(type=type(value).__name__)
    if isinstance(value, str):
        raise errors.DATA_INVALID(type="str")
    raise errors.DATA_DTYPE_UNKNOWN(type=type(value).__name__)


def array_view(array: np.ndarray) -> Tensor:
    """A tensor of an array that takes part in one operation."""
    result: Tensor = REGISTRY["tensor"].call(array)
    return result


def as_tensor(data: Any, dtype: Any = None) -> Tensor:
    """A tensor of the data, sharing memory where it is one already."""
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype is dtype else data.to(dtype)  # type: ignore[attr-defined]  # installed from the registry
    return from_numpy(data) if isinstance(data, np.ndarray) and dtype is None else tensor(data, dtype=dtype)


_REVERSED = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)
_APART = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
)
_BYTES = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently "
    "not supported."
)


def _check_layout(array: np.ndarray) -> None:
    """An array must lie in memory as tensors do: what follows computes places from the strides."""
    if any(step < 0 for step in array.strides):
        raise errors.ARRAY_LAYOUT(message=_REVERSED)
    if any(step % max(array.itemsize, 1) for step in array.strides):
        raise errors.ARRAY_LAYOUT(message=_APART)
    if not array.dtype.isnative:
        raise errors.ARRAY_LAYOUT(message=_BYTES)


def _check_elements(dtype: np.dtype) -> None:
    """Raises TypeError for an array whose elements are no numbers."""
    if dtype.kind == "u" and dtype.isnative and dtype not in dtypes.BY_NUMPY:
        raise errors.NOT_PROVIDED(name=f"torch.{dtype.name}")
    if dtype.kind not in "biufc" or dtype.newbyteorder("=") not in dtypes.BY_NUMPY:
        raise errors.NUMPY_ELEMENTS(type=dtype.type.__name__)


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of an array. Raises ValueError for an array that lies in memory as no tensor does."""
    if not isinstance(ndarray, np.ndarray):
        raise errors.NOT_NDARRAY(type=type_title(ndarray))
    if ndarray.dtype.kind in "biufc":
        _check_layout(ndarray)
    _check_elements(ndarray.dtype)
    result: Tensor = REGISTRY["tensor"].call(whole(ndarray.view(np.ndarray)))  # whose shape is the tensor's alone
    result._st.expose()
    return result


# -- constants ---------------------------------------------------------------------------------------------------------


def as_size(size: tuple[Any, ...], function: str) -> tuple[int, ...]:
    """``zeros(2, 3)`` and ``zeros((2, 3))`` as one tuple. Raises TypeError for anything but integers."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    for value in size:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise errors.ARGUMENT_TYPE(
                function=function, argument="size", position=1, expected="tuple of ints", actual=type(value).__name__
            )
    return tuple(int(v.__index__()) for v in size)


def _constant(name: str, value: float) -> tuple[Callable[..., Tensor], Callable[..., Tensor], Callable[..., Tensor]]:
    @has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True), name)
    def make(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        lengths = as_size(size, name)
        if name == "zeros" and any(n < 0 for n in lengths):
            raise errors.NEGATIVE_ZEROS()
        result = REGISTRY["full"].call(lengths, value, dtype or dtypes.BY_NUMPY[dtypes.DEFAULT])
        return finish(result, requires_grad)

    def like(input: Tensor, *, memory_format: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        if not isinstance(input, Tensor):
            raise errors.ARGUMENT_TYPE(
                function=f"{name}_like", argument="input", position=1, expected="Tensor", actual=type(input).__name__
            )
        return finish(_filled_like(input, value, dtype, memory_format), requires_grad)

    def new(self: Tensor, *size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        result = REGISTRY["full"].call(as_size(size, f"new_{name}"), value, dtype or self.dtype)
        return finish(result, requires_grad)

    make.__doc__ = f"A tensor of the given size filled with {value}."
    like.__doc__ = f"A tensor of the shape and dtype of another, filled with {value}."
    new.__doc__ = f"A tensor of the dtype of this one, filled with {value}."
    return make, like, new


zeros, zeros_like, new_zeros = _constant("zeros", 0)
ones, ones_like, new_ones = _constant("ones", 1)
empty, empty_like, new_empty = _constant("empty", 0)


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def full(size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the given size filled with one value; its dtype is that of the value."""
    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return finish(REGISTRY["full"].call(as_size((size,), "full"), number, dtype), requires_grad)


def full_like(
    input: Tensor, fill_value: Any, *, memory_format: Any = None, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of the shape and dtype of another, filled with one value."""
    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return finish(_filled_like(input, number, dtype, memory_format), requires_grad)


def _filled_like(input: Tensor, value: Any, dtype: Any, order: Any) -> Tensor:
    """One value, in the shape of a tensor and (if nothing else is wanted) in the order of its elements in memory."""
    array = memory_format.empty(input._a, order, (dtype or input.dtype).numpy)
    array[...] = checked_cast(value, array.dtype)
    result: Tensor = REGISTRY["tensor"].call(array)
    return result


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the dtype of this one, filled with one value."""
    return full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of data in the dtype of this one."""
    if isinstance(data, Tensor):
        warn(_COPY_WARNING.replace("torch.tensor(", "tensor.new_tensor("))
        data = data.detach()._a
    return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


@has_out(exactly(OPTION, gradient=None, takes_dtype=True))
def arange(
    *bounds: Any, start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """``arange(end)``, ``arange(start, end)`` or ``arange(start, end, step)``."""
    values = [v.item() if isinstance(v, Tensor | np.generic) else v for v in bounds]
    if len(values) == 1 and end is not None:
        start = values[0]
    elif len(values) == 1:
        end = values[0]
    elif values:
        start, end, step = (*values, step)[:3]
    if dtype is dtypes.bool_:
        raise errors.NOT_IMPLEMENTED_DTYPE(name="arange_cpu", dtype="Bool")
    if any(isinstance(bound, complex) for bound in (start, end, step)):
        raise errors.NUMBER_LOST()
    return finish(REGISTRY["arange"].call(start, end, step, dtype), requires_grad)


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """``steps`` numbers from start to end, both included."""
    return finish(REGISTRY["linspace"].call(*bounds("linspace", start, end), steps, dtype), requires_grad)


def bounds(name: str, start: Any, end: Any) -> tuple[Any, Any]:
    """Two ends as numbers. Raises RuntimeError for a tensor that has dimensions."""
    given = {"start": start, "end": end}
    found = [f"{key} with {v._a.ndim} dimension(s)" for key, v in given.items() if isinstance(v, Tensor)]
    if any(isinstance(v, Tensor) and v._a.ndim for v in (start, end)):
        raise errors.RANGE_TENSORS(name=name, given=" and ".join(found))
    low, high = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    return low, high


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The identity matrix."""
    for name, length in (("n", n), ("m", n if m is None else m)):
        if length < 0:
            raise errors.NEGATIVE_EYE(name=name, value=length)
    return finish(REGISTRY["eye"].call(n, m, dtype), requires_grad)
