"""Sparse matrices in compressed rows (``torch.sparse_csr``): made, multiplied, looked at and turned into other layouts.

They are graphs and tables that a program multiplies by; gradients flow to the other factor. Whatever is not provided is
refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.sparse import operations, parts, tables
from gradflow.engine.namespace.sparse.sparse_tensor import Places, SparseTensor, new
from gradflow.engine.numerics import bounded_counts
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import require_cpu
from gradflow.engine.tensor.memory_format import SPARSE_CSR
from gradflow.engine.tensor.printing import compressed_repr

_BETA: Final = (
    "Sparse CSR tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit"
    " a feature request to https://github.com/pytorch/pytorch/issues. (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/SparseCsrTensorImpl.cpp:49.)"
)
_UNCHECKED: Final = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse"
    " tensor which violates the invariants, but checks incur performance overhead. To silence this warning, explicitly"
    " opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance.  (Triggered internally at"
    " /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:816.)"
)


class CompressedRows(SparseTensor):
    """A matrix in compressed rows. ``crow``: (rows + 1) where each row begins; ``places``: as in `SparseTensor`."""

    is_sparse = property(lambda self: False)
    is_sparse_csr = property(lambda self: True)
    layout = property(lambda self: SPARSE_CSR)

    def __init__(self, crow: np.ndarray, places: Places, values: Tensor, size: Sequence[int]) -> None:
        if values.requires_grad:
            raise errors.SPARSE_REFUSED(name="`requires_grad=True` in compressed rows")
        super().__init__(places, values, size, coalesced=True)
        self._crow = crow
        warn(_BETA, once=True)

    def over(self, values: Tensor, places: Places | None = None) -> SparseTensor:
        """Other values at the same places."""
        return CompressedRows(self._crow, self._places, values, self._size)

    def crow_indices(self) -> Tensor:
        """Where each row begins among the entries, and at last how many there are."""
        return new(self._crow)

    def col_indices(self) -> Tensor:
        """The column of each entry."""
        return new(self._places[1])

    def values(self) -> Tensor:
        """The values of the entries."""
        return self._held.detach()

    def indices(self) -> Tensor:
        """Raises RuntimeError: there are compressed ones."""
        raise _other_layout("indices")

    def coalesce(self) -> SparseTensor:
        """The tensor itself, for the engine's own functions."""
        return self

    def __repr__(self) -> str:
        return compressed_repr(
            self._crow,
            self._places[1],
            self._held._a,
            tuple(self._size),
            dtype_default=dtypes.is_default(self.dtype),
            dtype_name=repr(self.dtype),
        )


CompressedRows.__name__ = CompressedRows.__qualname__ = "Tensor"


def _other_layout(name: str) -> Exception:
    return errors.SPARSE_PARTS(message=f"{name} expected sparse coordinate tensor layout but got SparseCsr")


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> CompressedRows:
    """A sparse matrix in compressed rows. Raises RuntimeError where the parts do not fit each other."""
    require_cpu(device)
    if check_invariants is None:
        warn(_UNCHECKED, once=True)
    crow, columns = _whole(crow_indices, "crow_indices"), _whole(col_indices, "col_indices")
    held = values if isinstance(values, Tensor) else creation.tensor(values)
    held = held if dtype is None else held.to(dtype)  # type: ignore[attr-defined]  # installed late
    if requires_grad:
        raise errors.SPARSE_REFUSED(name="`requires_grad=True` in compressed rows")
    if held._a.ndim != 1:
        raise errors.SPARSE_REFUSED(name="values with dimensions of their own in compressed rows")
    count, entries = len(crow) - 1, len(columns)
    shape = (count, int(columns.max(initial=-1)) + 1) if size is None else tuple(int(n) for n in size)
    if len(shape) != 2:
        raise errors.SPARSE_REFUSED(name="a batch of matrices in compressed rows")
    for holds, rule in (
        (len(held._a) == entries, "values.shape[0] == nnz"),
        (count == shape[0], "crow_indices.shape[-1] == nrows + 1"),
        (crow[:1].tolist() == [0], "crow_indices[..., 0] == 0"),
        (crow[-1:].tolist() == [entries], "crow_indices[..., -1] == nnz"),
        (_ascend(crow, entries), "0 <= crow_indices[..., 1:] - crow_indices[..., :-1] <= ncols"),
        (bool(((columns >= 0) & (columns < shape[1])).all()), "0 <= col_indices < ncols"),
    ):
        if not holds:
            raise errors.SPARSE_PARTS(message=f"`{rule}` is not satisfied.")
    rows = bounded_counts.repeat(np.arange(count), np.diff(crow))
    return CompressedRows(crow, np.stack([rows, columns]), new(held._a.copy()), shape)


