"""Gradients as arrays: in the shape and dtype of the tensor that they belong to, and with memory of their own in a leaf."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import Meta
from gradflow.engine.numerics.strides import like


def sum_to(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Undo broadcasting: the sum over every dimension that ``shape`` does not have, or has with length 1."""
    lead = array.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape) if n == 1 and array.shape[i + lead] != 1)
    return np.asarray(array.sum(axis=axes, keepdims=True)).reshape(shape) if axes else array.reshape(shape)


def reducible(wide: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a tensor of shape ``shape`` can have been broadcast to ``wide``."""
    lead = len(wide) - len(shape)
    return lead >= 0 and all(n in (1, w) for n, w in zip(shape, wide[lead:], strict=True))


class Misfit(Exception):
    """A share that does not fit its tensor: programs can change the data of a tensor after it was used."""


def _spread(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(gradient, shape)
    except ValueError:
        wide = (
            list(np.broadcast_shapes(gradient.shape, shape))
            if reducible(gradient.shape, shape)
            else list(gradient.shape)
        )
        raise errors.INPLACE_BROADCAST(shape=list(shape), broadcast=wide) from None


def laid_out(gradient: np.ndarray, leaf: np.ndarray) -> np.ndarray:
    """A copy of a gradient whose elements lie in memory as those of its leaf."""
    if gradient.shape != leaf.shape:  # the program gave the leaf other data since
        if gradient.base is None and gradient.flags.c_contiguous and gradient.strides == leaf.strides:
            return gradient.copy()  # PyTorch takes it as it is: it compares strides alone
        gradient = _spread(gradient, leaf.shape)
    if leaf.flags.c_contiguous or 0 in leaf.strides:
        return np.array(gradient, order="C")
    result = like(leaf.shape, gradient.dtype, leaf.strides)
    result[...] = gradient
    return result


def free_to_keep(grads: list[Any], leaf: np.ndarray) -> bool:
    """Whether the gradient in this list can become ``.grad`` without a copy, as PyTorch steals it.

    Nobody else may refer to it or to the memory that it looks at, and it has to lie in memory as its leaf does.
    """
    gradient = grads[0]
    if gradient.__class__ is not np.ndarray or gradient.shape != leaf.shape or getrefcount(gradient) > _REFERENCES:
        return False
    memory = gradient.base
    if memory is not None and (
        memory.__class__ is not np.ndarray or getrefcount(memory) > _REFERENCES or memory.nbytes != gradient.nbytes
    ):
        return False
    flags = gradient.flags
    return flags.c_contiguous and flags.writeable and leaf.flags.c_contiguous


_REFERENCES = 3
"""To an array that one list or view refers to, while `free_to_keep` looks at it."""


def fit_array(share: Any, meta: Meta) -> np.ndarray:
    """A share in the shape and dtype of the tensor it belongs to; of a complex one a real tensor gets the real part."""
    array = share if share.__class__ is np.ndarray else np.asarray(share)
    shape, dtype = meta
    if array.shape != shape:
        if not reducible(array.shape, shape):
            raise Misfit(array.shape, shape)
        array = sum_to(array, shape)
    if array.dtype is dtype:
        return array
    if array.dtype.kind == "c" != dtype.kind:
        array = array.real
    return array if array.dtype == dtype else array.astype(dtype)
