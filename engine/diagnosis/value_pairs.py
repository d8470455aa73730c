"""Calls of PyTorch's that give two things, the values and their indices."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, called

WITH_DIM: Final = frozenset({"max", "min", "median", "nanmedian", "mode"})
ALWAYS: Final = frozenset({"sort", "topk", "kthvalue", "cummax", "cummin"})


def gives_pair(case: Case, node: ast.AST) -> bool:
    """Whether an expression is written like ``x.max(1)`` or ``torch.topk(x, 3)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = called(node)
    if name in ALWAYS:
        return True
    along = [*given_after(case, node)[:1], *(one.value for one in node.keywords if one.arg in ("dim", "axis"))]
    return name in WITH_DIM and bool(along) and isinstance(case.value(along[0]), int)


def source_of(case: Case, call: ast.Call) -> ast.expr | None:
    """The tensor that such a call looks through."""
    if not _is_of_torch(case, call):
        return call.func.value if isinstance(call.func, ast.Attribute) else None
    return call.args[0] if call.args else None


def given_after(case: Case, call: ast.Call) -> list[ast.expr]:
    """The arguments behind that tensor."""
    return call.args[1:] if _is_of_torch(case, call) else call.args


def _is_of_torch(case: Case, call: ast.Call) -> bool:
    owner = getattr(call.func, "value", None)
    return isinstance(owner, ast.Name) and owner.id == case.module_alias("torch")
