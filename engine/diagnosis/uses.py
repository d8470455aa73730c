"""Whether the value that a statement gives the variable of a loop is read afterwards."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, is_in_place


def written_name(statement: ast.AST | None) -> ast.Name | None:
    """The name whose value a statement writes into: ``row`` of ``row += 1``, ``row[0] = 1`` and ``row.zero_()``."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
            written: ast.expr = target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))):
            written = target
        case _:
            return None
    while isinstance(written, ast.Subscript):
        written = written.value
    return written if isinstance(written, ast.Name) else None


def loop_of(case: Case, node: ast.AST, name: str) -> ast.For | None:
    """The loop around a node that gives the name a value in each turn."""
    loop = case.enclosing(node, ast.For)
    while loop is not None and name not in {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}:
        loop = case.enclosing(loop, ast.For)
    return loop


def is_lost(case: Case, statement: ast.AST) -> bool:
    """Whether nothing would read a new value of the loop variable that a statement writes: the next turn gives it another."""
    name = written_name(statement)
    loop = loop_of(case, statement, name.id) if name is not None else None
    if name is None or loop is None:
        return False
    again = set(ast.walk(_outermost_within(case, statement, loop))) - set(ast.walk(statement))
    end = (getattr(statement, "end_lineno", 0), getattr(statement, "end_col_offset", 0))
    scope = case.enclosing(statement, ast.FunctionDef) or case.program.tree
    return not any(
        isinstance(one, ast.Name)
        and one.id == name.id
        and isinstance(one.ctx, ast.Load)
        and (one in again or (one.lineno, one.col_offset) >= end)
        for one in ast.walk(scope)
    )


def _outermost_within(case: Case, statement: ast.AST, loop: ast.For) -> ast.AST:
    """The loop in the body of another one that runs a statement several times in one turn; without any the statement."""
    found, current = statement, case.parents.get(statement)
    while current is not None and current is not loop:
        found = current if isinstance(current, ast.For | ast.While) else found
        current = case.parents.get(current)
    return found


_CONVERSIONS: Final = frozenset({"float", "double", "half", "bfloat16", "long", "int", "to", "type", "clone"})


def lost_writes(source: str) -> int:
    """How many statements write into a converted copy that nothing holds: ``x.float().mul_(2)``."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return sum(isinstance(one, ast.Expr) and _writes_into_copy(one.value) for one in ast.walk(tree))


def _writes_into_copy(node: ast.expr) -> bool:
    writes = False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        writes = writes or is_in_place(name)
        if writes and name in _CONVERSIONS:
            return True
        node = node.func.value
    return False
