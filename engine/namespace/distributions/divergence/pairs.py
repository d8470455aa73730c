"""The Kullback-Leibler divergence of two distributions in closed form, for pairs of classes.

M. Gil, F. Alajaji and T. Linder, Rényi divergence measures for commonly used univariate continuous distributions (2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from gradflow.engine.namespace.distributions.counts import Binomial, Poisson
from gradflow.engine.namespace.distributions.discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from gradflow.engine.namespace.distributions.gamma import Beta, Dirichlet, Gamma
from gradflow.engine.namespace.distributions.multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    half_log_determinant,
    log_determinant,
    mahalanobis,
    scaled_factor,
    solved,
    squared_distance,
)
from gradflow.engine.namespace.distributions.relaxed import ContinuousBernoulli
from gradflow.engine.namespace.distributions.transformed import Gumbel, HalfNormal, Pareto
from gradflow.engine.namespace.distributions.utils import EULER, call, where
from gradflow.engine.namespace.functions.creation import full_like

PAIRS: Final[dict[tuple[type, type], Callable[[Any, Any], Any]]] = {}
_LOG_2PI: Final = math.log(2 * math.pi)


def _of(*pairs: tuple[type, type]) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    def enter(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        PAIRS.update(dict.fromkeys(pairs, function))
        return function

    return enter


def _infinite(result: Any, condition: Any) -> Any:
    result[condition] = math.inf
    return result


def _x_log_x(x: Any) -> Any:
    return x.xlogy(x)


# -- two of one class --------------------------------------------------------------------------------------------------


@_of((Bernoulli, Bernoulli))
def _bernoulli(p: Any, q: Any) -> Any:
    ones = p.probs * (call("softplus", -q.logits) - call("softplus", -p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (call("softplus", q.logits) - call("softplus", p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@_of((Categorical, Categorical))
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@_of((OneHotCategorical, OneHotCategorical))
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@_of((Binomial, Binomial))
def _binomial(p: Any, q: Any) -> Any:
    if bool((p.total_count < q.total_count)._a.any()):
        raise errors.NO_FORMULA(message="KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return _infinite(p.total_count * each, p.total_count > q.total_count)


@_of((Geometric, Geometric))
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@_of((Poisson, Poisson))
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@_of((ContinuousBernoulli, ContinuousBernoulli))
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    own, other = (d._cont_bern_log_norm() + (-d.probs).log1p() for d in (p, q))
    return p.mean * (p.logits - q.logits) + own - other


@_of((Beta, Beta))
def _beta(p: Any, q: Any) -> Any:
    total, other = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    own = q.concentration1.lgamma() + q.concentration0.lgamma() + total.lgamma()
    others = p.concentration1.lgamma() + p.concentration0.lgamma() + other.lgamma()
    first = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    second = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    last = (other - total) * total.digamma()
    return own - others + first + second + last


@_of((Dirichlet, Dirichlet))
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    own, other = a.sum(-1), b.sum(-1)
    totals, each = own.lgamma() - other.lgamma(), a.lgamma() - b.lgamma()
    each = each.sum(-1)
    apart, slopes = a - b, a.digamma() - own.digamma().unsqueeze(-1)
    return totals - each + (apart * slopes).sum(-1)


@_of((Gamma, Gamma))
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    rates, sizes = b * (p.rate / q.rate).log(), b.lgamma() - a.lgamma()
    slopes, means = (a - b) * a.digamma(), (q.rate - p.rate) * (a / p.rate)
    return rates + sizes + slopes + means


@_of((Exponential, Exponential))
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@_of((Gumbel, Gumbel))
def _gumbel(p: Any, q: Any) -> Any:
    ratio, theirs, own = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    first, second = -ratio.log() - theirs + own, ratio * EULER
    third = (theirs + (1 + ratio).lgamma() - own).exp()
    return first + second + third - (1 + EULER)


@_of((Normal, Normal))
def _normal(p: Any, q: Any) -> Any:
    ratio, apart = (p.scale / q.scale).pow(2), ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())


@_of((HalfNormal, HalfNormal))
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@_of((Laplace, Laplace))
def _laplace(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    first, second = -ratio.log(), apart / q.scale
    third = ratio * (-apart / p.scale).exp()
    return first + second + third - 1


@_of((Pareto, Pareto))
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite(result, p.scale < q.scale)


@_of((Uniform, Uniform))
def _uniform(p: Any, q: Any) -> Any:
    return _infinite(((q.high - q.low) / (p.high - p.low)).log(), (q.low > p.low) | (q.high < p.high))


@_of((Cauchy, Cauchy))
def _cauchy(p: Any, q: Any) -> Any:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


# -- vectors -----------------------------------------------------------------------------------------------------------


def _square_sum(matrix: Any) -> Any:
    return matrix.pow(2).sum((-2, -1))


def _log_determinant(d: Any) -> Any:
    if isinstance(d, LowRankMultivariateNormal):
        return log_determinant(d)
    return 2 * half_log_determinant(d._unbroadcasted_scale_tril)


def _trace(p: Any, q: Any) -> Any:
    """The trace of one covariance matrix over the other."""
    parts = (
        (p._unbroadcasted_scale_tril,)
        if isinstance(p, MultivariateNormal)
        else (p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed())
    )
    if isinstance(q, MultivariateNormal):
        return sum(_square_sum(solved(q._unbroadcasted_scale_tril, part)) for part in parts)
    inner = solved(q._capacitance_tril, scaled_factor(q))
    roots = q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    return sum(_square_sum(part * roots) - _square_sum(inner @ part) for part in parts)


def _distance(d: Any, apart: Any) -> Any:
    if isinstance(d, LowRankMultivariateNormal):
        return mahalanobis(d, apart)
    return squared_distance(d._unbroadcasted_scale_tril, apart)


def _check_events(p: Any, q: Any) -> None:
    """Raises ValueError for vectors of different lengths."""
    if p.event_shape != q.event_shape:
        low = [isinstance(d, LowRankMultivariateNormal) for d in (p, q)]
        kind = "Low Rank " if all(low) else "(Low Rank) " if any(low) else ""
        raise errors.MODULE_ARGUMENT(
            message=f"KL-divergence between two {kind}Multivariate Normals with{' ' * 26}different event shapes cannot be computed"
        )


@_of((MultivariateNormal, MultivariateNormal))
def _normal_vectors(p: Any, q: Any) -> Any:
    _check_events(p, q)
    theirs, own = q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril
    logarithms = half_log_determinant(theirs) - half_log_determinant(own)
    batch = np.broadcast_shapes(tuple(theirs.shape[:-2]), tuple(own.shape[:-2]))
    n = p.event_shape[0]
    ratio = solved(theirs.expand((*batch, n, n)), own.expand((*batch, n, n)))
    trace = ratio.reshape((-1, n * n)).pow(2).sum(-1).reshape(batch)
    return logarithms + 0.5 * (trace + squared_distance(theirs, q.loc - p.loc) - n)


@_of(
    (MultivariateNormal, LowRankMultivariateNormal),
    (LowRankMultivariateNormal, MultivariateNormal),
    (LowRankMultivariateNormal, LowRankMultivariateNormal),
)
def _vectors(p: Any, q: Any) -> Any:
    _check_events(p, q)
    distance = _distance(q, q.loc - p.loc)
    return 0.5 * (_log_determinant(q) - _log_determinant(p) + _trace(p, q) + distance - p.event_shape[0])


# -- of two classes ----------------------------------------------------------------------------------------------------


@_of(
    (Beta, Pareto),
    (ContinuousBernoulli, Pareto),
    *((p, q) for p in (Exponential, Gamma) for q in (Beta, ContinuousBernoulli, Pareto, Uniform)),
    *(
        (p, q)
        for p in (Gumbel, Laplace, Normal)
        for q in (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
    ),
    (Pareto, Beta),
    (Pareto, ContinuousBernoulli),
    (Pareto, Uniform),
    (Poisson, Bernoulli),
    (Poisson, Binomial),
)
def _outside(p: Any, q: Any) -> Any:
    """One has samples where the other has none."""
    return full_like(next(getattr(p, name) for name in _FIRST if hasattr(p, name)), math.inf)


_FIRST: Final = ("loc", "concentration1", "concentration", "scale", "rate", "probs")


@_of((Bernoulli, Poisson))
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@_of((Uniform, ContinuousBernoulli), (Beta, ContinuousBernoulli))
def _to_continuous_bernoulli(p: Any, q: Any) -> Any:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    return where((p.high >= 1) | (p.low <= 0), math.inf, result) if isinstance(p, Uniform) else result


@_of((Beta, Exponential), (ContinuousBernoulli, Exponential), (Gamma, Exponential))
def _to_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@_of((Uniform, Exponential))
def _uniform_exponential(p: Any, q: Any) -> Any:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _infinite(result, p.low < 0)


@_of((Pareto, Exponential))
def _pareto_exponential(p: Any, q: Any) -> Any:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return _infinite(result, p.alpha <= 1)


def _mean_logarithm(p: Any) -> Any:
    """The expected logarithm of a sample."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    width = p.high - p.low
    return (_x_log_x(p.high) - _x_log_x(p.low) - width) / width


