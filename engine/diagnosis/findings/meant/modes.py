"""A flag of a module under the name of one of its methods: what is meant is `training`, which those methods switch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.words import apply
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit, Fix

MODES: Final = ("train", "eval")
"""The methods that switch `training`."""

_READ_ALONE: Final = (ast.If, ast.IfExp, ast.While, ast.BoolOp, ast.Assign, ast.Return)


def setting(case: Case, made: ast.Assign, name: str) -> str:
    """How a statement that sets a flag of this name sets the module's own flag."""
    target = made.targets[0]
    owner = case.text(target.value) if isinstance(target, ast.Attribute) else "self"
    return f"{owner}.training = {_switched(case, made.value) if name == 'eval' else case.text(made.value)}"


def _switched(case: Case, value: ast.expr) -> str:
    """The opposite of a condition, as it is written."""
    match value:
        case ast.Constant(value=bool(flag)):
            return str(not flag)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return case.text(operand)
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript() | ast.Compare():
            return f"not {case.text(value)}"
    return f"not ({case.text(value)})"


def with_own_flag(case: Case, held: Layer, name: str) -> Fix | None:
    """The flag of an object written as `training` wherever the program sets or reads it: what `eval()` then switches."""
    uses = [*_uses(case, held, name)]
    targets = [one for one in uses if isinstance(one.ctx, ast.Store)]
    statements = [case.parents.get(one) for one in targets]
    plain = all(isinstance(one, ast.Assign) and len(one.targets) == 1 for one in statements)
    own = any(one.attr == "training" and isinstance(one.ctx, ast.Store) for one in case.nodes(ast.Attribute))
    if not plain or own or not targets:
        return None
    edits = [edit for one in uses for edit in _written(case, one, name)]
    first = next(one for one in statements if isinstance(one, ast.Assign))
    text = f"`{setting(case, first, name)}`"
    return apply(case, edits, text, text)


def _uses(case: Case, held: Layer, name: str) -> Iterator[ast.Attribute]:
    """The attribute, where it is not called: of ``self`` in the classes of an object, and of the object by its name."""
    classes = [one.__name__ for one in type(held).__mro__]
    for one in case.nodes(ast.Attribute):
        outer = case.parents.get(one)
        if one.attr != name or (isinstance(outer, ast.Call) and outer.func is one):
            continue
        owner = case.enclosing(one, ast.ClassDef)
        inside = owner is not None and owner.name in classes and case.text(one.value) == "self"
        if inside or type(case.value(one.value)) is type(held):
            yield one


def _written(case: Case, use: ast.Attribute, name: str) -> list[Edit]:
    """One use of the flag with the module's own one in its place."""
    outer, text = case.parents.get(use), f"{case.operand(use.value)}.training"
    if name == "train":
        return case.replace(use, text)
    if isinstance(use.ctx, ast.Store) and isinstance(outer, ast.Assign):
        return [*case.replace(use, text), *case.replace(outer.value, _switched(case, outer.value))]
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
        return case.replace(outer, text)
    return case.replace(use, f"not {text}" if isinstance(outer, _READ_ALONE) else f"(not {text})")
