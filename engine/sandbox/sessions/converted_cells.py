"""Scripts that were made from notebooks: ``get_ipython().run_cell_magic('time', '', 'y = f(x)')`` runs its cell.

The statements of the cell take the place of the call, and stand where its text stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.sandbox.sessions.magics import FOREIGN, RUNNING

_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")


def expand_cells(tree: ast.AST) -> set[int]:
    """Put the statements of cells into a module, in place of the calls that run them; gives the lines of these calls.

    What else IPython is asked for becomes ``pass``.
    """
    lines: set[int] = set()
    for field in _BLOCKS:
        statements = getattr(tree, field, None)
        if isinstance(statements, list):
            statements[:] = [each for one in statements for each in _expanded(one, lines)]
    return lines


def _expanded(statement: ast.AST, lines: set[int]) -> list[ast.AST]:
    call = _asked(statement)
    if call is None:
        lines |= expand_cells(statement)
        return [statement]
    cell = list(_cell_of(call))
    if cell:
        lines |= {*range(call.lineno, (call.end_lineno or call.lineno) + 1)}
    return [*cell] or [ast.copy_location(ast.Pass(), statement)]


def _asked(statement: ast.AST) -> ast.Call | None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")))) as call):
            return call
    return None


def _cell_of(call: ast.Call) -> Iterator[ast.stmt]:
    """The statements that a call of ``get_ipython()`` runs; none where it runs no Python."""
    match call:
        case ast.Call(
            func=ast.Attribute(attr=method),
            args=[ast.Constant(value=str() as name), *_, ast.Constant(value=str() as text) as place],
        ):
            if (method == "run_line_magic" and name in RUNNING) or (
                method == "run_cell_magic" and name not in FOREIGN and len(call.args) == 3
            ):
                yield from _statements(text, place)


def _statements(text: str, place: ast.Constant) -> list[ast.stmt]:
    try:
        body = ast.parse(text).body or [ast.Pass()]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for statement in body:
        for node in ast.walk(statement):
            if hasattr(node, "lineno") or isinstance(node, ast.stmt):
                ast.copy_location(node, place)
    return body
