"""A layer made for the sum of two sizes, which is given one of them alone."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import number
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.MM_SHAPE)
def _one_part(case: Case) -> Finding | None:
    """``nn.Linear(features + kinds, 32)`` of the features alone: the layer is right, and what was to be joined is missing."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    made = maker_of(case, layer) if layer is not None else None
    size = argument_of(made, 0, "in_features") if made is not None else None
    given = case.details.get("mat1")
    if made is None or not isinstance(size, ast.BinOp) or not isinstance(size.op, ast.Add) or call is None:
        return None
    parts = size.left, size.right
    left, right = (number(case, one) for one in parts)
    width = given[1] if isinstance(given, list | tuple) and len(given) == 2 else None
    if left is None or right is None or width not in (left, right) or not all(map(_is_named, parts)):
        return None
    there, missing = parts if width == left else parts[::-1]
    lost = right if width == left else left
    which = (
        (f"those of {code(case, there)}", f"{code(case, there)} 的那些") if left != right else ("one part", "其中一份")
    )
    rest = f"the {lost} of {code(case, missing)}" if left != right else f"the other {lost}"
    rest_zh = f" {code(case, missing)} 的 {lost} 个" if left != right else f"另外 {lost} 个"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} takes {left + right} = {left} + {right} numbers for each sample, and {width} arrive: {which[0]} alone. Join {rest} to"
        f" them in front of the layer (`torch.cat([..., ...], dim=1)`); if they are not meant to be there, make the layer for {code(case, there)}.",
        f"第 {line(made)} 行的 {code(case, made)} 要求每个样本有 {left + right} = {left} + {right} 个数，而到来的只有 {width} 个：{which[1]}。请在这一层之前拼上{rest_zh}"
        f"（`torch.cat([..., ...], dim=1)`）；如果本来就不该有，请按 {code(case, there)} 创建这一层。",
        (),
        made,
    )


def _is_named(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)
