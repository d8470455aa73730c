"""Distributions made of others: ``Independent``, ``MixtureSameFamily``, ``TransformedDistribution``."""

from __future__ import annotations

import functools
import operator
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import Distribution, checked, filled, home
from gradflow.engine.namespace.distributions.constraints import (
    MixtureSameFamilyConstraint,
    depends,
    independent,
)
from gradflow.engine.namespace.distributions.discrete import Categorical
from gradflow.engine.namespace.distributions.transforms import ComposeTransform, Transform
from gradflow.engine.namespace.distributions.utils import Declared, is_number, sum_last
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Size


class Independent(Distribution):
    """Some of the last batch dimensions of a distribution as one event."""

    arg_constraints: Any = Declared()

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        held = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > held:
            raise errors.MODULE_ARGUMENT(
                message="Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual"
                f" {reinterpreted_batch_ndims} vs {held}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        first = held - reinterpreted_batch_ndims
        super().__init__(shape[:first], shape[first:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = filled(self._get_checked_instance(Independent, _instance))
        count = self.reinterpreted_batch_ndims
        base = self.base_dist.expand((*batch_shape, *self._event_shape[:count]))
        vars(new).update(base_dist=base, reinterpreted_batch_ndims=count)
        return super().expand(batch_shape, new)

    @property
    def has_rsample(self) -> bool:
        """Whether gradients flow through its samples."""
        return bool(self.base_dist.has_rsample)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]  # that of the base
        """Whether its values can be listed."""
        return bool(self.base_dist.has_enumerate_support) and not self.reinterpreted_batch_ndims

    @depends
    def support(self) -> Any:
        count = self.reinterpreted_batch_ndims
        return independent(self.base_dist.support, count) if count else self.base_dist.support

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        return sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims > 0:
            raise errors.NO_FORMULA(message="Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(Distribution):
    """One of several distributions of one kind, chosen by a `Categorical`."""

    arg_constraints = Declared()
    _num_component: int

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        wanted = (
            (mixture_distribution, Categorical, " The Mixture"),
            (component_distribution, Distribution, "The Component"),
        )
        for value, kind, title in wanted:
            if not isinstance(value, kind):
                article = "an  instance" if kind is Categorical else "an instance"
                raise errors.MODULE_ARGUMENT(
                    message=f"{title} distribution needs to be {article} of torch.distributions.{kind.__name__}"
                )
        _check_sizes(self)
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(component_distribution.batch_shape[:-1], event, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = filled(self._get_checked_instance(MixtureSameFamily, _instance))
        vars(new).update(
            _component_distribution=self._component_distribution.expand((*batch_shape, self._num_component)),
            _mixture_distribution=self._mixture_distribution.expand(batch_shape),
        )
        return super().expand(batch_shape, new)

    @depends
    def support(self) -> Any:
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """What chooses."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """What is chosen from."""
        return self._component_distribution

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    @property
    def mean(self) -> Any:
        return (_weights(self) * self._component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Any:
        weights, parts, dim = _weights(self), self._component_distribution, -1 - self._event_ndims
        within = (weights * parts.variance).sum(dim)
        return within + (weights * (parts.mean - self._pad(self.mean)).pow(2.0)).sum(dim)

    def cdf(self, x: Any) -> Any:
        return (self._component_distribution.cdf(self._pad(x)) * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Any) -> Any:
        found = self._component_distribution.log_prob(self._pad(checked(self, x)))
        return (found + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        dim, event = len(tuple(sample_shape)) + len(self._batch_shape), tuple(self._event_shape)
        with grad_mode(False):
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            index = chosen.reshape((*chosen.shape, *(1,) * (len(event) + 1)))
            index = index.repeat((*(1,) * chosen.dim(), 1, *event))
            return drawn.gather(dim, index).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"


def _check_sizes(mixture: Any) -> None:
    mixed, parts = mixture._mixture_distribution.batch_shape, Size(mixture._component_distribution.batch_shape[:-1])
    for one, other in zip(reversed(mixed), reversed(parts), strict=False):
        if 1 not in (one, other) and one != other:
            raise errors.MODULE_ARGUMENT(
                message=f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with"
                f" `component_distribution.batch_shape`({parts})"
            )
    km, kc = mixture._mixture_distribution.logits.shape[-1], mixture._component_distribution.batch_shape[-1]
    if km != kc:
        raise errors.MODULE_ARGUMENT(
            message=f"`mixture_distribution component` ({km}) does not equal"
            f" `component_distribution.batch_shape[-1]` ({kc})"
        )
    mixture._num_component = km


def _weights(mixture: Any) -> Any:
    """The probabilities of the components, with dimensions for batch and event."""
    probs, held = mixture._mixture_distribution.probs, len(mixture._mixture_distribution.batch_shape)
    extra = 0 if held == 1 else len(mixture._batch_shape) - held
    return probs.reshape((*probs.shape[:-1], *(1,) * extra, probs.shape[-1], *(1,) * mixture._event_ndims))


class TransformedDistribution(Distribution):
    """What a transform, or one after another, makes of the samples of a distribution."""

    arg_constraints: Any = Declared()
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if not isinstance(transforms, Transform | list):
            raise errors.MODULE_ARGUMENT(message=f"transforms must be a Transform or list, but was {transforms}")
        self.transforms = list(transforms) if isinstance(transforms, list) else [transforms]
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise errors.MODULE_ARGUMENT(message="transforms must be a Transform or a list of Transforms")
        whole, base = ComposeTransform(self.transforms), base_distribution
        shape, event = Size((*base.batch_shape, *base.event_shape)), len(base.event_shape)
        inner, outer = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < inner:
            raise errors.MODULE_ARGUMENT(
                message=f"base_distribution needs to have shape with size at least {inner}, but got {shape}."
            )
        forward = whole.forward_shape(shape)
        wanted = Size(whole.inverse_shape(forward))
        if shape != wanted:
            base = base.expand(wanted[: len(wanted) - event])
        self.base_dist = Independent(base, inner - event) if inner > event else base
        cut = len(forward) - max(outer, event + outer - inner)
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = filled(self._get_checked_instance(home(self), _instance))
        shape = ComposeTransform(self.transforms).inverse_shape(Size((*batch_shape, *self._event_shape)))
        base = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        vars(new).update(base_dist=base, transforms=self.transforms)
        return super().expand(batch_shape, new)

    @property
    def has_rsample(self) -> bool:
        """Whether gradients flow through its samples."""
        return bool(self.base_dist.has_rsample)

    @depends(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        extra = len(self._event_shape) - support.event_dim
        return independent(support, extra) if extra > 0 else support

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return _through(self, self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return _through(self, self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        event, y, result = len(self._event_shape), checked(self, value), 0.0
        for transform in reversed(self.transforms):
            x, inner = transform.inv(y), transform.domain.event_dim
            event += inner - transform.codomain.event_dim
            result = result - sum_last(transform.log_abs_det_jacobian(x, y), event - inner)
            y = x
        return result + sum_last(self.base_dist.log_prob(y), event - len(self.base_dist.event_shape))

    def cdf(self, value: Any) -> Any:
        return _growing(self, self.base_dist.cdf(_back(self, checked(self, value))))

    def icdf(self, value: Any) -> Any:
        return _through(self, self.base_dist.icdf(_growing(self, value)))


def _through(distribution: TransformedDistribution, value: Any) -> Any:
    return functools.reduce(lambda x, transform: transform(x), distribution.transforms, value)


def _back(distribution: TransformedDistribution, value: Any) -> Any:
    return functools.reduce(lambda y, transform: transform.inv(y), reversed(distribution.transforms), value)


def _growing(distribution: TransformedDistribution, value: Any) -> Any:
    """Probabilities of smaller values, where a transform may have turned them round."""
    sign = functools.reduce(operator.mul, (transform.sign for transform in distribution.transforms), 1)
    return value if is_number(sign) and sign == 1 else sign * (value - 0.5) + 0.5


CLASSES = (Independent, MixtureSameFamily, TransformedDistribution)
