"""Distributions of real numbers by location and scale: ``Normal``, ``Uniform``, ``Laplace``, ``Cauchy``, ``VonMises`` and kin.

Their samples are transformations of noise, so that gradients flow through them (D. Kingma and M. Welling, Auto-Encoding
Variational Bayes, 2014).
"""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine.namespace.distributions.base import Distribution, ExponentialFamily, checked
from gradflow.engine.namespace.distributions.bessel import log_bessel
from gradflow.engine.namespace.distributions.constraints import (
    NONNEGATIVE,
    POSITIVE,
    REAL,
    depends,
    greater_than,
    interval,
    less_than,
)
from gradflow.engine.namespace.distributions.utils import (
    Declared,
    broadcast_all,
    eps_of,
    lazy_property,
    standard_normal,
    where,
)
from gradflow.engine.namespace.functions.creation import empty, full, ones_like, zeros_like
from gradflow.engine.namespace.random import creation, random_in_place
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import dtypes


class _LocationScale(Distribution):
    """A location and a scale."""

    has_rsample = True
    arg_constraints = Declared(loc=REAL, scale=POSITIVE)
    support: Any = REAL

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc


def _filled_with(distribution: _LocationScale, value: float) -> Any:
    return full(distribution._extended_shape(), value, dtype=distribution.loc.dtype)


class Normal(_LocationScale, ExponentialFamily):
    """The normal distribution with this mean and standard deviation."""

    @property
    def stddev(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with grad_mode(False):
            return random_in_place.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        variance, log_scale = self.scale**2, self.scale.log()
        return -((value - self.loc) ** 2) / (2 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        value = checked(self, value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> Any:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()


class Laplace(_LocationScale):
    """The double exponential distribution."""

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise: Any = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        u = noise.uniform_(eps_of(noise) - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        half = 0.5 * (checked(self, value) - self.loc).sign()
        return 0.5 - half * (-(value - self.loc).abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Any:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(_LocationScale):
    """The ratio of two normal variables: it has no mean."""

    @property
    def mean(self) -> Any:
        return _filled_with(self, math.nan)

    @property
    def variance(self) -> Any:
        return _filled_with(self, math.inf)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + random_in_place.cauchy_(noise) * self.scale

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Any:
        return ((checked(self, value) - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """The uniform distribution on [low, high)."""

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> Any:
        return {"low": less_than(self.high), "high": greater_than(self.low)}

    @depends(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        return math.nan * self.high

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = creation.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        low, high = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        return low.mul(high).log() - (self.high - self.low).log()

    def cdf(self, value: Any) -> Any:
        return ((checked(self, value) - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """Waiting times: the exponential distribution with this rate."""

    has_rsample = True
    arg_constraints = Declared(rate=POSITIVE)
    support: Any = NONNEGATIVE

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Any:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = empty(self._extended_shape(sample_shape), dtype=self.rate.dtype)
        return random_in_place.exponential_(noise) / self.rate

    def log_prob(self, value: Any) -> Any:
        return self.rate.log() - self.rate * checked(self, value)

    def cdf(self, value: Any) -> Any:
        return 1 - (-self.rate * checked(self, value)).exp()

    def icdf(self, value: Any) -> Any:
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1.0 - self.rate.log()


class GeneralizedPareto(_LocationScale):
    """What lies beyond a threshold: the tail is heavier the larger the concentration."""

    arg_constraints = Declared(loc=REAL, scale=POSITIVE, concentration=REAL)

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        Distribution.__init__(self, self.loc.shape, validate_args=validate_args)

    @depends(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return interval(self.loc, upper)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(creation.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Any) -> Any:
        z = (checked(self, value) - self.loc) / self.scale
        light, c = _light(self)
        y = 1 / c + ones_like(z)
        heavy = where(y == 0, y, y * (c * z).log1p())
        return -self.scale.log() - where(light, z, heavy)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of a larger value."""
        z = (checked(self, value) - self.loc) / self.scale
        light, c = _light(self)
        return where(light, -z, -(c * z).log1p() / c)

    def log_cdf(self, value: Any) -> Any:
        """The logarithm of the probability of a smaller value."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Any) -> Any:
        return self.log_cdf(value).exp()

    def icdf(self, value: Any) -> Any:
        light, c = _light(self)
        log_rest = (-value).log1p()
        heavy = self.loc + self.scale / c * (-c * log_rest).expm1()
        return where(light, self.loc - self.scale * log_rest, heavy)

    @property
    def mean(self) -> Any:
        valid = self.concentration < 1
        inside = where(valid, self.concentration, 0.5)
        return where(valid, self.loc + self.scale / (1 - inside), math.nan)

    @property
    def variance(self) -> Any:
        valid = self.concentration < 0.5
        inside = where(valid, self.concentration, 0.25)
        return where(valid, self.scale**2 / ((1 - inside) ** 2 * (1 - 2 * inside)), math.nan)

    def entropy(self) -> Any:
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)


def _light(distribution: GeneralizedPareto) -> tuple[Any, Any]:
    """Where the concentration is 0, and the concentration with 1 there."""
    light = distribution.concentration.abs() <= 1e-8
    return light, where(light, 1.0, distribution.concentration)


class VonMises(_LocationScale):
    """Angles around a location. D. Best and N. Fisher, Efficient simulation of the von Mises distribution (1979)."""

    has_rsample = False
    arg_constraints = Declared(loc=REAL, concentration=POSITIVE)

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        Distribution.__init__(self, self.loc.shape, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        around = self.concentration * (checked(self, value) - self.loc).cos()
        return around - math.log(2 * math.pi) - log_bessel(self.concentration, 0)

    @lazy_property
    def variance(self) -> Any:
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return _rejected(self, self._extended_shape(sample_shape)).to(self.loc.dtype)


def _rejected(distribution: VonMises, shape: Any) -> Any:
    loc, kappa = (value.to(dtypes.float64) for value in (distribution.loc, distribution.concentration))
    tau = 1 + (1 + 4 * kappa**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
    r = where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
    angles: Any = full(shape, 0.0, dtype=dtypes.float64)
    done: Any = full(shape, False, dtype=dtypes.BY_NAME["bool"])
    while not bool(done._a.all()):
        drawn: Any = creation.rand((3, *shape), dtype=dtypes.float64)
        u1, u2, u3 = drawn.unbind()
        z = (math.pi * u1).cos()
        f = (1 + r * z) / (r + z)
        c = kappa * (r - f)
        accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
        angles, done = where(accepted, (u3 - 0.5).sign() * f.acos(), angles), done | accepted
    return (angles + math.pi + loc) % (2 * math.pi) - math.pi


CLASSES = (Normal, Laplace, Cauchy, Uniform, Exponential, GeneralizedPareto, VonMises)
