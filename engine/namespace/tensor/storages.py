"""Storages as programs see them: the memory behind a tensor, as bytes or as elements, to be read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.conj_neg_views import underlying
from gradflow.engine.numerics.strides import address, memory_of, strided
from gradflow.engine.sandbox.gate import OpaqueType, allow, type_name
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor, dtypes
from gradflow.engine.tensor.device import CPU

_DEPRECATED: Final = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)
_CASTS: Final = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "long": dtypes.int64, "int": dtypes.int32,
    "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
}  # fmt: skip


def start_of(array: np.ndarray) -> tuple[int, int]:
    """Where in its memory an array begins, and the length of that memory, in bytes."""
    start, length = memory_of(array)
    return (address(array) - start if length else 0), length


class UntypedStorage:
    """The memory behind a tensor, as bytes. Reading and writing beyond it raises IndexError."""

    def __init__(self, tensor: Tensor) -> None:
        first, length = start_of(tensor._a)
        size = length // tensor._a.itemsize
        self.array = strided(tensor._a, (size,), (tensor._a.itemsize,), -first) if size else tensor._a.reshape(-1)
        self.memory, self.offset, self._tensor = tensor._st.memory, tensor.storage_offset(), tensor

    def elements(self) -> np.ndarray:
        """What its entries are."""
        return self.array.view(np.uint8)

    def data_ptr(self) -> int:
        """The address of its first byte."""
        return address(self.array) if self.array.size else 0

    def nbytes(self) -> int:
        """Its length in bytes."""
        return int(self.array.nbytes)

    def size(self) -> int:
        """How many entries it has."""
        return int(self.elements().size)

    __len__ = size

    def tolist(self) -> list[Any]:
        """Its entries."""
        entries: list[Any] = self.elements().tolist()
        return entries

    def element_size(self) -> int:
        """Bytes for an entry."""
        return int(self.elements().itemsize)

    def clone(self) -> Any:
        """A copy in memory of its own."""
        return self._of(self.array.copy())

    def cpu(self) -> Any:
        """The storage itself: it is on the CPU."""
        return self

    def is_shared(self) -> bool:
        """Whether other processes have the memory: no."""
        return False

    @property
    def device(self) -> Any:
        """The CPU."""
        return CPU

    @property
    def is_cuda(self) -> bool:
        """Whether it is on a graphics card: no."""
        return False

    def fill_(self, value: Any) -> Any:
        """The same number everywhere."""
        self._write(slice(None), value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> Any:
        """The entries of another storage. Raises RuntimeError for one of another length."""
        if not isinstance(source, UntypedStorage):
            raise TypeError(f"'{type_name(source)}' object is no storage")
        if source.nbytes() != self.nbytes():
            raise errors.MEMORY_REFUSED(
                message=f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._write(slice(None), source.elements())
        return self

    def _write(self, index: Any, value: Any) -> None:
        self.memory.before_write()
        self.elements()[index] = value
        if STATE.recorder is not None:
            STATE.recorder.chronology.wrote(self._tensor, "data")

    def _position(self, index: Any, message: str) -> int:
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"can't index a {type_name(self)} with {type_name(index)}")
        size = len(self)
        if not -size <= index < size:
            raise errors.STORAGE_INDEX(message=message.format(index=index, size=size))
        return index

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._of(self.elements()[index].copy())
        return self.elements()[self._position(index, "index {index} out of range for storage of size {size}")].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            index = self._position(index, "index {index} is out of bounds for dimension 0 with size {size}")
        self._write(index, value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def _of(self, array: np.ndarray) -> Any:
        return type(self)(Tensor(array))

    def _title(self) -> str:
        return "torch.storage.UntypedStorage(device=cpu)"

    def __repr__(self) -> str:
        lines = "\n".join(f" {entry}" for entry in self.tolist())
        return f"{lines}\n[{self._title()} of size {len(self)}]"


class TypedStorage(UntypedStorage):
    """The memory behind a tensor, as elements of its dtype."""

    def elements(self) -> np.ndarray:
        """What its entries are."""
        return self.array

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of its entries."""
        return dtypes.of(self.array)

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        other = UntypedStorage.__new__(UntypedStorage)
        other.array, other.memory, other.offset, other._tensor = self.array, self.memory, self.offset, self._tensor
        return other

    def type(self) -> str:
        """The name of its type."""
        return f"torch.{self.pickle_storage_type()}"

    def pickle_storage_type(self) -> str:
        """The name of its type, without the module."""
        return f"{self.dtype.legacy}Storage"

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise errors.MEMORY_REFUSED(message="slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def _title(self) -> str:
        return f"torch.storage.TypedStorage(dtype={self.dtype!r}, device=cpu)"


def _casting(name: str, dtype: dtypes.dtype) -> Callable[[TypedStorage], Any]:
    def cast(self: TypedStorage) -> Any:
        return self._of(self.array.astype(dtype.numpy))

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The entries as {dtype.name}."
    return cast


class StorageType(OpaqueType):
    """``torch.FloatStorage``: a constructor of storages of one dtype, and the name of their type."""

    __slots__ = ("element",)

    def __init__(self, element: dtypes.dtype) -> None:
        super().__init__(TypedStorage)
        self.element = element

    def __call__(self, given: Any = 0) -> TypedStorage:
        array = np.zeros(given, self.element.numpy) if isinstance(given, int) else np.array(given, self.element.numpy)
        return TypedStorage(Tensor(array.reshape(-1)))

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is self.element

    def __repr__(self) -> str:
        return f"<class 'torch.{self.element.legacy}Storage'>"


TYPES: Final = {f"{d.legacy}Storage": StorageType(d) for d in dtypes.ALL}
"""Under ``torch``."""


def storage(self: Tensor) -> TypedStorage:
    """The memory behind the tensor, as elements."""
    warn(_DEPRECATED)
    return TypedStorage(self)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory behind the tensor, as bytes."""
    return UntypedStorage(underlying(self))


def storage_type(self: Tensor) -> StorageType:
    """The type of the memory behind the tensor."""
    return TYPES[f"{self.dtype.legacy}Storage"]


METHODS: Final[dict[str, Callable[..., Any]]] = {
    "storage": storage, "untyped_storage": untyped_storage, "storage_type": storage_type,
}  # fmt: skip
"""On Tensor."""

_NAMES: Final = (
    "data_ptr", "nbytes", "size", "tolist", "element_size", "clone", "cpu", "is_shared", "device", "is_cuda", "fill_", "copy_",
)  # fmt: skip


def _register() -> None:
    for name, dtype in _CASTS.items():
        setattr(TypedStorage, name, _casting(name, dtype))
    for cls in (UntypedStorage, TypedStorage):
        cls.__module__ = "torch.storage"
    allow(UntypedStorage, _NAMES)
    allow(TypedStorage, (*_NAMES, *_CASTS, "dtype", "untyped", "type", "pickle_storage_type"))
    allow(StorageType)


_register()
