"""Fixes of in-place writes."""

from __future__ import annotations

import ast
from typing import Final

from engine import errors
from engine.diagnosis.case import Case, insertion
from engine.diagnosis.registry import fixes
from engine.trace import Fix, Text

_OPERATORS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.FloorDiv: "//",
}


@fixes(errors.LEAF_INPLACE)
@fixes(errors.LEAF_VIEW_INPLACE)
@fixes(errors.NO_GRAD_VIEW_INPLACE)
def _under_no_grad(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    statement = node and case.statement(node)
    span = case.program.span_of(statement) if statement else None
    if statement is None or span is None or not isinstance(statement, ast.AugAssign | ast.Assign | ast.Expr):
        return None
    lines = case.program.source.split("\n")
    indent = lines[span.line - 1][: span.column]
    rest = lines[span.end_line - 1][span.end_column :]
    if not case.is_plain(span.line) or indent.strip() or rest.split("#")[0].strip():
        return None
    torch, imports = case.with_torch()
    edits = [insertion(span.line, span.column, f"with {torch}.no_grad():\n{indent}    ")]
    edits += [insertion(line, 0, "    ") for line in range(span.line + 1, span.end_line + 1)]
    words = Text(f"Write under `{torch}.no_grad()`", f"放进 `with {torch}.no_grad():`")
    return case.fix([*edits, *imports], words=words)


@fixes(errors.MULTI_VIEW_INPLACE)
@fixes(errors.RESULT_CAST)
@fixes(errors.INPLACE_BROADCAST)
def _out_of_place(case: Case) -> Fix | None:
    return _replace_write(case, case.find(ast.AST))


@fixes(errors.SAVED_MODIFIED)
@fixes(errors.SAVED_MODIFIED_LEAF)
def _write_elsewhere(case: Case) -> Fix | None:
    return _replace_write(case, case.find(ast.AST, case.context.related)) if case.context.related else None


def _replace_write(case: Case, node: ast.AST | None) -> Fix | None:
    """``y += 1`` -> ``y = y + 1``; ``y.add_(1)`` -> ``y = y.add(1)``."""
    statement = node and case.statement(node)
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in _OPERATORS:
            right = case.text(value)
            right = right if isinstance(value, ast.Name | ast.Call | ast.Constant | ast.Subscript) else f"({right})"
            return case.fix(case.replace(statement, f"{name} = {name} {_OPERATORS[type(op)]} {right}"), statement)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr) as method)):
            if attr.endswith("_") and not attr.endswith("__"):
                return case.fix(
                    [*case.before(statement, f"{name} = "), *case.rename_end(method, attr, attr[:-1])], statement
                )
    return None
