"""Programs of which every statement is tried, whatever the one before it raised."""

from __future__ import annotations

import ast
from typing import Final

_CAUGHT: Final = "try: pass\nexcept BaseException as error: out.append(error)"


def each_tried(program: str) -> str:
    """The program with each of its own statements in a ``try``. What is no Python stays as it is."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return program
    tree.body = [_tried(statement) for statement in tree.body]
    return ast.unparse(ast.fix_missing_locations(tree))


def _tried(statement: ast.stmt) -> ast.stmt:
    (caught,) = ast.parse(_CAUGHT).body
    assert isinstance(caught, ast.Try)
    caught.body = [statement]
    return caught
