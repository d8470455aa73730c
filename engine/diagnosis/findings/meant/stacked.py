"""Vectors that were stacked in rows where columns are needed: mended where they are stacked, not by turning what meets them."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.dtypes import operands
from gradflow.engine.diagnosis.fixes.transposed import is_turned
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_IN_ROWS: Final = ("stack", "vstack", "row_stack")


def laid_in_rows(case: Case, node: ast.expr, shape: tuple[int, ...]) -> ast.Call | None:
    """The call that stacked vectors below each other, where a matrix of this shape was made by one."""
    flow = Flow(case)
    for one in flow.behind(node):
        if not isinstance(one, ast.Name | ast.Call | ast.Attribute):
            return None
        if isinstance(one, ast.Call) and called(one) in _IN_ROWS:
            dim = argument_of(one, 1, "dim")
            made = flow.tensor(one)
            first = dim is None or case.value(dim) in (0, -2)
            return (
                one if len(shape) == 2 and first and made is not None and tuple(map(int, made.shape)) == shape else None
            )
        if isinstance(one, ast.Call) and not flow.called(one):
            return None
    return None


def in_columns(case: Case, call: ast.Call) -> tuple[list[Edit], str]:
    """The edits that let a call lay its vectors beside each other, and what is then written."""
    name = called(call)
    if name != "stack":
        return case.rename_end(call.func, name, "column_stack"), "column_stack"
    dim = argument_of(call, 1, "dim")
    if dim is None:
        return case.argument(call, "dim=1"), "dim=1"
    return case.replace(dim, "1"), "dim=1"


def told_of_rows(
    case: Case, node: ast.expr, call: ast.Call, shape: tuple[int, ...], needed: tuple[str, str]
) -> Finding:
    """The words for what `laid_in_rows` found, with what is needed, in both languages."""
    edits, text = in_columns(case, call)
    count, length = shape
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} lays its {count} vectors below each other, one in each row, so {code(case, node)} has the shape"
        f" [{count}, {length}]; {needed[0]}. Lay them beside each other: `{text}`.",
        f"第 {line(call)} 行的 {code(case, call)} 把 {count} 个向量上下排列，每个占一行，所以 {code(case, node)} 的形状是 [{count}, {length}]；{needed[1]}。请让它们"
        f"并排成列：`{text}`。",
        case.fix(edits, call),
        call,
    )


@finds(errors.SHAPE_BROADCAST, errors.BCE_SIZE, errors.BCE_LOGITS_SIZE)
def _meets_rows(case: Case) -> Finding | None:
    """``torch.stack([x, y]) - points`` for points that are rows."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    flow = Flow(case)
    held = [(one, value) for one in operands(case, node) if (value := flow.tensor(one)) is not None]
    if isinstance(node, ast.Call) and len(held) != 2:
        held = [(one, value) for one in node.args[:2] if (value := flow.tensor(one)) is not None]
    if len(held) != 2:
        return None
    shapes = [tuple(map(int, value.shape)) for _, value in held]
    if len(shapes[0]) != 2 or not is_turned(*shapes):
        return None
    calls = [laid_in_rows(case, one, shape) for (one, _), shape in zip(held, shapes, strict=True)]
    at = 0 if calls[0] is not None else 1
    call, other = calls[at], held[1 - at][0]
    if call is None or calls[1 - at] is not None:
        return None
    wanted = list(shapes[1 - at])
    needed = f"{code(case, other)} has the shape {wanted}", f"而 {code(case, other)} 的形状是 {wanted}"
    return told_of_rows(case, held[at][0], call, shapes[at], needed)


@finds(errors.MM_SHAPE)
def _layer_takes_rows(case: Case) -> Finding | None:
    """``nn.Linear(2, 1)(torch.stack([height, weight]))``: a row has to be a sample."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    given = call.args[0] if call is not None and call.args else None
    held = Flow(case).tensor(given) if given is not None else None
    if layer is None or given is None or held is None or held.dim() != 2:
        return None
    count, length = map(int, held.shape)
    weight = getattr(layer, "weight", None)
    if not isinstance(weight, Tensor) or int(weight.shape[1]) != count or count == length:
        return None
    made = laid_in_rows(case, given, (count, length))
    if made is None or tuple(map(int, case.details.get("mat1") or ())) != (count, length):  # type: ignore[call-overload]
        return None
    needed = (
        f"the layer takes rows of {count} numbers, one row for each of {length} samples",
        f"而这一层要求每行 {count} 个数，{length} 个样本各占一行",
    )
    return told_of_rows(case, given, made, (count, length), needed)


@finds(errors.TARGET_BATCH)
def _scores_in_rows(case: Case) -> Finding | None:
    """``cross_entropy(torch.stack((a, b, c)), y)``: one row of scores for each class."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or scores.dim() != 2 or target.dim() != 1:
        return None
    shape = int(scores.shape[0]), int(scores.shape[1])
    made = laid_in_rows(case, call.args[0], shape)
    if made is None or shape[1] != int(target.shape[0]) or shape[0] == shape[1]:
        return None
    needed = (
        f"the loss takes one row of scores for each of the {shape[1]} targets",
        f"而损失要求 {shape[1]} 个目标各有一行得分",
    )
    return told_of_rows(case, call.args[0], made, shape, needed)
