"""Distributions of categories: ``Bernoulli``, ``Geometric``, ``Categorical``, ``OneHotCategorical``."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import Distribution, ExponentialFamily, checked
from gradflow.engine.namespace.distributions.constraints import (
    BOOLEAN,
    COUNT,
    ONE_HOT,
    REAL,
    REAL_VECTOR,
    SIMPLEX,
    UNIT,
    depends,
    whole,
)
from gradflow.engine.namespace.distributions.utils import (
    Declared,
    broadcast_all,
    call,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
    tiny_of,
)
from gradflow.engine.namespace.functional.loss import binary_cross_entropy_with_logits
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.functions.joining import broadcast_tensors
from gradflow.engine.namespace.random import creation as random_creation
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Size, dtypes


def one_of(probs: Any, logits: Any) -> tuple[str, Any]:
    """The name of what was given, and its value. Raises ValueError unless it is one of the two."""
    if (probs is None) == (logits is None):
        raise errors.MODULE_ARGUMENT(message="Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class OddsOrProbabilities(Distribution):
    """A probability, or the logarithm of its odds: one of the two is given, the other follows when it is asked for."""

    arg_constraints: Any = Declared(probs=UNIT, logits=REAL)
    _param: Any

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of what was given."""
        return Size(self._param.shape)

    def _new(self, *shape: Any) -> Any:
        return self._param.new(*shape)


def take_given(distribution: OddsOrProbabilities, probs: Any, logits: Any, *others: Any) -> list[Any]:
    """Note what was given; the other parameters in the same shape."""
    name, value = one_of(probs, logits)
    *rest, distribution._param = broadcast_all(*others, value)
    vars(distribution)[name] = distribution._param
    return rest


def loss(logits: Any, target: Any) -> Any:
    """The cross entropy of each element."""
    return binary_cross_entropy_with_logits(logits, target, reduction="none")


def listed(count: int, batch_shape: Any, dtype: Any, expand: bool) -> Any:
    """The numbers below ``count`` along a first dimension."""
    values: Any = creation.arange(count, dtype=dtype)
    values = values.view((-1, *(1 for _ in batch_shape)))
    return values.expand((-1, *batch_shape)) if expand else values


class Bernoulli(OddsOrProbabilities, ExponentialFamily):
    """1 with a probability, else 0."""

    support: Any = BOOLEAN
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        take_given(self, probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return random_in_place.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        logits, value = broadcast_all(self.logits, value)
        return -loss(logits, value)

    def entropy(self) -> Any:
        return loss(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        return listed(2, self._batch_shape, self._param.dtype, expand)

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.exp().log1p()


class Geometric(OddsOrProbabilities):
    """How many failures there are before the first success."""

    support: Any = COUNT

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        take_given(self, probs, logits)
        super().__init__(self.param_shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not bool((self.probs._a > 0).all()):
            value = self.probs._a[self.probs._a <= 0]
            raise errors.MODULE_ARGUMENT(
                message=f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) "
                f"of distribution {self!r} to be positive but found invalid values:\n{creation.tensor(value)}"
            )

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        return creation.zeros_like(self.probs)

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            drawn: Any = random_creation.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype)
            return (drawn.clamp(min=tiny_of(self.probs)).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        value, probs = broadcast_all(checked(self, value), self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return loss(self.logits, self.probs) / self.probs


class Categorical(Distribution):
    """One of several categories, by number."""

    arg_constraints = Declared(probs=SIMPLEX, logits=REAL_VECTOR)
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = one_of(probs, logits)
        if value.dim() < 1:
            raise errors.MODULE_ARGUMENT(message=f"`{name}` parameter must be at least one-dimensional.")
        by_sum = name == "probs"
        own = value / value.sum(-1, keepdim=True) if by_sum else value - value.logsumexp(dim=-1, keepdim=True)
        vars(self)[name] = own
        self._param = own
        self._num_events = int(own.shape[-1])
        super().__init__(own.shape[:-1], validate_args=validate_args)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @property
    def param_shape(self) -> Size:
        """The shape of what was given."""
        return Size(self._param.shape)

    def _new(self, *shape: Any) -> Any:
        return self._param.new(*shape)

    @depends(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return whole(0, self._num_events - 1)

    @property
    def mean(self) -> Any:
        return creation.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Any:
        return self.mean

    def sample(self, sample_shape: Any = ()) -> Any:
        rows = self.probs.reshape(-1, self._num_events)
        drawn: Any = random_in_place.multinomial(rows, math.prod(sample_shape), True)
        return drawn.T.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Any:
        index = checked(self, value).long().unsqueeze(-1)
        index, logs = broadcast_tensors(index, self.logits)
        return logs.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=float(dtypes.limits(self.logits._a.dtype).min))
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return listed(self._num_events, self._batch_shape, None, expand)


class OfCategorical(Distribution):
    """Made of a `Categorical`, whose probabilities it shows."""

    arg_constraints: Any = Declared(probs=SIMPLEX, logits=REAL_VECTOR)
    _categorical: Categorical

    @property
    def _param(self) -> Any:
        return self._categorical._param

    @property
    def probs(self) -> Any:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of what was given."""
        return self._categorical.param_shape

    def _new(self, *shape: Any) -> Any:
        return self._categorical._new(*shape)


class OneHotCategorical(OfCategorical):
    """One of several categories, as a vector with a single 1."""

    support: Any = ONE_HOT
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def mode(self) -> Any:
        return _vectors(self, self.probs.argmax(dim=-1))

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        return _vectors(self, self._categorical.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        return self._categorical.log_prob(checked(self, value).max(-1)[1])

    def entropy(self) -> Any:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n = self._categorical._num_events
        values: Any = creation.eye(n, dtype=self._param.dtype)
        values = values.view((n, *(1 for _ in self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values


def _vectors(distribution: OneHotCategorical, numbers: Any) -> Any:
    return call("one_hot", numbers, distribution._categorical._num_events).to(distribution.probs)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Gradients flow to the probabilities as if these were the sample (Y. Bengio et al., 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


CLASSES = (Bernoulli, Geometric, Categorical, OneHotCategorical, OneHotCategoricalStraightThrough)