@_of((Exponential, Gamma))
def _exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    logarithm = -q.concentration * ratio.log()
    return logarithm + ratio + q.concentration.lgamma() + q.concentration * EULER - (1 + EULER)


@_of((Beta, Gamma), (Pareto, Gamma), (Uniform, Gamma))
def _to_gamma(p: Any, q: Any) -> Any:
    constant = q.concentration.lgamma() - q.concentration * q.rate.log()
    mean = p.alpha * p.scale / (p.alpha - 1) if isinstance(p, Pareto) else p.mean
    result = -p.entropy() + constant - (q.concentration - 1) * _mean_logarithm(p) + q.rate * mean
    if isinstance(p, Pareto):
        return _infinite(result, p.alpha <= 1)
    return _infinite(result, p.low < 0) if isinstance(p, Uniform) else result


@_of(*((p, Normal) for p in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)))
def _to_normal(p: Any, q: Any) -> Any:
    mean, variance = p.mean, p.variance
    if isinstance(p, Pareto):
        mean = p.alpha * p.scale / (p.alpha - 1)
        variance = p.alpha * (p.scale / (p.alpha - 1)).pow(2) / (p.alpha - 2)
    apart = (variance + (mean - q.loc).pow(2)) / (2 * q.scale.pow(2))
    result = -p.entropy() + 0.5 * _LOG_2PI + q.scale.log() + apart
    return _infinite(result, p.alpha <= 2) if isinstance(p, Pareto) else result


