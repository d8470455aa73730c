"""All of a model is frozen, with the part that the optimizer is given to train."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.flags import part_trained
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer


@finds(errors.NO_GRAD_FN)
def _frozen_with_the_part(case: Case) -> Finding | None:
    """``for p in net.parameters(): p.requires_grad = False`` and ``SGD(net.head.parameters())``."""
    frozen = [one for one in case.nodes(ast.stmt) if freezes(one)]
    made = [(call, part) for call in case.nodes(ast.Call) if (part := _trained_part(case, call)) is not None]
    if len(frozen) != 1 or len(made) != 1:
        return None
    call, part = made[0]
    flags = [
        one for one in ast.walk(frozen[0]) if isinstance(one, ast.Attribute) and one.attr.startswith("requires_grad")
    ]
    if any(part_trained(case, one) is not None for one in flags):
        return None  # a loop over all parameters of the model, behind which there is room for another
    statement, held = case.statement(call), case.value(part)
    if statement is None or not isinstance(held, Layer) or any(one.requires_grad for one in held.parameters()):
        return None
    name = case.text(part)
    text = f"{name}.requires_grad_(True)"
    return finding(
        case,
        f"Line {line(frozen[0])} freezes the parameters of `{name}` as well, which the optimizer on line {line(call)} is to train: nothing is left that"
        f" requires a gradient. Switch that part on again before the optimizer: `{text}`.",
        f"第 {line(frozen[0])} 行把第 {line(call)} 行的优化器要训练的 `{name}` 的参数也冻结了：没有任何参数还需要梯度。请在创建优化器之前重新打开这一部分：`{text}`。",
        [apply(case, case.line_before(statement, text), f"`{text}`", f"`{text}`")],
        frozen[0],
    )


def freezes(statement: ast.stmt) -> bool:
    """``p.requires_grad = False``, ``p.requires_grad_(False)``."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=False)):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)])):
            return True
    return False


def _trained_part(case: Case, call: ast.Call) -> ast.expr | None:
    """The part of a model whose parameters alone an optimizer is given: ``net.head`` of ``SGD(net.head.parameters())``."""
    held = case.value(call.func)
    if not (isinstance(held, type) and issubclass(held, Optimizer)) or not call.args:
        return None
    match call.args[0]:
        case ast.Call(func=ast.Attribute(value=ast.Attribute() | ast.Subscript() as part, attr="parameters"), args=[]):
            return part
    return None
