"""``torch.memory_format``: the order in which the elements of a tensor lie in memory."""

from __future__ import annotations

from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.tensor.closed import Closed, close


class memory_format(Closed):
    """An order of elements. ``axes``: the dimensions from the outermost in memory to the innermost; None: any."""

    __slots__ = ("axes", "name")

    def __init__(self, name: str, axes: tuple[int, ...] | None = None) -> None:
        self.name, self.axes = name, axes

    def __repr__(self) -> str:
        return f"torch.{self.name}"


memory_format.__module__ = "torch"
CONTIGUOUS: Final = memory_format("contiguous_format")
PRESERVE: Final = memory_format("preserve_format")
CHANNELS_LAST: Final = memory_format("channels_last", (0, 2, 3, 1))
CHANNELS_LAST_3D: Final = memory_format("channels_last_3d", (0, 2, 3, 4, 1))
FORMATS: Final = {f.name: f for f in (CONTIGUOUS, PRESERVE, CHANNELS_LAST, CHANNELS_LAST_3D)}


class layout(Closed):
    """How the elements of a tensor are held: as an array, or as the entries that are not zero, with their places."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


layout.__module__ = "torch"
STRIDED: Final = layout("strided")
SPARSE_COO: Final = layout("sparse_coo")
SPARSE_CSR: Final = layout("sparse_csr")
close(memory_format, layout)


def empty(like: np.ndarray, wanted: memory_format | None, dtype: np.dtype | None = None) -> np.ndarray:
    """Memory for the shape of an array in an order. Raises RuntimeError where the order has other dimensions."""
    if wanted is None or wanted is PRESERVE:
        return np.empty_like(like, dtype, order="C" if 0 in like.strides else "K")
    if wanted.axes is None:
        return np.empty_like(like, dtype, order="C")
    if like.ndim != len(wanted.axes):
        raise errors.MEMORY_FORMAT(message=f"required rank {len(wanted.axes)} tensor to use {wanted.name} format")
    made = np.empty([like.shape[axis] for axis in wanted.axes], dtype or like.dtype)
    return made.transpose(np.argsort(wanted.axes))


def copied(array: np.ndarray, wanted: memory_format | None, dtype: np.dtype | None = None) -> np.ndarray:
    """The elements of an array in an order."""
    result = empty(array, wanted, dtype)
    result[...] = array
    return result


def is_ordered(array: np.ndarray, wanted: memory_format) -> bool:
    """Whether the elements lie in this order, without gaps."""
    if wanted is PRESERVE:
        raise errors.MEMORY_FORMAT(message="preserve memory format is unsupported by the contiguous operator")
    if wanted.axes is None:
        return bool(array.flags.c_contiguous)
    return array.ndim == len(wanted.axes) and bool(array.transpose(wanted.axes).flags.c_contiguous)
