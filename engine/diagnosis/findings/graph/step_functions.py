"""The functions of a program that an optimizer is given for its steps."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.namespace.optim.optimizer import Optimizer

Given = tuple[ast.Call, ast.FunctionDef]


def step_with_function(case: Case, node: ast.AST | None) -> Given | None:
    """The call ``opt.step(closure)`` and the function of the program that it is given."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[ast.Name(id=name), *_]):
            functions = [one for one in case.nodes(ast.FunctionDef) if one.name == name]
            if functions and (isinstance(case.value(owner), Optimizer) or differentiated(functions[-1])):
                return node, functions[-1]
    return None


def differentiated(function: ast.FunctionDef) -> list[ast.expr]:
    """What a function calls ``backward`` of."""
    return [
        one.func.value
        for one in ast.walk(function)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "backward"
    ]
