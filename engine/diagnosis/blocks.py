"""The blocks of statements of a program, and statements that share a line."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradflow.engine.trace import Span

if TYPE_CHECKING:
    from gradflow.engine.diagnosis.case import Case

_BLOCKS = ("body", "orelse", "finalbody")


def block_of(case: Case, statement: ast.stmt) -> list[ast.stmt]:
    """The statements among which one stands."""
    parent = case.parents.get(statement)
    blocks = [getattr(parent, name, None) for name in _BLOCKS]
    return next((one for one in blocks if isinstance(one, list) and statement in one), [])


def among_others(case: Case, statement: ast.stmt) -> Span | None:
    """A statement that shares its one line with others, by semicolons, with what parts it from them; None for any other."""
    block, own = block_of(case, statement), case.program.span_of(statement)
    if own is None or own.line != own.end_line or len(block) < 2:
        return None
    at = block.index(statement)
    after = case.program.span_of(block[at + 1]) if at + 1 < len(block) else None
    before = case.program.span_of(block[at - 1]) if at else None
    if after is not None and after.line == own.line:
        return Span(own.line, own.column, own.line, after.column)
    if before is not None and before.end_line == own.line:
        return Span(own.line, before.end_column, own.line, own.end_column)
    return None