def _ascend(crow: np.ndarray, entries: int) -> bool:
    """Whether no row begins before the one above it, or beyond the entries: of other numbers the differences would not fit 64 bits."""
    return bool(((crow >= 0) & (crow <= entries)).all() and (np.diff(crow) >= 0).all())


def _whole(given: Any, name: str) -> np.ndarray:
    array = (given if isinstance(given, Tensor) else creation.tensor(given))._a
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise errors.SPARSE_PARTS(message=f"{name} must be a vector of integers, but got shape {list(array.shape)}")
    whole: np.ndarray = array.astype(np.int64)
    return whole


def to_sparse_csr(self: Tensor, dense_dim: Any = None) -> CompressedRows:
    """A matrix in compressed rows."""
    if isinstance(self, CompressedRows):
        return self
    if self.ndim != 2 or dense_dim:
        raise errors.SPARSE_REFUSED(name="`to_sparse_csr` with another number of dimensions than 2")
    found = parts.to_sparse(self).coalesce()
    counts = bounded_counts.bincount(found._places[0], minlength=found._size[0])
    crow = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return CompressedRows(crow, found._places, found._held, found._size)


def to_sparse(self: CompressedRows, *given: Any, **settings: Any) -> SparseTensor:
    """The same matrix in coordinates."""
    return SparseTensor(self._places, self._held, self._size, coalesced=True)


def _product(name: str) -> Callable[..., Tensor]:
    function: Callable[..., Tensor] = tables.FUNCTIONS[name]

    def product(input: Tensor, other: Tensor) -> Tensor:
        found = function(input, other)
        both = isinstance(input, CompressedRows) and isinstance(other, CompressedRows)
        return to_sparse_csr(found) if both else found

    product.__name__ = product.__qualname__ = name
    return product


def _scaled(name: str) -> Callable[..., Tensor]:
    def scale(input: Any, other: Any) -> Tensor:
        if isinstance(input, Tensor) and isinstance(other, Tensor):
            raise errors.SPARSE_REFUSED(name=f"`{name}` with another tensor in compressed rows")
        result: Tensor = tables.FUNCTIONS[name](input, other)
        return result

    scale.__name__ = scale.__qualname__ = name
    return scale


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _product(name) for name in ("mm", "matmul", "mv", "spmm")},
    **{name: _scaled(name) for name in ("mul", "multiply", "div", "divide", "true_divide")},
    **{name: tables.FUNCTIONS[name] for name in ("neg", "negative", "clone", *tables.KEEP_ZERO)},
    "sum": lambda input: parts.sum(input),
}
"""The functions of ``torch`` that take matrices in compressed rows, by name."""

METHODS: Final[dict[str, Callable[..., Any]]] = {
    **FUNCTIONS,
    **{name: tables.conversion(kind) for name, kind in tables.KINDS.items()},
    "to": parts.to,
    "to_sparse": to_sparse,
    "to_sparse_coo": to_sparse,
    "to_sparse_csr": to_sparse_csr,
    "crow_indices": CompressedRows.crow_indices,
    "col_indices": CompressedRows.col_indices,
    "__matmul__": tables.operator(FUNCTIONS["matmul"], numbers=False),
    "__rmatmul__": tables.operator(lambda self, other: FUNCTIONS["matmul"](other, self), numbers=False),
    "__mul__": tables.operator(FUNCTIONS["mul"]),
    "__rmul__": tables.operator(lambda self, other: FUNCTIONS["mul"](self, other)),
    "__truediv__": tables.operator(FUNCTIONS["div"]),
    "__neg__": operations.neg,
}


def computed(dense: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A function of ``torch`` that was called with a matrix in compressed rows."""
    function = FUNCTIONS.get(dense.__name__)
    if function is None:
        raise errors.SPARSE_REFUSED(name=f"`{dense.__name__}` in compressed rows")
    return function(*args, **kwargs)
