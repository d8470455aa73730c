"""Dimensions as programs give them: counted from either end, one or several, or none for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.tensor import check_dim, dtypes


def axes(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """``dim`` as NumPy's ``axis``: None for all. Raises IndexError out of range, RuntimeError for a repeated one."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    picked = tuple(check_dim(int(d), ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    for d in picked:
        if picked.count(d) > 1:
            raise errors.DIM_REPEATED(dim=d)
    return picked if ndim else ()


def reduced_shape(shape: tuple[int, ...], dim: Any) -> tuple[int, ...]:
    """The shape of a reduction that keeps its dimensions."""
    picked = axes(dim, len(shape))
    return tuple(1 if picked is None or i in picked else n for i, n in enumerate(shape))


def expand_reduced(array: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> np.ndarray:
    """The result of a reduction of a tensor of ``shape`` over ``dim``, with the reduced dimensions as 1."""
    return np.asarray(array).reshape(reduced_shape(shape, dim))


def norm_dtype(x: np.ndarray, dtype: Any) -> Any:
    """The dtype to compute in. Raises RuntimeError for one that a norm of this tensor does not have."""
    own = "complex" if x.dtype.kind == "c" else "real"
    if dtype.category < dtypes.FLOAT:
        raise errors.NORM_RESULT(wanted="floating point or complex", dtype=dtype.legacy)
    if (dtype.category == dtypes.COMPLEX) is (own == "real"):
        raise errors.NORM_RESULT(wanted=f"{own} for {own} inputs", dtype=dtype.legacy)
    return dtype
