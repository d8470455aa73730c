"""A column of predictions beside a row of targets: where the column comes from."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.targets import pair_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.error_kind import Shape


@finds(errors.BCE_SIZE, errors.BCE_LOGITS_SIZE)
def _column(case: Case) -> Finding | None:
    pair = pair_of(case)
    if pair is None:
        return None
    call, own, target, scores, value = pair
    a, b = tuple(scores.shape), tuple(value.shape)
    en = f"{code(case, own)} has the shape {Shape(a)} and the target {code(case, target)} {Shape(b)}; the loss compares them element by element."
    zh = f"{code(case, own)} 的形状是 {Shape(a)}，目标 {code(case, target)} 是 {Shape(b)}；损失要逐个元素比较。"
    if a == (*b, 1) and (result := _result_of_forward(case, own)) is not None:
        column = f"{case.operand(result)}.squeeze(-1)"
        return finding(
            case,
            f"{en} The last dimension comes out of `forward` on line {line(result)}. Take it away there, for all who call it: `return {column}`.",
            f"{zh}最后一维来自第 {line(result)} 行的 `forward`。请在那里去掉它，所有调用都会随之正确：`return {column}`。",
            case.fix(case.followed(result, ".squeeze(-1)"), result),
            result,
        )
    if a == (*b, 1):
        text = ".unsqueeze(1)" if len(b) == 1 else ".unsqueeze(-1)"
    elif (*a, 1) == b:
        text = ".squeeze(-1)"
    else:
        return None
    if (other := _compared_elsewhere(case, call, own, target)) is not None:
        return _at_output(case, other, own, (en, zh), ".squeeze(-1)" if a == (*b, 1) else ".unsqueeze(-1)")
    return finding(
        case,
        f"{en} Give the target the same shape: `{case.operand(target)}{text}`.",
        f"{zh}请让目标的形状相同：`{case.operand(target)}{text}`。",
        case.fix(case.followed(target, text), call),
        case.assignment(target.id, unpacked=True) if isinstance(target, ast.Name) else None,
    )


def _result_of_forward(case: Case, node: ast.expr) -> ast.expr | None:
    """What the ``forward`` of a class of the program returns, where a tensor is its result and it has one ``return``."""
    call = definition(case, node)
    if not isinstance(call, ast.Call):
        return None
    name = type(case.value(call.func)).__name__
    for owner in case.nodes(ast.ClassDef):
        for function in owner.body if owner.name == name else ():
            if isinstance(function, ast.FunctionDef) and function.name == "forward":
                results = returned(function)
                return results[0] if len(results) == 1 and not isinstance(results[0], ast.Tuple) else None
    return None


_SHAPED: Final = re.compile(r"squeeze|view|reshape|flatten|ravel|None|\[:, 0\]")


def _compared_elsewhere(case: Case, call: ast.Call, own: ast.expr, target: ast.expr) -> ast.expr | None:
    """``(out > 0) == y``, too, of what a loss is given, as it is: a change in the call of the loss alone leaves it wrong."""
    if not isinstance(own, ast.Name) or not isinstance(target, ast.Name):
        return None
    flow = Flow(case)
    for one in case.nodes(ast.expr):
        sides = _sides(one)
        if len(sides) != 2 or flow.scope(one) is not flow.scope(call) or _SHAPED.search(case.text(one)):
            continue
        for wanted, side in (sides, sides[::-1]):
            if _is_named(wanted, target.id) and _comes_from(case, side, own):
                return one
    return None


def _sides(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Compare(left=left, comparators=[right]) | ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=left, attr="eq" | "ne"), args=[right]):
            return [left, right]
    return []


def _is_named(node: ast.expr, name: str) -> bool:
    """``y``, ``y.bool()``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return isinstance(node, ast.Name) and node.id == name


def _comes_from(case: Case, node: ast.expr, own: ast.Name) -> bool:
    """Whether an expression holds a name, or the one name in it was computed from it in the same way."""
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    if any(one.id == own.id for one in names):
        return True
    given = [next(iter(Flow(case).assigned(one, one.id)), None) for one in names]
    made = [one for one in given if one is not None and not _SHAPED.search(case.text(one))]
    return any(part.id == own.id for one in made for part in ast.walk(one) if isinstance(part, ast.Name))


def _at_output(case: Case, other: ast.expr, own: ast.expr, told: tuple[str, str], end: str) -> Finding | None:
    """``out = net(x).squeeze(-1)``, for all that reads it."""
    made = definition(case, own)
    known = made is not own and isinstance(case.parents.get(made), ast.Assign)
    text = f"{case.operand(made)}{end}" if known else f"{case.text(own)}{end}"
    where = f" on line {line(made)}" if known else ""
    where_zh = f"第 {line(made)} 行" if known else ""
    return finding(
        case,
        f"{told[0]} Line {line(other)} compares the two as well, {code(case, other)}, so a change in the call of the loss alone would leave each prediction compared with"
        f" every target there. Make {code(case, own)} right where it gets its value{where}: `{text}`.",
        f"{told[1]}第 {line(other)} 行也要比较两者（{code(case, other)}），所以只改损失的调用，会让那里的每个预测与所有目标比较。请在{where_zh}给 {code(case, own)} 赋值的地方改正："
        f"`{text}`。",
        [case.fix(case.followed(made, end), made)] if known else (),
        made if known else None,
    )
