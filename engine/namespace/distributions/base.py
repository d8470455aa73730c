"""``torch.distributions``: what all distributions have in common."""

from __future__ import annotations

from typing import Any, NoReturn

from gradflow.engine import errors
from gradflow.engine.autograd.backward import grad
from gradflow.engine.namespace.distributions.constraints import is_dependent
from gradflow.engine.namespace.distributions.utils import all_true, engines, lazy_property, own_attribute
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.sandbox.rules import is_closed
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import STATE, grad_mode, unrecorded, warn
from gradflow.engine.tensor import Size, Tensor

_PACKAGE = "torch.distributions"


def filled(made: Any) -> Any:
    """What `expand` is to fill, which a class of the program may have chosen. Raises TypeError for no distribution."""
    if not isinstance(made, Distribution) or isinstance(made, Tensor):
        raise TypeError(f"expand() expects a Distribution to fill, got {type_name(made)}")
    return made


def check_copied(new: Any, name: str) -> None:
    """Raises AttributeError for a name that the class of what is filled keeps for itself."""
    if is_special(name) or is_closed(type(new), name):
        raise errors.READ_ONLY(type=type_name(new), name=name)


class _Validation:
    """Whether a distribution checks its arguments, where it was not told: what holds for the run."""

    def __get__(self, instance: object, owner: type | None = None) -> bool:
        return STATE.validates_distributions


class Distribution:
    """What all distributions have: shapes, the check of parameters and values, samples."""

    has_rsample: Any = False
    has_enumerate_support = False
    _fixed: tuple[str, ...] = ()
    """Tensors that stay as they are when the batch is expanded."""
    _validate_args: Any = _Validation()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions check their arguments where they are not told. Raises ValueError for other values."""
        if value not in (True, False):
            raise errors.MODULE_ARGUMENT(message="")
        STATE.validates_distributions = bool(value)

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            _check_parameters(self)

    @property
    def batch_shape(self) -> Size:
        """How many distributions there are side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> Any:
        """The constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """Where samples lie."""
        raise NotImplementedError

    # -- checks --------------------------------------------------------------------------------------------------------

    def _validate_sample(self, value: Any) -> None:
        """Raises ValueError for what no sample could be."""
        if not isinstance(value, Tensor):
            raise errors.MODULE_ARGUMENT(message="The value argument to log_prob must be a Tensor")
        shape, event = value.shape, self._event_shape
        if Size(shape[max(len(shape) - len(event), 0) :]) != event:
            raise errors.MODULE_ARGUMENT(
                message=f"The right-most size of value must match event_shape: {shape} vs {event}."
            )
        expected = Size((*self._batch_shape, *event))
        for i, j in zip(reversed(tuple(shape)), reversed(tuple(expected)), strict=False):
            if 1 not in (i, j) and i != j:
                raise errors.MODULE_ARGUMENT(
                    message=f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            wanted = "Please initialize the distribution with `validate_args=False` to turn off validation."
            warn(f"{type(self)} does not define `support` to enable sample validation. {wanted}")
            return
        with unrecorded():
            fine = all_true(support.check(value))
        if not fine:
            _refuse(
                self,
                "Expected value argument ",
                value,
                f"to be within the support ({support!r}) of the distribution {self!r}, ",
            )

    # -- shapes --------------------------------------------------------------------------------------------------------

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of so many samples."""
        return Size((*tuple(sample_shape), *self._batch_shape, *self._event_shape))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The distribution for more of a batch, without new memory."""
        new = filled(self._get_checked_instance(home(self), _instance))
        shape, held = Size(batch_shape), len(self._batch_shape)
        for name, value in vars(self).items():
            if name in vars(new):
                continue
            check_copied(new, name)
            if isinstance(value, Tensor) and name not in engines(self, "_fixed"):
                value = value.expand((*shape, *value.shape[held:]))  # type: ignore[attr-defined]  # installed
            elif isinstance(value, Distribution):
                value = value.expand(shape)
            vars(new)[name] = value
        Distribution.__init__(new, shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """An object to fill: ``_instance``, or a new one. Raises NotImplementedError where the class has other arguments."""
        if cls is Distribution:
            raise NotImplementedError
        if _instance is not None:
            return _instance
        own: Any = type(self)
        if own.__init__ is not cls.__init__:  # type: ignore[misc]
            raise errors.NO_FORMULA(
                message=f"Subclass {own.__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return object.__new__(own)

    # -- what they tell ------------------------------------------------------------------------------------------------

    @property
    def mean(self) -> Any:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most likely value."""
        raise errors.NO_FORMULA(message=f"{type(self)} does not implement mode")

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

    def sample_n(self, n: int) -> Any:
        """``n`` samples."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", "FutureWarning")
        return self.sample((n,))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of a smaller value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value below which samples lie with this probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values that a sample can have, along a first dimension."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The expected value of -log_prob."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def __repr__(self) -> str:
        given = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        return f"{type(self).__name__}({', '.join(f'{n}: {_shown(v)}' for n, v in given.items())})"


def checked(distribution: Distribution, value: Any) -> Any:
    """A value that a sample could have. Raises ValueError otherwise."""
    if distribution._validate_args:
        distribution._validate_sample(value)
    return value


def _check_parameters(distribution: Distribution) -> None:
    try:
        constraints = distribution.arg_constraints
    except NotImplementedError:
        wanted = "Please set `arg_constraints = {}` or initialize the distribution with `validate_args=False`"
        warn(f"{type(distribution)} does not define `arg_constraints`. {wanted} to turn off validation.")
        return
    for name, constraint in constraints.items():
        late = name not in vars(distribution) and isinstance(getattr(type(distribution), name, None), lazy_property)
        if is_dependent(constraint) or late:
            continue
        value = own_attribute(distribution, name)
        with unrecorded():
            fine = all_true(constraint.check(value))
        if not fine:
            _refuse(
                distribution,
                f"Expected parameter {name} ",
                value,
                f"of distribution {distribution!r} to satisfy the constraint {constraint!r}, ",
            )


def _refuse(distribution: Distribution, subject: str, value: Tensor, wanted: str) -> NoReturn:
    kind = "Parameter" if type(value).__name__ == "Parameter" else "Tensor"
    shape = f"({kind} of shape {tuple(value.shape)}) "
    raise errors.MODULE_ARGUMENT(message=f"{subject}{shape}{wanted}but found invalid values:\n{value}")


def home(distribution: Distribution) -> type:
    """The class of PyTorch's that this is, or that the program derived its own from."""
    return next(cls for cls in type(distribution).__mro__ if cls.__module__.startswith(_PACKAGE))


def _shown(value: Any) -> Any:
    return value if value.numel() == 1 else value.size()


class ExponentialFamily(Distribution):
    """Distributions whose entropy follows from the logarithm of what their density is divided by.

    F. Nielsen and R. Nock, Entropies and cross-entropies of exponential families (2010).
    """

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Any:
        carrier = self._mean_carrier_measure
        given, logarithm, slopes = normalizer(self)
        result = logarithm - carrier
        for parameter, slope in zip(given, slopes, strict=True):
            result = result - (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result


def normalizer(family: ExponentialFamily) -> tuple[Any, Any, Any]:
    """The natural parameters, the logarithm of the normalizer at them, and its gradient."""
    given = [p.detach().requires_grad_() for p in family._natural_params]
    logarithm = family._log_normalizer(*given)
    return given, logarithm, grad(logarithm.sum(), given, create_graph=True)
