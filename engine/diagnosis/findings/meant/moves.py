"""Statements that belong behind another one: whether they can be moved there, and the change."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.blocks import block_of
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.trace import Edit, Span


def moved_behind(case: Case, statement: ast.stmt, other: ast.stmt) -> list[Edit]:
    """Take a statement that has its lines for itself out, and put it behind a later one of its block; else no changes."""
    own, behind, body = case.program.span_of(statement), case.program.span_of(other), block_of(case, statement)
    if own is None or behind is None or statement not in body or other not in body:
        return []
    if body.index(statement) >= body.index(other) or not _alone(case, own) or not _ends_line(case, behind):
        return []
    between = body[body.index(statement) + 1 : body.index(other) + 1]
    if _made(statement) & {name for one in between for name in _names(one)}:
        return []
    text = "\n".join(case.line(row) for row in range(own.line, own.end_line + 1))
    end = len(case.line(behind.end_line))
    return [Edit(Span(own.line, 0, own.end_line + 1, 0), ""), insertion(behind.end_line, end, f"\n{text}")]


def around_in(case: Case, node: ast.AST, body: list[ast.stmt]) -> ast.stmt | None:
    """The statement of a block that a node stands in."""
    current: ast.AST | None = node
    while current is not None and current not in body:
        current = case.parents.get(current)
    return current if isinstance(current, ast.stmt) else None


def _alone(case: Case, span: Span) -> bool:
    before = case.line(span.line)[: span.column]
    return not before.strip() and _ends_line(case, span)


def _ends_line(case: Case, span: Span) -> bool:
    rest = case.line(span.end_line)[span.end_column :].strip()
    return not rest or rest.startswith("#")


def _made(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _names(statement: ast.stmt) -> set[str]:
    return {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
