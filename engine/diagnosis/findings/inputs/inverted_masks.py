"""A mask of zeros and ones that are whole numbers, inverted by `~`: that flips the bits of the numbers, and no mask comes of it."""

from __future__ import annotations

import ast

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.MASK_REFUSED)
def _flipped_bits(case: Case) -> Finding | None:
    """``scores.masked_fill(~mask, 0)``, where ``mask`` holds whole numbers."""
    call = case.find(ast.Call)
    for given in (*call.args, *(one.value for one in call.keywords)) if call is not None else ():
        made = definition(case, given)
        if not isinstance(made, ast.UnaryOp) or not isinstance(made.op, ast.Invert):
            continue
        held = Flow(case).tensor(made.operand)
        if held is None or held._a.dtype.kind not in "iu" or not np.isin(held._a, (0, 1)).all():
            continue
        kind = held._a.dtype.type
        zero, one = int(np.invert(kind(0))), int(np.invert(kind(1)))
        place, place_zh = on_other_line(made, call or made)
        name, text = code(case, made.operand), f"{case.operand(made.operand)} == 0"
        return finding(
            case,
            f"{name} holds whole numbers, and `~` flips all their bits: {code(case, made)}{place} makes {zero} of 0 and {one} of 1, and is no mask. Compare with 0, which gives"
            f" truth values: `{text}`.",
            f"{name} 里是整数，而 `~` 翻转它们的所有二进制位：{code(case, made)}{place_zh} 把 0 变成 {zero}，把 1 变成 {one}，得不到掩码。请改为与 0 比较，这样得到布尔值：`{text}`。",
            write(case, made, text, case.statement(made)),
            made,
        )
    return None
