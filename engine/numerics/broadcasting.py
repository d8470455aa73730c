"""Broadcasting: which shapes go together, and the sum that undoes it."""

from __future__ import annotations

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.sums import cascade_sum


def check_broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raises RuntimeError in PyTorch's words where two shapes do not broadcast."""
    width = max(len(a), len(b))
    for offset in range(1, min(len(a), len(b)) + 1):
        if a[-offset] != b[-offset] and 1 not in (a[-offset], b[-offset]):
            raise errors.SHAPE_BROADCAST(a=a[-offset], b=b[-offset], dim=width - offset)


def check_broadcast_into(shape: tuple[int, ...], given: tuple[int, ...]) -> None:
    """Raises RuntimeError in PyTorch's words where what has the second shape cannot be written into what has the first."""
    check_broadcast(shape, given)
    if (wide := np.broadcast_shapes(shape, given)) != shape:
        raise errors.INPLACE_BROADCAST(shape=list(shape), broadcast=list(wide))


def laid_over(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array in the shape of what it is added into. Raises RuntimeError as PyTorch does where it does not go into that."""
    if array.shape == shape:
        return array
    check_broadcast_into(shape, array.shape)
    return np.broadcast_to(array, shape)


def sum_to(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Undo broadcasting: the sum over every dimension that ``shape`` does not have, or has with length 1."""
    lead = array.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and array.shape[i + lead] != 1)
    if not axes:
        return array.reshape(shape)
    wide = array.astype(np.float32) if array.dtype.kind == "V" else array
    return np.asarray(cascade_sum(wide, axes, True)).reshape(shape).astype(array.dtype, copy=False)


def reducible(wide: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a tensor of shape ``shape`` can have been broadcast to ``wide``."""
    lead = len(wide) - len(shape)
    return lead >= 0 and all(n in (1, w) for n, w in zip(shape, wide[lead:], strict=True))
