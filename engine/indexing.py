"""``x[...]`` and ``x[...] = v``: a key is taken apart into select, slice, unsqueeze and index, as PyTorch does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.registry import REGISTRY
from engine.state import unrecorded
from engine.tensor import Tensor


def getitem(tensor: Tensor, key: Any) -> Tensor:
    """The elements at ``key``: a view for integers, slices, None and Ellipsis, a copy for tensors and lists.

    Raises IndexError or TypeError in PyTorch's words.
    """
    sliced, indices = _apply_slices(tensor, _parts(key), REGISTRY.__getitem__)
    if indices is not None:
        result: Tensor = REGISTRY["index"].call(sliced, indices)
        return result
    if sliced is not tensor:
        return sliced
    whole = _whole_slice(key)
    made: Tensor = REGISTRY["slice"].call(tensor, 0, 0, len(tensor), 1) if whole else REGISTRY["alias"].call(tensor)
    return made


def _whole_slice(key: Any) -> bool:
    return any(isinstance(part, slice) for part in _parts(key))


def setitem(tensor: Tensor, key: Any, value: Any) -> None:
    """Write ``value``, broadcast, at ``key``. Raises RuntimeError for leaves and for shapes that do not fit."""
    parts = _parts(key)
    source = as_source(tensor, value)
    with unrecorded():
        target, indices = _apply_slices(tensor, parts, REGISTRY.__getitem__)
    if indices is None:
        write = copy_into if source._a.ndim else fill_tensor
        write(target, source)
        return
    call = REGISTRY["index_put"].call_inplace
    assert call is not None
    call(target, indices, source)


def copy_into(target: Tensor, source: Tensor) -> None:
    """Write the elements of ``source``, broadcast, into ``target``."""
    shape = list(source._a.shape)
    while len(shape) > target._a.ndim and shape[0] == 1:
        shape.pop(0)
    if shape != list(source._a.shape):
        source = REGISTRY["view"].call(source, *shape)
    _check_expand(source, target)
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
            dtype_type=f"torch.{source.dtype.legacy}Tensor", shape=list(own), targets=list(wanted), given=len(wanted),
            dimensions=len(own),
        )  # fmt: skip
    lead = len(wanted) - len(own)
    for i, n in enumerate(own):
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
        raise errors.ASSIGN_TYPE(type=type(value).__name__, dtype_type=f"torch.{tensor.dtype.legacy}Tensor")
    if isinstance(value, complex) and tensor.dtype.category < dtypes.COMPLEX:
        raise errors.DATA_NOT_REAL()
    return Tensor(np.asarray(value).astype(tensor._a.dtype))


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _apply_slices(
    tensor: Tensor, parts: tuple[Any, ...], op: Callable[[str], Any]
) -> tuple[Tensor, tuple[Any, ...] | None]:
    """Apply integers, slices, None and Ellipsis; collect the index arrays, by dimension, where there are any."""
    consumed = sum(_width(part) for part in parts)
    if consumed > tensor._a.ndim:
        if not tensor._a.ndim and len(parts) == 1:
            raise errors.INDEX_SCALAR(subject=tensor)
        raise errors.INDEX_COUNT(dimensions=tensor._a.ndim, subject=tensor)
    result, dim = tensor, 0
    indices: dict[int, np.ndarray] = {}
    original = 0
    for part in parts:
        if part is Ellipsis:
            dim += tensor._a.ndim - consumed
            original += tensor._a.ndim - consumed
            continue
        if part is None or _is_flag(part):
            result = op("unsqueeze").call(result, dim)
            if part is not None:
                indices[dim] = np.array([0] if part else [], np.int64)
            dim += 1
        elif isinstance(part, slice):
            result = _slice(result, dim, part, op)
            dim += 1
        elif _is_integer(part):
            result = _select(result, dim, int(part), original, op)
        else:
            array = _index_array(part)
            _check_mask(array, result, dim)
            indices[dim] = array
            dim += array.ndim if array.dtype == np.bool_ else 1
        original += _width(part)
    if not indices:
        return result, None
    return result, _spread_masks(indices)


def index_arrays(tensor: Tensor, indices: Any) -> tuple[Any, ...]:
    """Index tensors as arrays, masks among them as one array for each of their dimensions; None for a dimension whole."""
    found: dict[int, np.ndarray] = {}
    dim = 0
    for part in indices:
        if part is None:
            dim += 1
            continue
        array = _index_array(part)
        width = array.ndim if array.dtype == np.bool_ else 1
        if dim + width > tensor._a.ndim:
            count = sum(1 if p is None or p._a.dtype != np.bool_ else p._a.ndim for p in indices)
            raise errors.INDEX_PUT_COUNT(dimensions=tensor._a.ndim, given=count)
        _check_mask(array, tensor, dim)
        found[dim] = array
        dim += width
    return _spread_masks(found)


def _width(part: Any) -> int:
    """How many dimensions of the tensor a part of the key takes."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._a.dtype in (np.bool_, np.uint8):
        return part._a.ndim
    if isinstance(part, (list, np.ndarray)):
        array = np.asarray(part)
        return array.ndim if array.dtype == np.bool_ else 1
    return 1


