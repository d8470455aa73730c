"""One number for each sample, given back by a function that is called more than once: its missing dimensions are given there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, Function, returned
from gradflow.engine.errors.error_kind import Shape

_SHAPING = ("view", "reshape", "unsqueeze", "expand")


@finds(errors.SHAPE_BROADCAST)
def _given_back_flat(case: Case) -> Finding | None:
    """``extract(a, t) * x + extract(b, t) * noise``, with ``return a[t]``."""
    node = case.find(ast.BinOp)
    if node is None:
        return None
    pair = (node.left, node.right)
    shapes = [shape_at(case, one) for one in pair]
    for own, other in ((0, 1), (1, 0)):
        flat, whole = shapes[own], shapes[other]
        if flat is None or whole is None or len(flat) != 1 or len(whole) < 2 or flat[0] != whole[0] or flat[0] == 1:
            continue
        for call, function in _calls(case, pair[own], flat):
            results = returned(function)
            calls = [one for one in case.nodes(ast.Call) if function in Flow(case).called(one)]
            if len(results) != 1 or len(calls) < 2 or any(_shaped(case, one) for one in calls):
                continue
            text = f".reshape({', '.join(['-1'] + ['1'] * (len(whole) - 1))})"
            result, name = results[0], case.text(call.func)
            return finding(
                case,
                f"{code(case, call)} is {Shape(flat):en}, one number for each of the {flat[0]} samples of {code(case, pair[other])}, which is {Shape(whole):en}."
                f" Sizes are compared from the right, so {flat[0]} meets {whole[-1]}. `{name}` is called in {len(calls)} places, so give its result the missing"
                f" dimensions where it returns it, on line {line(result)}: `{case.operand(result)}{text}`.",
                f"{code(case, call)} 是{Shape(flat):zh}，为 {code(case, pair[other])}（{f'{Shape(whole):zh}'.strip()}）的 {flat[0]} 个样本各给一个数。形状从右往左比较，所以"
                f" {flat[0]} 对上了 {whole[-1]}。`{name}` 在 {len(calls)} 处被调用，请在第 {line(result)} 行返回时补上缺少的维度：`{case.operand(result)}{text}`。",
                case.fix(case.followed(result, text), result),
                result,
            )
    return None


def _calls(case: Case, operand: ast.expr, shape: tuple[int, ...]) -> Iterator[tuple[ast.Call, Function]]:
    """The calls of the program's functions that an operand is computed from, as far as they gave this shape."""
    for part in ast.walk(operand):
        made = definition(case, part) if isinstance(part, ast.Name) else part
        if not isinstance(made, ast.Call) or shape_at(case, made) != shape:
            continue
        for function in Flow(case).called(made):
            if isinstance(function, ast.Lambda) or function.name != "forward":
                yield made, function


def _shaped(case: Case, call: ast.Call) -> bool:
    """Whether the dimensions that a result lacks are written behind a call."""
    match case.parents.get(call):
        case ast.Attribute(attr=attr):
            return attr in _SHAPING
        case ast.Subscript():
            return True
    return False
