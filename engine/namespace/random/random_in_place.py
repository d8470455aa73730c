"""Samples of distributions whose parameters may be tensors, and random values written in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import inplace
from gradflow.engine.autograd.not_implemented import without_derivative
from gradflow.engine.namespace.functions.creation import finish
from gradflow.engine.namespace.random.creation import (
    flat,
    integer_samples,
    laid_out,
    normal_samples,
    uniform_samples,
)
from gradflow.engine.namespace.random.generator import source_of
from gradflow.engine.numerics import distributions, gamma_samples
from gradflow.engine.numerics.broadcasting import check_broadcast
from gradflow.engine.numerics.mersenne_twister import MersenneTwister
from gradflow.engine.ops.creation import checked
from gradflow.engine.out_rules import OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, dtypes

_P = "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"


def require(condition: Any, message: str) -> None:
    """Raises RuntimeError where a distribution does not exist."""
    if not condition:
        raise errors.DISTRIBUTION(message=message)


def _refuse(dtype: np.dtype, name: str, allowed: str = "fV") -> None:
    if dtype.kind not in allowed:
        raise errors.NOT_IMPLEMENTED_DTYPE(name=name, dtype=dtypes.BY_NUMPY[dtype].legacy)


# -- in place ----------------------------------------------------------------------------------------------------------


def _write(input: Tensor, name: str, draw: Callable[[], np.ndarray]) -> Tensor:
    """Draw for the elements of a tensor, unless it must not be written."""
    operation = REGISTRY[name]
    inplace.check(input, input.requires_grad)
    assert operation.call_inplace is not None
    result: Tensor = operation.call_inplace(input, draw())
    return result


def uniform_(input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None, **bounds: Any) -> Tensor:
    """Samples from the uniform distribution on [from, to), in place."""
    low = bounds.get("from", from_)

    def draw() -> np.ndarray:
        if input._a.dtype.kind in "fV":
            message = f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={to:g}"
            require(low <= to, message)
            for name, bound in (("from", low), ("to", to)):
                inside = abs(bound) <= float(dtypes.limits(input._a.dtype).max)
                require(inside, f"{name} is out of bounds for {dtypes.C_NAMES[input.dtype.name]}")
        return uniform_samples(source_of(generator), input._a, low, to)

    return _write(input, "uniform", draw)


def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Samples from a normal distribution, in place."""

    def draw() -> np.ndarray:
        require(std >= 0, f"normal expects std >= 0.0, but found std {std:g}")
        return normal_samples(source_of(generator), input._a, mean, std)

    return _write(input, "normal", draw)


def random_(input: Tensor, *bounds: Any, generator: Any = None, to: int | None = None, **low: Any) -> Tensor:
    """Integers below ``to``, from ``from`` up to ``to - 1``, or any that the dtype has, in place."""
    start = low.get("from", bounds[0] if len(bounds) > 1 or (bounds and to is not None) else None)
    end = to if to is not None else bounds[-1] if bounds else None
    a = input._a
    if end is None and start is None:
        return _write(
            input, "random", lambda: laid_out(a, distributions.anything(source_of(generator), a.size, a.dtype))
        )
    if end is None:
        end = 2 if a.dtype.kind == "b" else distributions.largest(a.dtype) + 1
    name = "random_below" if start is None else "random_between"
    return _write(input, name, lambda: integer_samples(source_of(generator), a, int(start or 0), int(end)))


