"""Normal distributions of vectors: ``MultivariateNormal``, ``LowRankMultivariateNormal``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.errors.error_kind import ErrorKind
from gradflow.engine.namespace.distributions.base import Distribution, checked
from gradflow.engine.namespace.distributions.constraints import NAMES, POSITIVE, REAL, REAL_VECTOR, independent
from gradflow.engine.namespace.distributions.utils import Declared, call, lazy_property, standard_normal
from gradflow.engine.namespace.functions.creation import eye
from gradflow.engine.namespace.functions.joining import broadcast_tensors


def solved(triangle: Any, right: Any) -> Any:
    """The inverse of a lower triangle times a matrix."""
    return call("linalg_solve_triangular", triangle, right, False, True, False)


def squared_distance(triangle: Any, apart: Any) -> Any:
    """The squared length of ``triangle^-1 @ apart``: the vectors that share a triangle are solved for together."""
    size, batch = apart.shape[-1], tuple(apart.shape[:-1])
    own = tuple(triangle.shape[:-2])
    outer = len(batch) - len(own)
    shape, order = batch[:outer], list(range(outer))
    for shared, count in zip(own, batch[outer:], strict=True):
        shape += (count // shared, shared)
    order += [*range(outer, len(shape), 2), *range(outer + 1, len(shape), 2)]
    rows = apart.reshape((*shape, size)).permute([*order, len(shape)])
    flat = triangle.reshape((-1, size, size))
    columns = rows.reshape((-1, flat.shape[0], size)).permute((1, 2, 0))
    found = solved(flat, columns).pow(2).sum(-2).t().reshape(tuple(rows.shape[:-1]))
    back = [*range(outer)]
    for i in range(len(own)):
        back += [outer + i, outer + len(own) + i]
    return found.permute(back).reshape(batch)


def times_vector(matrix: Any, vector: Any) -> Any:
    """A matrix times a vector."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def half_log_determinant(triangle: Any) -> Any:
    """The sum of the logarithms of a diagonal."""
    return triangle.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def the_one_given(covariance: Any, precision: Any, triangle: Any, refusal: ErrorKind) -> tuple[str, Any]:
    """The matrix that a distribution is made of, and its name. Raises ``refusal`` where it is not exactly one."""
    choices = {"covariance_matrix": covariance, "precision_matrix": precision, "scale_tril": triangle}
    given = [(name, matrix) for name, matrix in choices.items() if matrix is not None]
    if len(given) != 1:
        raise refusal(message="Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


def cholesky_of(name: str, matrix: Any) -> Any:
    """The Cholesky factor, of the matrix of this name."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return call("linalg_cholesky", matrix)
    flipped = call("linalg_cholesky", matrix.flip((-2, -1))).flip((-2, -1)).mT
    return solved(flipped, eye(matrix.shape[-1], dtype=matrix.dtype))


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, by its covariance matrix, the inverse of it, or its Cholesky factor."""

    has_rsample = True
    arg_constraints = Declared(
        loc=REAL_VECTOR,
        covariance_matrix=NAMES["positive_definite"],
        precision_matrix=NAMES["positive_definite"],
        scale_tril=NAMES["lower_cholesky"],
    )
    support: Any = REAL_VECTOR
    _fixed = ("_unbroadcasted_scale_tril",)

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
        name, matrix = the_one_given(covariance_matrix, precision_matrix, scale_tril, errors.MODULE_ARGUMENT)
        if matrix.dim() < 2:
            title = "scale_tril matrix" if name == "scale_tril" else name
            raise errors.MODULE_ARGUMENT(
                message=f"{title} must be at least two-dimensional, with optional leading batch dimensions"
            )
        size = loc.shape[-1]
        batch = tuple(np.broadcast_shapes(tuple(matrix.shape[:-2]), tuple(loc.shape[:-1])))
        vars(self)[name] = matrix.expand((*batch, size, size))
        self.loc = loc.expand((*batch, size))
        super().__init__(batch, (size,), validate_args=validate_args)
        self._unbroadcasted_scale_tril = cholesky_of(name, matrix)

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        return _broadcast_to_events(self, self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        return _broadcast_to_events(self, self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        return _broadcast_to_events(self, call("cholesky_inverse", self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + times_vector(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Any) -> Any:
        factor = self._unbroadcasted_scale_tril
        distance = squared_distance(factor, checked(self, value) - self.loc)
        logarithm = half_log_determinant(factor)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - logarithm

    def entropy(self) -> Any:
        logarithm = half_log_determinant(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + logarithm
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


def _broadcast_to_events(normal: MultivariateNormal, matrix: Any) -> Any:
    """A matrix for each of the batch."""
    return matrix.expand((*normal._batch_shape, *normal._event_shape, *normal._event_shape))


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors with the covariance ``cov_factor @ cov_factor.mT + diag(cov_diag)``.

    Inverse and determinant go by a small matrix (Woodbury's identity).
    """

    has_rsample = True
    arg_constraints = Declared(loc=REAL_VECTOR, cov_factor=independent(REAL, 2), cov_diag=independent(POSITIVE, 1))
    loc: Any
    cov_factor: Any
    cov_diag: Any
    support: Any = REAL_VECTOR
    _fixed = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise errors.MODULE_ARGUMENT(message="loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise errors.MODULE_ARGUMENT(
                message="cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if tuple(cov_factor.shape[-2:-1]) != tuple(event):
            raise errors.MODULE_ARGUMENT(message=f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if tuple(cov_diag.shape[-1:]) != tuple(event):
            raise errors.MODULE_ARGUMENT(message=f"cov_diag must be a batch of vectors with shape {event}")
        _broadcast(self, loc, cov_factor, cov_diag)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        inner = (scaled_factor(self) @ cov_factor).contiguous()
        size = inner.shape[-1]
        inner.view(-1, size * size)[:, :: size + 1] += 1
        self._capacitance_tril = call("linalg_cholesky", inner)
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        total = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return total.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the covariance matrix."""
        roots = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / roots
        inner = scaled @ scaled.mT
        return _whole(self, roots * call("linalg_cholesky", inner + eye(inner.shape[-1], dtype=inner.dtype)))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariance matrix."""
        factor = self._unbroadcasted_cov_factor
        return _whole(self, factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance matrix."""
        inner = solved(self._capacitance_tril, scaled_factor(self))
        return _whole(self, self._unbroadcasted_cov_diag.reciprocal().diag_embed() - inner.mT @ inner)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        along = standard_normal((*shape[:-1], self.cov_factor.shape[-1]), self.loc)
        apart = standard_normal(shape, self.loc)
        moved = self.loc + times_vector(self._unbroadcasted_cov_factor, along)
        return moved + self._unbroadcasted_cov_diag.sqrt() * apart

    def log_prob(self, value: Any) -> Any:
        distance = mahalanobis(self, checked(self, value) - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_determinant(self) + distance)

    def entropy(self) -> Any:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_determinant(self))
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


def mahalanobis(normal: LowRankMultivariateNormal, apart: Any) -> Any:
    """The square of a distance, in standard deviations."""
    inner = times_vector(scaled_factor(normal), apart)
    whole = (apart.pow(2) / normal._unbroadcasted_cov_diag).sum(-1)
    return whole - squared_distance(normal._capacitance_tril, inner)


def log_determinant(normal: LowRankMultivariateNormal) -> Any:
    """That of the covariance matrix."""
    return 2 * half_log_determinant(normal._capacitance_tril) + normal._unbroadcasted_cov_diag.log().sum(-1)


def _broadcast(normal: Any, loc: Any, cov_factor: Any, cov_diag: Any) -> None:
    try:
        parts = broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
    except RuntimeError:
        shapes = f"loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
        raise errors.MODULE_ARGUMENT(message=f"Incompatible batch shapes: {shapes}") from None
    normal.loc, normal.cov_factor, normal.cov_diag = parts[0][..., 0], parts[1], parts[2][..., 0]


def scaled_factor(normal: Any) -> Any:
    """The factor, transposed, over the diagonal."""
    return normal._unbroadcasted_cov_factor.mT / normal._unbroadcasted_cov_diag.unsqueeze(-2)


def _whole(normal: Any, matrix: Any) -> Any:
    return matrix.expand((*normal._batch_shape, *normal._event_shape, *normal._event_shape))


CLASSES = (MultivariateNormal, LowRankMultivariateNormal)
