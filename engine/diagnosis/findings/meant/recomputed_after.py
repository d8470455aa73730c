"""Two optimizers in turn, as of a GAN: the second loss was computed before the step of the first one."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.blocks import block_of
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.moves import moved_behind
from gradflow.engine.diagnosis.findings.meant.trained import layer_with, trained
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


def computed_before_step(case: Case, step: ast.Call, call: ast.Call | None, stepped: ast.stmt) -> Finding:
    """``g_loss = bce(D(fake), ones)`` above ``opt_d.step()``, and ``g_loss.backward()`` below it."""
    loss = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    made = _made_above(case, loss, stepped) if isinstance(loss, ast.Name) else None
    made = made if made is not None and isinstance(loss, ast.Name) and _scores(case, loss, step) else None
    passed = code(case, call or step)
    if made is None and isinstance(loss, ast.Name) and (used := _used_below(case, loss, step, stepped)) is not None:
        return used
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


def _scores(case: Case, loss: ast.Name, step: ast.Call) -> bool:
    """Whether what the step trains is called in the value of a loss itself, so that it computes with the new weights where it is moved."""
    written, made = trained(case, step), next(iter(Flow(case).assigned(loss, loss.id)), loss)
    if written:
        return layer_with(case, made, written) is not None
    calls = [one for one in ast.walk(made) if isinstance(one, ast.Call)]
    return any(_trains(case, one) for one in calls)


def _used_below(case: Case, loss: ast.Name, step: ast.Call, stepped: ast.stmt) -> Finding | None:
    """``g_loss = bce(scores, ones)`` below the step, of ``scores = D(fake)`` from above it."""
    flow, body = Flow(case), block_of(case, stepped)
    value = next(iter(flow.assigned(loss, loss.id)), None)
    below = case.statement(value) if value is not None else None
    if value is None or below not in body or body.index(below) < body.index(stepped):
        return None
    names = [one for one in ast.walk(value) if isinstance(one, ast.Name) and not _only_shape(case, one)]
    old: dict[str, ast.expr] = {}
    for one in names:
        made = next(iter(flow.assigned(one, one.id)), None)
        above = case.statement(made) if made is not None else None
        is_above = above in body and body.index(above) < body.index(stepped)
        if is_above and isinstance(made, ast.Call) and _trains(case, made):
            old[one.id] = made
    if len(old) != 1:
        return None
    (name, made), *_ = old.items()
    edits = [edit for one in names if one.id == name for edit in case.replace(one, case.text(made))]
    text, place = case.text(made), line(below)
    return finding(
        case,
        f"`{name}` is computed on line {line(made)}, before {code(case, step)} on line {line(step)} changes the weights in place, and line {place} takes it for"
        f" `{loss.id}`, whose pass needs them as they were. Compute it anew there, with the weights of now: `{text}`.",
        f"`{name}` 在第 {line(made)} 行就算好了，之后第 {line(step)} 行的 {code(case, step)} 就地修改了权重，而第 {place} 行又用它来算 `{loss.id}`，这次反向传播还需要旧的权重。"
        f"请在那里用现在的权重重新计算：`{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        made,
    )


def _only_shape(case: Case, node: ast.Name) -> bool:
    """``torch.ones_like(scores)`` asks for the shape alone."""
    call = case.parents.get(node)
    return isinstance(call, ast.Call) and node in call.args and case.text(call.func).endswith("_like")


def _trains(case: Case, call: ast.Call) -> bool:
    """The call of a layer that has parameters."""
    layer = case.value(call.func)
    return isinstance(layer, Layer) and next(iter(layer.parameters()), None) is not None
