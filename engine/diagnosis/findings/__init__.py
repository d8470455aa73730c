"""Findings: what looks for the cause of an error, says it, and offers the fixes that follow."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from gradflow.engine.diagnosis.fixers import FINDERS

ORDER: Final = (
    "practice.hidden",
    "practice.emptiness",
    "practice.distributions",
    "practice.settings",
    "practice.functions",
    "practice.attributes",
    "practice.collected",
    "practice.training",
    "practice.parts",
    "origins.called",
    "general.calls",
    "inputs.surplus",
    "inputs.dtypes",
    "inputs.columns",
    "inputs.flattened",
    "inputs.texts",
    "general.counts",
    "general.values",
    "general.derived",
    "general.names",
    "general.modules",
    "general.stacking",
    "origins.features",
    "general.sizes",
    "general.einsum",
    "general.matches",
    "general.joining",
    "general.arguments",
    "general.positions",
    "derivatives.pieces",
    "nothing_differentiable",
    "flags",
    "second_pass",
    "nonscalar",
    "derivatives.custom_function",
    "nothing",
    "origins.absent",
    "origins.beginnings",
    "origins.several",
    "origins.lengths",
    "origins.callbacks",
    "origins.groups",
    "models.state_dict",
    "origins.parts",
    "models.sequences",
    "layers",
    "models.dimensions",
    "models.devices",
    "models.outputs",
    "models.probabilities",
    "derivatives.given_function",
    "derivatives.not_a_number",
    "language.keys",
    "language.methods",
    "language.hidden_names",
    "language.loops",
    "objects",
    "functions",
    "optimizers",
    "arguments",
    "habits",
    "models.sizes",
    "targets",
    "shapes",
    "writes",
    "names",
    "inputs.standins",
    "general.missing",
    "general.kinds",
    "general.attributes",
    "general.operators",
    "general.operands",
)
"""The modules, in the order in which their findings are told: of the first that finds something."""

for _name in ORDER:
    import_module(f"{__name__}.{_name}")
_PLACES: Final = {f"{__name__}.{name}": place for place, name in enumerate(ORDER)}
for _finders in FINDERS.values():
    _finders.sort(key=lambda finder: _PLACES[finder.__module__])
