"""Truth values that are subtracted: where they were made, and the conversion."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.BOOL_SUBTRACT_ONE)
def _subtracted(case: Case) -> Finding | None:
    """``1 - done``, where `done` was made of flags on another line."""
    node = case.find(ast.BinOp)
    if node is None:
        return None
    flow = Flow(case)
    masks = [
        one
        for one in (node.left, node.right)
        if (held := flow.tensor(one)) is not None and str(held.dtype) == "torch.bool"
    ]
    made = born(case, masks[0]) if len(masks) == 1 else None
    if made is None or line(made) == line(node):
        return None
    text = text_with(case, node, masks[0], f"{case.operand(masks[0])}.float()")
    return finding(
        case,
        f"{code(case, masks[0])} holds truth values, as {code(case, made)} makes them on line {line(made)}, and these cannot be subtracted, nor subtracted from."
        f" Count with them as numbers, 0 and 1: `{text}`.",
        f"{code(case, masks[0])} 里是布尔值，由第 {line(made)} 行的 {code(case, made)} 得到，而布尔值不能做减法。请把它们当作数 0 和 1 来用：`{text}`。",
        case.fix(case.followed(masks[0], ".float()"), node),
        made,
    )
