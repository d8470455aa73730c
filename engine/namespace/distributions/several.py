"""Counts, and distributions of vectors: ``Poisson``, ``Geometric``, ``MultivariateNormal``, ``Independent``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import NONNEGATIVE, Check, Distribution, broadcast, call
from gradflow.engine.namespace.distributions.discrete import Bernoulli, _loss
from gradflow.engine.namespace.functions.creation import eye, zeros
from gradflow.engine.namespace.random import creation, random_in_place
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import dtypes

_COUNT: Check = ("IntegerGreaterThan(lower_bound=0)", lambda v: (v % 1 == 0) & (v >= 0))
_VECTOR: Check = ("IndependentConstraint(Real(), 1)", lambda v: (v == v).all(-1))
_TRIANGLE: Check = (
    "LowerCholesky()",
    lambda v: (v.tril() == v).flatten(-2).all(-1) & (v.diagonal(dim1=-2, dim2=-1) > 0).all(-1),
)


class Poisson(Distribution):
    """How many events there are, at this rate."""

    parameters = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    def constraints(self) -> dict[str, Check]:
        return {"rate": NONNEGATIVE}

    @property
    def support(self) -> Check:
        return _COUNT

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return self.rate.floor()

    @property
    def variance(self) -> Any:
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            return random_in_place.poisson(self.rate.expand(self.extended(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        rate, value = broadcast(self.rate, self.checked(value))
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class Geometric(Bernoulli):
    """How many failures there are before the first success."""

    has_enumerate_support = False

    @property
    def support(self) -> Check:
        return _COUNT

    @property
    def mean(self) -> Any:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return self.probs * 0

    @property
    def variance(self) -> Any:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            drawn: Any = creation.rand(self.extended(sample_shape), dtype=self.probs.dtype)
            inside = drawn.clamp(min=float(dtypes.limits(self.probs._a.dtype).tiny))
            return (inside.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        value, probs = broadcast(self.checked(value), self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        return _loss(self.logits, self.probs) / self.probs


_MATRICES = ("loc", "covariance_matrix", "precision_matrix", "scale_tril")


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, by its covariance matrix, the inverse of it, or its Cholesky factor."""

    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise errors.MODULE_ARGUMENT(message="loc must be at least one-dimensional.")
        choices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = {name: matrix for name, matrix in choices.items() if matrix is not None}
        if len(given) != 1:
            raise errors.MODULE_ARGUMENT(
                message="Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((self._given, matrix),) = given.items()
        if matrix.dim() < 2:
            raise errors.MODULE_ARGUMENT(
                message=f"{self._given} must be at least two-dimensional, with optional leading batch dimensions"
            )
        size = loc.shape[-1]
        batch = tuple(np.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1])))
        matrix = matrix.expand((*batch, size, size))
        self.loc = loc.expand((*batch, size))
        self._matrix = self._factor = matrix
        self._known = {"loc", self._given}
        super().__init__(batch, (size,), validate_args=validate_args)
        if self._given != "scale_tril":
            self._factor = self._cholesky(matrix)

    @property
    def parameters(self) -> tuple[str, ...]:  # type: ignore[override]  # here it depends on what is known
        """Those that are known by now."""
        return tuple(name for name in _MATRICES if name in self._known)

    def _cholesky(self, matrix: Any) -> Any:
        if self._given == "covariance_matrix":
            return call("linalg_cholesky", matrix)
        flipped = call("linalg_cholesky", matrix.flip((-2, -1))).flip((-2, -1)).mT
        identity = eye(matrix.shape[-1], dtype=matrix.dtype)
        return call("linalg_solve_triangular", flipped, identity, False, True, False)

    def constraints(self) -> dict[str, Check]:
        return {"loc": _VECTOR, self._given: _TRIANGLE if self._given == "scale_tril" else _SYMMETRIC}

    @property
    def support(self) -> Check:
        return _VECTOR

    @property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        self._known.add("scale_tril")
        return self._matrix if self._given == "scale_tril" else self._whole(self._factor)

    def _whole(self, matrix: Any) -> Any:
        """A matrix for each of the batch."""
        return matrix.expand((*self.batch_shape, *self.event_shape, *self.event_shape))

    @property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        self._known.add("covariance_matrix")
        return self._matrix if self._given == "covariance_matrix" else self._whole(self._factor @ self._factor.mT)

    @property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        self._known.add("precision_matrix")
        return (
            self._matrix if self._given == "precision_matrix" else self._whole(call("cholesky_inverse", self._factor))
        )

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return self.loc

    @property
    def variance(self) -> Any:
        return self._factor.pow(2).sum(-1).expand((*self.batch_shape, *self.event_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self.extended(sample_shape)
        noise: Any = random_in_place.normal(zeros(shape, dtype=self.loc.dtype), 1.0)
        return self.loc + (self._factor @ noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        apart = self.checked(value) - self.loc
        solved = call("linalg_solve_triangular", self._factor, apart.unsqueeze(-1), False, True, False).squeeze(-1)
        distance = solved.pow(2).sum(-1)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_determinant()

    def _half_log_determinant(self) -> Any:
        return self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self) -> Any:
        return 0.5 * self.event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_determinant()


_SYMMETRIC: Check = ("PositiveDefinite()", lambda v: _is_definite(v))


def _is_definite(matrix: Any) -> Any:
    array = matrix._a
    symmetric = np.isclose(array, array.swapaxes(-1, -2), atol=1e-6).all((-2, -1))
    eigenvalues = np.linalg.eigvalsh(array)
    return type(matrix)(np.asarray(symmetric & (eigenvalues > 0).all(-1)))


class Independent(Distribution):
    """Some of the last batch dimensions of a distribution as one event."""

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

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # that of the base
        """Whether gradients flow through its samples."""
        return bool(self.base_dist.has_rsample)

    @property
    def support(self) -> Check:
        return self.base_dist.support

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        """The most likely value."""
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def _summed(self, value: Any) -> Any:
        count = self.reinterpreted_batch_ndims
        return value if not count else value.reshape((*value.shape[: value.dim() - count], -1)).sum(-1)

    def log_prob(self, value: Any) -> Any:
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        return self._summed(self.base_dist.entropy())

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


CLASSES = (Poisson, Geometric, MultivariateNormal, Independent)
