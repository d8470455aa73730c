"""What sparse tensors are computed with: operations on the values of their entries, given where these lie.

A place is a key of NumPy's, one array of numbers for each dimension. A sparse tensor of PyTorch is one node in the graph;
here the node is that of its values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.registry import Array, helper, op

VALUES, MORE = [0.5, -1.25, 2.0], [1.5, 0.75]
TABLE, COLUMNS = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], [[1.0, 2.0], [0.5, -1.0], [0.25, 3.0]]
ROWS, PLACES = np.array([0, 1, 1]), (np.array([0, 1, 1]), np.array([2, 0, 2]))
TWICE = (np.array([1, 1, 0]),)


def check_places(key: tuple[np.ndarray, ...], size: tuple[int, ...]) -> None:
    """Raises IndexError for an entry outside of the size."""
    for axis, (index, length) in enumerate(zip(key, size, strict=False)):
        wrong = (index < 0) | (index >= length)
        if wrong.any():
            raise errors.GATHER_RANGE(index=int(index[wrong][0]), dim=axis, size=length)


@helper(latex=r"⟨0⟩")
def same_entries(g: Any, key: Any) -> Any:
    """The gradient of the values of a sparse tensor, of which PyTorch keeps the places."""
    return g


@op(
    gradients={"values": "g"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    symbol="move",
    latex=r"⟨0⟩",
    samples=((VALUES,), (TABLE,)),
)
def moved_entries(values: Array):
    """The values of a sparse tensor whose entries are at other places."""
    return values.copy()


@op(
    gradients={"values": "same_entries(g, key)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("key",),
    grad_fn="SparseCooTensorWithDimsAndTensorsBackward0",
    symbol="sparse",
    latex=r"⟨0⟩",
    samples=((VALUES, PLACES), (TABLE, TWICE)),
)
def sparse_values(values: Array, key):
    """The values of a sparse tensor."""
    return values.copy()


@op(
    gradients={"values": "take_entries(g, key)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("key",),
    grad_fn="ToDenseBackward0",
    symbol="put",
    latex=r"\operatorname{put}\left(⟨0⟩\right)",
    samples=((VALUES, PLACES, (2, 3)), (VALUES, TWICE, (2,)), (COLUMNS, TWICE, (3, 2))),
)
def put_entries(values: Array, key, size):
    """Zeros, with each value added at its place: a sparse tensor as a dense one, or its duplicates summed."""
    check_places(key, size)
    try:
        result = np.zeros(size, values.dtype)
    except (MemoryError, ValueError):
        raise errors.ALLOCATION(bytes=math.prod(size) * values.dtype.itemsize) from None
    np.add.at(result, key, values)
    return result


@op(
    gradients={"input": "put_entries(g, key, input.shape)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("key",),
    grad_fn="ToSparseBackward1",
    symbol="entries",
    latex=r"\operatorname{entries}\left(⟨0⟩\right)",
    samples=((TABLE, PLACES), (VALUES, TWICE), (COLUMNS, TWICE)),
)
def take_entries(input: Array, key):
    """The elements at some places: the values of a dense tensor as a sparse one."""
    check_places(key, input.shape)
    return input[key]


@op(
    gradients={"values": "entries_at(g, groups)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    grad_fn="CoalesceBackward0",
    symbol="coalesce",
    latex=r"\operatorname{coalesce}\left(⟨0⟩\right)",
    samples=((VALUES, TWICE, (2,)), (COLUMNS, TWICE, (2, 2))),
)
def coalesced_entries(values: Array, groups, size):
    """The values of the entries, with those at the same place added. For its gradient PyTorch saves nothing."""
    return put_entries(values, groups, size)


@op(
    gradients={"input": "coalesced_entries(g, key, input.shape)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    grad_fn="ToSparseBackward1",
    symbol="entries",
    latex=r"\operatorname{entries}\left(⟨0⟩\right)",
    samples=((TABLE, PLACES), (VALUES, TWICE)),
)
def entries_at(input: Array, key):
    """`take_entries`, where PyTorch saves nothing for the gradient: the elements of a dense tensor that are not zero."""
    return take_entries(input, key)


@op(
    gradients={
        "values": "products_at(g, mat2, rows, columns)",
        "mat2": "sparse_product(values, g, columns, rows, mat2.shape)",
    },
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("rows", "columns"),
    grad_fn="SparseAddmmBackward0",
    symbol="@",
    latex=r"⟨0⟩\,⟨1⟩",
    samples=(
        (VALUES, COLUMNS, PLACES[0], PLACES[1], (2, 2)),
        (VALUES, [1.0, -2.0, 0.5], PLACES[0], PLACES[1], (2,)),
        (VALUES, COLUMNS, ROWS, ROWS, (2, 2)),
    ),
)
def sparse_product(values: Array, mat2: Array, rows, columns, size):
    """A sparse matrix times a dense one, or times a vector: each value adds its multiple of a row of ``mat2``."""
    check_places((rows, columns), (size[0], len(mat2)))
    result = np.zeros((size[0], *mat2.shape[1:]), np.result_type(values, mat2))
    np.add.at(result, rows, _beside(values, mat2) * mat2[columns])
    return result


def _beside(values: Any, mat2: np.ndarray) -> Any:
    return values[:, None] if mat2.ndim == 2 else values


@op(
    gradients={
        "input": "sparse_product(g, mat2, rows, columns, input.shape)",
        "mat2": "sparse_product(g, input, columns, rows, mat2.shape)",
    },
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    keeps=("rows", "columns"),
    symbol="at",
    latex=r"\left(⟨0⟩\,⟨1⟩^{\mathsf T}\right)_{\text{entries}}",
    samples=(([[0.5, 1.0], [2.0, -1.0]], COLUMNS, PLACES[0], PLACES[1]), ([1.0, 2.0], VALUES, PLACES[0], PLACES[1])),
)
def products_at(input: Array, mat2: Array, rows, columns):
    """The elements of ``input @ mat2.T`` at some places: the gradient of a sparse matrix, where it has entries."""
    products = input[rows] * mat2[columns]
    return products.sum(-1) if mat2.ndim == 2 else products


@op(
    gradients={"values": "take_entries(g, key)", "other": "take_entries(g, other_key)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    grad_fn="AddBackward0",
    symbol="+",
    latex=r"⟨0⟩ + ⟨1⟩",
    samples=((VALUES, MORE, (np.array([0, 1, 2]),), (np.array([1, 3]),), (4,)),),
)
def merge_entries(values: Array, other: Array, key, other_key, size):
    """The entries of two sparse tensors in one, with those at the same place added."""
    result = np.zeros(size, np.result_type(values, other))
    np.add.at(result, key, values)
    np.add.at(result, other_key, other)
    return result


@op(
    gradients={"input": "g", "values": "take_entries(g, key)"},
    functions=(),
    methods=(),
    inplace=False,
    torch=None,
    grad_fn="AddBackward0",
    symbol="+",
    latex=r"⟨0⟩ + ⟨1⟩",
    samples=((TABLE, VALUES, PLACES),),
)
def add_entries(input: Array, values: Array, key):
    """A dense tensor with the values of a sparse one added at their places."""
    check_places(key, input.shape)
    result = input.astype(np.result_type(input, values))
    np.add.at(result, key, values)
    return result
