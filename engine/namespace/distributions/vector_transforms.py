"""Transforms of vectors and matrices: softmax, stick breaking, Cholesky factors, parts of a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.distributions import constraints
from gradflow.engine.namespace.distributions.constraints import REAL, REAL_VECTOR, SIMPLEX, UNIT, depends, independent
from gradflow.engine.namespace.distributions.elementwise_transforms import clipped_sigmoid
from gradflow.engine.namespace.distributions.transforms import Transform, require_dims
from gradflow.engine.namespace.distributions.utils import (
    call,
    cat,
    engines,
    eps_of,
    lazy_property,
    stack,
    sum_last,
    tiny_of,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)
from gradflow.engine.namespace.functions.creation import eye
from gradflow.engine.tensor import Size


def _one_before(value: Any) -> Any:
    """A 1 in front of the last dimension."""
    return call("constant_pad_nd", value, (1, 0), 1.0)


def _one_after(value: Any) -> Any:
    return call("constant_pad_nd", value, (0, 1), 1.0)


class ReshapeTransform(Transform):
    """The last dimensions in another shape."""

    bijective = True
    _settings = ("in_shape", "out_shape")

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise errors.MODULE_ARGUMENT(message="in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @depends
    def domain(self) -> Any:
        return independent(REAL, len(self.in_shape))

    @depends
    def codomain(self) -> Any:
        return independent(REAL, len(self.out_shape))

    def _call(self, x: Any) -> Any:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x.new_zeros(tuple(x.shape[: x.dim() - len(self.in_shape)]))

    def forward_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape: Any, old: Any, new: Any) -> Size:
    require_dims(len(shape), len(old))
    cut = len(shape) - len(old)
    found = Size(shape[cut:])
    if found != old:
        raise errors.MODULE_ARGUMENT(message=f"Shape mismatch: expected {found} but got {old}")
    return Size((*shape[:cut], *new))


class _OfVectors(Transform):
    """Functions of vectors; values have ``longer`` more elements than arguments."""

    _identical = False
    domain, codomain = REAL_VECTOR, SIMPLEX
    _longer = 0

    def forward_shape(self, shape: Any) -> Any:
        require_dims(len(shape), 1)
        return Size((*shape[:-1], shape[-1] + engines(self, "_longer")))

    def inverse_shape(self, shape: Any) -> Any:
        require_dims(len(shape), 1)
        return Size((*shape[:-1], shape[-1] - engines(self, "_longer")))


class SoftmaxTransform(_OfVectors):
    """Logarithms of probabilities, up to a constant, to probabilities. It cannot be undone but up to that constant."""

    def _call(self, x: Any) -> Any:
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()


class StickBreakingTransform(_OfVectors):
    """Numbers to probabilities, one more: each number tells which part of what is left is broken off."""

    bijective = True
    _longer = 1

    def _call(self, x: Any) -> Any:
        part = clipped_sigmoid(x - _rest(x, x.shape[-1] + 1).log())
        left = (1 - part).cumprod(-1)
        return _one_after(part) * _one_before(left)

    def _inverse(self, y: Any) -> Any:
        broken = y[..., :-1]
        left = (1 - broken.cumsum(-1)).clamp(min=tiny_of(y))
        return broken.log() - left.log() + _rest(broken, y.shape[-1]).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _rest(x, x.shape[-1] + 1).log()
        return (-x + call("logsigmoid", x) + y[..., :-1].log()).sum(-1)


def _rest(like: Any, count: int) -> Any:
    """How many pieces are still to come, at each number."""
    return count - like.new_ones((like.shape[-1],)).cumsum(-1)


class LowerCholeskyTransform(Transform):
    """Matrices to triangles with a positive diagonal."""

    _identical = False
    domain, codomain = independent(REAL, 2), constraints.NAMES["lower_cholesky"]

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Matrices to positive definite ones."""

    _identical = False
    domain, codomain = independent(REAL, 2), constraints.NAMES["positive_definite"]

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(call("linalg_cholesky", y))


