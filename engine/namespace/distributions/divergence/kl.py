"""``torch.distributions.kl``: how far apart two distributions are, by the classes of both."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import Distribution, ExponentialFamily, normalizer
from gradflow.engine.namespace.distributions.composite import Independent, TransformedDistribution
from gradflow.engine.namespace.distributions.divergence.pairs import PAIRS
from gradflow.engine.namespace.distributions.utils import sum_last
from gradflow.engine.state import STATE, warn

Divergence = Callable[[Any, Any], Any]
Kinds = tuple[type, type]


def _families(p: Any, q: Any) -> Any:
    if type(p) is not type(q):
        raise errors.MIXED_DIVERGENCE()
    given, logarithm, slopes = normalizer(p)
    result = q._log_normalizer(*q._natural_params) - logarithm
    for own, other, slope in zip(given, q._natural_params, slopes, strict=True):
        result = result - sum_last((other - own) * slope, len(q.event_shape))
    return result


def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


_KNOWN: Final[dict[Kinds, Divergence]] = PAIRS | {
    (ExponentialFamily, ExponentialFamily): _families,
    (TransformedDistribution, TransformedDistribution): _transformed,
    (Independent, Independent): _independent,
}


def register_kl(type_p: Any, type_q: Any) -> Any:
    """A decorator of functions that compute the divergence for two classes and those derived from them, for this run."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            raise errors.DISTRIBUTION_TYPE(message=f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun: Any) -> Any:
        _registered()[type_p, type_q] = fun
        return fun

    return decorator


def _registered() -> dict[Kinds, Divergence]:
    own: dict[Kinds, Divergence] = STATE.distributions.setdefault("kl", {})
    return own


def _before(one: Kinds, other: Kinds) -> int:
    """Which of two pairs stands nearer to the classes asked for: the first class in which they differ decides."""
    for a, b in zip(one, other, strict=True):
        if a is not b:
            return -1 if issubclass(a, b) else 1
    return 0


def _nearest(pairs: list[Kinds]) -> Kinds:
    return min(pairs, key=functools.cmp_to_key(_before))


def _find(p: type, q: type) -> Divergence | None:
    known = _KNOWN | _registered()
    fitting = [pair for pair in known if issubclass(p, pair[0]) and issubclass(q, pair[1])]
    if not fitting:
        return None
    left = _nearest(fitting)
    right = _nearest([(b, a) for a, b in fitting])[::-1]
    if known[left] is not known[right]:
        names = f"{p.__name__}, {q.__name__}"
        advice = f"register_kl({left[0].__name__}, {right[1].__name__})"
        warn(f"Ambiguous kl_divergence({names}). Please {advice}", "RuntimeWarning")
    return known[left]


def kl_divergence(p: Any, q: Any) -> Any:
    """The Kullback-Leibler divergence of two distributions, for each of the batch.

    Raises NotImplementedError where none is known for their classes.
    """
    found = _find(type(p), type(q))
    if found is None:
        raise errors.NO_DIVERGENCE(p=type(p).__name__, q=type(q).__name__)
    return found(p, q)


NAMES: Final = {"kl_divergence": kl_divergence, "register_kl": register_kl}
