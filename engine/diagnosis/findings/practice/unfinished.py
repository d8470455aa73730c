"""What is made and never put to use, or too late: a sigmoid that `forward` leaves out, a gradient switched on behind the computation."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import moved_before
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of

_TO_PROBABILITIES: Final = frozenset({"Sigmoid", "Softmax", "LogSoftmax", "LogSigmoid"})


@finds(errors.BCE_RANGE)
def _squashing_left_out(case: Case) -> Finding | None:
    """``self.sigmoid = nn.Sigmoid()``, and a ``forward`` that gives back the scores without it."""
    call = case.find(ast.Call)
    given = argument_of(call, 0, "input") if call is not None and case.details.get("name") == "input" else None
    for one in Flow(case).behind(given) if given is not None else ():
        model = case.value(one.func) if isinstance(one, ast.Call) else None
        if not isinstance(model, Layer):
            continue
        kind = type(model).__name__
        made = _unused(case, kind)
        forward = Flow(case).methods(kind).get("forward")
        results = [each for each in ast.walk(forward) if isinstance(each, ast.Return)] if forward is not None else []
        if made is None or len(results) != 1 or results[0].value is None or isinstance(results[0].value, ast.Tuple):
            continue
        owner, result = case.text(made.targets[0]), results[0].value
        text = f"{owner}({case.text(result)})"
        return finding(
            case,
            f"`{owner}` is made on line {line(made)}, and `forward` of `{kind}` never applies it: line {line(result)} gives back raw scores, which can be"
            f" any number, and the loss compares probabilities. Apply it: `return {text}`.",
            f"第 {line(made)} 行创建了 `{owner}`，而 `{kind}` 的 `forward` 从来没有使用它：第 {line(result)} 行返回的是可以取任何值的原始得分，而损失比较的是概率。"
            f"请使用它：`return {text}`。",
            write(case, result, text, results[0]),
            results[0],
        )
    return None


def _unused(case: Case, kind: str) -> ast.Assign | None:
    """The one layer that makes probabilities, kept under ``self.name`` and read nowhere."""
    read = {one.attr for one in case.nodes(ast.Attribute) if isinstance(one.ctx, ast.Load)}
    owners = [one for one in case.nodes(ast.ClassDef) if one.name == kind]
    found = [
        one
        for one in (ast.walk(owners[-1]) if owners else ())
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and called(one.value) in _TO_PROBABILITIES
        and isinstance(one.targets[0], ast.Attribute)
        and one.targets[0].attr not in read
    ]
    return found[0] if len(found) == 1 else None


@finds(errors.UNUSED_INPUT)
def _switched_on_too_late(case: Case) -> Finding | None:
    """``u = model(t)``, then ``t.requires_grad_()``, then ``grad(u, t)``."""
    call, index = case.find(ast.Call), case.details.get("index")
    output = argument_of(call, 0, "outputs") if call is not None else None
    inputs = argument_of(call, 1, "inputs") if call is not None else None
    wanted = inputs.elts if isinstance(inputs, ast.Tuple | ast.List) else [inputs]
    if output is None or not isinstance(index, int) or index >= len(wanted):
        return None
    lost = wanted[index]
    if not isinstance(lost, ast.Name):
        return None
    for name in (one for one in ast.walk(output) if isinstance(one, ast.Name) and one is not lost):
        made = case.statement(definition(case, name))
        if made is None or not _reads(made, lost.id):
            continue
        late = [
            one
            for one in case.nodes(ast.stmt)
            if _switches_on(one, lost.id) and made.lineno < one.lineno <= case.span.line and _beside(case, one, made)
        ]
        if len(late) != 1:
            continue
        text = case.text(late[0])
        return finding(
            case,
            f"`{text}` on line {line(late[0])} switches the gradient of `{lost.id}` on only after line {line(made)} has computed {code(case, name)} from it: by"
            f" then nothing was recorded of how. Write it before that line.",
            f"第 {line(late[0])} 行的 `{text}` 打开 `{lost.id}` 的梯度时，第 {line(made)} 行已经用它算出了 {code(case, name)}：那时还没有记录计算过程。请把它写在那一行之前。",
            apply(
                case,
                moved_before(case, late[0], made),
                f"`{text}` before line {line(made)}",
                f"把 `{text}` 写在第 {line(made)} 行之前",
            ),
            late[0],
        )
    return None


def _reads(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(statement))


def _beside(case: Case, one: ast.stmt, other: ast.stmt) -> bool:
    return case.parents.get(one) is case.parents.get(other)


def _switches_on(statement: ast.stmt, name: str) -> bool:
    """Whether a statement switches the gradient of a variable on."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner), attr="requires_grad")], value=ast.Constant(value=True)
        ):
            return owner == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="requires_grad_"))):
            return owner == name
        case ast.Assign(
            targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(attr="requires_grad_")) as value
        ):
            return target == name and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
    return False
