"""Divisions of Python numbers by zero: which parts of the divisor are 0, and where they come from."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds
from gradflow.engine.errors.language import python


@finally_finds(python.ZERO_DIVISION)
def _zero(case: Case) -> Finding | None:
    """``tp / (tp + fp)`` of a class that was never predicted."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
        return None
    divisor = node.right
    inner = definition(case, divisor) if isinstance(divisor, ast.Name) else divisor
    parts = [
        one
        for one in ast.walk(inner)
        if isinstance(one, ast.Name | ast.Attribute) and type(case.value(one)) in (int, float)
    ]
    told, told_zh = [], []
    for one in parts[:3]:
        where, where_zh = place(case, one)
        told.append(f"`{case.text(one)}` is {case.value(one)}{where}")
        told_zh.append(f"`{case.text(one)}` 是 {case.value(one)}{where_zh}")
    because = f": {', '.join(told)}" if told else ""
    because_zh = f"：{'，'.join(told_zh)}" if told else ""
    where, where_zh = place(case, divisor) if not told else ("", "")
    text = f"{case.text(node)} if {case.text(divisor)} else 0.0"
    return finding(
        case,
        f"{code(case, divisor)}{where} is 0 here{because}, and Python divides no number by 0. See why it is 0; where it may be,"
        " divide only otherwise:"
        f" `{text}`.",
        f"{code(case, divisor)}{where_zh} 在这里是 0{because_zh}，而 Python 的数不能除以 0。请检查它为什么是 0；如果允许为 0，"
        f"请只在不为 0 时相除：`{text}`。",
        (),
        inner if line(inner) and inner is not divisor else divisor,
    )
