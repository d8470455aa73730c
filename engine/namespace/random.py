"""``torch.rand`` and the other tensors of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtypes, errors
from engine.namespace.creation import as_size, finish
from engine.ops.create import checked
from engine.random import GENERATOR
from engine.registry import REGISTRY
from engine.state import warn
from engine.tensor import Tensor

UNSEEDED = (
    "No seed was set: PyTorch would draw other numbers at every run. Here a run without torch.manual_seed(...) always "
    "draws the same ones, so that it can be repeated."
)


def _made(array: np.ndarray, requires_grad: Any = False) -> Tensor:
    if not GENERATOR.seeded:
        warn(UNSEEDED, "Note", once=True)
    return finish(REGISTRY["tensor"].call(array), requires_grad)


def _count(size: tuple[int, ...]) -> int:
    return int(np.prod(checked(size), dtype=np.int64))


def manual_seed(seed: int) -> object:
    """Begin the random numbers from a seed."""
    GENERATOR.start(int(seed))
    GENERATOR.seeded = True
    return None


def _drawn(size: tuple[int, ...], dtype: Any, distribution: str) -> np.ndarray:
    kind = (dtype or dtypes.float32).numpy
    if kind.kind != "f":
        raise errors.NOT_IMPLEMENTED_DTYPE(name="check_uniform_bounds", dtype=dtypes.BY_NUMPY[kind].legacy)
    samples: np.ndarray = getattr(GENERATOR, distribution)(_count(size), kind).reshape(size)
    return samples


def rand(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Samples from the uniform distribution on [0, 1)."""
    return _made(_drawn(as_size(size, "rand"), dtype, "uniform"), requires_grad)


def randn(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Samples from the standard normal distribution."""
    return _made(_drawn(as_size(size, "randn"), dtype, "normal"), requires_grad)


def rand_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Uniform samples in the shape and dtype of another tensor."""
    return _made(_drawn(input._a.shape, dtype or input.dtype, "uniform"), requires_grad)


def randn_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Normal samples in the shape and dtype of another tensor."""
    return _made(_drawn(input._a.shape, dtype or input.dtype, "normal"), requires_grad)


def randint(
    *bounds: Any,
    low: int = 0,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers from low (0 if left out) up to high - 1."""
    given = list(bounds)
    if size is None and given:
        size = given.pop()
    if given:
        low, high = (low, given[0]) if len(given) == 1 else (given[0], given[1])
    if high is None or size is None:
        raise errors.MISSING_PYTHON_ARGUMENT(function="randint", count=1, argument="high" if high is None else "size")
    if high <= low:
        raise errors.RANDOM_RANGE(low=low, high=high)
    shape = as_size((size,), "randint")
    array = GENERATOR.integers(low, high, _count(shape)).reshape(shape)
    return _made(array.astype((dtype or dtypes.int64).numpy), requires_grad)


def randperm(n: int, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The numbers below ``n`` in random order."""
    checked((n,))
    return _made(GENERATOR.permutation(n).astype((dtype or dtypes.int64).numpy), requires_grad)
