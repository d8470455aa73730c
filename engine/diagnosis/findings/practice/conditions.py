"""`and`, `or`, `not` and `if ... else` of tensors: words of Python for one truth, where each element has its own."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Fix

_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


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


@finds(errors.BOOL_AMBIGUOUS)
def _choice(case: Case) -> Finding | None:
    """``3.0 if x > 0 else 5.0`` of several elements."""
    asked = case.find(ast.expr)
    whole = case.enclosing(asked, ast.IfExp) if asked is not None else None
    if asked is None or whole is None or all(asked is not one for one in ast.walk(whole.test)):
        return None
    held = Flow(case).tensor(asked)
    text, fix = chosen_value(case, whole)
    if fix is None or (held is not None and not held.numel()):
        return None
    return finding(
        case,
        f"{code(case, asked)} has an answer for each element, and `if ... else` takes one of its two values for all of them. Choose element by"
        f" element: `{text}`.",
        f"{code(case, asked)} 对每个元素各有一个答案，而 `if ... else` 只能为所有元素选同一个值。请逐个元素选择：`{text}`。",
        fix,
        asked,
    )


def chosen_value(case: Case, node: ast.IfExp) -> tuple[str, Fix | None]:
    """``torch.where`` in the place of ``a if condition else b``, and the change, where it chooses between numbers."""
    torch, imports = case.with_torch()
    parts = [by_element(case, node.test), case.text(node.body), case.text(node.orelse)]
    text = f"{torch}.where({', '.join(parts)})"
    words = [one for one in (node.body, node.orelse) if isinstance(one, ast.Constant | ast.JoinedStr | ast.List)]
    if any(not isinstance(getattr(one, "value", None), int | float) for one in words):
        return f"{torch}.where({parts[0]}, ..., ...)", None
    return text, case.fix([*case.replace(node, text), *imports], node)


def by_element(case: Case, test: ast.expr) -> str:
    """A condition in the signs that ask each element: ``&``, ``|`` and ``~``."""
    match test:
        case ast.BoolOp(op=op, values=values):
            sign = " & " if isinstance(op, ast.And) else " | "
            return sign.join(_closed(case, one) for one in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"~{_closed(case, operand)}"
        case ast.Compare(left=left, ops=ops, comparators=others) if len(ops) > 1:
            if not all(type(one) in _COMPARISONS for one in ops):
                return case.text(test)
            pairs = zip([left, *others], ops, others, strict=False)
            return " & ".join(f"({case.text(a)} {_COMPARISONS[type(op)]} {case.text(b)})" for a, op, b in pairs)
    return case.text(test)


def _closed(case: Case, part: ast.expr) -> str:
    """An operand of such a sign, in brackets where it needs them."""
    text = by_element(case, part)
    return text if _is_closed(part) else f"({text})"
