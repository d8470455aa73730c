"""New tensors that are made of plain numbers, which were taken out of tensors at another place before: both cut the graph."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut, cut_at, mended
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_NEW: Final = ("tensor", "as_tensor")


@finds(errors.NO_GRAD_FN)
def _of_numbers(case: Case) -> Finding | None:
    """``torch.tensor([w * v for v in parts])`` of parts that became numbers where they were computed."""
    output, flow = output_of(case), Flow(case)
    copies, numbers = list[Cut](), list[Cut]()
    for node in flow.behind(output) if output is not None else ():
        cut = cut_at(case, flow, node) if isinstance(node, ast.Call) else None
        if cut is None or any(node in ast.walk(one.node) for one in numbers):
            continue
        if cut.kind == "copy":
            copies.append(cut)
        elif cut.kind == "number" and _had_graph(case, flow, cut.operand):
            numbers.append(cut)
        elif cut.kind != "number":
            return None  # another cut, of which others speak
    copies = [one for one in copies if any(each.node in list(flow.behind(one.operand)) for each in numbers)]
    if not numbers or not copies or any(each.node in ast.walk(one.node) for each in numbers for one in copies):
        return None
    return _told(case, numbers, copies)


def _had_graph(case: Case, flow: Flow, operand: ast.expr) -> bool:
    """Whether numbers were taken of what parameters are behind."""
    held = flow.tensor(operand)
    if isinstance(held, Tensor):
        return held.requires_grad
    for one in flow.behind(operand):
        models = flow.layers(one.func) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) else []
        if any(each.requires_grad for model in models for each in model.parameters()):
            return True
        if isinstance(value := case.value(one), Layer) and any(each.requires_grad for each in value.parameters()):
            return True
    return False


def _told(case: Case, numbers: Sequence[Cut], copies: Sequence[Cut]) -> Finding:
    rows, rows_zh = lines_of_all([line(one.node) for one in numbers])
    names = (
        joined([code(case, one.node) for one in numbers], "en"),
        joined([code(case, one.node) for one in numbers], "zh"),
    )
    made = (
        joined([code(case, one.node) for one in copies], "en"),
        joined([code(case, one.node) for one in copies], "zh"),
    )
    edits = [edit for one in numbers for edit in mended(case, one)]
    again = [_kept(case, one, numbers) for one in copies]
    tail = numbers[0].node
    taken = (
        f".{tail.func.attr}()"
        if isinstance(tail, ast.Call) and isinstance(tail.func, ast.Attribute)
        else f"{case.text(tail.func)}(...)"
        if isinstance(tail, ast.Call)
        else ""
    )
    whole = all(again) and all(mended(case, one) for one in numbers)
    each = "s" if len(numbers) > 1 else ""
    stacked = any(edit.text == "stack" for one in again for edit in one)
    instead, instead_zh = (
        (", and join the tensors with `torch.stack`", "，并用 `torch.stack` 把这些张量合在一起")
        if stacked
        else (", and use the tensors themselves", "，并直接使用这些张量")
    )
    new = "makes a new tensor" if len(copies) == 1 else "make new tensors"
    at, at_zh = f"line {line(copies[0].node)}", f"第 {line(copies[0].node)} 行"
    en = (
        f"{names[0]} ({rows[:1].lower()}{rows[1:]}) make{'' if each else 's'} plain numbers of tensors, and {made[0]} on {at} {new} of such numbers, behind which there is no graph."
        f" Keep the tensors: leave `{taken}` out there{instead}."
    )
    zh = f"{rows_zh}的 {names[1]} 把张量变成了普通的数，{at_zh}的 {made[1]} 又用这些数创建了新的张量，它背后没有计算图。请保留张量：去掉那里的 `{taken}`{instead_zh}。"
    whole_edits = [*edits, *(edit for one in again for edit in one)] if whole else []
    fix = apply(case, whole_edits, "Keep the tensors", "保留张量")
    return finding(case, en, zh, fix or (), numbers[0].node)


def _kept(case: Case, copy: Cut, numbers: Sequence[Cut]) -> list[Edit]:
    """The tensors themselves in the place of a new one: that of which numbers were taken, or several stacked."""
    node, operand = copy.node, copy.operand
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _NEW:
        return []
    lists = [
        one.node for one in numbers if isinstance(one.node, ast.Call) and getattr(one.node.func, "attr", "") == "tolist"
    ]
    if isinstance(operand, ast.Name) and any(one in lists for one in Flow(case).assigned(operand, operand.id)):
        return case.replace(node, operand.id)
    if not isinstance(operand, ast.ListComp | ast.List) or lists:
        return []
    edits = case.rename_end(node.func, node.func.attr, "stack")
    for keyword in node.keywords:
        edits += case.without_argument(node, keyword)
    return [Edit(one.span, "stack") if one.text == "stack" else one for one in edits]