def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """1 with probability ``p``, a number or a tensor, else 0, in place."""
    if isinstance(p, Tensor):
        name = "bernoulli_tensor"
        check_broadcast(input._a.shape, p._a.shape)
        return _write(input, name, lambda: _bernoulli(source_of(generator), input._a, p._a))

    def draw() -> np.ndarray:
        require(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        _refuse(input._a.dtype, "bernoulli_scalar_cpu_", "fViub")
        return laid_out(input._a, source_of(generator).uniform(input._a.size, np.dtype(np.float64)) < p)

    return _write(input, "bernoulli_number", draw)


def _bernoulli(source: MersenneTwister, array: np.ndarray, p: np.ndarray) -> np.ndarray:
    _refuse(p.dtype, "bernoulli_tensor_cpu_p_")
    probabilities = flat(p, array)
    require(((probabilities >= 0) & (probabilities <= 1)).all(), _P)
    return laid_out(array, source.uniform(array.size, p.dtype) < probabilities)


def exponential_(input: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Samples from the exponential distribution, in place."""

    def draw() -> np.ndarray:
        _continuous("Exponential", input.dtype.legacy, input)
        require(lambd > 0, f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
        return laid_out(input._a, distributions.exponential(source_of(generator), input._a.size, lambd))

    return _write(input, "exponential", draw)


def _continuous(name: str, title: str, input: Tensor) -> None:
    require(
        input._a.dtype.kind in "fV",
        f"{name} distribution is a continuous probability distribution. "
        f"dtype must be a floating point but you specified {title}",
    )


def geometric_(input: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Numbers of trials until the first success, in place."""

    def draw() -> np.ndarray:
        require(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={p:g}")
        return laid_out(input._a, distributions.geometric(source_of(generator), input._a.size, p)).astype(
            input._a.dtype
        )

    return _write(input, "geometric", draw)


def cauchy_(input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Samples from the Cauchy distribution, in place."""

    def draw() -> np.ndarray:
        require(sigma > 0, f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
        _continuous("Cauchy", dtypes.C_NAMES[input.dtype.name], input)
        return laid_out(input._a, distributions.cauchy(source_of(generator), input._a.size, median, sigma))

    return _write(input, "cauchy", draw)


def log_normal_(input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Samples whose logarithms are normal, in place."""

    def draw() -> np.ndarray:
        require(std > 0, f"log_normal_ expects std > 0.0, but found std={std:g}")
        _refuse(input._a.dtype, "log_normal_cpu")
        return laid_out(input._a, distributions.log_normal(source_of(generator), input._a.size, mean, std))

    return _write(input, "log_normal", draw)


# -- new tensors -------------------------------------------------------------------------------------------------------


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal samples with these means and standard deviations: tensors, or numbers with a size."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        return _normal_of(mean, std, generator)
    require(std >= 0, f"normal expects std >= 0.0, but found std {std:g}")
    lengths = checked(tuple(int(n) for n in ((size,) if isinstance(size, int) else size)))
    array = np.empty(lengths, dtypes.DEFAULT if dtype is None else dtype.numpy)
    samples = normal_samples(source_of(generator), array, mean, std)
    return finish(REGISTRY["tensor"].call(samples), requires_grad)


def _normal_of(mean: Any, std: Any, generator: Any) -> Tensor:
    leading = mean if isinstance(mean, Tensor) else std
    if isinstance(std, Tensor):
        require(std._a.dtype.kind != "c", "normal expects standard deviation to be non-complex")
        require((std._a >= 0).all(), "normal expects all elements of std >= 0.0")
    else:
        require(std >= 0, f"normal expects std >= 0.0, but found std {std:g}")
    shapes = [t._a.shape for t in (mean, std) if isinstance(t, Tensor)]
    if len(shapes) == 2:
        check_broadcast(*shapes)
    array = np.empty(np.broadcast_shapes(*shapes), leading._a.dtype)
    if not isinstance(std, Tensor):
        samples = normal_samples(source_of(generator), array, 0.0, std) + mean._a
        return _call("normal_mean", mean, samples)
    samples = normal_samples(source_of(generator), array) * std._a
    if isinstance(mean, Tensor):
        return _call("normal_mean_std", mean, std, samples + mean._a)
    return _call("normal_std", std, samples + std._a.dtype.type(mean))


def _call(name: str, *arguments: Any) -> Tensor:
    result: Tensor = REGISTRY[name].call(*arguments)
    return result


@has_out(OutRule(None, gradient=None, silent=True, takes_dtype=True))
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element tells (or with probability ``p``), else 0."""
    if p is not None:
        empty = np.empty_like(input._a, order="C")
        require(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        samples = laid_out(empty, source_of(generator).uniform(empty.size, np.dtype(np.float64)) < p)
        detached = _call("bernoulli", Tensor(input._a, input._st), samples)
        return without_derivative(detached, "bernoulli", (input,))
    return _call("bernoulli", input, _bernoulli(source_of(generator), np.empty_like(input._a, order="C"), input._a))


def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """A number of events for each rate."""
    _refuse(input._a.dtype, "poisson_cpu")
    array = np.empty_like(input._a, order="C")
    rates = flat(input._a, array).astype(np.float64)
    require((rates >= 0).all(), "invalid Poisson rate, expected rate to be non-negative")
    return _call("poisson", input, laid_out(array, distributions.poisson(source_of(generator), rates)))


def standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """A sample of the gamma distribution with rate 1 for each concentration."""
    array = np.empty_like(input._a, order="C")
    samples = gamma_samples.gamma(source_of(generator), flat(input._a, array).astype(np.float64))
    smallest = float(np.finfo(array.dtype).tiny)
    return _call("standard_gamma", input, laid_out(array, np.maximum(samples, smallest)))


def sample_dirichlet(input: Tensor, generator: Any = None) -> Tensor:
    """Probabilities for each row of concentrations."""
    array = np.empty_like(input._a, order="C")
    rows = flat(input._a, array).astype(np.float64).reshape(array.shape)
    about = np.finfo(array.dtype)
    samples = np.clip(gamma_samples.dirichlet(source_of(generator), rows), float(about.tiny), 1 - float(about.epsneg))
    return _call("dirichlet", input, laid_out(array, samples.reshape(-1)))


def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """Numbers of successes among ``count`` trials, each a success with probability ``prob``."""
    check_broadcast(count._a.shape, prob._a.shape)
    array = np.empty(np.broadcast_shapes(count._a.shape, prob._a.shape), count._a.dtype)
    for title, dtype in (("count", count.dtype), ("prob", prob.dtype)):
        message = f"binomial only supports floating-point dtypes for {title}, got: {dtype.legacy}"
        if dtype.category != dtypes.FLOAT:
            raise errors.MODULE_ARGUMENT(message=message)
    found = f"Found dtype {prob.dtype.legacy} but expected {count.dtype.legacy}"
    require(prob.dtype is count.dtype, found)
    numbers = [flat(t._a, array).astype(np.float64) for t in (count, prob)]
    samples = laid_out(array, distributions.binomial(source_of(generator), *numbers))
    return without_derivative(_call("binomial", count, prob, samples), "binomial", (count, prob))


@has_out(exactly("{name} expects {R} tensor out, got: {O}", gradient=None, silent=True))
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Numbers of categories: ``num_samples`` of each row, drawn with the probabilities in it."""
    a = input._a
    require(0 < a.ndim <= 2, "prob_dist must be 1 or 2 dim")
    dtype = input.dtype.legacy
    require(a.dtype.kind in "fV", f"multinomial only supports floating-point dtypes for input, got: {dtype}")
    require(num_samples > 0, "cannot sample n_sample <= 0 samples")
    few = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
    require(replacement or num_samples <= a.shape[-1], few)
    require(a.shape[-1] <= 2**24, "number of categories cannot exceed 2^24")
    rows = np.ascontiguousarray(a).reshape(-1, a.shape[-1])
    if replacement and num_samples > 1:
        _check_entries(rows)
    fine = "probability tensor contains either `inf`, `nan` or element < 0"
    require(np.isfinite(a).all() and (a >= 0).all(), fine)
    require((rows.sum(1) > 0).all(), "invalid multinomial distribution (sum of probabilities <= 0)")
    columns = distributions.multinomial(source_of(generator), rows, num_samples, replacement)
    return _call("multinomial", input, columns.reshape(*a.shape[:-1], num_samples))


def _check_entries(rows: np.ndarray) -> None:
    """Raises RuntimeError for the first entry that is no probability, or the first row that has none."""
    negative, odd = ~(rows >= 0), ~np.isfinite(rows)
    bad = negative.any(1) | odd.any(1) | (rows.sum(1) <= 0)
    if not bad.any():
        return
    first = int(bad.argmax())
    wrong = negative[first] | odd[first]
    kind = "encountering probability entry = infinity or NaN"
    if not wrong.any():
        kind = "sum of probabilities <= 0"
    elif negative[first][wrong.argmax()]:
        kind = "encountering probability entry < 0"
    require(False, f"invalid multinomial distribution ({kind})")


FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (normal, bernoulli, poisson, binomial, multinomial)}
METHODS: dict[str, Callable[..., Any]] = {
    "bernoulli": bernoulli,
    "multinomial": multinomial,
    **{f.__name__: f for f in (uniform_, normal_, random_, bernoulli_, exponential_, geometric_, cauchy_, log_normal_)},
}
