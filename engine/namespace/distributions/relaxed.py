"""Continuous stand-ins for discrete distributions, with a temperature: ``RelaxedBernoulli``, ``RelaxedOneHotCategorical``;
and ``ContinuousBernoulli``.

C. Maddison, A. Mnih and Y. Teh, The Concrete distribution (2017); E. Jang, S. Gu and B. Poole, Categorical
reparametrization with Gumbel-softmax (2017); G. Loaiza-Ganem and J. Cunningham, The continuous Bernoulli (2019).
"""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import ExponentialFamily, checked
from gradflow.engine.namespace.distributions.composite import TransformedDistribution
from gradflow.engine.namespace.distributions.constraints import REAL, REAL_VECTOR, SIMPLEX, UNIT
from gradflow.engine.namespace.distributions.discrete import (
    Categorical,
    OddsOrProbabilities,
    OfCategorical,
    loss,
    take_given,
)
from gradflow.engine.namespace.distributions.elementwise_transforms import ExpTransform, SigmoidTransform
from gradflow.engine.namespace.distributions.utils import (
    Declared,
    all_true,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    where,
)
from gradflow.engine.namespace.functions.creation import full_like, ones_like, zeros_like
from gradflow.engine.namespace.random.creation import rand
from gradflow.engine.state import grad_mode


class LogitRelaxedBernoulli(OddsOrProbabilities):
    """The logarithm of the odds of a `RelaxedBernoulli`."""

    support: Any = REAL
    _fixed = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        take_given(self, probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        drawn = clamp_probs(rand(shape, dtype=probs.dtype))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        logits, value = broadcast_all(self.logits, value)
        apart = logits - value.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()


class _Relaxed(TransformedDistribution):
    """Shows the temperature and the parameters of its base."""

    has_rsample = True

    @property
    def temperature(self) -> Any:
        """The lower, the nearer to the discrete distribution."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Any:
        """The logits of the base."""
        return self.base_dist.logits

    @property
    def probs(self) -> Any:
        """The probabilities of the base."""
        return self.base_dist.probs


class RelaxedBernoulli(_Relaxed):
    """Near 0 or 1."""

    arg_constraints = Declared(probs=UNIT, logits=REAL)
    support: Any = UNIT

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(OfCategorical):
    """The logarithm of a `RelaxedOneHotCategorical`."""

    support: Any = REAL_VECTOR
    has_rsample = True
    _fixed = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        drawn = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(drawn.log())).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        count = self._categorical._num_events
        value = checked(self, value)
        logits, value = broadcast_all(self.logits, value)
        constant: Any = full_like(self.temperature, float(count))
        constant = constant.lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + constant


class RelaxedOneHotCategorical(_Relaxed):
    """Near a vector with a single 1."""

    arg_constraints = Declared(probs=SIMPLEX, logits=REAL_VECTOR)
    support: Any = SIMPLEX

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)


class ContinuousBernoulli(OddsOrProbabilities, ExponentialFamily):
    """A number between 0 and 1, likelier near one of them. Within ``lims`` around 1/2 all is computed by a series."""

    support: Any = UNIT
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        take_given(self, probs, logits)
        if probs is not None:
            if validate_args is not None and not all_true(UNIT.check(self.probs)):
                raise errors.MODULE_ARGUMENT(message="The parameter probs has invalid values")
            self._param = vars(self)["probs"] = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self.param_shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities of a Bernoulli variable with these odds."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def mean(self) -> Any:
        outside, p = _cut(self)
        closed = p / (2.0 * p - 1.0) + 1.0 / ((-p).log1p() - p.log())
        x = self.probs - 0.5
        return where(outside, closed, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self) -> Any:
        outside, p = _cut(self)
        closed = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / ((-p).log1p() - p.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        return where(outside, closed, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        logits, value = broadcast_all(self.logits, value)
        return -loss(logits, value) + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        value = checked(self, value)
        outside, p = _cut(self)
        closed = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = where(outside, closed, value)
        return where(value <= 0.0, zeros_like(value), where(value >= 1.0, ones_like(value), inside))

    def icdf(self, value: Any) -> Any:
        outside, p = _cut(self)
        closed = (-p + value * (2.0 * p - 1.0)).log1p() - (-p).log1p()
        return where(outside, closed / (p.log() - (-p).log1p()), value)

    def entropy(self) -> Any:
        zero, one = (-self.probs).log1p(), self.probs.log()
        return self.mean * (zero - one) - self._cont_bern_log_norm() - zero

    def _cont_bern_log_norm(self) -> Any:
        outside, p = _cut(self)
        below, above = where(p <= 0.5, p, zeros_like(p)), where(p >= 0.5, p, ones_like(p))
        closed = ((-p).log1p() - p.log()).abs().log()
        closed = closed - where(p <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        x = (self.probs - 0.5).pow(2)
        return where(outside, closed, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)


def _outside(distribution: ContinuousBernoulli) -> Any:
    return (distribution.probs <= distribution._lims[0]) | (distribution.probs > distribution._lims[1])


def _cut(distribution: ContinuousBernoulli) -> tuple[Any, Any]:
    """Where the closed forms are used, and the probabilities with others in between."""
    outside = _outside(distribution)
    return outside, where(outside, distribution.probs, distribution._lims[0] * ones_like(distribution.probs))  # type: ignore[operator]


CLASSES = (
    LogitRelaxedBernoulli, RelaxedBernoulli, ExpRelaxedCategorical, RelaxedOneHotCategorical, ContinuousBernoulli,
)  # fmt: skip
