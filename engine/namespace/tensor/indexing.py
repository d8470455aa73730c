"""``x[...]`` and ``x[...] = v``: a key is taken apart into select, slice, unsqueeze and index, as PyTorch does it."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as index_of
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import type_title
from gradflow.engine.namespace.functions.creation import array_of
from gradflow.engine.numerics.checked_cast import checked_fill
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, unrecorded, warn
from gradflow.engine.tensor import Tensor, dtypes


def getitem(tensor: Tensor, key: Any) -> Tensor:
    """The elements at ``key``: a view for integers, slices, None and Ellipsis, a copy for tensors and lists.

    Raises IndexError or TypeError in PyTorch's words.
    """
    if isinstance(key, str) and len(key) > tensor._a.ndim:  # a sequence of its letters
        raise errors.INDEX_COUNT(dimensions=tensor._a.ndim, subject=tensor)
    parts = _parts(key)
    sliced, indices, arrays = _apply_slices(tensor, parts, REGISTRY.__getitem__)
    if indices is not None:
        _warn_of_bytes(arrays)
        if STATE.levels and any(map(_is_mask, arrays)):
            STATE.levels.check_size("support", " Attempting to batch over indexing with a boolean mask.")
        result: Tensor = REGISTRY["index"].call(sliced, indices)
        return result
    if sliced is not tensor:
        return sliced
    alone = isinstance(key, slice)  # in a tuple, what takes all is passed over
    made: Tensor = REGISTRY["slice"].call(tensor, 0, 0, len(tensor), 1) if alone else REGISTRY["alias"].call(tensor)
    return made


def setitem(tensor: Tensor, key: Any, value: Any) -> None:
    """Write ``value``, broadcast, at ``key``. Raises RuntimeError for leaves and for shapes that do not fit."""
    if key is False:
        return  # nothing is chosen, and PyTorch does not look any further
    parts = _parts(key)
    if tensor._a.dtype.kind in "iu" and STATE.recorder is not None:
        STATE.recorder.chronology.cut_off(tensor, value)
    source = as_source(tensor, value)
    if key is True:
        with unrecorded():
            target = REGISTRY["unsqueeze"].call(tensor, 0)
        _assign(target, source)
        return
    with unrecorded():
        target, indices, arrays = _apply_slices(tensor, parts, REGISTRY.__getitem__)
    if indices is None:
        _assign(target, source)
        return
    lengths = _without_leading_ones(source)
    if lengths != source._a.shape:
        source = REGISTRY["view"].call(source, *lengths)
    if (
        len(arrays) == 1 and source._a.size == 1 and arrays[0].dtype in (np.bool_, np.uint8)
    ):  # what is filled is converted
        if arrays[0].dtype == np.uint8:
            raise errors.MASK_REFUSED(
                message="masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
            )
        source = source if source._a.dtype == tensor._a.dtype else REGISTRY["to_dtype"].call(source, tensor.dtype)
    _warn_of_bytes(arrays)
    call = REGISTRY["index_put"].call_inplace
    assert call is not None
    call(target, indices, source)


def _warn_of_bytes(arrays: list[np.ndarray]) -> None:
    if any(array.dtype == np.uint8 for array in arrays):
        warn(_BYTE_WARNING)


def delitem(tensor: Tensor, key: Any) -> None:
    """``del x[...]``. Raises TypeError always."""
    raise errors.DELETE_ITEMS()


def _without_leading_ones(source: Tensor) -> tuple[int, ...]:
    shape = source._a.shape
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return shape[first:]


def _assign(target: Tensor, source: Tensor) -> None:
    """Write a tensor at a place that was reached by integers and slices."""
    if source._a.shape != target._a.shape:
        if not source._a.ndim:
            fill_tensor(target, source)
            return
        source = REGISTRY["view"].call(source, *_without_leading_ones(source))
        _check_expand(source, target)
        if source._a.shape != target._a.shape:
            source = REGISTRY["expand"].call(source, *target._a.shape)
    copy_into(target, source)


def copy_into(target: Tensor, source: Tensor) -> None:
    """Write the elements of ``source``, broadcast, into ``target``."""
    if target._a.dtype.kind not in "fcV" and source.requires_grad:
        source = source.detach()
    if source._a.dtype.kind == "c" and target._a.dtype.kind != "c":
        warn(_COMPLEX_WARNING)
    call = REGISTRY["copy"].call_inplace
    assert call is not None
    call(target, source)


def fill_tensor(target: Tensor, source: Tensor) -> None:
    """Write one number, given as a 0-d tensor, into every element of ``target``."""
    call = REGISTRY["fill_tensor"].call_inplace
    assert call is not None
    call(target, source)


def _check_expand(source: Tensor, target: Tensor) -> None:
    own, wanted = source._a.shape, target._a.shape
    if len(own) > len(wanted):
        raise errors.EXPAND_DIMENSIONS(
            dtype_type=f"torch.{source.dtype.legacy}Tensor",
            shape=list(own),
            targets=list(wanted),
            given=len(wanted),
            dimensions=len(own),
        )
    lead = len(wanted) - len(own)
    for i, n in reversed(list(enumerate(own))):  # the last dimension is looked at first
        if n not in (1, wanted[i + lead]):
            raise errors.EXPAND_SIZE(
                target=wanted[i + lead], size=n, dim=i + lead, targets=list(wanted), shape=list(own)
            )


def as_source(tensor: Tensor, value: Any) -> Tensor:
    """What is assigned, as a tensor. Raises TypeError where it is neither a tensor nor a number."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float | complex):
        raise errors.ASSIGN_TYPE(
            type="numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__,
            dtype_type=f"torch.{tensor.dtype.legacy}Tensor",
        )
    return Tensor(_converted(value, tensor.dtype))


