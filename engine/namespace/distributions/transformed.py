"""Distributions that are another one transformed: ``LogNormal``, ``HalfNormal``, ``Gumbel``, ``Weibull``, ``Pareto`` and kin."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine.namespace.distributions.base import checked
from gradflow.engine.namespace.distributions.composite import TransformedDistribution
from gradflow.engine.namespace.distributions.constraints import (
    NONNEGATIVE,
    POSITIVE,
    REAL,
    SIMPLEX,
    UNIT,
    at_least,
    depends,
)
from gradflow.engine.namespace.distributions.continuous import Cauchy, Exponential, Normal, Uniform
from gradflow.engine.namespace.distributions.elementwise_transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
)
from gradflow.engine.namespace.distributions.gamma import Gamma
from gradflow.engine.namespace.distributions.utils import (
    EULER,
    Declared,
    broadcast_all,
    engines,
    eps_of,
    is_number,
    tiny_of,
    where,
)
from gradflow.engine.namespace.distributions.vector_transforms import StickBreakingTransform
from gradflow.engine.namespace.functions.creation import full, full_like, ones_like, zeros_like


class LogNormal(TransformedDistribution):
    """The exponential of a normal variable."""

    has_rsample = True
    arg_constraints = Declared(loc=REAL, scale=POSITIVE)
    support: Any = POSITIVE

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    """The absolute value of a variable that is symmetric around 0."""

    has_rsample = True
    arg_constraints = Declared(scale=POSITIVE)
    support: Any = NONNEGATIVE
    _base: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = engines(self, "_base")
        super().__init__(base(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Any:
        """The scale of the variable."""
        return self.base_dist.scale

    @property
    def mode(self) -> Any:
        return zeros_like(self.scale)

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        return where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Any:
        return 2 * self.base_dist.cdf(checked(self, value)) - 1

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute value of a normal variable with mean 0."""

    _base = Normal

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute value of a Cauchy variable around 0."""

    _base = Cauchy

    @property
    def mean(self) -> Any:
        return full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Any:
        return self.base_dist.variance


class Gumbel(TransformedDistribution):
    """The distribution of the largest of many."""

    arg_constraints = Declared(loc=REAL, scale=POSITIVE)
    support: Any = REAL

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        low: Any = tiny_of(self.loc)
        high: Any = 1 - eps_of(self.loc)
        numbers = is_number(loc) and is_number(scale)
        low, high = (x if numbers else full_like(self.loc, x) for x in (low, high))
        negated = AffineTransform(loc=0, scale=-ones_like(self.scale))  # type: ignore[operator]  # installed
        steps = [ExpTransform().inv, negated, ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(Uniform(low, high, validate_args=validate_args), steps, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        y = (self.loc - checked(self, value)) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def stddev(self) -> Any:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        return self.scale.log() + (1 + EULER)


class Weibull(TransformedDistribution):
    """Times until something fails that grows more, or less, likely to fail."""

    arg_constraints = Declared(scale=POSITIVE, concentration=POSITIVE)
    support: Any = POSITIVE

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        steps = [PowerTransform(self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Any:
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()

    @property
    def variance(self) -> Any:
        r = self.concentration_reciprocal
        return self.scale.pow(2) * ((1 + 2 * r).lgamma().exp() - (2 * (1 + r).lgamma()).exp())

    def entropy(self) -> Any:
        r = self.concentration_reciprocal
        return EULER * (1 - r) + (self.scale * r).log() + 1


class Pareto(TransformedDistribution):
    """What is left of those that have much, by a power."""

    arg_constraints = Declared(alpha=POSITIVE, scale=POSITIVE)

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=validate_args), steps, validate_args=validate_args)

    @depends(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return at_least(self.scale)

    @property
    def mean(self) -> Any:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self) -> Any:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """Like the beta distribution, in powers alone."""

    has_rsample = True
    arg_constraints = Declared(concentration1=POSITIVE, concentration0=POSITIVE)
    support: Any = UNIT

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (full_like(self.concentration0, x) for x in (0, 1))
        steps = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), steps, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return _moment(self, 1)

    @property
    def mode(self) -> Any:
        a, b = self.concentration1, self.concentration0
        logarithm = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logarithm[(b < 1) | (a < 1)] = math.nan
        return logarithm.exp()

    @property
    def variance(self) -> Any:
        return _moment(self, 2) - self.mean.pow(2)

    def entropy(self) -> Any:
        a, b = self.concentration1, self.concentration0
        own, other = 1 - a.reciprocal(), 1 - b.reciprocal()
        harmonic = (b + 1).digamma() + EULER
        return other + own * harmonic - a.log() - b.log()


def _moment(distribution: Kumaraswamy, n: int) -> Any:
    a, b = 1 + n / distribution.concentration1, distribution.concentration0
    return b * (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()


class InverseGamma(TransformedDistribution):
    """One over a gamma variable."""

    has_rsample = True
    arg_constraints = Declared(concentration=POSITIVE, rate=POSITIVE)
    support: Any = POSITIVE

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Any:
        """That of the gamma variable."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Any:
        """That of the gamma variable."""
        return self.base_dist.rate

    @property
    def mean(self) -> Any:
        return where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> Any:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Any:
        a = self.concentration
        return where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self) -> Any:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class LogisticNormal(TransformedDistribution):
    """Probabilities made of normal variables by breaking a stick."""

    has_rsample = True
    arg_constraints = Declared(loc=REAL, scale=POSITIVE)
    support: Any = SIMPLEX

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The means of the normal variables."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviations of the normal variables."""
        return self.base_dist.base_dist.scale


CLASSES = (
    LogNormal, HalfNormal, HalfCauchy, Gumbel, Weibull, Pareto, Kumaraswamy, InverseGamma, LogisticNormal,
)  # fmt: skip
