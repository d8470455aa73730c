"""``torch.distributions.biject_to`` and ``transform_to``: from numbers without bounds to the points of a constraint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.constraints import NAMES, Constraint
from gradflow.engine.namespace.distributions.elementwise_transforms import (
    AffineTransform,
    ExpTransform,
    SigmoidTransform,
)
from gradflow.engine.namespace.distributions.transforms import ComposeTransform, IndependentTransform, Transform
from gradflow.engine.namespace.distributions.utils import is_number
from gradflow.engine.namespace.distributions.vector_transforms import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)
from gradflow.engine.state import STATE


class _Identity(ComposeTransform):
    """What changes nothing, and cannot be changed: all runs have the same."""

    parts: Any = property(lambda self: [])

    def __init__(self) -> None:
        Transform.__init__(self)

    def with_cache(self, cache_size: int = 1) -> Any:
        return ComposeTransform([], cache_size)

    @property
    def inv(self) -> Any:
        return self


_Identity.__name__ = _Identity.__qualname__ = "ComposeTransform"
IDENTITY: Final = _Identity()
Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """Transforms by the class of the constraint. What a program registers holds for its run."""

    def __init__(self, name: str = "", known: dict[type, Factory] | None = None) -> None:
        self._name, self._known = name, known or {}

    def _own(self) -> dict[type, Factory]:
        own: dict[type, Factory] = STATE.distributions.setdefault(self._name or self, {})
        return own

    def register(self, constraint: Any, factory: Any = None) -> Any:
        """Enter what makes the transform for a constraint, or give a decorator. Raises TypeError for no constraint."""
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, Constraint):
            raise errors.DISTRIBUTION_TYPE(
                message=f"Expected constraint to be either a Constraint subclass or instance, but got {kind}"
            )
        self._own()[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        kind = type(constraint)
        factory = self._own().get(kind) or self._known.get(kind)
        if factory is None:
            raise errors.NO_FORMULA(message=f"Cannot transform {kind.__name__} constraints")
        return factory(constraint)


def _moved(constraint: Any) -> Any:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.lower_bound, 1)])


def _mirrored(constraint: Any) -> Any:
    return ComposeTransform([ExpTransform(), AffineTransform(constraint.upper_bound, -1)])


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low) and is_number(high) and (low, high) == (0, 1):
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])


def _entries(own: Callable[[], ConstraintRegistry]) -> dict[type, Factory]:
    kinds: dict[str, Factory] = {
        "real": lambda c: IDENTITY,
        "independent": lambda c: IndependentTransform(own()(c.base_constraint), c.reinterpreted_batch_ndims),
        "positive": _moved,
        "nonnegative": _moved,
        "less_than": _mirrored,
        "interval": _between,
        "half_open_interval": _between,
        "corr_cholesky": lambda c: CorrCholeskyTransform(),
        "cat": lambda c: CatTransform([own()(part) for part in c.cseq], c.dim, c.lengths),
        "stack": lambda c: StackTransform([own()(part) for part in c.cseq], c.dim),
    }
    return {_kind(name): factory for name, factory in kinds.items()}


def _kind(name: str) -> type:
    found = NAMES[name]
    return found if isinstance(found, type) else type(found)


biject_to: Final[ConstraintRegistry] = ConstraintRegistry("biject_to", _entries(lambda: biject_to))
biject_to._known[_kind("simplex")] = lambda c: StickBreakingTransform()
transform_to: Final[ConstraintRegistry] = ConstraintRegistry("transform_to", _entries(lambda: transform_to))
transform_to._known.update(
    {
        _kind("simplex"): lambda c: SoftmaxTransform(),
        _kind("lower_cholesky"): lambda c: LowerCholeskyTransform(),
        _kind("positive_definite"): lambda c: PositiveDefiniteTransform(),
        _kind("positive_semidefinite"): lambda c: PositiveDefiniteTransform(),
    }
)