@_of((Beta, Uniform))
def _beta_uniform(p: Any, q: Any) -> Any:
    return _infinite(-p.entropy() + (q.high - q.low).log(), (q.low > 0) | (q.high < 1))


@_of((ContinuousBernoulli, Uniform))
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    return where((q.low >= 0) | (q.high <= 1), math.inf, -p.entropy() + (q.high - q.low).log())


@_of((Normal, Gumbel))
def _normal_gumbel(p: Any, q: Any) -> Any:
    own, ratio, theirs = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    first, second = ratio.log() * 0.5, own - theirs
    third = (-own + 0.5 * ratio + theirs).exp()
    return -first + second + third - 0.5 * (1 + _LOG_2PI)


@_of((Exponential, Gumbel), (Gamma, Gumbel), (Uniform, Gumbel))
def _to_gumbel(p: Any, q: Any) -> Any:
    apart = (p.mean - q.loc) / q.scale
    return -p.entropy() + q.scale.log() + apart + _mean_exponential(p, q)


def _mean_exponential(p: Any, q: Any) -> Any:
    """The expected value of exp(-(x - loc) / scale)."""
    if isinstance(p, Uniform):
        ends = (-(p.low - q.loc) / q.scale).exp() - (-(p.high - q.loc) / q.scale).exp()
        return q.scale / (p.high - p.low) * ends
    count = p.concentration if isinstance(p, Gamma) else 1.0
    return (q.loc / q.scale).exp() * (1 + (p.rate * q.scale).reciprocal()).pow(-count)


@_of((Normal, Laplace))
def _normal_laplace(p: Any, q: Any) -> Any:
    apart, ratio = p.loc - q.loc, p.scale / q.scale
    scaled = apart / p.scale
    first = ratio.log()
    second = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp()
    third = apart * (math.sqrt(0.5) * scaled).erf()
    return -first + (second + third) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@_of((Uniform, Beta))
def _uniform_beta(p: Any, q: Any) -> Any:
    width, a, b = p.high - p.low, q.concentration1, q.concentration0
    rest = (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    constant = a.lgamma() + b.lgamma() - (a + b).lgamma()
    result = (b - 1) * rest + constant - width.log() - (a - 1) * _mean_logarithm(p)
    return _infinite(result, (p.high > 1) | (p.low < 0))


@_of((Uniform, Pareto))
def _uniform_pareto(p: Any, q: Any) -> Any:
    constant = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    return _infinite(_mean_logarithm(p) * (q.alpha + 1) - constant, p.low < q.scale)
