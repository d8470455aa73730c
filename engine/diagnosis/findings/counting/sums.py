"""Sizes that are written as sums: what stands there when they are larger."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case


def plus(case: Case, size: ast.expr, more: int) -> str:
    """``n + 1`` of ``n``, and ``n`` of ``n - 1``."""
    match size:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(less))) if less >= more:
            return case.text(left) if less == more else f"{case.text(left)} - {less - more}"
    return f"{case.text(size)} + {more}"
