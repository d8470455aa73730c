"""Where the names of a program get their values, found in one walk: an error asks for them at hundreds of places."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

ADDERS: Final = frozenset({"append", "add", "extend", "insert", "appendleft"})
"""Methods that put a value into a list, or its like."""
_SCOPES: Final = (ast.FunctionDef, ast.Lambda, ast.Module)


class Bindings:
    """The statements and expressions that may give a name its value, by the scope and the name."""

    def __init__(self, tree: ast.Module) -> None:
        self._found: dict[tuple[ast.AST, str], list[ast.AST]] = {}
        self._own: dict[ast.AST, frozenset[str]] = {}
        for node, scope in _with_scopes(tree):
            for name in dict.fromkeys(_names(node)):
                self._enter(scope, name, node)
                if isinstance(node, ast.Call) and scope is not tree and name not in self._own_of(scope):
                    self._enter(tree, name, node)  # a function adds to a list of the program

    def of(self, scope: ast.AST, name: str) -> list[ast.AST]:
        """What may give the name its value, in the order of `ast.walk`."""
        return self._found.get((scope, name), [])

    def _enter(self, scope: ast.AST, name: str, node: ast.AST) -> None:
        self._found.setdefault((scope, name), []).append(node)

    def _own_of(self, scope: ast.AST) -> frozenset[str]:
        """The variables and parameters of a function."""
        if scope not in self._own:
            inside = list(ast.walk(scope))
            arguments = {one.arg for one in inside if isinstance(one, ast.arg)}
            stored = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            self._own[scope] = frozenset(arguments | stored)
        return self._own[scope]


@lru_cache(1)
def bindings(tree: ast.Module) -> Bindings:
    """Those of a program."""
    return Bindings(tree)


def _with_scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST]]:
    """All nodes in the order of `ast.walk`, each with the function or the program whose variables it uses."""
    waiting: deque[tuple[ast.AST, ast.AST]] = deque([(tree, tree)])
    while waiting:
        node, scope = waiting.popleft()
        yield node, scope
        inner = node if isinstance(node, _SCOPES) else scope
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node))


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node may give a value to."""
    match node:
        case ast.Assign(targets=targets):
            written: list[ast.expr] = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            written = [target]
        case ast.For(target=target) | ast.comprehension(target=target):
            written = [target]
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr=attr)) if attr in ADDERS:
            written = [owner]
        case _:
            return
    for each in written:
        yield from (one.id for one in ast.walk(each) if isinstance(one, ast.Name))


def registered_name(node: ast.AST) -> str | None:
    """The name in ``self.register_buffer("name", ...)`` and its like; None of anything else."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="self"), attr=attr), args=[ast.Constant(value=str(name)), *_]
        ) if attr in _REGISTERING:
            return name
    return None


_REGISTERING: Final = ("register_buffer", "register_parameter", "add_module", "register_module")
