"""A sparse tensor in coordinates: the places of its entries, and a tensor of their values that is in the graph.

What a program does with it is done with the values (`gradflow.engine.ops.index.sparse_entries`), so that gradients flow
and the picture shows one function for one of PyTorch's. Whatever is not provided is refused by name: a sparse tensor has
no array, and no function of the engine can take it for a dense one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Size, Tensor, dtypes
from gradflow.engine.tensor.device import refuse_card
from gradflow.engine.tensor.memory_format import SPARSE_COO
from gradflow.engine.tensor.printing import sparse_repr
from gradflow.engine.tensor.without_array import WithoutArray

Places = np.ndarray[Any, np.dtype[np.int64]]
"""Where the entries are: one row for each sparse dimension, one column for each entry."""


class SparseTensor(WithoutArray):
    """The entries of a tensor that are not zero. ``places``: (sparse dimensions, entries) int64; ``values``: a tensor."""

    _source: Tensor | None = None
    """The dense tensor in the graph that this was made of: its gradient can lie where there are no entries."""

    def __init__(self, places: Places, values: Tensor, size: Sequence[int], *, coalesced: bool = False) -> None:
        self._places, self._held, self._size = places, values, Size(size)
        self._coalesced = coalesced or places.shape[1] < 2

    @property
    def _a(self) -> np.ndarray:  # type: ignore[override]
        if self._dense is None:
            raise self._refused("this operation")
        return self._dense._a

    def _refused(self, name: str) -> Exception:
        return errors.SPARSE_REFUSED(name=name)

    @property
    def _entry(self) -> Any:  # type: ignore[override]
        return self._held._entry

    # -- what it is ------------------------------------------------------------------------------------------------

    is_sparse = property(lambda self: True)
    layout = property(lambda self: SPARSE_COO)

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        """False: there is no array."""
        return False

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Zeros: there is no array."""
        return (0,) * len(self._size) if dim is None else 0

    def sparse_dim(self) -> int:
        """How many dimensions the indices have."""
        return len(self._places)

    def dense_dim(self) -> int:
        """How many dimensions each value has."""
        return len(self._size) - len(self._places)

    def _nnz(self) -> int:
        return int(self._places.shape[1])

    def is_coalesced(self) -> bool:
        """Whether it is known that no place has two entries, and that they are in order."""
        return self._coalesced

    def __len__(self) -> int:
        return self._size[0]

    def __bool__(self) -> bool:
        raise errors.BOOL_AMBIGUOUS(elements="more than one value" if self.numel() else "no values")

    def __repr__(self) -> str:
        node = self.grad_fn
        return sparse_repr(
            self._places,
            self._held._a,
            tuple(self._size),
            dtype_default=dtypes.is_default(self.dtype),
            dtype_name=repr(self.dtype),
            grad_fn=None if node is None else node.printed_name,
            requires_grad=self.requires_grad,
        )

    def __deepcopy__(self, memo: dict[int, object]) -> SparseTensor:
        return self.over(self._held.__deepcopy__(memo))

    # -- its place in the graph ------------------------------------------------------------------------------------

    @property
    def grad(self) -> Tensor | None:
        """What backward passes have added up for the values, as a sparse tensor."""
        found = self._held.grad
        return None if found is None else self.over(found)

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        if new is not None:
            raise errors.SPARSE_REFUSED(name="a gradient of the program's own for a sparse tensor")
        self._held.grad = None

    def detach(self) -> SparseTensor:
        """The same entries outside the graph."""
        return self.over(self._held.detach())

    # -- its parts -------------------------------------------------------------------------------------------------

    def over(self, values: Tensor, places: Places | None = None) -> SparseTensor:
        """Other values at the same places, or at other ones."""
        if places is not None:
            return SparseTensor(places, values, self._size)
        return SparseTensor(self._places, values, self._size, coalesced=self._coalesced)

    def coalesce(self) -> SparseTensor:
        """The same tensor with its entries in order, and those at the same place added."""
        if self._coalesced:
            return self
        places, groups = ordered(self._places, self._size)
        size = (places.shape[1], *self._held._a.shape[1:])
        return SparseTensor(
            places,
            REGISTRY["coalesced_entries"].call(self._held, (groups,), size),
            self._size,
            coalesced=True,
        )

    def indices(self) -> Tensor:
        """The places of the entries. Raises RuntimeError before `coalesce`."""
        self._check_coalesced("indices")
        return new(self._places)

    def values(self) -> Tensor:
        """The values of the entries. Raises RuntimeError before `coalesce`."""
        self._check_coalesced("values")
        return titled(REGISTRY["sparse_values"].call(self._held, tuple(self._places)), "ValuesBackward0")

    def _check_coalesced(self, name: str) -> None:
        if not self._coalesced:
            raise errors.SPARSE_UNCOALESCED(name=name)

    def _indices(self) -> Tensor:
        return new(self._places)

    def _values(self) -> Tensor:
        return self._held.detach()

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        """The tensor with all its zeros."""
        dense: Any = REGISTRY["put_entries"].call(self._held, tuple(self._places), tuple(self._size))
        return dense if dtype is None else dense.to(dtype)

    def cpu(self) -> SparseTensor:
        """The tensor itself."""
        return self

    def cuda(self, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> NoReturn:
        """Raises: there is no graphics card."""
        refuse_card(device)

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Raises: there is no array."""
        raise errors.SPARSE_NUMPY()

    def item(self) -> Any:
        """Raises, where there is not one element."""
        if self.numel() != 1:
            raise errors.ITEM_NOT_SCALAR(elements=self.numel(), subject=self)
        return self.to_dense().item()


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
CLASS_MEMBERS: Final = (
    frozenset(vars(SparseTensor)) | frozenset(vars(WithoutArray)) | {"device", "__class__", "__init__", "__hash__"}
)
"""What a sparse tensor has of its own, before functions are installed."""


def ordered(places: Places, size: Sequence[int]) -> tuple[Places, np.ndarray]:
    """The places in order, each once, and for each entry which of them is its own."""
    unique, groups = np.unique(places, axis=1, return_inverse=True)
    return unique.reshape(len(places), -1), groups.reshape(-1)


def new(array: np.ndarray) -> Tensor:
    """A new tensor outside the graph."""
    result: Tensor = REGISTRY["tensor"].call(array)
    return result
