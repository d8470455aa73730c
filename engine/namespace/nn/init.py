"""``torch.nn.init``: initial values of parameters, drawn as PyTorch draws them.

Sources: X. Glorot and Y. Bengio (2010); K. He et al. (2015); A. Saxe et al. (2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.random.creation import normal_samples, uniform_samples
from gradflow.engine.namespace.random.generator import Generator, source_of
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.numerics.mersenne_twister import MersenneTwister
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor

_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
)  # fmt: skip
_FAR = "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
_FAN = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"


def _source(generator: Any, function: str = "normal_") -> MersenneTwister:
    if generator is not None and not isinstance(generator, Generator):
        raise errors.KEYWORD_TYPE(
            function=function, argument="generator", expected="torch.Generator", actual=type(generator).__name__
        )
    return source_of(generator)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Samples from the uniform distribution on [a, b)."""
    if a > b:
        raise errors.DISTRIBUTION(
            message=f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}"
        )
    array = has(tensor, "uniform_")._a
    write(tensor, uniform_samples(_source(generator, "uniform_"), array, a, b))
    return tensor


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Samples from a normal distribution."""
    if std < 0:
        raise errors.DISTRIBUTION(message=f"normal expects std >= 0.0, but found std {std:g}")
    write(tensor, normal_samples(_source(generator), has(tensor, "normal_")._a, mean, std))
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    has(tensor, "fill_")
    if isinstance(val, str):
        overloads()["Tensor.fill_"].parse((val,), {})
    write(tensor, np.asarray(val))
    return tensor


def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix."""
    if has(tensor, "ndimension")._a.ndim != 2:
        raise errors.MODULE_ARGUMENT(message="Only tensors with 2 dimensions are supported")
    write(tensor, np.eye(*tensor._a.shape))
    return tensor


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """By how much an activation shrinks its input, which the initial values make up for."""
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, **dict.fromkeys(_LINEAR, 1)}
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise errors.MODULE_ARGUMENT(message=f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in gains:
        raise errors.MODULE_ARGUMENT(message=f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs and outputs an element of a layer has."""
    shape = has(tensor, "dim")._a.shape
    if len(shape) < 2:
        raise errors.MODULE_ARGUMENT(message=_FAN)
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform, with the variance that Glorot and Bengio chose."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(fans(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal, with the variance that Glorot and Bengio chose."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def _unchanged(tensor: Tensor) -> Tensor:
    warn("Initializing zero-element tensors is a no-op")
    return tensor


def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise errors.MODULE_ARGUMENT(message=f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return calculate_gain(nonlinearity, a) / math.sqrt(fans(tensor)[mode == "fan_out"])


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform, with the variance that He et al. chose."""
    if 0 in has(tensor, "shape")._a.shape:
        return _unchanged(tensor)
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal, with the variance that He et al. chose."""
    if 0 in has(tensor, "shape")._a.shape:
        return _unchanged(tensor)
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """A matrix with orthonormal rows or columns, times ``gain``."""
    shape = has(tensor, "ndimension")._a.shape
    if len(shape) < 2:
        raise errors.MODULE_ARGUMENT(message="Only tensors with 2 or more dimensions are supported")
    rows, columns = shape[0], math.prod(shape[1:])
    flat = normal_samples(_source(generator), np.empty((rows, columns), tensor._a.dtype))
    q, r = np.linalg.qr(flat.T if rows < columns else flat)
    q = q * np.sign(np.diag(r))
    write(tensor, ((q.T if rows < columns else q) * tensor._a.dtype.type(gain)).reshape(shape))
    return tensor


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Normal, but only between a and b: samples are drawn again until they lie there."""
    has(tensor, "is_meta")
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(_FAR)
    source, array = _source(generator), tensor._a
    low, high = ((1 + math.erf((bound - mean) / std / math.sqrt(2))) / 2 for bound in (a, b))
    draw = _redrawn if high - low > 0.3 else _accepted
    for values in draw(source, array, mean, std, a, b):
        write(tensor, values)
    return tensor


def _redrawn(
    source: MersenneTwister, array: np.ndarray, mean: float, std: float, a: float, b: float
) -> Iterator[np.ndarray]:
    """The first samples, and what they become if some lie outside."""
    low, high = (array.dtype.type(bound) for bound in (a, b))
    values = normal_samples(source, array, mean, std)
    yield values
    outside = (values < low) | (values > high)
    if not outside.any():
        return
    while outside.any():
        values = np.where(outside, normal_samples(source, array, mean, std), values)
        outside = (values < low) | (values > high)
    yield values


def _accepted(
    source: MersenneTwister, array: np.ndarray, mean: float, std: float, a: float, b: float
) -> Iterator[np.ndarray]:
    """Where the normal samples would mostly lie outside: uniform ones, accepted by the density at them."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    scalar_type = array.dtype.type

    def refused(values: np.ndarray) -> np.ndarray:
        away = (values - scalar_type(mean)) / scalar_type(std)
        with np.errstate(divide="ignore"):
            chance = np.log(uniform_samples(source, array))
        return np.asarray(chance > away * away * scalar_type(-0.5) - scalar_type(peak))

    values = uniform_samples(source, array, a, b)
    yield values
    pending = refused(values)
    if not pending.any():
        return
    while pending.any():
        candidates = uniform_samples(source, array, a, b)
        values = np.where(pending, candidates, values)
        pending = pending & refused(candidates)
    yield values


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The kernels of a convolution that passes its input on, channel by channel."""
    shape = has(tensor, "ndimension")._a.shape
    if len(shape) not in (3, 4, 5):
        raise errors.MODULE_ARGUMENT(message="Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise errors.MODULE_ARGUMENT(message="dim 0 must be divisible by groups")
    values, length = np.zeros_like(tensor._a), shape[0] // groups
    channel = np.arange(min(length, shape[1]))
    middle = tuple(n // 2 for n in shape[2:])
    for group in range(groups):
        values[(group * length + channel, channel, *middle)] = 1
    write(tensor, values)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """A normal matrix with this share of zeros in every column."""
    if has(tensor, "ndimension")._a.ndim != 2:
        raise errors.MODULE_ARGUMENT(message="Only tensors with 2 dimensions are supported")
    rows, columns = tensor._a.shape
    values = np.array(normal_samples(_source(generator), tensor._a, 0.0, std))
    for column in range(columns):
        values[source_of(None).permutation(rows)[: math.ceil(sparsity * rows)], column] = 0
    write(tensor, values)
    return tensor


def _deprecated(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function under its old name."""
    new = function.__name__
    old = new[:-1]

    def call(*args: Any, **kwargs: Any) -> Tensor:
        message = f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`."
        warn(message, "FutureWarning")
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"`{new}` under its old name."
    return call


_RENAMED: tuple[Callable[..., Tensor], ...] = (
    uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_,
    orthogonal_, sparse_,
)  # fmt: skip
_ALL: tuple[Callable[..., Any], ...] = (
    *_RENAMED,
    *map(_deprecated, _RENAMED),
    ones_,
    zeros_,
    trunc_normal_,
    calculate_gain,
)
FUNCTIONS = {**{f.__name__: f for f in _ALL}, "_calculate_fan_in_and_fan_out": fans}
