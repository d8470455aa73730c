"""What programs may do with the distributions, and the members of the modules that show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gradflow.engine.namespace.distributions import (
    base,
    composite,
    constraint_registry,
    constraints,
    continuous,
    counts,
    discrete,
    elementwise_transforms,
    gamma,
    multivariate,
    relaxed,
    transformed,
    transforms,
    utils,
    vector_transforms,
    wishart,
)
from gradflow.engine.namespace.distributions.divergence import kl
from gradflow.engine.sandbox.gate import allow, is_public

_PROTECTED = frozenset((
    "_batch_shape", "_event_shape", "_extended_shape", "_validate_sample", "_validate_args", "_get_checked_instance",
    "_param", "_new", "_natural_params", "_log_normalizer", "_mean_carrier_measure", "_num_events", "_call", "_inverse",
    "_inv_call", "_cache_size", "_inv", "_pad", "_cont_bern_log_norm",
))  # fmt: skip
"""What programs that derive classes of their own call and override."""
_HOMES = {
    "ExponentialFamily": "exp_family", "FisherSnedecor": "fishersnedecor", "HalfCauchy": "half_cauchy",
    "GeneralizedPareto": "generalized_pareto", "HalfNormal": "half_normal", "InverseGamma": "inverse_gamma",
    "LKJCholesky": "lkj_cholesky", "LogNormal": "log_normal", "LogisticNormal": "logistic_normal",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal", "MixtureSameFamily": "mixture_same_family",
    "MultivariateNormal": "multivariate_normal", "NegativeBinomial": "negative_binomial",
    "OneHotCategorical": "one_hot_categorical", "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "RelaxedBernoulli": "relaxed_bernoulli", "LogitRelaxedBernoulli": "relaxed_bernoulli",
    "RelaxedOneHotCategorical": "relaxed_categorical", "ExpRelaxedCategorical": "relaxed_categorical",
    "StudentT": "studentT", "TransformedDistribution": "transformed_distribution", "VonMises": "von_mises",
    "ContinuousBernoulli": "continuous_bernoulli",
}  # fmt: skip
"""Where PyTorch has a class, if not in a module of its name."""
_HIDDEN = ("LogitRelaxedBernoulli", "ExpRelaxedCategorical")
"""What `torch.distributions` itself does not show."""


def _is_shown(name: str) -> bool:
    return is_public(name) or name in _PROTECTED


def _own(held: object, name: str) -> bool:
    return _is_shown(name) and name in vars(held)


def _never(name: str) -> bool:
    return False


def _show(cls: type, module: str, writable: Callable[[str], bool] = _never) -> None:
    """``writable`` for what is made anew in each run: constraints and transforms are shared by all runs."""
    cls.__module__ = module
    names = [name for name in dir(cls) if _is_shown(name)]
    allow(cls, names, readable=_own, writable=writable, subclass=True)


def _with_subclasses(cls: type) -> list[type]:
    children: list[type] = cls.__subclasses__()
    return [cls, *(found for child in children for found in _with_subclasses(child))]


def _named(parts: tuple[Any, ...], *first: type) -> dict[str, Any]:
    return {cls.__name__: cls for cls in (*first, *(cls for part in parts for cls in part.CLASSES))}


_CLASSES: Final = _named(
    (composite, continuous, counts, discrete, gamma, multivariate, relaxed, transformed, wishart),
    base.Distribution,
    base.ExponentialFamily,
)
_TRANSFORMS: Final = _named((transforms, elementwise_transforms, vector_transforms))


def _register() -> None:
    for cls in _with_subclasses(base.Distribution):
        home = _HOMES.get(cls.__name__, cls.__name__.lower()) if cls.__name__ in _CLASSES else "distribution"
        _show(cls, f"torch.distributions.{home}", _is_shown)
    for cls in _with_subclasses(constraints.Constraint):
        _show(cls, "torch.distributions.constraints")
    for cls in _with_subclasses(transforms.Transform):
        _show(cls, "torch.distributions.transforms")
    allow(constraints.depends, ("event_dim", "is_discrete"), shown_as=constraints.depends)
    registry = constraint_registry.ConstraintRegistry
    registry.__module__ = "torch.distributions.constraint_registry"
    allow(registry, ("register",), shown_as=registry)
    utils.lazy_property.__module__ = "torch.distributions.utils"
    allow(utils.lazy_property, shown_as=utils.lazy_property)


_register()
_REGISTRIES: Final = {"biject_to": constraint_registry.biject_to, "transform_to": constraint_registry.transform_to}
MEMBERS: Final[dict[str, dict[str, Any]]] = {
    "torch.distributions": {name: cls for name, cls in _CLASSES.items() if name not in _HIDDEN}
    | _TRANSFORMS
    | kl.NAMES
    | _REGISTRIES
    | {"identity_transform": constraint_registry.IDENTITY},
    "torch.distributions.constraints": constraints.NAMES,
    "torch.distributions.transforms": _TRANSFORMS | {"identity_transform": constraint_registry.IDENTITY},
    "torch.distributions.constraint_registry": _REGISTRIES
    | {"ConstraintRegistry": constraint_registry.ConstraintRegistry},
    "torch.distributions.utils": utils.NAMES,
    "torch.distributions.kl": kl.NAMES,
    **{f"torch.distributions.{_HOMES[name]}": {name: _CLASSES[name]} for name in _HIDDEN},
}
"""By the full name of the module."""
