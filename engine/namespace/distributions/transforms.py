"""``torch.distributions.transforms``: differentiable functions that can be undone."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any, ClassVar

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.constraints import REAL, depends, independent
from gradflow.engine.namespace.distributions.utils import engines, lazy_property, own_attribute, sum_last
from gradflow.engine.namespace.functions.creation import zeros_like


class Transform:
    """A function from one region to another. ``cache_size`` 1: the last argument and its value are remembered."""

    bijective: Any = False
    domain: Any
    codomain: Any
    _settings: ClassVar[tuple[str, ...]] = ()
    """The attributes that another object of the class is made from."""
    _identical = True
    """Whether an object of the class is equal to itself alone."""

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Any = None
        if cache_size not in (0, 1):
            raise errors.MODULE_ARGUMENT(message="cache_size must be 0 or 1")
        self._cached: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> Any:
        """How many of the last dimensions make one argument. Raises ValueError where a value has others."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise errors.MODULE_ARGUMENT(message="Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Any:
        """The function that undoes it."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 where it grows, -1 where it falls."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same function with another cache."""
        if self._cache_size == cache_size:
            return self
        own: Any = type(self)
        settings = engines(self, "_settings")
        if settings or own.__init__ is Transform.__init__:
            return own(*(own_attribute(self, name) for name in settings), cache_size=cache_size)
        raise errors.NO_FORMULA(message=f"{own}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other if engines(self, "_identical") else isinstance(other, type(self))

    __hash__ = None  # type: ignore[assignment]  # as PyTorch's

    def __call__(self, x: Any) -> Any:
        return _remembered(self, self._call, x, 0)

    def _inv_call(self, y: Any) -> Any:
        return _remembered(self, self._inverse, y, 1)

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the volume that a small volume at ``x`` has at ``y``."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """The shape of the value for an argument of this shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of the argument for a value of this shape."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _remembered(transform: Transform, function: Any, given: Any, place: int) -> Any:
    if transform._cache_size == 0:
        return function(given)
    if given is transform._cached[place] and given is not None:
        return transform._cached[1 - place]
    found = function(given)
    transform._cached = (given, found) if place == 0 else (found, given)
    return found


class _InverseTransform(Transform):
    """What undoes another."""

    def __init__(self, transform: Any) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @depends(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @depends(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> Any:
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Any:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and bool(self._inv == other._inv)

    __hash__ = None

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


def _widened(constraint: Any, event_dim: int) -> Any:
    extra = event_dim - constraint.event_dim
    return independent(constraint, extra) if extra > 0 else constraint


class ComposeTransform(Transform):
    """One after another."""

    _settings = ("parts",)

    def __init__(self, parts: Sequence[Any], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    @depends(is_discrete=False)
    def domain(self) -> Any:
        if not self.parts:
            return REAL
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            inner = part.domain.event_dim
            event_dim = max(event_dim + inner - part.codomain.event_dim, inner)
        return _widened(self.parts[0].domain, event_dim)

    @depends(is_discrete=False)
    def codomain(self) -> Any:
        if not self.parts:
            return REAL
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            outer = part.codomain.event_dim
            event_dim = max(event_dim + outer - part.domain.event_dim, outer)
        return _widened(self.parts[-1].codomain, event_dim)

    @lazy_property
    def bijective(self) -> Any:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Any:
        if self._inv is None:
            turned = ComposeTransform([part.inv for part in reversed(self.parts)])
            turned._inv, self._inv = self, turned
        return self._inv

    def __call__(self, x: Any) -> Any:
        return functools.reduce(lambda value, part: part(value), self.parts, x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return zeros_like(x)
        points = [x]
        for part in self.parts[:-1]:
            points.append(part(points[-1]))
        event_dim, terms = self.domain.event_dim, []
        for part, start, end in zip(self.parts, points, [*points[1:], y], strict=True):
            inner = part.domain.event_dim
            terms.append(sum_last(part.log_abs_det_jacobian(start, end), event_dim - inner))
            event_dim += part.codomain.event_dim - inner
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Any) -> Any:
        return functools.reduce(lambda value, part: part.forward_shape(value), self.parts, shape)

    def inverse_shape(self, shape: Any) -> Any:
        return functools.reduce(lambda value, part: part.inverse_shape(value), reversed(self.parts), shape)

    def __repr__(self) -> str:
        inside = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {inside}\n)"


class IndependentTransform(Transform):
    """A function of which some more dimensions make one argument."""

    _settings = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Any, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @depends(is_discrete=False)
    def domain(self) -> Any:
        return independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @depends(is_discrete=False)
    def codomain(self) -> Any:
        return independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> Any:
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def _call(self, x: Any) -> Any:
        require_dims(x.dim(), self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        require_dims(y.dim(), self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_last(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


def require_dims(found: int, wanted: int) -> None:
    """Raises ValueError for too few dimensions."""
    if found < wanted:
        raise errors.MODULE_ARGUMENT(message="Too few dimensions on input")


CLASSES = (Transform, ComposeTransform, IndependentTransform)
