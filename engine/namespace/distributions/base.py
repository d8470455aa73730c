"""``torch.distributions``: what all distributions have in common, and the constraints of parameters and samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.functions.joining import broadcast_tensors
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Size, Tensor, dtypes

Check = tuple[str, Callable[[Any], Any]]
"""What a constraint is called, and the test of it."""


def call(name: str, *arguments: Any) -> Any:
    return REGISTRY[name].call(*arguments)


REAL: Check = ("Real()", lambda v: v == v)
POSITIVE: Check = ("GreaterThan(lower_bound=0.0)", lambda v: v > 0.0)
UNIT: Check = ("Interval(lower_bound=0.0, upper_bound=1.0)", lambda v: (v >= 0) & (v <= 1))
BOOLEAN: Check = ("Boolean()", lambda v: (v == 0) | (v == 1))
SIMPLEX: Check = ("Simplex()", lambda v: (v >= 0).all(-1) & ((v.sum(-1) - 1).abs() < 1e-6))
VECTOR: Check = ("IndependentConstraint(Real(), 1)", lambda v: (v == v).all(-1))
NONNEGATIVE: Check = ("GreaterThanEq(lower_bound=0.0)", lambda v: v >= 0.0)


def interval(low: Any, high: Any) -> Check:
    return f"Interval(lower_bound={low}, upper_bound={high})", lambda v: (v >= low) & (v <= high)


def whole(high: int) -> Check:
    text = f"IntegerInterval(lower_bound=0, upper_bound={high})"
    return text, lambda v: (v % 1 == 0) & (v >= 0) & (v <= high)


def broadcast(*values: Any) -> Sequence[Any]:
    """Parameters as tensors of one shape; numbers take the dtype of the first tensor."""
    for value in values:
        if not isinstance(value, Tensor | int | float):
            raise errors.MODULE_ARGUMENT(
                message="Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
            )
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None) or dtypes.BY_NUMPY[dtypes.DEFAULT]
    tensors = [v if isinstance(v, Tensor) else creation.tensor(v, dtype=dtype) for v in values]
    found: Sequence[Any] = broadcast_tensors(*tensors)
    return found


class Distribution:
    """What all distributions have: shapes, the check of parameters and values, samples."""

    has_rsample = False
    has_enumerate_support = False
    parameters: tuple[str, ...] = ()

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self.batch_shape, self.event_shape = Size(batch_shape), Size(event_shape)
        self.validates = True if validate_args is None else validate_args
        if self.validates:
            for name, (text, holds) in self.constraints().items():
                value = getattr(self, name)
                if not holds(value)._a.all():
                    self._refuse(
                        f"Expected parameter {name} ",
                        value,
                        f"of distribution {self!r} to satisfy the constraint {text}, ",
                    )

    def _refuse(self, subject: str, value: Tensor, wanted: str) -> None:
        kind = "Parameter" if type(value).__name__ == "Parameter" else "Tensor"
        shape = f"({kind} of shape {tuple(value.shape)}) "
        raise errors.MODULE_ARGUMENT(message=f"{subject}{shape}{wanted}but found invalid values:\n{value}")

    def constraints(self) -> dict[str, Check]:
        """What the given parameters have to satisfy."""
        return {}

    @property
    def support(self) -> Check:
        """Where samples lie."""
        raise NotImplementedError

    def checked(self, value: Any) -> Any:
        """A value that a sample could have. Raises ValueError otherwise."""
        if not self.validates:
            return value
        if not isinstance(value, Tensor):
            raise errors.MODULE_ARGUMENT(message="The value argument to log_prob must be a Tensor")
        expected, event = self.batch_shape + self.event_shape, len(self.event_shape)
        if value._a.shape[max(value._a.ndim - event, 0) :] != tuple(self.event_shape):
            raise errors.MODULE_ARGUMENT(
                message=f"The right-most size of value must match event_shape: {value.shape} vs {self.event_shape}."
            )
        for i, j in zip(reversed(value._a.shape), reversed(expected), strict=False):
            if 1 not in (i, j) and i != j:
                raise errors.MODULE_ARGUMENT(
                    message=f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        text, holds = self.support
        if not holds(value)._a.all():
            self._refuse(
                "Expected value argument ", value, f"to be within the support ({text}) of the distribution {self!r}, "
            )
        return value

    def extended(self, sample_shape: Any) -> tuple[int, ...]:
        """The shape of so many samples."""
        return (*tuple(sample_shape), *self.batch_shape, *self.event_shape)

    @property
    def mean(self) -> Any:
        """The expected value."""
        raise NotImplementedError

    @property
    def variance(self) -> Any:
        """The expected square of the distance to the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Samples that no gradients flow through."""
        with grad_mode(False):
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Samples that gradients flow through to the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The expected value of -log_prob."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def __repr__(self) -> str:
        given = [(name, getattr(self, name)) for name in self.parameters]
        return f"{type(self).__name__}({', '.join(f'{n}: {v if v.numel() == 1 else v.size()}' for n, v in given)})"
