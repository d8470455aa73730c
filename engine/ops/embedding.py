"""Rows of a table by their numbers, and one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.registry import Array, op

TABLE = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [0.1, 0.2, 0.3]]
BAG = [[0, 2], [1, 1]]


def _swapped(function: Any, weight: Any, indices: Any, padding_idx: int = -1, scale: bool = False) -> Any:
    return function(indices, weight, None if padding_idx < 0 else padding_idx, scale_grad_by_freq=scale)


@op(
    gradients={"weight": "embedding_put(g, indices, weight.shape, padding_idx, scale_grad_by_freq)"},
    latex=r"⟨0⟩_{⟨1⟩}", symbol="rows", functions=(), methods=(), grad_fn="EmbeddingBackward0", torch="nn.functional.embedding",
    adapt=_swapped, samples=((TABLE, [0, 2]), (TABLE, BAG), (TABLE, BAG, 1), (TABLE, [0, 2], -1, True)),
    errors=((TABLE, [7], "index out of range in self"), (TABLE, [-1], "index out of range in self"), (TABLE[0], [1], "'weight' must be 2-D")),
)  # fmt: skip
def embedding_rows(weight: Array, indices: Array, padding_idx=-1, scale_grad_by_freq=False):
    """The rows of ``weight`` with the given numbers; the row ``padding_idx`` gets no gradient."""
    if weight.ndim != 2:
        raise errors.EMBEDDING_WEIGHT()
    if indices.dtype not in (np.int64, np.int32):
        raise errors.EMBEDDING_DTYPE(dtype=dtypes.of(indices).legacy)
    if np.any((indices < 0) | (indices >= len(weight))):
        raise errors.EMBEDDING_RANGE()
    return weight[indices]


def _shares(indices: np.ndarray, padding_idx: int, by_frequency: bool, dtype: Any) -> np.ndarray:
    share = (indices != padding_idx).astype(dtype)
    if by_frequency:
        _, inverse, counts = np.unique(indices, return_inverse=True, return_counts=True)
        share = share / counts[inverse.reshape(indices.shape)].astype(dtype)
    return share[..., None]


@op(
    gradients={"input": "embedding_take(g, indices, padding_idx, scale_grad_by_freq)"}, functions=(), methods=(), torch=None,
    latex=r"\operatorname{put}_{⟨1⟩}\left(⟨0⟩\right)", samples=((TABLE[:2], [0, 2], (3, 3), -1, False), (TABLE[:2], [0, 0], (3, 3), 1, True)),
)  # fmt: skip
def embedding_put(input: Array, indices: Array, shape, padding_idx, scale_grad_by_freq):
    """Zeros with each row added at its number."""
    result = np.zeros(shape, input.dtype)
    np.add.at(result, indices, input * _shares(indices, padding_idx, scale_grad_by_freq, input.dtype))
    return result


@op(
    gradients={"input": "embedding_put(g, indices, input.shape, padding_idx, scale_grad_by_freq)"}, functions=(), methods=(),
    torch=None, latex=r"⟨0⟩_{⟨1⟩}", samples=((TABLE, [0, 2], -1, False), (TABLE, [0, 0], 1, True)),
)  # fmt: skip
def embedding_take(input: Array, indices: Array, padding_idx, scale_grad_by_freq):
    """The rows that `embedding_put` added."""
    return input[indices] * _shares(indices, padding_idx, scale_grad_by_freq, input.dtype)


@op(functions=(), methods=(), symbol="one-hot", torch="nn.functional.one_hot", edges=(([0, 2, 1], 3), ([[0], [2]], 4), ([1, 0], -1)))
def one_hot(tensor: Array, num_classes=-1):
    """A vector for each class number: 1 at the class, 0 elsewhere."""
    if tensor.dtype != np.int64:
        raise errors.ONE_HOT_DTYPE()
    if not tensor.size and num_classes <= 0:
        raise errors.ONE_HOT_EMPTY()
    if np.any(tensor < 0):
        raise errors.ONE_HOT_NEGATIVE()
    classes = int(tensor.max(initial=-1)) + 1 if num_classes == -1 else num_classes
    if np.any(tensor >= classes):
        raise errors.ONE_HOT_RANGE()
    return (tensor[..., None] == np.arange(classes)).astype(np.int64)
