"""``torch.distributions`` as programs import it, and how far apart two distributions are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions import location_scale, several
from gradflow.engine.namespace.distributions.base import Distribution, call
from gradflow.engine.namespace.distributions.continuous import Exponential, Normal, Uniform
from gradflow.engine.namespace.distributions.discrete import Bernoulli, Categorical
from gradflow.engine.sandbox.gate import allow, is_public
from gradflow.engine.sandbox.stand_ins import Module


def _normal_normal(p: Normal, q: Normal) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    apart = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())


def _bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Any:
    ones = p.probs * (call("softplus", -q.logits) - call("softplus", -p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (call("softplus", q.logits) - call("softplus", p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


def _categorical_categorical(p: Categorical, q: Categorical) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


def _uniform_uniform(p: Uniform, q: Uniform) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


def _exponential_exponential(p: Exponential, q: Exponential) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


_DIVERGENCES: dict[type, Callable[[Any, Any], Any]] = {
    Normal: _normal_normal, Bernoulli: _bernoulli_bernoulli, Categorical: _categorical_categorical,
    Uniform: _uniform_uniform, Exponential: _exponential_exponential,
}  # fmt: skip


def kl_divergence(p: Any, q: Any) -> Any:
    """The Kullback-Leibler divergence of two distributions of one kind. Raises NotImplementedError for others."""
    known = _DIVERGENCES.get(type(p))
    if type(p) is not type(q) and {type(p), type(q)} <= {Normal, Bernoulli}:
        raise errors.MIXED_DIVERGENCE()
    if known is None or type(p) is not type(q):
        raise errors.NO_DIVERGENCE(p=type(p).__name__, q=type(q).__name__)
    return known(p, q)


_INTERNAL = ("binary", "checked", "constraints", "extended", "give", "listed", "parameters")
CLASSES = (
    Distribution, Normal, Uniform, Exponential, Bernoulli, Categorical, *location_scale.CLASSES, *several.CLASSES,
)  # fmt: skip
_HOMES = {"HalfNormal": "half_normal", "LogNormal": "log_normal", "MultivariateNormal": "multivariate_normal"}


def modules() -> dict[str, Module]:
    """The module ``torch.distributions`` and its parts, by full name."""
    for cls in CLASSES:
        cls.__module__ = f"torch.distributions.{_HOMES.get(cls.__name__, cls.__name__.lower())}"
        shown = [name for name in dir(cls) if is_public(name) and name not in _INTERNAL]
        allow(cls, shown, readable=_own, writable=is_public, subclass=True)
    members: dict[str, Any] = {cls.__name__: cls for cls in CLASSES} | {"kl_divergence": kl_divergence}
    kl = Module("torch.distributions.kl", {"kl_divergence": kl_divergence})
    parts = {cls.__module__.rpartition(".")[2]: Module(cls.__module__, {cls.__name__: cls}) for cls in CLASSES} | {
        "kl": kl
    }
    whole = Module("torch.distributions", members | parts)
    return {whole.__name__: whole, **{part.__name__: part for part in parts.values()}}


def _own(held: object, name: str) -> bool:
    return is_public(name) and name in vars(held)
