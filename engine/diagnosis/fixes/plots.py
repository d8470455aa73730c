"""Programs that draw or report with modules that are not here: the lines that do so become comments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.trace import Edit, Fix, Text

_ASIDE: Final = frozenset({"bokeh", "graphviz", "tensorboardX", "torchinfo", "torchsummary", "visdom"})
"""Modules that show results and compute none."""


def without_module(case: Case, statement: ast.stmt) -> Fix | None:
    """The import and every statement that uses what it binds, as comments, where no other statement needs them."""
    if not any(name.split(".")[0] in _ASIDE for name in _imported(statement)):
        return None
    dropped = _dependent(case, statement)
    if dropped is None:
        return None
    edits: list[Edit] = []
    for one in dropped:
        made = _as_comment(case, one, dropped)
        if not made:
            return None
        edits += made
    module = next(_imported(statement)).split(".")[0]
    words = Text(f"Make the lines with `{module}` comments", f"把用到 `{module}` 的行改成注释")
    return case.fix(edits, words=words)


def _imported(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str() as module):
            yield module


def _dependent(case: Case, first: ast.stmt) -> list[ast.stmt] | None:
    """The statements that cannot run without the import, in their order; None where one of them does more."""
    lost, dropped = set(_bound(first)), [first]
    simple = [node for node in case.nodes(ast.stmt) if not hasattr(node, "body")]
    for _ in range(len(simple)):
        new = [one for one in simple if one not in dropped and _names(one) & lost]
        if any(not isinstance(one, ast.Expr | ast.Assign | ast.Import | ast.ImportFrom) for one in new):
            return None
        dropped += new
        lost |= {name for one in new for name in _bound(one)}
        if not new:
            break
    heads = [node for node in case.nodes(ast.stmt) if hasattr(node, "body")]
    return None if any(_head_names(node) & lost for node in heads) else sorted(dropped, key=lambda one: one.lineno)


def _bound(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        match node:
            case ast.alias(name=name, asname=asname):
                yield asname or name.split(".")[0]
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def _names(statement: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _head_names(statement: ast.stmt) -> set[str]:
    """The names in the first line of a block."""
    parts = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    return {name for part in parts for name in _names(part)}


def _as_comment(case: Case, statement: ast.stmt, dropped: list[ast.stmt]) -> list[Edit]:
    span = case.program.span_of(statement)
    if span is None or case.line(span.line)[: span.column].strip() or not case.is_plain(span.line):
        return []
    body = getattr(case.parents.get(statement), "body", [])
    alone = statement in body and all(one in dropped for one in body) and body[0] is statement
    if alone and not isinstance(case.parents.get(statement), ast.Module):
        return [insertion(span.line, span.column, "pass  # "), *_further(case, span.line, span.end_line)]
    return [insertion(span.line, span.column, "# "), *_further(case, span.line, span.end_line)]


def _further(case: Case, first: int, last: int) -> list[Edit]:
    return [insertion(line, 0, "# ") for line in range(first + 1, last + 1)]
