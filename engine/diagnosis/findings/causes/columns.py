"""A column of predictions beside a row of targets: where the column comes from."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.targets import pair_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import returned
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
    return finding(
        case,
        f"{en} Give the target the same shape: `{case.text(target)}{text}`.",
        f"{zh}请让目标的形状相同：`{case.text(target)}{text}`。",
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
