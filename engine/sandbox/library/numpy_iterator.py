"""``np.nditer``: the elements of arrays one after the other, with their places, as loops of finite differences use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.array_elements import checked_array
from gradflow.engine.sandbox.gate import allow

_FLAGS: Final = frozenset(
    {"multi_index", "c_index", "refs_ok", "zerosize_ok", "copy_if_overlap", "buffered", "grow_inner"}
)
_OPEN: Final = "close copy finished index iterindex iternext itersize multi_index ndim nop operands reset shape value"


class nditer:
    """Goes through arrays that are broadcast together, in the order of rows.

    Every element is an array of no dimensions that looks into its own array; it can be written where ``op_flags`` say so.
    """

    def __init__(self, op: Any, flags: Sequence[str] | None = None, op_flags: Any = None, **options: Any) -> None:
        for flag in (*(flags or ()), *options):
            if flag not in _FLAGS:
                raise errors.NOT_PROVIDED(name=f"np.nditer with {flag}", value=None)
        given = list(op) if isinstance(op, list | tuple) else [op]
        wanted = list(op_flags or ())
        each = wanted if wanted and not isinstance(wanted[0], str) else [wanted] * len(given)
        self._flags = frozenset(flags or ())
        self._single = not isinstance(op, list | tuple)
        arrays = [checked_array(operand) for operand in given]
        self.shape = np.broadcast_shapes(*(array.shape for array in arrays))
        self._views: list[Any] = []
        for array, own in zip(arrays, each, strict=True):
            view = np.broadcast_to(array, self.shape) if array.shape != self.shape else array[...]
            if not {"readwrite", "writeonly"} & set(own):
                view.flags.writeable = False
            self._views.append(view)
        self.operands = tuple(arrays)
        self.ndim, self.nop, self.itersize = len(self.shape), len(arrays), int(np.prod(self.shape, dtype=np.int64))
        self.iterindex = 0

    @property
    def finished(self) -> bool:
        """Whether all elements have been visited."""
        return self.iterindex >= self.itersize

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The place of the element at hand. ValueError unless the flag ``multi_index`` was given."""
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place()

    @property
    def index(self) -> int:
        """The number of the element at hand. ValueError unless the flag ``c_index`` was given."""
        if "c_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        return self.iterindex

    def _place(self) -> tuple[int, ...]:
        if self.finished:
            raise ValueError("Iterator is past the end")
        return tuple(int(k) for k in np.unravel_index(self.iterindex, self.shape)) if self.shape else ()

    @property
    def value(self) -> Any:
        """The element at hand; of several arrays a tuple."""
        place = (*self._place(), ...)
        found = tuple(view[place] for view in self._views)
        return found[0] if self._single else found

    def iternext(self) -> bool:
        """Go on; whether there is another element."""
        self.iterindex += 1
        return not self.finished

    def reset(self) -> None:
        """Back to the first element."""
        self.iterindex = 0

    def close(self) -> None:
        """Nothing waits to be written."""

    def __iter__(self) -> Iterator[Any]:
        while not self.finished:
            yield self.value
            self.iternext()

    def __len__(self) -> int:
        return self.nop

    def __getitem__(self, index: int) -> Any:
        return self._views[index][(*self._place(), ...)]

    def __setitem__(self, index: int, value: Any) -> None:
        self._views[index][(*self._place(), ...)] = value

    def __enter__(self) -> nditer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


allow(nditer, _OPEN.split(), shown_as=nditer)
nditer.__module__ = "numpy"
