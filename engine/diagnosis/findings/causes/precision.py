"""Derivatives that are checked with too few digits."""

from __future__ import annotations

import ast
from dataclasses import replace

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit


@finds(python.UNCLASSIFIED)
def _single_precision(case: Case) -> Finding | None:
    """``gradcheck`` of floats of 32 bits: told where the same check passes with 64."""
    call = case.find(ast.Call)
    if "Jacobian mismatch" not in str(case.details.get("message", "")) or call is None:
        return None
    given = argument_of(call, 1, "inputs")
    parts = list(given.elts) if isinstance(given, ast.Tuple | ast.List) else [given] if given is not None else []
    single = [one for one in parts if isinstance(held := Flow(case).tensor(one), Tensor) and held.dtype.itemsize == 4]
    torch, _ = case.with_torch()
    edits = [edit for one in single for edit in _doubled(case, one, torch)]
    if not single or not edits:
        return None
    made = definition(case, single[0])
    shown = ", ".join(case.text(one) for one in single)
    told = finding(
        case,
        f"`{called(call)}` moves every number by a tiny step, and `{shown}` (line {line(made)}) has the dtype `torch.float32`, whose 7 digits are too few for that:"
        f" the differences are noise. With `torch.double` the same check passes, so the derivative is right. Make the input so: `dtype={torch}.double`.",
        f"`{called(call)}` 把每个数移动极小的一步，而 `{shown}`（第 {line(made)} 行）是 `torch.float32`，只有 7 位有效数字，不够用：这些差异只是噪声。换成 `torch.double` 后同样的"
        f"检查能通过，所以导数是对的。请这样创建输入：`dtype={torch}.double`。",
        [apply(case, edits, f"`dtype={torch}.double`", f"`dtype={torch}.double`")],
        made,
    )
    return replace(told, guess=True)


def _doubled(case: Case, node: ast.expr, torch: str) -> list[Edit]:
    """The edits that make an input with 64 bits."""
    made = definition(case, node)
    if isinstance(made, ast.Call):
        dtype = next((one for one in made.keywords if one.arg == "dtype"), None)
        if dtype is not None:
            return case.replace(dtype.value, f"{torch}.double")
        flagged = any(one.arg == "requires_grad" for one in made.keywords) and called(made) in (
            "randn",
            "rand",
            "tensor",
            "ones",
            "zeros",
            "linspace",
            "full",
        )
        if is_maker(made) or flagged:
            return case.argument(made, f"dtype={torch}.double")
        inner = made.func.value if isinstance(made.func, ast.Attribute) and called(made) == "requires_grad_" else None
        if isinstance(inner, ast.Call):
            return _doubled(case, inner, torch)
    return []
