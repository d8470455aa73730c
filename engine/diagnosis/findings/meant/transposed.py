"""Gradients that are given the other way round: rows for columns, where a new layout of the same numbers would mix them up."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.stacked import laid_in_rows, told_of_rows
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.backward import gradient_of
from gradflow.engine.diagnosis.fixes.transposed import is_turned, sizes, turning
from gradflow.engine.trace import Fix


@finds(errors.GRADIENT_SHAPE)
def _gradient_across(case: Case) -> Finding | None:
    """``xy.backward(v)`` with a row for each point, where ``xy`` has a row for each coordinate."""
    call, output = case.find(ast.Call), output_of(case)
    given = gradient_of(call) if call is not None else None
    own, wanted = sizes(case.details.get("grad_shape")), sizes(case.details.get("output_shape"))
    if call is None or output is None or given is None or isinstance(given, ast.List | ast.Tuple):
        return None
    return _across(case, given, (own, wanted), output, case.fix(case.followed(given, turning(own, wanted)), call))


@finds(errors.GRAD_SHAPE)
def _assigned_across(case: Case) -> Finding | None:
    """``w.grad = err.T @ x`` for a ``w`` with the dimensions in the other order."""
    node = case.find(ast.AST)
    own, wanted = sizes(case.details.get("grad_shape")), sizes(case.details.get("shape"))
    match case.statement(node) if node is not None else None:
        case ast.Assign(targets=[ast.Attribute(value=owner, attr="grad")], value=given) as statement:
            fix = case.fix(case.followed(given, turning(own, wanted)), statement)
            return _across(case, given, (own, wanted), owner, fix)
    return None


def _across(
    case: Case,
    given: ast.expr,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    output: ast.expr,
    fix: Fix | None,
) -> Finding | None:
    own, wanted = shapes
    if not is_turned(own, wanted):
        return None
    end = turning(own, wanted)
    if (joined := laid_in_rows(case, output, wanted)) is not None:
        needed = (
            f"the gradient {code(case, given)} has the shape {list(own)}",
            f"而梯度 {code(case, given)} 的形状是 {list(own)}",
        )
        return told_of_rows(case, output, joined, wanted, needed)
    text = f"({case.text(given)}){end}" if isinstance(given, ast.BinOp) else f"{case.text(given)}{end}"
    action = f"Swap its dimensions: `{text}`" if end else "Bring its dimensions into that order with `permute`"
    action_zh = f"请交换它的维度：`{text}`" if end else "请用 `permute` 把它的维度换成那个次序"
    return finding(
        case,
        f"{code(case, output)} has the shape {list(wanted)}. The gradient {code(case, given)} has the shape {list(own)}, the same"
        f" dimensions in another order. {action}; `reshape` would mix the numbers up.",
        f"{code(case, output)} 的形状是 {list(wanted)}，而梯度 {code(case, given)} 的形状是 {list(own)}，维度相同而次序不同。{action_zh}；`reshape`"
        f" 会打乱这些数。",
        fix if end and fix is not None else (),
    )