def _converted(value: complex, dtype: dtypes.dtype) -> np.ndarray:
    """A number in a dtype. Raises ValueError or RuntimeError where it does not fit."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise errors.INTEGER_TOO_LARGE()
    return checked_fill(value, dtype.numpy)


def _parts(key: Any) -> tuple[Any, ...]:
    """The parts of a key. Like PyTorch, a short list that holds more than numbers is read as a tuple."""
    if isinstance(key, tuple):
        return key
    if isinstance(key, list) and len(key) < _SHORT and any(isinstance(part, _NO_NUMBERS) for part in key):
        warn(_SEQUENCE_WARNING)
        return tuple(key)
    return (key,)


_SHORT = 32
_SEQUENCE_WARNING = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which "
    "will result either in an error or a different result (Triggered internally at "
    "/pytorch/torch/csrc/autograd/python_variable_indexing.cpp:349.)"
)
_BYTE_WARNING = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead. (Triggered internally at "
    "/pytorch/aten/src/ATen/native/IndexingUtils.h:37.)"
)
_COMPLEX_WARNING = (
    "Casting complex values to real discards the imaginary part (Triggered internally at "
    "/pytorch/aten/src/ATen/native/Copy.cpp:307.)"
)
_NO_NUMBERS = (Tensor, list, tuple, range, str, slice, np.ndarray, type(None), type(Ellipsis))


def _apply_slices(
    tensor: Tensor, parts: tuple[Any, ...], op: Callable[[str], Any]
) -> tuple[Tensor, tuple[Any, ...] | None, list[np.ndarray]]:
    """Apply integers, slices, None and Ellipsis; collect the index arrays, by dimension, where there are any.

    The arrays come as they were given too, masks not yet taken apart.
    """
    parts = tuple(_prepared(part) for part in parts)
    consumed = sum(_width(part) for part in parts)
    if consumed > tensor._a.ndim:
        _refuse_count(tensor, parts)
    result, dim = tensor, 0
    indices: dict[int, np.ndarray] = {}
    original = 0
    for part in parts:
        if part is Ellipsis:
            dim += tensor._a.ndim - consumed
            original += tensor._a.ndim - consumed
            continue
        if part is None or isinstance(part, bool):
            result = op("unsqueeze").call(result, dim)
            if part is not None:
                indices[dim] = np.array([0] if part else [], np.int64)
            dim += 1
        elif isinstance(part, slice):
            result = _slice(result, dim, part, op)
            dim += 1
        elif isinstance(part, int):
            result = _select(result, dim, part, original, op)
        else:
            indices[dim] = part
            dim += part.ndim if _is_mask(part) else 1
        original += _width(part)
    if not indices:
        return result, None, []
    for first, array in indices.items():
        _check_mask(array, result, first)
    return result, _spread_masks(indices), list(indices.values())


def _refuse_count(tensor: Tensor, parts: tuple[Any, ...]) -> None:
    if not tensor._a.ndim and len(parts) == 1:
        if isinstance(parts[0], slice):
            raise errors.CUT_RANGE(message="slice() cannot be applied to a 0-dim tensor.")
        if isinstance(parts[0], int) and parts[0]:
            raise errors.INDEX_RANGE(index=parts[0], dim=0, size=0, subject=tensor)
        if isinstance(parts[0], int):
            raise errors.INDEX_SCALAR(subject=tensor)
    raise errors.INDEX_COUNT(dimensions=tensor._a.ndim, subject=tensor)


def _prepared(part: Any) -> Any:
    """A part of a key as one of None, Ellipsis, a slice, a truth value, a whole number, and an array of indices."""
    if part is None or part is Ellipsis or isinstance(part, slice | bool):
        return part
    if isinstance(part, np.ndarray) and not part.ndim:
        part = Tensor(part)
    if isinstance(part, Tensor) and not part._a.ndim:
        if part._a.dtype in (np.bool_, np.uint8):
            return bool(part._a)
        if part._a.dtype.kind in "iu":
            return int(part._a)
    if isinstance(part, Tensor | list | tuple | range | np.ndarray | str | bytes):
        return _index_array(part)
    if hasattr(part, "__index__"):
        return int(part)
    raise errors.INDEX_TYPE(type=type_title(part))


def _is_mask(array: np.ndarray) -> bool:
    return array.dtype in (np.bool_, np.uint8)


def index_arrays(tensor: Tensor, indices: Any) -> tuple[Any, ...]:
    """Index tensors as arrays, masks among them as one array for each of their dimensions; None for a dimension whole."""
    found: dict[int, np.ndarray] = {}
    dim = 0
    for part in indices:
        if part is None:
            dim += 1
            continue
        array = _index_array(part)
        width = array.ndim if _is_mask(array) else 1
        if dim + width > tensor._a.ndim:
            count = sum(1 if p is None or p._a.dtype != np.bool_ else p._a.ndim for p in indices)
            raise errors.INDEX_PUT_COUNT(dimensions=tensor._a.ndim, given=count)
        _check_mask(array, tensor, dim)
        found[dim] = array
        dim += width
    return _spread_masks(found)


def _width(part: Any) -> int:
    """How many dimensions of the tensor a prepared part of the key takes."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and _is_mask(part) else 1


