"""A step of a leaf written as new tensors, with what keeps it in bounds behind it: ``d = d + a * d.grad``, ``d = d.clamp(-e, e)``."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.derivatives.updates import is_cleared
from gradflow.engine.diagnosis.findings.words import apply, finding, line, lines_of_all
from gradflow.engine.trace import Edit, Span

_IN_PLACE: Final = frozenset({"clamp", "clip", "mul", "div", "add", "sub", "round", "abs", "tanh", "sigmoid"})
"""Methods that have a form that writes into their tensor."""


def projected(case: Case, owner: ast.expr) -> Finding | None:
    """The statements that give the name of a leaf to what is computed from its gradient, and then to what is made of that."""
    group = _group(case, owner.id) if isinstance(owner, ast.Name) else []
    first, last = (case.program.span_of(group[0]), case.program.span_of(group[-1])) if group else (None, None)
    if not isinstance(owner, ast.Name) or first is None or last is None:
        return None
    name, (torch, imports) = owner.id, case.with_torch()
    texts = [_in_place(case, one, name) for one in group]
    head = case.line(first.line)[: first.column]
    rows = [f"{head}    {one}" for one in texts] + ([] if is_cleared(case, name) else [f"{head}    {name}.grad = None"])
    text = "\n".join([f"with {torch}.no_grad():", *rows])
    edits = (
        [] if head.strip() else [Edit(Span(first.line, first.column, last.end_line, last.end_column), text), *imports]
    )
    places, places_zh = lines_of_all([line(one) for one in group])
    many = len(group) > 1
    shown, shown_zh = " and then ".join(f"`{one}`" for one in texts), "，再写 ".join(f"`{one}`" for one in texts)
    return finding(
        case,
        f"{places} {'give' if many else 'gives'} the name `{name}` to {'new tensors' if many else 'a new tensor'}, computed from the leaf: what has the"
        f" name then is no leaf, and its `.grad` stays `None`. Change the leaf itself, under `with {torch}.no_grad():` write {shown}.",
        f"{places_zh}把名字 `{name}` 给了由叶子张量算出的新张量：这时它已不是叶子张量，`.grad` 一直是 `None`。请在 `with {torch}.no_grad():` 下修改叶子张量本身：写 {shown_zh}。",
        apply(case, edits, f"Change `{name}` in place, under `no_grad`", f"在 `no_grad` 下就地修改 `{name}`"),
        group[0],
    )


def _group(case: Case, name: str) -> list[ast.Assign]:
    """The assignment to a name that uses its gradient, and those to it right below that use it."""
    begins = [
        one
        for one in case.nodes(ast.Assign)
        if case.text(one.targets[0]) == name and len(one.targets) == 1 and f"{name}.grad" in case.text(one.value)
    ]
    begin = begins[-1] if begins and begins[-1].lineno <= case.span.line else None
    if begin is None or not any(_reads(one, name) for one in _outside_gradient(begin.value, name)):
        return []
    parent = case.parents.get(begin)
    rows = [value for _, value in ast.iter_fields(parent)] if parent is not None else []
    body = next((one for one in rows if isinstance(one, list) and begin in one), [begin])
    found = [begin]
    for one in body[body.index(begin) + 1 :]:
        if not isinstance(one, ast.Assign) or case.text(one.targets[0]) != name or not _uses(one.value, name):
            break
        if ".detach()" in case.text(one) or ".requires_grad" in case.text(one):
            return []
        found.append(one)
    return [] if ".detach()" in case.text(begin) or ".requires_grad" in case.text(begin) else found


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _uses(value: ast.expr, name: str) -> bool:
    return any(_reads(one, name) for one in ast.walk(value))


def _outside_gradient(value: ast.expr, name: str) -> list[ast.AST]:
    """The nodes of an expression but ``name.grad``."""
    inside = {
        id(one.value)
        for one in ast.walk(value)
        if isinstance(one, ast.Attribute) and one.attr == "grad" and _reads(one.value, name)
    }
    return [one for one in ast.walk(value) if id(one) not in inside]


def _in_place(case: Case, statement: ast.Assign, name: str) -> str:
    """What writes into the tensor itself."""
    value = statement.value
    match value:
        case ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub() as op, right=right) if left == name:
            return f"{name} {'+' if isinstance(op, ast.Add) else '-'}= {case.text(right)}"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=left), attr=attr)) if left == name and attr in _IN_PLACE:
            given = ", ".join(case.text(one) for one in (*value.args, *value.keywords))
            return f"{name}.{attr}_({given})"
        case ast.Call(func=ast.Attribute(attr="clamp"), args=[ast.Name(id=left), *rest]) if left == name:
            return f"{name}.clamp_({', '.join(case.text(one) for one in (*rest, *value.keywords))})"
    return f"{name}.copy_({' '.join(case.text(value).split())})"
