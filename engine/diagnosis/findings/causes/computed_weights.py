"""Weights that are no leaves: made by a function, kept in a list, a dict or an object, and read or updated under another name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.computed_leaves import (
    Computed,
    computed_from_leaf,
    is_within,
    leaves_last,
)
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.flow import Flow, returned

_DEEPEST: Final = 10
_THROUGH: Final = frozenset({"values", "items", "zip", "enumerate", "list", "tuple", "reversed", "dict"})
_UPDATES: Final = frozenset({"sub_", "add_", "copy_", "addcmul_", "addcdiv_", "mul_"})


def kept_as(case: Case, node: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """The expressions that made the very tensor which a name, an element or an attribute stands for."""
    if depth > _DEEPEST:
        return
    inner: list[ast.expr] = []
    match node:
        case ast.Name(id=name):
            inner = list(Flow(case).assigned(node, name))
        case ast.Attribute(value=ast.Name()) if (made := definition(case, node)) is not node:
            inner = [made]
        case ast.IfExp(body=body, orelse=orelse):
            inner = [body, orelse]
        case ast.Subscript(value=value) | ast.Starred(value=value):
            inner = [value]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            inner = list(parts)
        case ast.ListComp(elt=one) | ast.GeneratorExp(elt=one) | ast.DictComp(value=one):
            inner = [one]
        case ast.Call() if called(node) in _THROUGH:
            inner = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        case ast.Call():
            inner = [one for function in Flow(case).called(node) for one in returned(function)]
    if not inner:
        yield node
    for one in inner:
        yield from kept_as(case, one, depth + 1)


def weights_behind(case: Case, owner: ast.expr) -> list[Computed]:
    """What is computed from a leaf of no other use, of the tensors that an expression may stand for."""
    made = dict.fromkeys(one for one in kept_as(case, owner) if one is not owner)
    found = [one for each in made if (one := computed_from_leaf(case, each)) is not None]
    updated = is_updated(case, owner)
    rows = [one for one in found if is_within(one) or updated]
    return [replace(one, name=case.text(owner)) if not one.name else one for one in rows]


def is_updated(case: Case, owner: ast.expr) -> bool:
    """Whether the program changes what has a name in place, as a step of training does."""
    names = {case.text(owner), f"{case.operand(owner)}.data"}
    for one in case.nodes(ast.AugAssign):
        if case.text(one.target) in names:
            return True
    return any(
        isinstance(one.func, ast.Attribute) and one.func.attr in _UPDATES and case.text(one.func.value) in names
        for one in case.nodes(ast.Call)
    )


def weight_made(case: Case, owner: ast.expr) -> Finding | None:
    """The weights whose gradient is read, told at the arithmetic that made them."""
    return leaves_last(case, _different(weights_behind(case, owner)))


def _different(found: list[Computed]) -> list[Computed]:
    """Each place once."""
    return list({one.made: one for one in found}.values())


def cut_off(case: Case, owner: ast.expr, made: ast.expr | None, name: str) -> Finding | None:
    """A weight that was computed in another way, before the loop that trains it: to be a leaf of its own."""
    if made is None or not is_updated(case, owner) or case.enclosing(made, ast.For) or case.enclosing(made, ast.While):
        return None
    if not isinstance(owner, ast.Name) or isinstance(made, ast.List | ast.Tuple | ast.Dict | ast.ListComp):
        return None
    text = f"{case.operand(made)}.detach().requires_grad_()"
    return finding(
        case,
        f"`{name}` is updated in place, as a weight is, but {code(case, made)} on line {line(made)} computes it from other tensors, and only leaves"
        f" keep their gradient: `{name}.grad` is `None`. Make it a leaf of its own there: `{text}`.",
        f"`{name}` 被就地更新，是当作权重来用的，但第 {line(made)} 行的 {code(case, made)} 由别的张量算出了它，而只有叶子张量才保留梯度：`{name}.grad` 是 `None`。"
        f"请在那里把它变成独立的叶子张量：`{text}`。",
        apply(case, case.followed(made, ".detach().requires_grad_()"), f"`{text}`", f"`{text}`"),
        made,
    )
