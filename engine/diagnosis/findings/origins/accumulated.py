"""A tensor made of numbers that were taken out of their graph before: ``torch.tensor(total)``, where ``total += loss.item()``."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut, cuts_behind, mended
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.roots.printed import numbers_printed
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.tensor import Tensor


@finds(errors.NO_GRAD_FN)
def _tensor_of_numbers(case: Case) -> Finding | None:
    """``(torch.tensor(total) / 4).backward()``."""
    output = output_of(case)
    cuts = cuts_behind(case, output) if output is not None else []
    copy = cuts[0] if cuts else None
    if copy is None or copy.kind != "copy" or not isinstance(copy.operand, ast.Name):
        return None
    name, value = copy.operand.id, case.value(copy.operand)
    taken = [one for one in cuts_behind(case, copy.operand) if one.kind == "number"]
    if isinstance(value, Tensor) or not taken or not isinstance(value, int | float | list):
        return None
    first = taken[0]
    if line(first.node) == line(copy.node):
        return None
    torch, _ = case.with_torch()
    whole = f"{torch}.stack({name})" if isinstance(value, list) else name
    edits = [edit for one in taken for edit in mended(case, one)]
    complete = all(mended(case, one) for one in taken)
    changed = [*edits, *case.replace(copy.node, whole), *numbers_printed(case, taken)]
    tail = _tail(case, first)
    what, it, what_zh = ("numbers", "them", "一些数") if isinstance(value, list) else ("a number", "it", "一个数")
    return finding(
        case,
        f"{tail} in {code(case, first.node)} on line {line(first.node)} makes plain numbers, so `{name}` is only {what} without a graph, and"
        f" {code(case, copy.node)} on line {line(copy.node)} makes a new tensor of {it}, which no parameter leads to. Leave {tail} out on line {line(first.node)}, and write `{whole}` on"
        f" line {line(copy.node)}.",
        f"第 {line(first.node)} 行 {code(case, first.node)} 里的 {tail} 得到的是普通的数，所以 `{name}` 只是{what_zh}，没有计算图；第 {line(copy.node)} 行的"
        f" {code(case, copy.node)} 又用它创建了一个与参数无关的新张量。请去掉第 {line(first.node)} 行的 {tail}，并在第 {line(copy.node)} 行写 `{whole}`。",
        (
            apply(
                case,
                changed,
                f"Without {tail} on line {line(first.node)}, `{whole}` on line {line(copy.node)}",
                f"第 {line(first.node)} 行去掉 {tail}，第 {line(copy.node)} 行写 `{whole}`",
            )
            if complete
            else None
        )
        or (),
        first.node,
    )


def _tail(case: Case, cut: Cut) -> str:
    match cut.node:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return f"`.{attr}()`"
        case ast.Call(func=ast.Name(id=name)):
            return f"`{name}(...)`"
    return code(case, cut.node)