def _is_flag(part: Any) -> bool:
    """A single truth value, which selects all or nothing along a new dimension."""
    return isinstance(part, bool) or (isinstance(part, Tensor) and part._a.ndim == 0 and part._a.dtype == np.bool_)


def _is_integer(part: Any) -> bool:
    if isinstance(part, Tensor):
        return part._a.ndim == 0 and part._a.dtype.kind in "iu" and part._a.dtype != np.uint8
    return not isinstance(part, (list, tuple, np.ndarray)) and hasattr(part, "__index__")


def _select(tensor: Tensor, dim: int, index: int, original: int, op: Callable[[str], Any]) -> Tensor:
    """``dim`` is the dimension of what is left of the tensor, ``original`` that of the tensor itself."""
    size = tensor._a.shape[dim]
    if not -size <= index < size:
        raise errors.INDEX_RANGE(index=index, dim=original, size=size)
    result: Tensor = op("select").call(tensor, dim, index)
    return result


def _slice(tensor: Tensor, dim: int, part: slice, op: Callable[[str], Any]) -> Tensor:
    size = tensor._a.shape[dim]
    step = 1 if part.step is None else int(part.step)
    if step <= 0:
        raise errors.SLICE_STEP()
    start, end, _ = slice(_bound(part.start), _bound(part.stop), step).indices(size)
    if (start, end, step) == (0, size, 1):
        return tensor
    result: Tensor = op("slice").call(tensor, dim, start, max(start, end), step)
    return result


def _bound(value: Any) -> int | None:
    if value is not None and not hasattr(value, "__index__"):
        raise errors.SLICE_TYPE()
    return None if value is None else int(value)


def _index_array(part: Any) -> np.ndarray:
    if isinstance(part, Tensor):
        array = part._a
    elif isinstance(part, (list, tuple, np.ndarray)):
        array = np.asarray(
            [p._a if isinstance(p, Tensor) else p for p in part] if not isinstance(part, np.ndarray) else part
        )
        if not array.size:
            array = array.astype(np.int64)
    else:
        raise errors.INDEX_TYPE(type=type(part).__name__)
    if array.dtype.kind not in "iub":
        raise errors.INDEX_DTYPE()
    return array.astype(np.bool_) if array.dtype == np.uint8 else array


def _check_mask(mask: np.ndarray, tensor: Tensor, dim: int) -> None:
    if mask.dtype != np.bool_:
        return
    own = tensor._a.shape
    for axis, n in enumerate(mask.shape):
        if n != own[dim + axis]:
            raise errors.MASK_SHAPE(
                mask=list(mask.shape), index=axis + dim if len(mask.shape) > 1 or dim else 0, shape=list(own)
            )


def _spread_masks(indices: dict[int, np.ndarray]) -> tuple[Any, ...]:
    """Masks as index arrays, one for each dimension; None for dimensions between that are taken whole."""
    result: list[Any] = []
    for dim in sorted(indices):
        result += [None] * (dim - len(result))
        array = indices[dim]
        result += list(np.nonzero(array)) if array.dtype == np.bool_ else [array]
    shapes = [a.shape for a in result if a is not None]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise errors.INDEX_BROADCAST(shapes=", ".join(str(list(s)) for s in shapes)) from None
    return tuple(result)
