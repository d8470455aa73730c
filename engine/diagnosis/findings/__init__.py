"""Findings: what looks for the cause of an error, says it, and offers the fixes that follow."""

from __future__ import annotations

from importlib import import_module
from typing import Final

ORDER: Final = (
    "derivatives.pieces",
    "nothing_differentiable",
    "flags",
    "second_pass",
    "nonscalar",
    "derivatives.custom_function",
    "nothing",
    "models.state_dict",
    "models.sequences",
    "models.dimensions",
    "models.devices",
    "models.outputs",
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
    "layers",
    "targets",
    "shapes",
    "writes",
    "names",
)
"""The modules, in the order in which their findings are told: of the first that finds something."""

for _name in ORDER:
    import_module(f"{__name__}.{_name}")