def _select(tensor: Tensor, dim: int, index: int, original: int, op: Callable[[str], Any]) -> Tensor:
    """``dim`` is the dimension of what is left of the tensor, ``original`` that of the tensor itself."""
    size = tensor._a.shape[dim]
    if not -size <= index < size:
        raise errors.INDEX_RANGE(index=index, dim=original, size=size)
    result: Tensor = op("select").call(tensor, dim, index)
    return result


def _slice(tensor: Tensor, dim: int, part: slice, op: Callable[[str], Any]) -> Tensor:
    size = tensor._a.shape[dim]
    step = 1 if part.step is None else _bound(part.step)
    if step == 0:
        raise errors.SLICE_ZERO()
    if step is None or step < 0:
        raise errors.SLICE_STEP()
    start, end, _ = slice(_bound(part.start), _bound(part.stop), step).indices(size)
    if (start, end, step) == (0, size, 1):
        return tensor
    result: Tensor = op("slice").call(tensor, dim, start, max(start, end), step)
    return result


def _bound(value: Any) -> int | None:
    if value is not None and not hasattr(value, "__index__"):
        raise errors.SLICE_TYPE()
    return None if value is None else index_of(value)


def _index_array(part: Any) -> np.ndarray:
    if not isinstance(part, Tensor):
        return _listed(part)
    if part._a.dtype not in (np.int64, np.int32, np.uint8, np.bool_):
        raise errors.INDEX_DTYPE()
    return part._a


def _listed(part: Any) -> np.ndarray:
    """A list, a range or an array of NumPy as indices: what is no truth value becomes a whole number."""
    if isinstance(part, str | bytes):
        raise errors.DATA_INVALID(type=type(part).__name__)
    plain = isinstance(part, np.ndarray | range) or all(type(each) is int for each in part)
    array = np.asarray(part if plain else array_of(list(part))) if len(part) else np.zeros(0, np.int64)
    if array.dtype.kind == "c":
        raise errors.INDEX_DTYPE()
    return array if _is_mask(array) else array.astype(np.int64)


def _check_mask(mask: np.ndarray, tensor: Tensor, dim: int) -> None:
    if not _is_mask(mask):
        return
    own = tensor._a.shape
    for axis, n in enumerate(mask.shape):
        if n != own[dim + axis]:
            raise errors.MASK_SHAPE(mask=list(mask.shape), index=axis, shape=list(own), place=dim + axis)


def _spread_masks(indices: dict[int, np.ndarray]) -> tuple[Any, ...]:
    """Masks as index arrays, one for each dimension; None for dimensions between that are taken whole."""
    result: list[Any] = []
    for dim in sorted(indices):
        result += [None] * (dim - len(result))
        array = indices[dim]
        result += list(np.nonzero(array)) if _is_mask(array) else [array]
    shapes = [a.shape for a in result if a is not None]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise errors.INDEX_BROADCAST(shapes=", ".join(str(list(s)) for s in shapes)) from None
    return tuple(result)
