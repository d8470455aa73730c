"""Classes that are counted from one because 0 stands for what is filled up: a score more is needed, and no other numbers."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.counting.sums import plus
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Fix, Text

_MOST: Final = 60


@finds(errors.TARGET_RANGE)
def _zero_is_kept(case: Case) -> Finding | None:
    """``CrossEntropyLoss(ignore_index=0)``, or a table of tags that begins with ``<pad>``."""
    call = case.find(ast.Call)
    scores = Flow(case).tensor(call.args[0]) if call is not None and len(call.args) > 1 else None
    high = _highest(case, call)
    if call is None or scores is None or scores.dim() == 0 or high is None:
        return None
    target, classes = call.args[1], int(scores.shape[1] if scores.dim() > 1 else scores.shape[0])
    kept = _kept(case, call, target, high)
    if high != classes or kept is None:
        return None
    made = _last_layer(case, classes)
    width = argument_of(made, 1, "out_features") if made is not None else None
    there = Text(f"and there are only {classes}: give one more", f"但只有 {classes} 个：请再多给一个得分")
    fix: Fix | None = None
    if made is not None and width is not None:
        text = str(high + 1) if isinstance(width, ast.Constant) else plus(case, width, 1)
        shown = text_with(case, made, width, text)
        fix = write(case, width, text, made)
        there = Text(
            f"and {code(case, made)} on line {line(made)} makes {classes}, for 0 to {classes - 1}. Make one more there: `{shown}`",
            f"而第 {line(made)} 行的 {code(case, made)} 只给出 {classes} 个，对应 0 到 {classes - 1}。请在那里多给一个：`{shown}`",
        )
    where, where_zh = on_other_line(definition(case, target), target)
    return finding(
        case,
        f"{code(case, target)}{where} has classes up to {high}. {kept.en}, so the classes 0 to {high} need {high + 1} scores, {there.en}.",
        f"{code(case, target)}{where_zh} 里的类别最大是 {high}。{kept.zh}，所以类别 0 到 {high} 需要 {high + 1} 个得分，{there.zh}。",
        [fix],
        made,
    )


def keeps_zero(case: Case) -> bool:
    """Whether the numbers of the classes are to stay as they are."""
    call = case.find(ast.Call)
    high = _highest(case, call)
    return call is not None and high is not None and _kept(case, call, call.args[1], high) is not None


def _highest(case: Case, call: ast.Call | None) -> int | None:
    """The highest number among the targets of a loss."""
    value = Flow(case).tensor(call.args[1]) if call is not None and len(call.args) > 1 else None
    known = value is not None and bool(value.numel()) and not value.dtype.is_floating_point
    return int(value._a.max()) if known and value is not None else None


def _kept(case: Case, call: ast.Call, target: ast.expr, high: int) -> Text | None:
    """What 0 stands for, where the program says so."""
    ignored = _ignored(case, call)
    if ignored is not None and 0 <= ignored <= high:
        return Text(
            f"The loss leaves out the class {ignored} (`ignore_index`), which has a number all the same",
            f"损失会忽略类别 {ignored}（`ignore_index`），但它仍占一个编号",
        )
    for count, one in enumerate(Flow(case).behind(target)):
        if count > _MOST:
            return None
        if not isinstance(one, ast.Name):
            continue
        table = case.value(one)
        if isinstance(table, dict) and table and set(table.values()) == set(range(high + 1)):
            first = next(key for key, number in table.items() if number == 0)
            return Text(
                f"`{one.id}` numbers {high + 1} of them, from 0 for `{first!r}`",
                f"`{one.id}` 为 {high + 1} 个类别编号，0 是 `{first!r}`",
            )
    return None


def _ignored(case: Case, call: ast.Call) -> int | None:
    """The class that a loss leaves out."""
    made = call.func if isinstance(call.func, ast.Call) else definition(case, call.func)
    for one in (call, made):
        given = [each.value for each in one.keywords if each.arg == "ignore_index"] if isinstance(one, ast.Call) else []
        found = case.value(given[0]) if given else None
        if isinstance(found, int):
            return found
    held = getattr(case.value(call.func), "__dict__", {}).get("ignore_index")
    return held if isinstance(held, int) else None


def _last_layer(case: Case, classes: int) -> ast.Call | None:
    """What makes the one layer with as many outputs."""
    layers = {
        id(one): one
        for held in case.values.values()
        if isinstance(held, Layer)
        for one in held.modules()
        if type(one).__name__ == "Linear" and getattr(one, "out_features", None) == classes
    }
    return maker_of(case, next(iter(layers.values()))) if len(layers) == 1 else None
