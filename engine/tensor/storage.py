"""Storage and Size: the memory behind tensors, and their shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradflow.engine.errors.language import python
from gradflow.engine.numerics.strides import address

if TYPE_CHECKING:
    from gradflow.engine.autograd.node import AccumulateGrad
    from gradflow.engine.recording.entries import KeptGradient, NotedGradient, TensorEntry
    from gradflow.engine.tensor.tensor import Tensor

ARRAY_COPY_WARNING: Final = (
    "__array__ implementation doesn't accept a copy keyword, so passing copy=False failed. __array__ must implement 'dtype'"
    " and 'copy' keyword arguments. To learn more, see the migration guide"
    " https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword"
)
"""What NumPy says where it hands `copy` to the tensors of PyTorch, whatever its value is."""


class Storage:
    """Memory that a tensor and its views share. ``version`` counts in-place writes.

    ``owner`` is set where memory is shared but the count is not: a write through ``.data`` is not seen by the version
    check. ``entries`` are recorded arrays that lie in this memory; they are copied before it is written. ``exposed``:
    NumPy has the memory too. ``shared``: the program asked for memory that other processes could see.
    """

    version = 0
    owner: Storage | None = None
    entries: Sequence[TensorEntry | NotedGradient | KeptGradient] | None = None
    exposed = False
    shared = False

    @classmethod
    def uncounted(cls, memory: Storage, version: int = 0) -> Storage:
        """Another count of writes for the same memory."""
        storage = cls()
        storage.owner, storage.version = memory, version
        return storage

    def expose(self) -> None:
        """From now on NumPy can write into this memory without being seen."""
        self.before_write()
        self.memory.exposed = True

    @property
    def memory(self) -> Storage:
        """The storage that stands for the memory itself."""
        return self.owner or self

    def watch(self, entry: TensorEntry | NotedGradient | KeptGradient) -> None:
        """Have ``entry`` copied before the next write."""
        memory = self.owner or self
        if isinstance(memory.entries, list):
            memory.entries.append(entry)
        else:
            memory.entries = [*(memory.entries or ()), entry]

    def before_write(self) -> None:
        """Give every recorded array in this memory a copy of its own."""
        memory = self.owner or self
        if memory.entries is not None:
            for entry in memory.entries:
                entry.freeze()
            memory.entries = None


def copier(memo: dict[int, object]) -> Callable[[object], object]:
    """How ``copy.deepcopy`` copies what a tensor carries: as the memo of a program's copies says, or as Python does."""
    return getattr(memo, "copy_of", None) or partial(deepcopy, memo=memo)


def copied_memory(tensor: Tensor, memo: dict[int, object]) -> tuple[np.ndarray, Storage]:
    """The memory of a tensor for ``copy.deepcopy``: copied once for all tensors that share it, and seen as before."""
    array = whole = tensor._a
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not whole.flags.c_contiguous or tensor._through is not None:
        return array.copy(), Storage()
    held: Any = memo.get(id(whole))
    if held is None:
        held = memo[id(whole)] = (whole.copy(), Storage(), whole)
    offset = address(array) - address(whole)
    return np.ndarray(array.shape, array.dtype, held[0], offset, array.strides), held[1]


class Named(type):
    """A type that Python's own messages name together with its module, as they do PyTorch's: ``torch.Size``."""

    def __new__(cls, name: str, bases: tuple[type, ...], content: dict[str, Any], module: str = "torch") -> Named:
        made = super().__new__(cls, f"{module}.{name}", bases, content)
        made.__module__, made.__qualname__ = module, name
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], content: dict[str, Any], module: str = "torch") -> None:
        super().__init__(name, bases, content)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__


class Size(tuple[int, ...], metaclass=Named):
    """A shape; prints as ``torch.Size([2, 3])``."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return int(np.prod(self, dtype=np.int64))

    def __getitem__(self, key: Any) -> Any:
        picked = super().__getitem__(key)
        return Size(picked) if isinstance(key, slice) else picked

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise python.TYPE(message=f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size((*self, *other))

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return Size(tuple(self) * times)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__


def accumulator_of(leaf: Tensor, new: Tensor) -> Callable[[], AccumulateGrad | None] | None:
    """What refers to a leaf's accumulator when its memory becomes that of another tensor.

    Graphs made before keep the old one, and gradients of the old dtype; that of another shape stays as long as the
    program holds such a graph.
    """
    if new._a.dtype != leaf._a.dtype:
        return None
    if new._a.shape == leaf._a.shape:
        return leaf._accumulator
    return OF_ANOTHER_SHAPE[0](leaf)


OF_ANOTHER_SHAPE: Final[list[Callable[[Tensor], Callable[[], AccumulateGrad | None] | None]]] = []
"""What finds the accumulator of a leaf that has got another shape; `gradflow.engine.autograd.held_graphs` puts it here."""
