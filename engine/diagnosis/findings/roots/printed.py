"""What is printed as a number before, and is kept as a tensor now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.cuts import Cut
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit


def numbers_printed(case: Case, cuts: Sequence[Cut]) -> list[Edit]:
    """``.item()`` where the program prints what is kept as a tensor, once no cut makes a number of it any more."""
    edits: list[Edit] = []
    for cut in cuts:
        if getattr(getattr(cut.node, "func", None), "attr", "item") not in ("item", "float"):
            continue
        for target in _targets(case.statement(cut.node)):
            edits += [one for one in _in_prints(case, target) if one not in edits]
    return edits


def _in_prints(case: Case, target: ast.Name) -> Iterator[Edit]:
    scope = Flow(case).scope(target)
    own = [one for one in case.nodes(ast.Name) if one.id == target.id and Flow(case).scope(one) is scope]
    statements = [case.statement(one) for one in own if isinstance(one.ctx, ast.Store)]
    if any(one is not case.statement(target) and not _begins(one) for one in statements):
        return  # it stands for something else in between
    for one in own:
        call = _print_around(case, one)
        if call is not None:
            parent = case.parents.get(one)
            if isinstance(parent, ast.BinOp | ast.FormattedValue) or parent is call:
                yield from case.after(one, ".item()")


def _begins(statement: ast.stmt | None) -> bool:
    """``total = 0``, to which tensors are added."""
    return isinstance(statement, ast.AugAssign) or (
        isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
    )


def _print_around(case: Case, node: ast.AST) -> ast.Call | None:
    call = case.enclosing(node, ast.Call)
    while call is not None and getattr(call.func, "id", "") != "print":
        call = case.enclosing(call, ast.Call)
    return call


def _targets(statement: ast.stmt | None) -> Iterator[ast.Name]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (one for one in targets if isinstance(one, ast.Name))
        case ast.AugAssign(target=ast.Name() as target):
            yield target
