"""``torch.rand`` and the other new tensors of random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functions.creation import as_size, finish
from gradflow.engine.namespace.random.generator import UNSEEDED as UNSEEDED
from gradflow.engine.namespace.random.generator import source_of
from gradflow.engine.numerics.mersenne_twister import MersenneTwister
from gradflow.engine.ops.creation import checked
from gradflow.engine.out_rules import OPTION, UNASKED, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, dtypes, memory_format


def made(array: np.ndarray, requires_grad: Any = False) -> Tensor:
    """A new leaf."""
    return finish(REGISTRY["tensor"].call(array), requires_grad)


def in_memory_order(array: np.ndarray) -> tuple[int, ...]:
    """The dimensions by the distance of their elements in memory: PyTorch draws in this order."""
    if array.flags.c_contiguous:
        return tuple(range(array.ndim))
    return tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))


def laid_out(array: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Samples, drawn one after another, as they come to lie in the shape and the memory of ``array``."""
    order = in_memory_order(array)
    inverse = sorted(range(array.ndim), key=lambda axis: order[axis])
    return samples.reshape([array.shape[axis] for axis in order]).transpose(inverse)


def flat(array: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The elements of an array that broadcasts to ``like``, in the order of the memory of ``like``."""
    return np.broadcast_to(array, like.shape).transpose(in_memory_order(like)).reshape(-1)


# -- real numbers ------------------------------------------------------------------------------------------------------


def uniform_samples(source: MersenneTwister, array: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Uniform samples for the elements of an array. Raises NotImplementedError for integers."""
    dtype = array.dtype
    if dtype.kind == "c":
        parts = np.dtype(f"f{dtype.itemsize // 2}")
        return laid_out(array, source.uniform_between(2 * array.size, parts, low, high).view(dtype))
    _refuse_integers("check_uniform_bounds", dtype)
    return laid_out(array, source.uniform_between(array.size, dtype, low, high))


def normal_samples(source: MersenneTwister, array: np.ndarray, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Normal samples for the elements of an array. Raises NotImplementedError for integers."""
    dtype, blocks = array.dtype, array.flags.c_contiguous
    if dtype.kind == "c":
        parts = np.dtype(f"f{dtype.itemsize // 2}")
        samples = source.normal(2 * array.size, parts, mean, std * math.sqrt(0.5), blocks=blocks)
        return laid_out(array, samples.view(dtype))
    _refuse_integers("normal_kernel_cpu", dtype)
    return laid_out(array, source.normal(array.size, dtype, mean, std, blocks=blocks))


def _refuse_integers(name: str, dtype: np.dtype) -> None:
    if dtype.kind not in "fV":
        raise errors.NOT_IMPLEMENTED_DTYPE(name=name, dtype=dtypes.BY_NUMPY[dtype].legacy)


def _empty(size: tuple[Any, ...], function: str, dtype: Any) -> np.ndarray:
    lengths = checked(as_size(size, function))
    return np.empty(lengths, dtypes.DEFAULT if dtype is None else dtype.numpy)


def _empty_like(input: Tensor, dtype: Any) -> np.ndarray:
    return memory_format.empty(input._a, None, None if dtype is None else dtype.numpy)


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def rand(*size: Any, generator: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Samples from the uniform distribution on [0, 1)."""
    array = _empty(size, "rand", dtype)
    return made(uniform_samples(source_of(generator), array), requires_grad)


@has_out(exactly(OPTION, gradient=None, silent=True, takes_dtype=True))
def randn(*size: Any, generator: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Samples from the standard normal distribution."""
    array = _empty(size, "randn", dtype)
    return made(normal_samples(source_of(generator), array), requires_grad)


def rand_like(input: Tensor, *, generator: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Uniform samples in the shape and dtype of another tensor."""
    return made(uniform_samples(source_of(generator), _empty_like(input, dtype)), requires_grad)


def randn_like(input: Tensor, *, generator: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Normal samples in the shape and dtype of another tensor."""
    return made(normal_samples(source_of(generator), _empty_like(input, dtype)), requires_grad)


# -- integers ----------------------------------------------------------------------------------------------------------


def integer_samples(source: MersenneTwister, array: np.ndarray, low: int, high: int) -> np.ndarray:
    """Integers from low up to high - 1 for the elements of an array. Raises RuntimeError where its dtype ends before."""
    dtype = dtypes.BY_NUMPY[array.dtype]
    if high <= low:
        raise errors.RANDOM_RANGE(low=low, high=high)
    for title, bound in (("from", low), ("to - 1", high - 1)):
        if not _holds(array.dtype, bound):
            raise errors.DISTRIBUTION(message=f"{title} is out of bounds for {dtypes.C_NAMES[dtype.name]}")
    return laid_out(array, source.integers(low, high, array.size).astype(array.dtype))


def _holds(dtype: np.dtype, number: int) -> bool:
    if dtype.kind in "fV":
        return abs(number) <= float(dtypes.limits(dtype).max)
    if dtype.kind == "b":
        return number in (0, 1)
    return bool(np.iinfo(dtype).min <= number <= np.iinfo(dtype).max)


def _bounds(given: tuple[Any, ...], low: int, high: int | None) -> tuple[int, int | None]:
    if len(given) == 1:
        return low, int(given[0])
    return (int(given[0]), int(given[1])) if given else (low, high)


@has_out(exactly(OPTION, gradient=None, takes_dtype=True))
def randint(
    *bounds: Any,
    low: int = 0,
    high: int | None = None,
    size: Any = None,
    generator: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers from low (0 if left out) up to high - 1."""
    if size is None and bounds:
        *rest, size = bounds
        bounds = tuple(rest)
    low, high = _bounds(bounds, low, high)
    if high is None or size is None:
        raise errors.MISSING_PYTHON_ARGUMENT(function="randint", count=1, argument="high" if high is None else "size")
    array = _empty((size,), "randint", dtype or dtypes.int64)
    return made(integer_samples(source_of(generator), array, low, high), requires_grad)


def randint_like(
    input: Tensor,
    *bounds: Any,
    low: int = 0,
    high: int | None = None,
    generator: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Integers from low (0 if left out) up to high - 1, in the shape and dtype of another tensor."""
    low, high = _bounds(bounds, low, high)
    if high is None:
        raise errors.MISSING_PYTHON_ARGUMENT(function="randint_like", count=1, argument="high")
    return made(integer_samples(source_of(generator), _empty_like(input, dtype), low, high), requires_grad)


@has_out(UNASKED)
def randperm(n: int, *, generator: Any = None, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The numbers below ``n`` in random order."""
    checked((n,))
    element_dtype = (dtype or dtypes.int64).numpy
    if not _holds(element_dtype, n):
        name = dtypes.BY_NUMPY[element_dtype].name
        title = f"{name}_t" if element_dtype.kind in "iu" else dtypes.C_NAMES[name]
        raise errors.DISTRIBUTION(message=f"value cannot be converted to type {title} without overflow")
    return made(source_of(generator).permutation(n).astype(element_dtype), requires_grad)


FUNCTIONS = {f.__name__: f for f in (rand, randn, rand_like, randn_like, randint, randint_like, randperm)}
