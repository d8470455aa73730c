"""Rows of a table by their numbers, and one-hot vectors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.bounded_counts import bincount, repeat
from gradflow.engine.numerics.entries import entries
from gradflow.engine.registry import Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes

TABLE = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [0.1, 0.2, 0.3]]
BAG = [[0, 2], [1, 1]]


def _swapped(function: Any, weight: Any, indices: Any, padding_idx: int = -1, scale: bool = False) -> Any:
    return function(indices, weight, None if padding_idx < 0 else padding_idx, scale_grad_by_freq=scale)


def _looked_up(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    if weight.ndim != 2:
        raise errors.EMBEDDING_WEIGHT()
    if indices.dtype not in (np.int64, np.int32):
        raise errors.EMBEDDING_DTYPE(dtype=dtypes.tensor_type(indices), function="embedding")
    if np.any((indices < 0) | (indices >= len(weight))):
        raise errors.EMBEDDING_RANGE()
    rows: np.ndarray = weight[indices]
    return rows


@op(
    gradients={"weight": "embedding_put(g, indices, weight.shape, padding_idx, scale_grad_by_freq)"},
    latex=r"⟨0⟩_{⟨1⟩}",
    symbol="rows",
    functions=(),
    methods=(),
    grad_fn="EmbeddingBackward0",
    torch="nn.functional.embedding",
    adapt=_swapped,
    samples=((TABLE, [0, 2]), (TABLE, BAG), (TABLE, [0, 2], -1, True)),
    edges=((TABLE, BAG, 1),),
    errors=(
        (TABLE, [7], "index out of range in self"),
        (TABLE, [-1], "index out of range in self"),
        (TABLE[0], [1], "'weight' must be 2-D"),
    ),
)
def embedding_rows(weight: Array, indices: Array, padding_idx=-1, scale_grad_by_freq=False):
    """The rows of ``weight`` with the given numbers; the row ``padding_idx`` gets no gradient."""
    return _looked_up(weight, indices)


def _shares(indices: np.ndarray, padding_idx: int, by_frequency: bool, dtype: Any) -> np.ndarray:
    share = (indices != padding_idx).astype(dtype)
    if by_frequency:
        _, inverse, counts = np.unique(indices, return_inverse=True, return_counts=True)
        share = share / counts[inverse.reshape(indices.shape)].astype(dtype)
    return share[..., None]


@op(
    gradients={"input": "embedding_take(g, indices, padding_idx, scale_grad_by_freq)"},
    functions=(),
    methods=(),
    grad_fn="EmbeddingDenseBackwardBackward0",
    torch=None,
    latex=r"\operatorname{put}_{⟨1⟩}\left(⟨0⟩\right)",
    samples=((TABLE[:2], [0, 2], (3, 3), -1, False), (TABLE[:2], [0, 0], (3, 3), 1, True)),
)
def embedding_put(input: Array, indices: Array, shape, padding_idx, scale_grad_by_freq):
    """Zeros with each row added at its number."""
    result = np.zeros(shape, input.dtype)
    np.add.at(result, indices, input * _shares(indices, padding_idx, scale_grad_by_freq, input.dtype))
    return result


@op(
    gradients={"input": "embedding_put(g, indices, input.shape, padding_idx, scale_grad_by_freq)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"⟨0⟩_{⟨1⟩}",
    samples=((TABLE, [0, 2], -1, False), (TABLE, [0, 0], 1, True)),
)
def embedding_take(input: Array, indices: Array, padding_idx, scale_grad_by_freq):
    """The rows that `embedding_put` added."""
    return input[indices] * _shares(indices, padding_idx, scale_grad_by_freq, input.dtype)


@op(
    gradients={"weight": "embedding_put_sparse(g, indices, weight.shape, padding_idx)"},
    latex=r"⟨0⟩_{⟨1⟩}",
    symbol="rows",
    functions=(),
    methods=(),
    grad_fn="EmbeddingBackward0",
    torch=None,
    samples=((TABLE, [0, 2]), (TABLE, BAG), (TABLE, [0, 2], 1)),
    errors=((TABLE, [7], "index out of range in self"),),
)
def embedding_rows_sparse(weight: Array, indices: Array, padding_idx=-1):
    """As `embedding_rows`; the gradient of the table is sparse."""
    return _looked_up(weight, indices)


@op(
    gradients={"input": "embedding_take(g, indices, padding_idx, False)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{put}_{⟨1⟩}\left(⟨0⟩\right)",
    samples=((TABLE[:2], [0, 2], (3, 3), -1), (TABLE[:2], [0, 0], (3, 3), 1)),
)
def embedding_put_sparse(input: Array, indices: Array, shape, padding_idx):
    """As `embedding_put`; the result remembers its entries."""
    kept = indices.reshape(-1) != padding_idx
    places, values = indices.reshape(-1)[kept], input.reshape(-1, shape[1])[kept]
    result = np.zeros(shape, input.dtype)
    np.add.at(result, places, values)
    return entries(result, places[None].astype(np.int64), values)


@op(
    functions=(),
    methods=(),
    symbol="one-hot",
    torch="nn.functional.one_hot",
    edges=(([0, 2, 1], 3), ([[0], [2]], 4), ([1, 0], -1)),
)
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


# -- bags --------------------------------------------------------------------------------------------------------------


def lengths_of(starts: Any) -> list[int]:
    """How many rows each bag has."""
    return [end - start for start, end in pairwise(starts)]


def _counted(indices: np.ndarray, starts: Any, padding_idx: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each number its bag, whether it counts, and for each bag how many count."""
    lengths = lengths_of(starts)
    bag = repeat(np.arange(len(lengths)), lengths)
    kept = indices != padding_idx
    return bag, kept, bincount(bag[kept], minlength=len(lengths))


