"""``torch.distributions.constraints``: where parameters and samples lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.distributions import utils
from gradflow.engine.namespace.distributions.utils import all_true, cat, engines, eps_of, own_attribute, stack
from gradflow.engine.namespace.functions import creation
from gradflow.engine.tensor import dtypes


class Constraint:
    """A region. ``is_discrete``: whether it has gaps; ``event_dim``: how many of the last dimensions make one point of it."""

    is_discrete: Any = False
    event_dim: Any = 0
    __init_subclass__: Any = classmethod(utils.made_once)

    def check(self, value: Any) -> Any:
        """Whether each point lies inside, as a tensor of bools."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise errors.CONSTRAINT(message=message)


def _require_constraint(value: object, name: str = "base_constraint") -> None:
    _require(isinstance(value, Constraint), f"{name} must be a Constraint, got {type(value).__name__}")


# -- known only when there is an object --------------------------------------------------------------------------------


class _Dependent(Constraint):
    """A region that depends on other values. Its two attributes can be known all the same."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> Any:
        """Raises NotImplementedError where it is not known."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        """Raises NotImplementedError where it is not known."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        known = self._is_discrete if is_discrete is NotImplemented else is_discrete
        return _Dependent(is_discrete=known, event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, value: Any) -> Any:
        raise errors.MODULE_ARGUMENT(message="Cannot determine validity of dependent constraint")


