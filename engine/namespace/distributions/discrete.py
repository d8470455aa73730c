"""Distributions of categories: ``torch.distributions.Bernoulli`` and ``Categorical``."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import (
    BOOLEAN,
    REAL,
    SIMPLEX,
    UNIT,
    VECTOR,
    Check,
    Distribution,
    broadcast,
    call,
    whole,
)
from gradflow.engine.namespace.functional.loss import binary_cross_entropy_with_logits
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.functions.joining import broadcast_tensors
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Size, dtypes


class _Discrete(Distribution):
    """Probabilities, or their logits: one of the two is given, the other follows when it is asked for."""

    has_enumerate_support = True
    binary = False

    def give(self, probs: Any, logits: Any) -> None:
        """Note what was given."""
        self._given = "logits" if probs is None else "probs"
        self._probs, self._logits = probs, logits

    @property
    def parameters(self) -> tuple[str, ...]:  # type: ignore[override]  # here it depends on what is known
        """Those that are known by now."""
        return tuple(name for name in ("probs", "logits") if getattr(self, f"_{name}") is not None)

    @property
    def probs(self) -> Any:
        """The probabilities."""
        if self._probs is None:
            with grad_mode(True):
                self._probs = self._logits.sigmoid() if self.binary else call("softmax_dim", self._logits, -1)
        return self._probs

    @property
    def logits(self) -> Any:
        """The logarithms of the probabilities, or of the odds."""
        if self._logits is None:
            eps = float(dtypes.limits(self._probs._a.dtype).eps)
            with grad_mode(True):
                inside = self._probs.clamp(min=eps, max=1 - eps)
                self._logits = inside.log() - (-inside).log1p() if self.binary else inside.log()
        return self._logits

    @property
    def param_shape(self) -> Size:
        """The shape of what was given."""
        shape: Size = getattr(self, self._given).shape
        return shape

    def listed(self, count: int, dtype: Any, expand: bool) -> Any:
        """All values that a sample can have."""
        values = creation.arange(count, dtype=dtype)
        values = values.view((-1,) + (1,) * len(self.batch_shape))  # type: ignore[attr-defined]  # installed
        return values.expand((-1, *self.batch_shape)) if expand else values


def _one_of(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise errors.MODULE_ARGUMENT(message="Either `probs` or `logits` must be specified, but not both.")


class Bernoulli(_Discrete):
    """1 with a probability, else 0."""

    binary = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _one_of(probs, logits)
        self.give(*(None if value is None else broadcast(value)[0] for value in (probs, logits)))
        super().__init__(self.param_shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"probs": UNIT} if self._given == "probs" else {"logits": REAL}

    @property
    def support(self) -> Check:
        return BOOLEAN

    @property
    def mean(self) -> Any:
        return self.probs

    @property
    def variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return random_in_place.bernoulli(self.probs.expand(self.extended(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        value = self.checked(value)
        logits, value = broadcast(self.logits, value)
        return -_loss(logits, value)

    def entropy(self) -> Any:
        return _loss(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Any:
        """0 and 1."""
        return self.listed(2, self.probs.dtype, expand)


def _loss(logits: Any, target: Any) -> Any:
    return binary_cross_entropy_with_logits(logits, target, reduction="none")


class Categorical(_Discrete):
    """One of several categories, by number."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        _one_of(probs, logits)
        given, name = (logits, "logits") if probs is None else (probs, "probs")
        if given.dim() < 1:
            raise errors.MODULE_ARGUMENT(message=f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            probs = probs / probs.sum(-1, keepdim=True)
        else:
            logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self.give(probs, logits)
        self.count = int(self.param_shape[-1])
        super().__init__(self.param_shape[:-1], validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"probs": SIMPLEX} if self._given == "probs" else {"logits": VECTOR}

    @property
    def support(self) -> Check:
        return whole(self.count - 1)

    @property
    def mean(self) -> Any:
        return creation.full(self.extended(()), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        """The most likely category."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Any:
        return self.mean

    def sample(self, sample_shape: Any = ()) -> Any:
        rows = self.probs.reshape(-1, self.count)
        drawn: Any = random_in_place.multinomial(rows, math.prod(sample_shape), True)
        return drawn.T.reshape(self.extended(sample_shape))

    def log_prob(self, value: Any) -> Any:
        index = self.checked(value).long().unsqueeze(-1)
        index, logs = broadcast_tensors(index, self.logits)
        return logs.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        logits = self.logits.clamp(min=float(dtypes.limits(self.logits._a.dtype).min))
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        """The numbers of all categories."""
        return self.listed(self.count, None, expand)
