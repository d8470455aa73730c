"""`reshape`: a view where the memory allows it, else a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.operands import spread
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


def resolve(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape with its one -1 filled in. Raises RuntimeError where the number of elements does not fit."""
    if shape.count(-1) > 1:
        raise errors.ONE_DIMENSION_INFERRED()
    for index, n in enumerate(shape):
        if n < -1:
            raise errors.INVALID_SHAPE_DIMENSION(size=n, index=index, shape=list(shape))
    known = int(np.prod([n for n in shape if n != -1], dtype=np.int64))
    if -1 in shape and not known and not size:
        raise errors.AMBIGUOUS_SHAPE(shape=list(shape))
    if -1 in shape and known and size % known == 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
    if -1 in shape or int(np.prod(shape, dtype=np.int64)) != size:
        raise errors.INVALID_SHAPE(shape=list(shape), size=size)
    return shape


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape: a view where the memory allows it, else a copy."""
    view = REGISTRY["view"]
    wanted = resolve(spread(shape, view, "shape"), input._a.size)
    if input._a.flags.c_contiguous:
        result: Tensor = view.call(input, *wanted) if wanted else view.call(input, ())
        return result
    try:
        result = REGISTRY["reshape_alias"].call(input, wanted)
    except ValueError:
        result = REGISTRY["unsafe_view"].call(REGISTRY["contiguous_copy"].call(input), wanted)
    return result