def is_dependent(constraint: object) -> bool:
    """Whether this is a region that depends on other values."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property of objects that is a constraint on the class."""

    def __init__(self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> Any:  # type: ignore[override]  # a decorator with settings
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


# -- made of others ----------------------------------------------------------------------------------------------------


class _IndependentConstraint(Constraint):
    """A constraint of which some more dimensions make one point."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None:
        _require_constraint(base_constraint)
        count, kind = reinterpreted_batch_ndims, type(reinterpreted_batch_ndims).__name__
        _require(isinstance(count, int), f"reinterpreted_batch_ndims must be an int, got {kind}")
        _require(count >= 0, f"reinterpreted_batch_ndims must be >= 0, got {count}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, count

    @property
    def is_discrete(self) -> Any:
        """That of the base."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """That of the base, and the others."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        result, count = self.base_constraint.check(value), self.reinterpreted_batch_ndims
        if result.dim() < count:
            expected = self.base_constraint.event_dim + count
            raise errors.MODULE_ARGUMENT(message=f"Expected value.dim() >= {expected} but got {value.dim()}")
        return result.reshape((*result.shape[: result.dim() - count], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The constraint of the components, for values that lack the dimension of the components."""

    def __init__(self, base_constraint: Any) -> None:
        _require_constraint(base_constraint)
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """That of the base."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """That of the base."""
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise errors.MODULE_ARGUMENT(message=f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[: value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Parts(Constraint):
    """Constraints of the parts of a tensor along a dimension."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        _require(all(isinstance(c, Constraint) for c in cseq), "All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> Any:
        """Whether one of them is."""
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self) -> Any:
        """The largest of theirs."""
        return max(c.event_dim for c in self.cseq)


def _check_dim(constraint: _Parts, value: Any) -> None:
    count = value.dim()
    _require(-count <= constraint.dim < count, f"dim {constraint.dim} out of range for value with {count} dimensions")


class _Cat(_Parts):
    """Constraints of parts that lie one after another."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        found, wanted = len(self.lengths), len(self.cseq)
        _require(found == wanted, f"lengths ({found}) must match cseq ({wanted})")

    def check(self, value: Any) -> Any:
        _check_dim(self, value)
        starts = np.cumsum([0, *self.lengths]).tolist()
        pieces = zip(self.cseq, starts, self.lengths, strict=False)
        return cat([c.check(value.narrow(self.dim, start, length)) for c, start, length in pieces], self.dim)


class _Stack(_Parts):
    """Constraints of parts that lie side by side."""

    @property
    def event_dim(self) -> Any:
        """The largest of theirs, and the dimension of the parts where it lies inside."""
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Any:
        _check_dim(self, value)
        parts = [value.select(self.dim, i) for i in range(value.size(self.dim))]
        return stack([c.check(part) for c, part in zip(self.cseq, parts, strict=False)], self.dim)


# -- numbers -----------------------------------------------------------------------------------------------------------


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value


class _Bounded(Constraint):
    """Numbers between bounds, one of which can be missing."""

    _bounds: ClassVar[tuple[str, ...]] = ()
    _excluded: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(bounds := engines(self, "_bounds"), values, strict=False)) | named
        if len(given) != len(bounds) or set(given) != set(bounds):
            raise TypeError(f"{type(self).__name__} takes {', '.join(bounds)}")
        for name in bounds:
            setattr(self, name, given[name])

    def check(self, value: Any) -> Any:
        inside = [value % 1 == 0] if self.is_discrete else []
        for name in engines(self, "_bounds"):
            bound, strict = own_attribute(self, name), name in engines(self, "_excluded")
            if name == "lower_bound":
                inside.append(value > bound if strict else value >= bound)
            else:
                inside.append(value < bound if strict else value <= bound)
        result = inside[0]
        for other in inside[1:]:
            result = result & other
        return result

    def __repr__(self) -> str:
        shown = (f"{name}={own_attribute(self, name)}" for name in engines(self, "_bounds"))
        return f"{type(self).__name__[1:]}({', '.join(shown)})"


class _GreaterThan(_Bounded):
    _bounds = _excluded = ("lower_bound",)


class _GreaterThanEq(_Bounded):
    _bounds = ("lower_bound",)


class _LessThan(_Bounded):
    _bounds = _excluded = ("upper_bound",)


class _Interval(_Bounded):
    _bounds = ("lower_bound", "upper_bound")


class _HalfOpenInterval(_Interval):
    _excluded = ("upper_bound",)


class _IntegerInterval(_Interval):
    is_discrete = True


class _IntegerLessThan(_Bounded):
    _bounds = ("upper_bound",)
    is_discrete = True


class _IntegerGreaterThan(_GreaterThanEq):
    is_discrete = True


# -- vectors -----------------------------------------------------------------------------------------------------------


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


# -- matrices ----------------------------------------------------------------------------------------------------------


class _Matrix(Constraint):
    event_dim = 2


class _LowerTriangular(_Matrix):
    def check(self, value: Any) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        tolerance = eps_of(value) * value.shape[-1] * 10
        lengths = value.detach().pow(2).sum(-1).sqrt()
        return super().check(value) & (lengths - 1.0).abs().le(tolerance).all(-1)


class _Square(_Matrix):
    def check(self, value: Any) -> Any:
        return creation.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=dtypes.BY_NAME["bool"])


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        square = super().check(value)
        if not all_true(square):
            return square
        near = np.isclose(value._a, value._a.swapaxes(-1, -2), atol=1e-6)
        return creation.tensor(near.all((-2, -1)))


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        return creation.tensor((np.linalg.eigvalsh(value._a) >= 0).all(-1)) if all_true(symmetric) else symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        return creation.tensor((np.linalg.eigvalsh(value._a) > 0).all(-1)) if all_true(symmetric) else symmetric


NAMES: Final[dict[str, Any]] = {
    **{thing.__name__: thing for thing in (Constraint, MixtureSameFamilyConstraint, is_dependent)},
    "dependent": _Dependent(),
    "dependent_property": _DependentProperty,
    "independent": _IndependentConstraint,
    "boolean": _Boolean(),
    "one_hot": _OneHot(),
    "nonnegative_integer": _IntegerGreaterThan(0),
    "positive_integer": _IntegerGreaterThan(1),
    "integer_interval": _IntegerInterval,
    "real": _Real(),
    "real_vector": _IndependentConstraint(_Real(), 1),
    "positive": _GreaterThan(0.0),
    "nonnegative": _GreaterThanEq(0.0),
    "greater_than": _GreaterThan,
    "greater_than_eq": _GreaterThanEq,
    "less_than": _LessThan,
    "multinomial": _Multinomial,
    "unit_interval": _Interval(0.0, 1.0),
    "interval": _Interval,
    "half_open_interval": _HalfOpenInterval,
    "simplex": _Simplex(),
    "lower_triangular": _LowerTriangular(),
    "lower_cholesky": _LowerCholesky(),
    "corr_cholesky": _CorrCholesky(),
    "square": _Square(),
    "symmetric": _Symmetric(),
    "positive_semidefinite": _PositiveSemidefinite(),
    "positive_definite": _PositiveDefinite(),
    "cat": _Cat,
    "stack": _Stack,
}
"""What programs import from the module, with PyTorch's names."""
REAL, REAL_VECTOR = NAMES["real"], NAMES["real_vector"]
POSITIVE, NONNEGATIVE, UNIT = NAMES["positive"], NAMES["nonnegative"], NAMES["unit_interval"]
BOOLEAN, COUNT, SIMPLEX, ONE_HOT = NAMES["boolean"], NAMES["nonnegative_integer"], NAMES["simplex"], NAMES["one_hot"]
interval, half_open, at_least = _Interval, _HalfOpenInterval, _GreaterThanEq
less_than, greater_than = _LessThan, _GreaterThan
whole, multinomial, independent = _IntegerInterval, _Multinomial, _IndependentConstraint
depends = _DependentProperty
