"""Distributions of real numbers: ``torch.distributions.Normal``, ``Uniform``, ``Exponential``.

Their samples are transformations of noise, so that gradients flow through them (D. Kingma and M. Welling, Auto-Encoding
Variational Bayes, 2014).
"""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine.namespace.distributions.base import (
    NONNEGATIVE,
    POSITIVE,
    REAL,
    Check,
    Distribution,
    broadcast,
    interval,
)
from gradflow.engine.namespace.functions.creation import empty, zeros, zeros_like
from gradflow.engine.namespace.random import creation, random_in_place
from gradflow.engine.state import grad_mode


class Normal(Distribution):
    """The normal distribution with this mean and standard deviation."""

    has_rsample = True
    parameters = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"loc": REAL, "scale": POSITIVE}

    @property
    def support(self) -> Check:
        return REAL

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return self.loc

    @property
    def stddev(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self.extended(sample_shape)
        with grad_mode(False):
            return random_in_place.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = random_in_place.normal(zeros(self.extended(sample_shape), dtype=self.loc.dtype), 1.0)
        return self.loc + noise * self.scale

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        variance, log_scale = self.scale**2, self.scale.log()
        return -((value - self.loc) ** 2) / (2 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        value = self.checked(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Uniform(Distribution):
    """The uniform distribution on [low, high)."""

    has_rsample = True
    parameters = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {
            "low": (f"LessThan(upper_bound={self.high})", lambda v: v < self.high),
            "high": (f"GreaterThan(lower_bound={self.low})", lambda v: v > self.low),
        }

    @property
    def support(self) -> Check:
        return interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Any:
        """No value is likelier than the others."""
        return math.nan * self.high

    @property
    def stddev(self) -> Any:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Any:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = creation.rand(self.extended(sample_shape), dtype=self.low.dtype)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        low, high = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        return low.mul(high).log() - (self.high - self.low).log()

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        return ((self.checked(value) - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return (self.high - self.low).log()


class Exponential(Distribution):
    """Waiting times: the exponential distribution with this rate."""

    has_rsample = True
    parameters = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"rate": POSITIVE}

    @property
    def support(self) -> Check:
        return NONNEGATIVE

    @property
    def mean(self) -> Any:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Any:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = empty(self.extended(sample_shape), dtype=self.rate.dtype)
        return random_in_place.exponential_(noise) / self.rate

    def log_prob(self, value: Any) -> Any:
        return self.rate.log() - self.rate * self.checked(value)

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        return 1 - (-self.rate * self.checked(value)).exp()

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Any:
        return 1.0 - self.rate.log()
