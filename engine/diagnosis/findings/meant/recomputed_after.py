"""Two optimizers in turn, as of a GAN: the second loss was computed before the step of the first one."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.moves import block_of, moved_behind
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


def computed_before_step(case: Case, step: ast.Call, call: ast.Call | None, stepped: ast.stmt) -> Finding:
    """``g_loss = bce(D(fake), ones)`` above ``opt_d.step()``, and ``g_loss.backward()`` below it."""
    loss = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    made = _made_above(case, loss, stepped) if isinstance(loss, ast.Name) else None
    made = made if made is not None and _scores(case, made) else None
    passed = code(case, call or step)
    if made is None or loss is None:
        return finding(
            case,
            f"{code(case, step)} on line {line(step)} changes the weights in place, and {passed} still needs them as they were in the forward"
            f" computation. Compute what this pass goes through anew after the step.",
            f"第 {line(step)} 行的 {code(case, step)} 就地修改了权重，而 {passed} 还需要前向计算时的旧值。请在更新之后重新计算这次反向传播所经过的部分。",
            (),
            step,
        )
    edits = moved_behind(case, made, stepped)
    there, there_zh = f" on line {line(made)}", f"第 {line(made)} 行"
    return finding(
        case,
        f"{code(case, loss)} is computed{there}, before {code(case, step)} on line {line(step)} changes the weights in place, and {passed} still needs"
        f" the old ones. Compute it with the new weights, behind line {line(step)}.",
        f"{code(case, loss)} 在{there_zh}就算好了，之后第 {line(step)} 行的 {code(case, step)} 就地修改了权重，而 {passed} 还需要旧值。请用新的权重来计算，放到第"
        f" {line(step)} 行后面。",
        apply(
            case,
            edits,
            f"Line {line(made)} behind line {line(step)}",
            f"把第 {line(made)} 行移到第 {line(step)} 行后面",
        )
        or (),
        made,
    )


def _made_above(case: Case, loss: ast.Name, stepped: ast.stmt) -> ast.stmt | None:
    """The statement above the step, in the same block, that gives the loss its value."""
    value = next(iter(Flow(case).assigned(loss, loss.id)), None)
    made = case.statement(value) if value is not None else None
    body = block_of(case, stepped)
    return made if made in body and body.index(made) < body.index(stepped) else None


def _scores(case: Case, made: ast.stmt) -> bool:
    """Whether a model is called in the statement itself, so that it computes with the new weights where it is moved."""
    calls = [one for one in ast.walk(made) if isinstance(one, ast.Call)]
    return any(
        isinstance(layer := case.value(one.func), Layer) and next(iter(layer.parameters()), None) is not None
        for one in calls
    )
