"""Distributions give data and no way out, and what a program registers or sets is forgotten with its run."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PREAMBLE = """
import torch
import torch.distributions as D
from torch.distributions import constraints, transforms
d = D.Gamma(2.0, 3.0)
"""


@pytest.mark.parametrize(
    "expression",
    [
        "d.checked",
        "d.normalizer",
        "d.__dict__['concentration'].__array_interface__",
        "D.Normal.fixed",
        "D.Distribution.__init__.__globals__",
        "D.constraints.dependent_property.fget",
        "D.Normal.log_prob.__code__",
        "D.biject_to._known",
        "D.biject_to._own",
        "D._Module__members",
        "D._LateModule__load",
        "D._members",
        "constraints._Module__members",
        "transforms.ExpTransform().settings",
        "transforms.ExpTransform()._cached",
        "D.utils.lazy_property.wrapped",
    ],
)
def test_what_is_inside_is_not_shown(expression: str) -> None:
    trace = run(PREAMBLE + f"print({expression})")
    assert trace.error is not None, trace.stdout
    assert trace.error.type in ("AttributeError", "SyntaxError", "KeyError", "TypeError")


@pytest.mark.parametrize(
    "change",
    [
        "D.Normal.arg_constraints['scale'] = None\nD.Normal(0.0, 1.0).arg_constraints.clear()",
        "D.Normal.support = None",
        "constraints.positive.lower_bound = -9.0",
        "D.Distribution.set_default_validate_args(False)",
        "@D.register_kl(D.Normal, D.Normal)\ndef f(p, q): return 7",
        "@D.biject_to.register(constraints.positive)\ndef f(c): return 7",
        "@D.transform_to.register(constraints.real)\ndef f(c): return 7",
        "D.identity_transform.parts.append(transforms.ExpTransform())",
        "D.identity_transform.inv",
        "class Mine(constraints.Constraint): pass\nclass Other(D.Normal): pass",
    ],
)
def test_what_a_program_changes_ends_with_its_run(change: str) -> None:
    whole = (
        PREAMBLE
        + "n = D.Normal(0.0, 1.0)\nprint(n, n.arg_constraints, n.support, D.kl_divergence(n, n), constraints.positive,"
        " D.biject_to(constraints.positive), D.transform_to(constraints.real)(torch.ones(2)), D.identity_transform)\n"
        "try:\n    D.Normal(0.0, -1.0)\nexcept ValueError as error:\n    print(error)"
    )
    before = run(whole)
    run(PREAMBLE + change)
    assert run(whole).stdout == before.stdout
    assert before.error is None
    assert "GreaterThan(lower_bound=0.0)" in before.stdout