class CorrCholeskyTransform(Transform):
    """Vectors to Cholesky factors of matrices of correlations: each row is broken off a stick of length 1.

    D. Lewandowski, D. Kurowicka and H. Joe, Generating random correlation matrices based on vines and extended onion
    method (2009).
    """

    domain, codomain = REAL_VECTOR, constraints.NAMES["corr_cholesky"]
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = eps_of(x)
        rows = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - rows**2).sqrt().cumprod(-1)
        return (rows + eye(rows.shape[-1], dtype=rows.dtype)) * _one_before(left[..., :-1])

    def _inverse(self, y: Any) -> Any:
        left = _one_before((1 - (y * y).cumsum(dim=-1))[..., :-1])
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        slopes = -2 * (x + call("softplus", -2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * left.log().sum(-1) + slopes

    def forward_shape(self, shape: Any) -> Any:
        require_dims(len(shape), 1)
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise errors.MODULE_ARGUMENT(message="Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        require_dims(len(shape), 2)
        if shape[-2] != shape[-1]:
            raise errors.MODULE_ARGUMENT(message="Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


# -- parts of a tensor -------------------------------------------------------------------------------------------------


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise errors.CONSTRAINT(message=message)


class _Parts(Transform):
    """A function of its own for each part of a tensor along a dimension."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        _require(all(isinstance(t, Transform) for t in tseq), "All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) if cache_size else t for t in tseq]
        self.dim = dim

    @property
    def bijective(self) -> Any:
        return all(t.bijective for t in self.transforms)


def _check(transform: _Parts, value: Any, name: str, wanted: int, title: str) -> None:
    count = value.dim()
    _require(-count <= transform.dim < count, f"dim {transform.dim} out of range for tensor with {count} dimensions")
    found = value.size(transform.dim)
    _require(found == wanted, f"{name}.size({transform.dim}) = {found} must equal {title} {wanted}")


class CatTransform(_Parts):
    """A function of its own for each piece, ``lengths`` long."""

    _settings = ("transforms", "dim", "lengths")

    def __init__(self, tseq: Sequence[Any], dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        found, wanted = len(self.lengths), len(self.transforms)
        _require(found == wanted, f"lengths ({found}) must match transforms ({wanted})")

    @lazy_property
    def event_dim(self) -> Any:
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> Any:
        """The length of all pieces."""
        return sum(self.lengths)

    def _call(self, x: Any) -> Any:
        return cat([t(piece) for t, piece in zip(self.transforms, _pieces(self, x, "x"), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return cat([t.inv(piece) for t, piece in zip(self.transforms, _pieces(self, y, "y"), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        found = []
        for t, start, end in zip(self.transforms, _pieces(self, x, "x"), _pieces(self, y, "y"), strict=True):
            found.append(sum_last(t.log_abs_det_jacobian(start, end), self.event_dim - t.event_dim))
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return cat(found, dim) if dim < 0 else sum(found)

    @depends
    def domain(self) -> Any:
        return constraints.NAMES["cat"]([t.domain for t in self.transforms], self.dim, self.lengths)

    @depends
    def codomain(self) -> Any:
        return constraints.NAMES["cat"]([t.codomain for t in self.transforms], self.dim, self.lengths)


def _pieces(transform: CatTransform, value: Any, name: str) -> list[Any]:
    _check(transform, value, name, transform.length, "length")
    starts = np.cumsum([0, *transform.lengths]).tolist()
    return [value.narrow(transform.dim, start, n) for start, n in zip(starts, transform.lengths, strict=False)]


class StackTransform(_Parts):
    """A function of its own for each index of a dimension."""

    _settings = ("transforms", "dim")

    def _call(self, x: Any) -> Any:
        return stack([t(part) for t, part in zip(self.transforms, _slices(self, x, "x"), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return stack([t.inv(part) for t, part in zip(self.transforms, _slices(self, y, "y"), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, _slices(self, x, "x"), _slices(self, y, "y"), strict=True)
        return stack([t.log_abs_det_jacobian(start, end) for t, start, end in parts], self.dim)

    @depends
    def domain(self) -> Any:
        return constraints.NAMES["stack"]([t.domain for t in self.transforms], self.dim)

    @depends
    def codomain(self) -> Any:
        return constraints.NAMES["stack"]([t.codomain for t in self.transforms], self.dim)


def _slices(transform: StackTransform, value: Any, name: str) -> list[Any]:
    _check(transform, value, name, len(transform.transforms), "len(transforms)")
    return [value.select(transform.dim, i) for i in range(value.size(transform.dim))]


class CumulativeDistributionTransform(Transform):
    """The probability that a distribution gives to smaller values."""

    bijective = True
    codomain = UNIT
    sign = +1
    _settings = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)


CLASSES = (
    ReshapeTransform, SoftmaxTransform, StickBreakingTransform, LowerCholeskyTransform, PositiveDefiniteTransform,
    CorrCholeskyTransform, CatTransform, StackTransform, CumulativeDistributionTransform,
)  # fmt: skip
