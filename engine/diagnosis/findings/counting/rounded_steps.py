"""A schedule made for whole batches alone: the last batch of an epoch, which is not full, is a step, too."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.practice.training import stepped_too_often
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.OPTIMIZER_ARGUMENT)
def _rounded_down(case: Case) -> Finding | None:
    """``steps_per_epoch=len(X) // batch_size``, where that leaves a rest."""
    found = stepped_too_often(case)
    if found is None:
        return None
    told, call, schedule = found
    made = definition(case, schedule)
    if not isinstance(made, ast.Call):
        made = next((one for one in case.nodes(ast.Call) if called(one) == type(case.value(schedule)).__name__), made)
    for count in _counts(case, made):
        left, right = (_number(case, one) for one in (count.left, count.right))
        if not isinstance(left, int) or not isinstance(right, int) or right <= 0 or left % right == 0:
            continue
        text = f"-(-{case.operand(count.left)} // {case.text(count.right)})"
        return finding(
            case,
            f"{code(case, count)} on line {line(count)} rounds down, {left} // {right} is {left // right}, and an epoch has {left // right + 1} batches, for the last"
            f" one is not full: so the schedule of line {line(made)} was made for {told[2]} steps, and {code(case, call)} is called once more. Round up: `{text}`.",
            f"第 {line(count)} 行的 {code(case, count)} 向下取整，{left} // {right} 是 {left // right}，而一轮有 {left // right + 1} 个批次，因为最后一个批次不满："
            f"所以第 {line(made)} 行的调度器只按 {told[2]} 步创建，而 {code(case, call)} 调用得更多。请向上取整：`{text}`。",
            case.fix(case.replace(count, text), count),
            count,
        )
    return None


def _counts(case: Case, made: ast.expr) -> Iterator[ast.BinOp]:
    """The divisions behind the number of steps that a schedule was made for."""
    for given in made.keywords if isinstance(made, ast.Call) else ():
        if given.arg not in ("total_steps", "steps_per_epoch"):
            continue
        for one in ast.walk(given.value):
            inner = definition(case, one) if isinstance(one, ast.Name) else one
            yield from (
                part for part in ast.walk(inner) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv)
            )


def _number(case: Case, node: ast.expr) -> object:
    """A number, also the length of a tensor."""
    held = case.value(node)
    if isinstance(held, int):
        return held
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            shape = getattr(case.value(inner), "shape", ())
            return int(shape[0]) if len(shape) else held
    return held
