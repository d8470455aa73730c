"""Where recording is switched off: a block or a decorator."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gradflow.engine.diagnosis.case import Case

_OFF: Final = frozenset({"no_grad", "inference_mode"})


def switched_off(case: Case, node: ast.AST) -> ast.AST | None:
    """The block or the decorator that switches recording off around a node."""
    current = case.parents.get(node)
    while current is not None:
        if isinstance(current, ast.With):
            for item in current.items:
                if _is_off(item.context_expr):
                    return current
        if isinstance(current, ast.FunctionDef):
            return next((one for one in current.decorator_list if _is_off(one)), None)
        current = case.parents.get(current)
    return None


def _is_off(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    name = getattr(called, "attr", getattr(called, "id", ""))
    if name == "set_grad_enabled" and isinstance(node, ast.Call):
        return bool(node.args) and isinstance(node.args[0], ast.Constant) and not node.args[0].value
    return name in _OFF