@helper(latex=r"\operatorname{share}")
def bag_shares(weight, indices, starts, mode, padding_idx):
    """With which factor each looked-up element enters its bag, (numbers, columns); for arrays and for Tensors."""
    table, numbers = _array(weight), _array(indices)
    bag, kept, counts = _counted(numbers, starts, padding_idx)
    if mode == "max":
        share = _winners(table[numbers], bag, kept, len(counts)).astype(table.dtype)
    else:
        scale = np.where(counts > 0, counts, 1)[bag] if mode == "mean" else np.ones(len(bag))
        share = repeat((kept / scale).astype(table.dtype)[:, None], table.shape[1], 1)
    return Tensor(share) if isinstance(weight, Tensor) else share


def _array(value: Any) -> Any:
    return value._a if isinstance(value, Tensor) else value


def _winners(rows: np.ndarray, bag: np.ndarray, kept: np.ndarray, bags: int) -> np.ndarray:
    """Where the largest element of each bag stands, column by column; of equal ones the first."""
    top = np.full((bags, rows.shape[1]), -np.inf)
    np.maximum.at(top, bag[kept], rows[kept])
    equal = (rows == top[bag]) & kept[:, None]
    first = np.full((bags, rows.shape[1]), len(rows))
    order = np.where(equal, np.arange(len(rows))[:, None], len(rows))
    np.minimum.at(first, bag, order)
    winners: np.ndarray = equal & (np.arange(len(rows))[:, None] == first[bag])
    return winners


@op(
    gradients={"input": "bag_spread(g, starts)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\textstyle\sum ⟨0⟩",
    samples=((TABLE, (0, 1, 3)),),
)
def bag_sum(input: Array, starts):
    """The sum of the rows of each bag."""
    bag = repeat(np.arange(len(starts) - 1), lengths_of(starts))
    result = np.zeros((len(starts) - 1, input.shape[1]), input.dtype)
    np.add.at(result, bag, input)
    return result


@op(
    gradients={"input": "bag_sum(g, starts)"},
    functions=(),
    methods=(),
    torch=None,
    latex="⟨0⟩",
    samples=((TABLE[:2], (0, 1, 3)),),
)
def bag_spread(input: Array, starts):
    """The row of its bag for every number."""
    return repeat(input, lengths_of(starts), axis=0)


_OF_TABLE: Final = (
    "embedding_put(weighted(bag_spread(g, starts), sample_column(per_sample_weights))"
    " * bag_shares(weight, indices, starts, mode, padding_idx), indices, weight.shape, padding_idx, scale_grad_by_freq)"
)


def _bag_of(
    function: Any, weight: Any, indices: Any, weights: Any, starts: Any, mode: str, padding: int, scale: bool
) -> Any:
    offsets = indices.new_tensor(starts[:-1])
    return function(
        indices, weight, offsets, mode=mode, per_sample_weights=weights, padding_idx=None if padding < 0 else padding
    )


@op(
    gradients={
        "weight": (
            _OF_TABLE,
            f"last({_OF_TABLE}, g, None, per_sample_weights, None, '_embedding_bag_backward', 'EmbeddingBag')",
        ),
        "per_sample_weights": "sum_dim(bag_spread(g, starts) * embedding_take(weight, indices, padding_idx, False), 1)",
    },
    latex=r"\textstyle\sum ⟨0⟩_{⟨1⟩}",
    symbol="bag",
    functions=(),
    methods=(),
    grad_fn="EmbeddingBagBackward0",
    torch="nn.functional.embedding_bag",
    adapt=_bag_of,
    samples=(
        (TABLE, [0, 2, 1], None, (0, 1, 3), "sum", -1, False),
        (TABLE, [0, 2, 1], None, (0, 2, 3), "mean", -1, False),
        (TABLE, [0, 2, 1], [0.5, 2.0, -1.0], (0, 1, 3), "sum", -1, False),
        (TABLE, [0, 2, 1], None, (0, 3), "mean", 1, False),
        (TABLE, [0, 2, 1], None, (0, 2, 3), "max", -1, False),
    ),
)
def bag(weight: Array, indices: Array, per_sample_weights: Array | None, starts, mode, padding_idx, scale_grad_by_freq):
    """The sum, mean or maximum of the rows in each bag; ``starts`` says where each bag begins and the last one ends."""
    rows = embedding_rows(weight, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    return bag_sum(rows * bag_shares(weight, indices, starts, mode, padding_idx), starts)


@helper(latex="⟨0⟩")
def sample_column(weights):
    """One weight for each row, to be broadcast."""
    return None if weights is None else weights.reshape((-1, 1))
