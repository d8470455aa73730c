"""What an optimizer trains, and which parts of a program use it."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer


def trained(case: Case, step: ast.AST | None) -> set[int]:
    """The identities of the parameters that a call of ``optimizer.step()`` writes; none where the optimizer is not known."""
    owner = step.func.value if isinstance(step, ast.Call) and isinstance(step.func, ast.Attribute) else None
    held = case.value(owner) if isinstance(step, ast.Call) and getattr(step.func, "attr", "") == "step" else None
    return {id(one) for group in held.param_groups for one in group["params"]} if isinstance(held, Optimizer) else set()


def layer_with(case: Case, value: ast.AST, parameters: set[int]) -> ast.expr | None:
    """The first layer that a part of the program calls and that has some of these parameters."""
    for one in ast.walk(value):
        held = case.value(one.func) if isinstance(one, ast.Call) else None
        if (
            isinstance(one, ast.Call)
            and isinstance(held, Layer)
            and any(id(p) in parameters for p in held.parameters())
        ):
            return one.func
    return None


def made_with(case: Case, value: ast.expr, parameters: set[int]) -> bool:
    """Whether a layer with some of these parameters is called in an expression, or what it gave last was computed from them."""
    held = Flow(case).tensor(value)
    leaves = leaves_behind(held._entry, graph=True) if held is not None and held._entry is not None else ()
    return layer_with(case, value, parameters) is not None or any(id(one.tensor) in parameters for one in leaves)
