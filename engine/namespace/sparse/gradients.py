"""Gradients that are sparse tensors: of a table of which few rows were read."""

from __future__ import annotations

import numpy as np

from gradflow.engine.namespace.sparse.operations import add, merged
from gradflow.engine.namespace.sparse.sparse_tensor import SparseTensor
from gradflow.engine.numerics.entries import Entries, entries, is_entries
from gradflow.engine.tensor import Tensor


def as_gradient(array: Entries) -> SparseTensor:
    """The gradient as a sparse tensor with the entries that it was made of."""
    assert array.places is not None
    assert array.values is not None
    made = SparseTensor(array.places, Tensor(array.values.copy()), array.shape)
    made._dense = Tensor(np.array(array))
    return made


def added_to(grad: SparseTensor, gradient: np.ndarray) -> Tensor:
    """The sum of a sparse ``.grad`` and what arrives: dense, where that is."""
    dense = np.asarray(grad._a + np.asarray(gradient))
    if not is_entries(gradient):
        return Tensor(dense)
    total = add(grad, as_gradient(gradient))
    assert isinstance(total, SparseTensor)
    total._dense = Tensor(dense)
    return total


def joined(first: Entries, second: Entries, dense: np.ndarray) -> Entries:
    """The sum of two gradients, with their entries merged as PyTorch merges them."""
    left, right = as_gradient(first), as_gradient(second)
    places, own, theirs = merged(left, right)
    values = np.zeros((places.shape[1], *left._held._a.shape[1:]), dense.dtype)
    values[own] += left._held._a
    values[theirs] += right._held._a
    return entries(dense, places, values)


def install() -> None:
    """Have backward passes make sparse gradients."""
    Entries.as_tensor, Entries.added_to = staticmethod(as_gradient), staticmethod(added_to)
    Entries.joined = staticmethod(joined)
