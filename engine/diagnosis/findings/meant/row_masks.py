"""A mask of rows that was computed from a whole matrix, where the one value of each row is there already."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with
from gradflow.engine.diagnosis.flow import Flow

_REDUCING: Final = frozenset({"max", "min", "amax", "amin", "mean", "sum", "median", "norm", "any", "all"})


def of_rows(case: Case, node: ast.Subscript, told: tuple[str, str], rows: int) -> Finding | None:
    """``keep = iou > t`` for ``pred[keep]``, beside ``best, idx = iou.max(dim=1)``."""
    made = born(case, node.slice)
    sides = [made.left, *made.comparators] if isinstance(made, ast.Compare) else []
    for side in sides:
        reduced = _reduced(case, side, rows) if isinstance(side, ast.Name) else None
        if reduced is None or made is None:
            continue
        name, call = reduced
        text = text_with(case, made, side, name)
        return finding(
            case,
            f"{told[0]} It was computed from the whole of {code(case, side)} on line {line(made)}, {code(case, made)}, and the one value of each row is `{name}`"
            f" (line {line(call)}). Compare that: `{text}`.",
            f"{told[1]}它在第 {line(made)} 行由整个 {code(case, side)} 算出（{code(case, made)}），而每行的那一个值是 `{name}`（第 {line(call)} 行）。请用它来比较：`{text}`。",
            case.fix(case.replace(side, name), made),
            made,
        )
    return None


def _reduced(case: Case, whole: ast.Name, rows: int) -> tuple[str, ast.Call] | None:
    """The name of what the rows of a matrix were reduced to, above, in the same function."""
    flow = Flow(case)
    for one in case.nodes(ast.Assign):
        target, call = one.targets[0], one.value
        if not isinstance(call, ast.Call) or called(call) not in _REDUCING or not isinstance(call.func, ast.Attribute):
            continue
        if (
            case.text(call.func.value) != whole.id
            or flow.scope(one) is not flow.scope(whole)
            or one.lineno > whole.lineno
        ):
            continue
        first = target.elts[0] if isinstance(target, ast.Tuple) else target
        if isinstance(first, ast.Name) and shape_at(case, call) == (rows,):
            return first.id, call
    return None
