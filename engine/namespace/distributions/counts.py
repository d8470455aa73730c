"""Distributions of counts: ``Poisson``, ``Binomial``, ``NegativeBinomial``, ``Multinomial``."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import ExponentialFamily, checked, filled, home
from gradflow.engine.namespace.distributions.constraints import (
    COUNT,
    NONNEGATIVE,
    REAL,
    UNIT,
    at_least,
    depends,
    half_open,
    multinomial,
    whole,
)
from gradflow.engine.namespace.distributions.discrete import (
    Categorical,
    OddsOrProbabilities,
    OfCategorical,
    listed,
    take_given,
)
from gradflow.engine.namespace.distributions.gamma import Gamma
from gradflow.engine.namespace.distributions.utils import Declared, broadcast_all, call, lazy_property
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.state import grad_mode


class Poisson(ExponentialFamily):
    """How many events there are, at this rate."""

    arg_constraints = Declared(rate=NONNEGATIVE)
    support: Any = COUNT

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return random_in_place.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        rate, value = broadcast_all(self.rate, checked(self, value))
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> Any:
        return (self.rate.log(),)

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp()


class _OfTrials(OddsOrProbabilities):
    """A count of trials, of successes or failures, with a probability."""

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (count,) = take_given(self, probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        super().__init__(self.param_shape, validate_args=validate_args)


def _halved_at_zero(x: Any) -> Any:
    """The larger of x and 0, with a slope of one half at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(_OfTrials):
    """How many of ``total_count`` trials succeed."""

    arg_constraints = Declared(total_count=COUNT, probs=UNIT, logits=REAL)
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    @depends(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return whole(0, self.total_count)

    @property
    def mean(self) -> Any:
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with grad_mode(False):
            return random_in_place.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        value, n, logits = checked(self, value), self.total_count, self.logits
        ways = (value + 1).lgamma(), (n - value + 1).lgamma()
        constant = n * _halved_at_zero(logits) + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * logits - ways[0] - ways[1] - constant

    def entropy(self) -> Any:
        _one_count(self, "entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        count = _one_count(self, "enumerate_support")
        return listed(1 + count, self._batch_shape, self._param.dtype, expand)


def _one_count(distribution: Binomial, name: str) -> int:
    counts = need(distribution.total_count, name)._a
    if counts.min() != counts.max():
        raise errors.NO_FORMULA(message=f"Inhomogeneous total count not supported by `{name}`.")
    return int(counts.max())


class NegativeBinomial(_OfTrials):
    """How many successes there are before ``total_count`` failures."""

    arg_constraints = Declared(total_count=at_least(0), probs=half_open(0.0, 1.0), logits=REAL)
    support: Any = COUNT

    @property
    def mean(self) -> Any:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Any:
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return random_in_place.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Any) -> Any:
        value, n = checked(self, value), self.total_count
        logarithm = n * call("logsigmoid", -self.logits) + value * call("logsigmoid", self.logits)
        constant = -(n + value).lgamma() + (1.0 + value).lgamma() + n.lgamma()
        return logarithm - constant.masked_fill(n + value == 0.0, 0.0)


class Multinomial(OfCategorical):
    """How often each category comes in ``total_count`` trials."""

    total_count: int

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise errors.NO_FORMULA(message="inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = filled(self._get_checked_instance(home(self), _instance))
        binomial = self._binomial.expand((*batch_shape, *self._event_shape))
        vars(new).update(total_count=self.total_count, _binomial=binomial)
        return super().expand(batch_shape, new)

    @depends(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return multinomial(self.total_count)

    @property
    def mean(self) -> Any:
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts: Any = creation.zeros(shape, dtype=drawn.dtype)
        return counts.scatter_add_(-1, drawn, creation.ones_like(drawn)).type_as(self.probs)

    def entropy(self) -> Any:
        n: Any = creation.tensor(self.total_count)
        values = self._binomial.enumerate_support(expand=False)[1:]
        weights = (values + 1).lgamma()
        spread = (self._binomial.log_prob(values).exp() * weights).sum([0, -1])
        return n * self._categorical.entropy() - (n + 1).lgamma() + spread

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        logits[(value == 0) & (logits == -math.inf)] = 0
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + (logits * value).sum(-1)


CLASSES = (Poisson, Binomial, NegativeBinomial, Multinomial)
