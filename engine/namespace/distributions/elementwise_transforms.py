"""Transforms of one number at a time: exponential, sigmoid, tanh, powers, affine functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradflow.engine.namespace.distributions.constraints import (
    POSITIVE,
    REAL,
    UNIT,
    depends,
    independent,
    interval,
)
from gradflow.engine.namespace.distributions.transforms import Transform
from gradflow.engine.namespace.distributions.utils import (
    all_true,
    broadcast_all,
    call,
    eps_of,
    is_number,
    lazy_property,
    sum_last,
    tiny_of,
)
from gradflow.engine.namespace.functions.creation import full_like
from gradflow.engine.tensor import Size, Tensor


class _Increasing(Transform):
    _identical = False
    domain = REAL
    bijective = True
    sign = +1


class ExpTransform(_Increasing):
    """y = exp(x)."""

    codomain = POSITIVE

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class SigmoidTransform(_Increasing):
    """y = 1 / (1 + exp(-x)), never 0 or 1."""

    codomain = UNIT

    def _call(self, x: Any) -> Any:
        return clipped_sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        inside = y.clamp(min=tiny_of(y), max=1.0 - eps_of(y))
        return inside.log() - (-inside).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -call("softplus", -x) - call("softplus", x)


def clipped_sigmoid(x: Any) -> Any:
    """The sigmoid, never 0 or 1."""
    return x.sigmoid().clamp(min=tiny_of(x), max=1.0 - eps_of(x))


class SoftplusTransform(_Increasing):
    """y = log(1 + exp(x))."""

    codomain = POSITIVE

    def _call(self, x: Any) -> Any:
        return call("softplus", x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -call("softplus", -x)


class TanhTransform(_Increasing):
    """y = tanh(x)."""

    codomain = interval(-1.0, 1.0)

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - call("softplus", -2.0 * x))


class AbsTransform(Transform):
    """y = |x|."""

    domain, codomain = REAL, POSITIVE
    _identical = False

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class PowerTransform(Transform):
    """y = x ** exponent."""

    domain = codomain = POSITIVE
    bijective = True
    _settings = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and all_true(self.exponent.eq(other.exponent))

    __hash__ = None

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return Size(np.broadcast_shapes(tuple(shape), tuple(self.exponent.shape)))

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale * x."""

    bijective = True
    _settings = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @depends(is_discrete=False)
    def domain(self) -> Any:
        return independent(REAL, self.event_dim) if self.event_dim else REAL

    @depends(is_discrete=False)
    def codomain(self) -> Any:
        return self.domain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    __hash__ = None

    @property
    def sign(self) -> Any:
        scale = self.scale
        return (scale > 0) - (scale < 0) if is_number(scale) else scale.sign()

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        scale, shape = self.scale, x.shape
        result: Any = full_like(x, math.log(abs(scale))) if is_number(scale) else scale.abs().log()
        if self.event_dim:
            result, shape = sum_last(result, self.event_dim), shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        shapes = (tuple(value.shape) for value in (self.loc, self.scale) if isinstance(value, Tensor))
        return Size(np.broadcast_shapes(tuple(shape), *shapes))

    inverse_shape = forward_shape


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) if is_number(one) and is_number(other) else all_true(one == other)


CLASSES = (
    ExpTransform, SigmoidTransform, SoftplusTransform, TanhTransform, AbsTransform, PowerTransform, AffineTransform,
)  # fmt: skip
