"""Tensors that a hook or a function puts away, and whose gradient is read later: it is to be asked for where they are put away."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line


def put_away(case: Case, owner: ast.expr, made: ast.expr | None, name: str) -> Finding | None:
    """``store["act"] = out`` in a hook, and ``store["act"].grad`` after the pass, under whatever name it was taken out."""
    read = made if isinstance(owner, ast.Name) else owner
    if not isinstance(read, ast.Subscript | ast.Attribute):
        return None
    found = [(one, value) for one, value in _put(case, read) if case.enclosing(one, ast.FunctionDef) is not None]
    if len(found) != 1:
        return None
    (statement, value), kept = found[0], case.text(found[0][1])
    function = case.enclosing(statement, ast.FunctionDef)
    span = case.program.span_of(statement)
    if not isinstance(value, ast.Name) or span is None or function is None:
        return None
    head = case.line(span.line)[: span.column]
    edits = [] if head.strip() else [insertion(span.line, span.column, f"{kept}.retain_grad()\n{head}")]
    inside = f"`{function.name}`" if isinstance(function, ast.FunctionDef) else "that function"
    return finding(
        case,
        f"`{name}` is no leaf: it was computed, and {inside} put it away as `{kept}` (line {line(statement)}). Only leaves keep their gradient, so `{name}.grad` is"
        f" `None`. Ask for it there, before the backward pass: `{kept}.retain_grad()`.",
        f"`{name}` 不是叶子张量：它是算出来的，由 {inside} 以 `{kept}` 存了起来（第 {line(statement)} 行）。只有叶子张量才保留梯度，所以 `{name}.grad` 是 `None`。请在存的时候、"
        f"反向传播之前写 `{kept}.retain_grad()`。",
        apply(case, edits, f"`{kept}.retain_grad()`", f"`{kept}.retain_grad()`") or (),
        statement,
    )


def _put(case: Case, read: ast.expr) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """The statements that put something where it is read: ``kept[0]`` was put there by ``kept.append(out)`` as well."""
    text = ast.unparse(read)
    for one in case.nodes(ast.Assign):
        if isinstance(one, ast.Assign) and any(ast.unparse(target) == text for target in one.targets):
            yield one, one.value
    if not isinstance(read, ast.Subscript):
        return
    for call in case.nodes(ast.Call):
        match case.parents.get(call), call:
            case ast.Expr() as statement, ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value]):
                if ast.unparse(owner) == ast.unparse(read.value):
                    yield statement, value
