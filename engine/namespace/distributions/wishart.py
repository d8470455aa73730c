"""The distribution of covariance matrices of normal samples: ``Wishart``."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import ExponentialFamily, filled
from gradflow.engine.namespace.distributions.constraints import NAMES
from gradflow.engine.namespace.distributions.gamma import Chi2
from gradflow.engine.namespace.distributions.multivariate import cholesky_of, half_log_determinant, the_one_given
from gradflow.engine.namespace.distributions.utils import call, lazy_property
from gradflow.engine.namespace.functions.creation import arange, eye, tensor
from gradflow.engine.namespace.random.creation import randn
from gradflow.engine.state import warn
from gradflow.engine.tensor import Tensor

_LOG_2: Final = math.log(2)
_TRIES: Final = 10
_LOW: Final = "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."


def _diagonal(matrix: Any) -> Any:
    return matrix.diagonal(dim1=-2, dim2=-1)


def _log_determinant(matrix: Any) -> Any:
    return call("linalg_slogdet", matrix).logabsdet


class Wishart(ExponentialFamily):
    """Positive definite matrices, by degrees of freedom and a scale matrix, its inverse, or its Cholesky factor."""

    has_rsample = True
    df: Any
    support: Any = NAMES["positive_definite"]
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = the_one_given(covariance_matrix, precision_matrix, scale_tril, errors.MODULE_ASSERTION)
        if matrix.dim() < 2:
            raise errors.MODULE_ARGUMENT(
                message="scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = _freedom(self, df, matrix)
        vars(self)[name] = matrix.expand((*batch, -1, -1))
        super().__init__(batch, tuple(matrix.shape[-2:]), validate_args=validate_args)
        self._unbroadcasted_scale_tril = cholesky_of(name, matrix)
        self._dist_chi2 = _squares(self, batch)

    @property
    def arg_constraints(self) -> Any:
        """What the parameters have to be."""
        return {
            "covariance_matrix": NAMES["positive_definite"],
            "precision_matrix": NAMES["positive_definite"],
            "scale_tril": NAMES["lower_cholesky"],
            "df": NAMES["greater_than"](self._event_shape[-1] - 1),
        }

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new: Any = filled(self._get_checked_instance(Wishart, _instance))
        batch = tuple(batch_shape)
        whole = (*batch, *self._event_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand(whole)
        new.df = self.df.expand(batch)
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            if name in vars(self):
                vars(new)[name] = vars(self)[name].expand(whole)
        super(Wishart, new).__init__(batch, self._event_shape, validate_args=False)
        new._dist_chi2 = _squares(new, batch)
        new._validate_args = self._validate_args
        return new

    @lazy_property
    def scale_tril(self) -> Any:
        """The Cholesky factor of the scale matrix."""
        return _whole(self, self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The scale matrix."""
        return _whole(self, self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        """Its inverse."""
        identity = eye(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return _whole(self, call("cholesky_solve", identity, self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Any:
        return _for_each(self, self.df) * self.covariance_matrix

    @property
    def mode(self) -> Any:
        factor = self.df - self._event_shape[-1] - 1
        return _for_each(self, factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        scale = self.covariance_matrix
        diagonal = _diagonal(scale)
        return _for_each(self, self.df) * (scale.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        sample = _drawn(self, tuple(sample_shape))
        fine = _singular(self, sample)  # as PyTorch has it: asked of those that are not singular, which are drawn again
        if not bool(fine.any()):
            return sample
        warn("Singular sample detected.")
        for _ in range(_TRIES if max_try_correction is None else max_try_correction):
            again = _drawn(self, tuple(fine[fine].shape))
            sample[fine] = again
            fine[fine.clone()] = _singular(self, again, negated=True)
            if not bool(fine.any()):
                break
        return sample

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        nu, size = self.df, self._event_shape[-1]
        normal = -nu * _half_log_determinant(self) - (nu / 2).mvlgamma(size)
        likely = normal + (nu - size - 1) / 2 * _log_determinant(value)
        solved = call("cholesky_solve", value, self._unbroadcasted_scale_tril)  # last, as a pass then finds it first
        return likely - _diagonal(solved).sum(dim=-1) / 2

    def entropy(self) -> Any:
        nu, size = self.df, self._event_shape[-1]
        slopes = ((nu / 2).unsqueeze(-1) - arange(size, dtype=nu.dtype) / 2).digamma().sum(-1)
        spread = (size + 1) * _half_log_determinant(self) + (nu / 2).mvlgamma(size)
        return spread - (nu - size - 1) / 2 * slopes + nu * size / 2

    @property
    def _natural_params(self) -> tuple[Any, Any]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        size = self._event_shape[-1]
        freedom = y + (size + 1) / 2
        return freedom * (-_log_determinant(-2 * x) + _LOG_2 * size) + freedom.mvlgamma(size)


def _freedom(wishart: Wishart, df: Any, matrix: Any) -> tuple[int, ...]:
    batch, size = tuple(matrix.shape[:-2]), matrix.shape[-1]
    if isinstance(df, Tensor):
        batch = tuple(np.broadcast_shapes(batch, tuple(df._a.shape)))
        wishart.df = call("expand", df, batch)
    else:
        wishart.df = tensor(df, dtype=matrix.dtype)
    if wishart.df.le(size - 1).any():
        raise errors.MODULE_ARGUMENT(message=f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
    if wishart.df.lt(size).any():
        warn(_LOW)
    return batch


def _squares(wishart: Wishart, batch: tuple[int, ...]) -> Chi2:
    size = wishart._event_shape[-1]
    below = arange(size, dtype=wishart._unbroadcasted_scale_tril.dtype)
    return Chi2(wishart.df.unsqueeze(-1) - call("expand", below, (*batch, size)))


def _whole(wishart: Wishart, matrix: Any) -> Any:
    return matrix.expand((*wishart._batch_shape, *wishart._event_shape))


def _for_each(wishart: Wishart, number: Any) -> Any:
    return number.view((*wishart._batch_shape, 1, 1))


def _drawn(wishart: Wishart, sample_shape: tuple[int, ...]) -> Any:
    """Bartlett's way: a triangle of normal numbers with roots of chi squares on the diagonal."""
    size = wishart._event_shape[-1]
    roots = wishart._dist_chi2.rsample(sample_shape).sqrt()
    least = float(np.finfo(roots._a.dtype).eps)
    triangle = roots.clamp(min=least).diag_embed(dim1=-2, dim2=-1)
    rows, columns = np.tril_indices(size, -1)
    shape = (*sample_shape, *wishart._batch_shape, len(rows))
    triangle[..., tensor(rows), tensor(columns)] = randn(*shape, dtype=triangle.dtype)
    factor = wishart._unbroadcasted_scale_tril @ triangle
    return factor @ factor.mT


def _singular(wishart: Wishart, sample: Any, negated: bool = False) -> Any:
    found = wishart.support.check(sample)
    if negated:
        found = ~found
    return found.amax([-(i + 1) for i in range(len(wishart._batch_shape))]) if wishart._batch_shape else found


def _half_log_determinant(wishart: Wishart) -> Any:
    return wishart._event_shape[-1] * _LOG_2 / 2 + half_log_determinant(wishart._unbroadcasted_scale_tril)


CLASSES = (Wishart,)
