"""An output and a target of as many numbers, of which the output has further dimensions of size 1."""

from __future__ import annotations

import ast
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer

_FLAT = ".flatten()"


@finds(errors.BCE_SIZE, errors.BCE_LOGITS_SIZE)
def _one_number_each(case: Case) -> Finding | None:
    """``criterion(netD(real), label)`` of [8, 1, 1, 1] and [8]."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    own, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if (
        own is None
        or target is None
        or len(own) < 3
        or len(target) != 1
        or prod(own) != target[0]
        or own[0] != target[0]
    ):
        return None
    result = _result(case, call.args[0])
    if result is None:
        return _at_calls(case, call.args[:2], own)
    model, expression, maker = result
    text = f"{case.operand(expression)}{_FLAT}"
    calls = sum(case.text(one.func) == case.text(maker.func) for one in case.nodes(ast.Call))
    for_all = f", for all {calls} calls of it" if calls > 1 else ""
    for_all_zh = f"，它的 {calls} 处调用就都对了" if calls > 1 else ""
    return finding(
        case,
        f"{code(case, call.args[0])} and {code(case, call.args[1])} have {own[0]} numbers both, one for each sample, but `{model}` gives them in the shape {list(own)}, and the"
        f" target has the shape {list(target)}; a loss of this kind takes equal shapes. Make the output flat where `{model}` returns it, on line {line(expression)}{for_all}:"
        f" `{text}`.",
        f"{code(case, call.args[0])} 和 {code(case, call.args[1])} 都有 {own[0]} 个数，每个样本一个，但 `{model}` 给出的形状是 {list(own)}，目标的形状是 {list(target)}，而这种损失"
        f"要求形状相同。请在第 {line(expression)} 行 `{model}` 返回时把输出展平{for_all_zh}：`{text}`。",
        case.fix(case.followed(expression, _FLAT), expression),
        expression,
    )


def _result(case: Case, output: ast.expr) -> tuple[str, ast.expr, ast.Call] | None:
    """The class of the program's whose ``forward`` made an output, what that returns, and the call."""
    flow = Flow(case)
    for maker in flow.behind(output):
        layer = case.value(maker.func) if isinstance(maker, ast.Call) else None
        if not isinstance(maker, ast.Call) or not isinstance(layer, Layer):
            continue
        name = type(layer).__name__
        forward = flow.methods(name).get("forward")
        results = returned(forward) if forward is not None else []
        return (name, results[0], maker) if len(results) == 1 else None
    return None


def _at_calls(case: Case, pair: list[ast.expr], own: tuple[int, ...]) -> Finding | None:
    """Of a model that is no class of the program's: behind each of its calls."""
    maker = next(
        (one for one in Flow(case).behind(pair[0]) if isinstance(case.value(getattr(one, "func", None)), Layer)), None
    )
    if not isinstance(maker, ast.Call) or Flow(case).called(maker):
        return None
    calls = [one for one in case.nodes(ast.Call) if case.text(one.func) == case.text(maker.func)]
    text = f"{case.text(maker)}{_FLAT}"
    return finding(
        case,
        f"{code(case, pair[0])} and {code(case, pair[1])} have {own[0]} numbers both, one for each sample, but the output has the shape {list(own)}, and the target the shape"
        f" [{own[0]}]; a loss of this kind takes equal shapes. Make the output flat: `{text}`.",
        f"{code(case, pair[0])} 和 {code(case, pair[1])} 都有 {own[0]} 个数，每个样本一个，但输出的形状是 {list(own)}，目标的形状是 [{own[0]}]，而这种损失要求形状相同。请把输出展平："
        f"`{text}`。",
        case.fix([edit for one in calls for edit in case.followed(one, _FLAT)], maker),
        maker,
    )
