"""Updates of leaves that are written as new tensors: those that stand together."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case


def updates_from(case: Case, statement: ast.stmt) -> list[tuple[ast.stmt, str, str, ast.expr]]:
    """An update of a leaf, and those of other leaves right below it: the name, the sign, and by how much."""
    parent = case.parents.get(statement)
    rows = [value for _, value in ast.iter_fields(parent)] if parent is not None else []
    body = next((one for one in rows if isinstance(one, list) and statement in one), [statement])
    found: list[tuple[ast.stmt, str, str, ast.expr]] = []
    for one in body[body.index(statement) :]:
        match one:
            case ast.Assign(
                targets=[ast.Name(id=target)],
                value=ast.BinOp(left=ast.Name(id=same), op=ast.Sub() | ast.Add() as op, right=right),
            ) if target == same and f"{target}.grad" in case.text(right):
                if found and one.lineno != (found[-1][0].end_lineno or 0) + 1:
                    break
                found.append((one, target, "-" if isinstance(op, ast.Sub) else "+", right))
            case _:
                break
    return found


def is_cleared(case: Case, name: str) -> bool:
    """Whether a program sets the gradient of a variable to zero."""
    return f"{name}.grad." in case.program.source or f"{name}.grad =" in case.program.source
