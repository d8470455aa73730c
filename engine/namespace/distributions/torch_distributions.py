"""``torch.distributions`` as programs import it. Nothing of it is made before a program asks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from gradflow.engine.sandbox.stand_ins import LateModule, Module

_PARTS = (
    "constraints",
    "transforms",
    "constraint_registry",
    "utils",
    "kl",
    "relaxed_bernoulli",
    "relaxed_categorical",
)


def _members(name: str) -> Mapping[str, object]:
    from gradflow.engine.namespace.distributions.members import MEMBERS

    return MEMBERS[name]


def modules() -> dict[str, Module]:
    """The module ``torch.distributions`` and its parts, by full name."""
    package = "torch.distributions"
    parts = {part: LateModule(f"{package}.{part}", partial(_members, f"{package}.{part}")) for part in _PARTS}
    whole = LateModule(package, partial(_members, package), parts)
    return {package: whole, **{part.__name__: part for part in parts.values()}}
