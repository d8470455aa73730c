"""``copy.deepcopy`` of tensors: memory that several of them share is copied once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.numerics.strides import address
from gradflow.engine.tensor.storage import Storage
from gradflow.engine.tensor.tensor import Tensor


def copied(tensor: Tensor, memo: dict[int, object]) -> tuple[np.ndarray, Storage]:
    """The memory of a tensor, copied once for all tensors of one `deepcopy` that share it, and seen as before."""
    whole = tensor._a
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not whole.flags.c_contiguous or tensor._through is not None:
        return tensor._a.copy(), Storage()
    held: Any = memo.get(id(whole))
    if held is None:
        held = memo[id(whole)] = (whole.copy(), Storage(), whole)
    array = tensor._a
    offset = address(array) - address(whole)
    return np.ndarray(array.shape, array.dtype, held[0], offset, array.strides), held[1]
