"""``torch.distributions`` as programs import it. Nothing of it is made before a program asks."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradflow.engine.sandbox.gate import allow, is_public
from gradflow.engine.sandbox.stand_ins import LateModule, Module

_INTERNAL = frozenset((
    "base", "bounds", "checked", "excluded", "fixed", "give", "identical", "log_determinant", "longer", "mahalanobis",
    "normalizer", "settings",
))  # fmt: skip
_PROTECTED = frozenset((
    "_batch_shape", "_event_shape", "_extended_shape", "_validate_sample", "_validate_args", "_get_checked_instance",
    "_param", "_new", "_natural_params", "_log_normalizer", "_mean_carrier_measure", "_num_events", "_call", "_inverse",
    "_inv_call", "_cache_size", "_inv",
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


def _show(cls: type, module: str) -> None:
    cls.__module__ = module
    names = [name for name in dir(cls) if (is_public(name) or name in _PROTECTED) and name not in _INTERNAL]
    allow(cls, names, readable=_own, writable=_may_write, subclass=True)


def _own(held: object, name: str) -> bool:
    return (is_public(name) or name in _PROTECTED) and name in vars(held) and name not in _INTERNAL


def _may_write(name: str) -> bool:
    return is_public(name) or name in _PROTECTED


def _classes() -> dict[str, type]:
    from gradflow.engine.namespace.distributions import (
        base,
        composite,
        continuous,
        counts,
        discrete,
        gamma,
        multivariate,
        relaxed,
        transformed,
    )

    parts = (composite, continuous, counts, discrete, gamma, multivariate, relaxed, transformed)
    found = (base.Distribution, base.ExponentialFamily, *(cls for part in parts for cls in part.CLASSES))
    return {cls.__name__: cls for cls in found}


def _distributions() -> dict[str, Any]:
    """The members of the package, and what programs may do with its classes."""
    from gradflow.engine.namespace.distributions import kl

    _constraints()
    classes = _classes()
    for cls in _with_subclasses(classes["Distribution"]):
        name = cls.__name__
        _show(cls, f"torch.distributions.{_HOMES.get(name, name.lower()) if name in classes else 'distribution'}")
    registry = _registry()
    shown = {name: cls for name, cls in classes.items() if name not in _HIDDEN}
    names = ("biject_to", "transform_to")
    return shown | _transforms() | kl.NAMES | {name: registry[name] for name in names}


def _constraints() -> dict[str, Any]:
    from gradflow.engine.namespace.distributions import constraints, utils

    home = "torch.distributions.constraints"
    for cls in _with_subclasses(constraints.Constraint):
        cls.__module__ = home
        names = [name for name in dir(cls) if is_public(name) and name not in _INTERNAL]
        allow(cls, names, readable=_own, writable=is_public, subclass=True)
    allow(constraints.depends, ("is_discrete", "event_dim"), shown_as=constraints.depends)
    utils.lazy_property.__module__ = "torch.distributions.utils"
    allow(utils.lazy_property, shown_as=utils.lazy_property)
    return constraints.NAMES


def _with_subclasses(cls: type) -> list[type]:
    children: list[type] = cls.__subclasses__()
    return [cls, *(found for child in children for found in _with_subclasses(child))]


def _transforms() -> dict[str, Any]:
    from gradflow.engine.namespace.distributions import (
        constraint_registry,
        elementwise_transforms,
        transforms,
        vector_transforms,
    )

    _constraints()
    for cls in _with_subclasses(transforms.Transform):
        if cls.__module__.startswith("gradflow"):
            _show(cls, "torch.distributions.transforms")
    parts = (transforms, elementwise_transforms, vector_transforms)
    named = {cls.__name__: cls for part in parts for cls in part.CLASSES}
    return named | {"identity_transform": constraint_registry.IDENTITY}


def _registry() -> dict[str, Any]:
    from gradflow.engine.namespace.distributions import constraint_registry as found

    _transforms()
    kind = found.ConstraintRegistry
    kind.__module__ = "torch.distributions.constraint_registry"
    allow(kind, ("register",), shown_as=kind)
    return {"ConstraintRegistry": kind, "biject_to": found.biject_to, "transform_to": found.transform_to}


def _utils() -> dict[str, Any]:
    from gradflow.engine.namespace.distributions import utils

    _constraints()
    return utils.NAMES


def _kl() -> dict[str, Any]:
    from gradflow.engine.namespace.distributions import kl

    return kl.NAMES


def _hidden(name: str) -> dict[str, Any]:
    return {name: _classes()[name]}


def modules() -> dict[str, Module]:
    """The module ``torch.distributions`` and its parts, by full name."""
    parts = {
        "constraints": _constraints, "transforms": _transforms, "constraint_registry": _registry, "utils": _utils, "kl": _kl,
    }  # fmt: skip
    made: dict[str, Module] = {name: LateModule(f"torch.distributions.{name}", load) for name, load in parts.items()}
    hidden = {"relaxed_bernoulli": _HIDDEN[0], "relaxed_categorical": _HIDDEN[1]}
    for name, cls in hidden.items():
        made[name] = LateModule(f"torch.distributions.{name}", partial(_hidden, cls))
    whole = LateModule("torch.distributions", _distributions, made)
    return {whole.__name__: whole, **{part.__name__: part for part in made.values()}}
