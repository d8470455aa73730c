"""Distributions that are another one moved, scaled, folded or raised: ``Laplace``, ``Cauchy``, ``Gumbel``, ``HalfNormal``,
``LogNormal``."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine.namespace.distributions.base import NONNEGATIVE, POSITIVE, REAL, Check, Distribution, broadcast
from gradflow.engine.namespace.distributions.continuous import Normal
from gradflow.engine.namespace.functions.creation import empty, full, zeros_like
from gradflow.engine.namespace.random import creation, random_in_place
from gradflow.engine.tensor import dtypes

_EULER = 0.57721566490153286060


class _LocationScale(Distribution):
    """A location and a scale."""

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

    def _filled(self, value: float) -> Any:
        return full(self.extended(()), value, dtype=self.loc.dtype)


class Laplace(_LocationScale):
    """The double exponential distribution."""

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise: Any = empty(self.extended(sample_shape), dtype=self.loc.dtype)
        u = noise.uniform_(float(dtypes.limits(noise._a.dtype).eps) - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        apart = self.checked(value) - self.loc
        return 0.5 - 0.5 * apart.sign() * (-apart.abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Any:
        return 1 + (2 * self.scale).log()


class Cauchy(_LocationScale):
    """The ratio of two normal variables: it has no mean."""

    @property
    def mean(self) -> Any:
        return self._filled(math.nan)

    @property
    def variance(self) -> Any:
        return self._filled(math.inf)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.loc + random_in_place.cauchy_(empty(self.extended(sample_shape), dtype=self.loc.dtype)) * self.scale

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        return ((self.checked(value) - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + self.scale.log()


class Gumbel(_LocationScale):
    """The distribution of the largest of many."""

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * _EULER

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        about = dtypes.limits(self.loc._a.dtype)
        low, high = about.tiny, 1 - about.eps
        drawn: Any = creation.rand(self.extended(sample_shape), dtype=self.loc.dtype)
        uniform = drawn * float(high - low) + float(low)
        return self.loc + -self.scale * (-uniform.log()).log()

    def log_prob(self, value: Any) -> Any:
        y = (self.loc - self.checked(value)) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Any:
        return self.scale.log() + (1 + _EULER)


class HalfNormal(Distribution):
    """The absolute value of a normal variable with mean 0."""

    has_rsample = True
    parameters = ("scale",)

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        self.base_dist = Normal(0, scale, validate_args=False)
        self.scale = self.base_dist.scale
        super().__init__(self.scale.shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"scale": POSITIVE}

    @property
    def support(self) -> Check:
        return NONNEGATIVE

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return zeros_like(self.scale)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape).abs()

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape).abs()

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        inside = self.base_dist.log_prob(value) + math.log(2)
        return inside.masked_fill(value < 0, -math.inf)

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        return 2 * self.base_dist.cdf(self.checked(value)) - 1

    def icdf(self, prob: Any) -> Any:
        """The value below which samples lie with this probability."""
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)

    def __repr__(self) -> str:
        return "HalfNormal()"


class LogNormal(Distribution):
    """The exponential of a normal variable."""

    has_rsample = True
    parameters = ()

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.base_dist = Normal(loc, scale, validate_args=validate_args)
        self.loc, self.scale = self.base_dist.loc, self.base_dist.scale
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Check:
        return POSITIVE

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape).exp()

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape).exp()

    def log_prob(self, value: Any) -> Any:
        logarithm = self.checked(value).log()
        return (0.0 - logarithm) + self.base_dist.log_prob(logarithm)

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc

    def __repr__(self) -> str:
        return "LogNormal()"


CLASSES = (Laplace, Cauchy, Gumbel, HalfNormal, LogNormal)
