"""`torch.sparse_coo_tensor`, `torch.sparse` and the types of old; what the gate and the checks know of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, NoReturn

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.argument_messages import described
from gradflow.engine.namespace.checked_calls import dispatched_by, understood
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.functions.legacy_types import TENSOR
from gradflow.engine.namespace.sparse import compressed_rows, gradients, operations, parts, tables
from gradflow.engine.namespace.sparse.sparse_tensor import CLASS_MEMBERS, SparseTensor, new
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import Module, OpaqueType, Type, allow, is_public
from gradflow.engine.tensor import Size, Tensor, dtypes
from gradflow.engine.tensor.device import require_cpu
from gradflow.engine.tensor.late_methods import OPERATORS
from gradflow.engine.tensor.memory_format import SPARSE_COO, SPARSE_CSR

_HIDDEN: Final = ("_indices", "_values", "_nnz")
_ELEMENTS: Final = 50_000_000


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """A sparse tensor of its places (one row for each dimension) and values, or an empty one of a size.

    Raises RuntimeError in PyTorch's words where places, values and size do not fit each other.
    """
    require_cpu(device)
    if values is None:
        return _empty(indices if size is None else size, dtype, requires_grad)
    held = values if isinstance(values, Tensor) else creation.tensor(values)
    if dtype is not None:
        held = held.to(dtype)  # type: ignore[attr-defined]  # installed late
    given = indices if isinstance(indices, Tensor) else creation.tensor(indices)
    if size is not None:
        _check_count(given, held, tuple(size))
    places = _places(given)
    if held._a.ndim == 0 or places.shape[1] != len(held._a):
        count = 1 if held._a.ndim == 0 else len(held._a)
        raise errors.SPARSE_PARTS(
            message="indices and values must have same nnz, but got nnz from indices:"
            f" {places.shape[1]}, nnz from values: {count}",
            places=list(places.shape),
            count=count,
        )
    shape = _least(places, held) if size is None else tuple(int(n) for n in size)
    _check_size(places, held, shape)
    if requires_grad:
        return SparseTensor(places, creation.finish(new(held._a.copy()), True), shape, coalesced=bool(is_coalesced))
    return SparseTensor(
        places, REGISTRY["sparse_values"].call(held, tuple(places)), shape, coalesced=bool(is_coalesced)
    )


def _empty(size: Any, dtype: Any, requires_grad: bool) -> SparseTensor:
    shape = tuple(int(n) for n in (size or ()))
    values = new(np.zeros(0, dtypes.DEFAULT if dtype is None else dtype.numpy))
    return SparseTensor(
        np.zeros((len(shape), 0), np.int64), creation.finish(values, requires_grad), shape, coalesced=True
    )


def _places(given: Tensor) -> np.ndarray:
    array = given._a
    if array.ndim != 2 and not (array.ndim == 1 and not array.size):
        raise errors.SPARSE_PARTS(message=f"indices must be sparse_dim x nnz, but got: {list(array.shape)}")
    places: np.ndarray = (array.reshape(0, 0) if array.ndim == 1 else array).astype(np.int64)
    return places


def _least(places: np.ndarray, values: Tensor) -> tuple[int, ...]:
    """The smallest size that has room for the entries."""
    if places.size and (places < 0).any():
        dim = int(np.flatnonzero((places < 0).any(1))[0])
        raise errors.SPARSE_PARTS(message=f"found negative index {int(places[dim].min())} for dim {dim}")
    own = [int(row.max()) + 1 if row.size else 0 for row in places]
    return (*own, *values._a.shape[1:])


def _check_count(places: Tensor, values: Tensor, shape: tuple[Any, ...]) -> None:
    """Before all else PyTorch counts the dimensions: the first of the indices has a row for each that is sparse."""
    dense = max(values._a.ndim - 1, 0)
    sparse = len(places._a) if places._a.ndim else 0
    if places._a.ndim and len(shape) != sparse + dense:
        raise errors.SPARSE_PARTS(
            message="'len(size) == sparse_dim + dense_dim' is not satisfied:"
            f" len(size) = {len(shape)}, sparse_dim = {sparse}, dense_dim = {dense}",
            places=list(places._a.shape),
            count=len(values._a) if values._a.ndim else 1,
            wanted=len(shape) - dense,
        )


def _check_size(places: np.ndarray, values: Tensor, shape: tuple[int, ...]) -> None:
    if any(n < 0 for n in shape):
        raise errors.SPARSE_PARTS(
            message=f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    if shape[len(places) :] != values._a.shape[1:]:
        wanted = [places.shape[1], *shape[len(places) :]]
        raise errors.SPARSE_PARTS(message=f"values has incorrect size, expected {wanted}, got {list(values._a.shape)}")


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> SparseTensor:
    """``torch.sparse.spdiags``: a sparse matrix with the given diagonals."""
    if layout not in (None, SPARSE_COO):
        raise errors.SPARSE_REFUSED(name="`torch.sparse.spdiags` with another layout than torch.sparse_coo")
    rows, columns = (int(n) for n in shape)
    lines, shifts = np.atleast_2d(diagonals._a), np.atleast_1d(offsets._a)
    found = [
        (line, j, j - int(shift), j)
        for line, shift in enumerate(shifts)
        for j in range(min(columns, lines.shape[1]))
        if 0 <= j - shift < rows
    ]
    line, at, row, column = (np.array([each[part] for each in found], np.int64) for part in range(4))
    values = REGISTRY["take_entries"].call(diagonals, (line, at) if diagonals._a.ndim == 2 else (at,))
    return SparseTensor(np.stack([row, column]), values, (rows, columns))


class _SparseType(OpaqueType):
    """``torch.sparse.FloatTensor``: the constructor of old."""

    __slots__ = ("element", "title")

    def __init__(self, title: str, element: dtypes.dtype) -> None:
        super().__init__(SparseTensor)
        self.title, self.element = title, element

    def __call__(self, *args: Any) -> SparseTensor:
        if len(args) >= 2 and isinstance(args[0], Tensor) and isinstance(args[1], Tensor):
            if args[1].dtype is not self.element:
                raise errors.LEGACY_DTYPE(
                    wanted=dtypes.options_of(self.element), given=dtypes.options_of(args[1].dtype)
                )
            return sparse_coo_tensor(*args[:3])
        if any(isinstance(n, bool) or not isinstance(n, int | Size | tuple | list) for n in args):
            raise errors.UNSUPPORTED_ARGUMENTS(function=f"torch.sparse.{self.title}", given=described(args, {})[1:-1])
        size = args[0] if len(args) == 1 and isinstance(args[0], Size | tuple | list) else args
        return _empty(size, self.element, False)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, SparseTensor) and instance.dtype is self.element

    def __repr__(self) -> str:
        return f"<class 'torch.sparse.{self.title}'>"


# -- what is installed -------------------------------------------------------------------------------------------------


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise errors.SPARSE_REFUSED(name=f"`{name}`")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with an error of the engine's own making as one about its arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise understood(error, name, args, kwargs) from None

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def _computed(dense: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """A function of ``torch`` that was called with a sparse tensor."""
    function = tables.FUNCTIONS.get(dense.__name__)
    if function is None:
        raise errors.SPARSE_REFUSED(name=f"`{dense.__name__}`")
    return function(*args, **kwargs)


def install(public: list[str]) -> None:
    """Give sparse tensors their methods, refuse all others by name, and tell the gate. ``public``: what tensors show."""
    methods = tables.METHODS | {"to_sparse_csr": compressed_rows.to_sparse_csr}
    for name, function in methods.items():
        setattr(SparseTensor, name, function if name in OPERATORS else _guarded(name, function))
    for name in ("T", "mT"):
        setattr(SparseTensor, name, property(parts.reversed_dims))
    own = CLASS_MEMBERS | methods.keys() | {"T", "mT"}
    kept = {"is_cuda", "is_cpu", "is_quantized", "is_meta", "is_mps", "is_mkldnn", "is_xpu", "is_nested", "name"}
    kept |= {"is_sparse_csr"}
    for name in {*public, *OPERATORS, "__iter__", "__float__", "__int__", "__index__", "__complex__", "__array__"}:
        if name in own or name in kept:
            continue
        if isinstance(getattr(Tensor, name, None), property):
            if is_public(name) and name not in ("is_sparse", "output_nr", "retains_grad"):
                setattr(SparseTensor, name, property(_refusing(name)))
        else:
            setattr(SparseTensor, name, _refusing(name))
    _install_compressed(public)
    names = [*public, *_HIDDEN, "coalesce", "is_coalesced", "indices", "values", "sparse_dim", "dense_dim"]
    allow(
        SparseTensor,
        names,
        writable={"requires_grad", "grad"},
        shown_as=TENSOR,
        called=lambda _: "Tensor",
        copyable=True,
    )
    allow(_SparseType, typed=lambda _: Type)
    dispatched_by(SparseTensor, _computed)
    gradients.install()


def _install_compressed(public: list[str]) -> None:
    """The same for matrices in compressed rows."""
    cls = compressed_rows.CompressedRows
    kept = {"values", "indices", "coalesce", *CLASS_MEMBERS, *compressed_rows.METHODS}
    for name, function in compressed_rows.METHODS.items():
        setattr(cls, name, function if name in OPERATORS else _guarded(name, function))
    for name in {*tables.METHODS, "T", "mT"} - kept:
        refuse = _refusing(name)
        setattr(cls, name, property(refuse) if name in ("T", "mT") else refuse)
    names = [*public, "_nnz", "crow_indices", "col_indices", "values", "indices", "is_sparse_csr"]
    allow(cls, names, shown_as=TENSOR, called=lambda _: "Tensor", copyable=True)
    dispatched_by(cls, compressed_rows.computed)


DENSE_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "to_sparse": _guarded("to_sparse", parts.to_sparse),
    "to_sparse_coo": _guarded("to_sparse_coo", parts.to_sparse),
    "to_sparse_csr": _guarded("to_sparse_csr", compressed_rows.to_sparse_csr),
    "to_dense": parts.to_dense,
    "sparse_mask": _guarded("sparse_mask", parts.sparse_mask),
}


NAMES: Final[dict[str, Any]] = {
    "sparse_coo_tensor": _guarded("sparse_coo_tensor", sparse_coo_tensor),
    "sparse_csr_tensor": _guarded("sparse_csr_tensor", compressed_rows.sparse_csr_tensor),
    "sparse_coo": SPARSE_COO,
    "sparse_csr": SPARSE_CSR,
    "spmm": _guarded("spmm", operations.mm),
}


def module() -> Module:
    """``torch.sparse``."""
    members: dict[str, Any] = {
        "mm": operations.sparse_mm,
        "addmm": operations.sparse_addmm,
        "sum": parts.sparse_sum,
        "softmax": parts.softmax,
        "log_softmax": parts.log_softmax,
        "spdiags": spdiags,
    }
    kinds = (d for d in dtypes.ALL if not d.is_complex)
    members |= {f"{d.legacy}Tensor": _SparseType(f"{d.legacy}Tensor", d) for d in kinds}
    functions = {name: _guarded(name, value) for name, value in members.items() if isinstance(value, FunctionType)}
    return Module("torch.sparse", members | functions)
