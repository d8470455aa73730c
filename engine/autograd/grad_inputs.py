"""Gradients as arrays: in the shape and dtype of the tensor that they belong to, and with memory of their own in a leaf."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import Meta
from gradflow.engine.numerics.broadcasting import reducible, sum_to
from gradflow.engine.numerics.entries import Entries, is_entries
from gradflow.engine.numerics.strides import like
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes

LEAF_ASKED = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is currently"
    " not supported."
)


class ShapeMismatch(Exception):
    """A gradient that does not fit its tensor: programs can change the data of a tensor after it was used."""


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


def can_steal(grads: list[Any], leaf: np.ndarray) -> bool:
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
"""To an array that one list or view refers to, while `can_steal` looks at it."""


def fit_array(grad_input: Any, meta: Meta) -> np.ndarray:
    """A gradient in the shape and dtype of the tensor it belongs to; of a complex one a real tensor gets the real part."""
    shape, dtype = meta
    if grad_input.__class__ is np.ndarray:
        array = grad_input
    elif is_entries(grad_input) and grad_input.shape == shape and grad_input.dtype == dtype:
        return grad_input
    else:
        array = np.asarray(grad_input)
    if array.shape != shape:
        if not reducible(array.shape, shape):
            raise ShapeMismatch(array.shape, shape)
        array = sum_to(array, shape)
    if array.dtype is dtype:
        return array
    if array.dtype.kind == "c" != dtype.kind:
        array = array.real
    return array if array.dtype == dtype else array.astype(dtype)


def fit_tensor(grad_input: Any, meta: Meta) -> Any:
    """The same with operations that record themselves."""
    shape, dtype = meta
    if grad_input._a.shape != shape:
        if not reducible(grad_input._a.shape, shape):
            raise ShapeMismatch(grad_input._a.shape, shape)
        grad_input = REGISTRY.helpers["unexpand"].tensors(grad_input, shape)
    if grad_input._a.dtype.kind == "c" != dtype.kind:
        grad_input = REGISTRY["select"].call(REGISTRY["view_as_real"].call(grad_input), -1, 0)
    if grad_input._a.dtype == dtype:
        return grad_input
    return REGISTRY["to_dtype"].call(grad_input, dtypes.BY_NUMPY[dtype])


def arrived(gradient: np.ndarray) -> Tensor:
    """A gradient as a tensor: one made in inference mode belongs to it."""
    result = Entries.as_tensor(gradient) if is_entries(gradient) else Tensor(gradient)
    if STATE.inference:
        result._inference = True
    return result


def is_sparse(grad: Tensor | None, gradient: np.ndarray) -> bool:
    """Whether a ``.grad`` is sparse, or becomes sparse by the gradient that arrives."""
    return is_entries(gradient) if grad is None else bool(getattr(grad, "is_sparse", False))


def array_of(value: Any) -> np.ndarray | None:
    """The array of a gradient that may be a Tensor or None."""
    if value is None:
        return None
    return value._a if isinstance(value, Tensor) else np.asanyarray(value)
