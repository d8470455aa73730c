"""`and`, `or` and `not` between tensors: words of Python for one truth, where each element has its own."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, write
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.BOOL_AMBIGUOUS)
def _word_between_masks(case: Case) -> Finding | None:
    """``(t > 10) and (t < 30)``."""
    node = case.find(ast.expr)
    outer = case.parents.get(node) if node is not None else None
    whole = outer if isinstance(outer, ast.BoolOp) else node
    if not isinstance(whole, ast.BoolOp) or isinstance(
        case.parents.get(whole), ast.If | ast.While | ast.Assert | ast.BoolOp | ast.IfExp | ast.comprehension
    ):
        return None
    word, sign = ("and", "&") if isinstance(whole.op, ast.And) else ("or", "|")
    text = f" {sign} ".join(case.text(part) if _is_closed(part) else f"({case.text(part)})" for part in whole.values)
    brackets, brackets_zh = ("", "") if all(map(_is_closed, whole.values)) else (", in brackets", "，并加上括号")
    asked = node if node is not whole and node is not None else whole.values[0]
    return finding(
        case,
        f"`{word}` is a word of Python for two truths: it asks {code(case, asked)} as a whole whether it is true, and that has an answer for each"
        f" element. Masks are joined element by element with `{sign}`{brackets}: `{text}`.",
        f"`{word}` 是 Python 用于两个真值的词：它要 {code(case, asked)} 整体上给出真假，而它对每个元素各有一个答案。掩码请用 `{sign}` 逐个元素地组合{brackets_zh}：`{text}`。",
        write(case, whole, text),
        whole,
    )


def _is_closed(part: ast.expr) -> bool:
    """Whether an operand needs no brackets."""
    return isinstance(part, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
