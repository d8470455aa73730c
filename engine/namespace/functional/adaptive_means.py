"""Adaptive pools to one number, for which PyTorch takes the mean of the last dimensions, however many others there are."""

from __future__ import annotations

from typing import Any

from gradflow.engine.namespace.functions import composite
from gradflow.engine.tensor import Tensor, check_dim


def is_one(output_size: Any, dims: int) -> bool:
    """Whether one number is wanted of every window of this many dimensions."""
    if isinstance(output_size, tuple | list):
        return len(output_size) == dims and all(isinstance(one, int) and one == 1 for one in output_size)
    return isinstance(output_size, int) and output_size == 1


def whole_mean(input: Tensor, dims: int) -> Tensor:
    """The mean over the last dimensions, which stay with the size 1."""
    for dim in range(1, dims + 1):
        check_dim(-dim, input._a.ndim)
    return composite.mean(input, tuple(range(-dims, 0)), True)
