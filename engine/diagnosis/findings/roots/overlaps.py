"""Overlaps of predictions, such as Dice and IoU, computed from decisions: they are to be computed from probabilities."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_TO_FLOAT: Final = frozenset({"float", "double", "to", "type", "type_as"})
_MOVED: Final = frozenset({"permute", "movedim", "transpose", "moveaxis"})
_CLOSED: Final = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)


_ONE_EACH: Final = (
    ", one for each class, and compare them with targets in the form of `one_hot`",
    "，每个类别一个，并与 `one_hot` 形式的目标比较",
)


def from_decisions(case: Case, output: ast.expr, cut: Cut) -> Finding | None:
    """``fg = scores.argmax(1).float()`` and ``(fg * mask).sum() / (fg.sum() + mask.sum())``."""
    if cut.kind not in ("choice", "truth") or not _is_overlap(Flow(case), output, cut.node):
        return None
    whole = _as_number(case, cut.node)
    soft = _of_classes(case, cut) if cut.kind == "choice" else _of_threshold(case, cut)
    if soft is None:
        return None
    text, sure, note, note_zh = soft
    what, what_zh = ("positions", "位置") if cut.kind == "choice" else ("true or false", "真或假")
    fix: Fix | None = write(case, whole, text, case.statement(whole)) if sure else None
    return finding(
        case,
        f"{code(case, cut.node)} on line {line(cut.node)} gives {what}, which jump and so have no gradient; the graph of {code(case, cut.operand)} ends there."
        f" An overlap that is to be trained is computed from probabilities: write `{text}` in the place of {code(case, whole)}{note}.",
        f"第 {line(cut.node)} 行的 {code(case, cut.node)} 给出的是{what_zh}，是跳变的，没有梯度；{code(case, cut.operand)} 的计算图到此为止。要训练的重叠度应当用概率来计算：请把"
        f" {code(case, whole)} 换成 `{text}`{note_zh}。",
        fix or (),
        cut.node,
    )


def _is_overlap(flow: Flow, output: ast.expr, decided: ast.expr) -> bool:
    """Whether the output is a share: a product with the decisions, over something that has them, too."""

    def holds(node: ast.expr) -> bool:
        return any(one is decided for one in flow.behind(node))

    def is_shared(node: ast.expr) -> bool:
        match node:
            case ast.BinOp(left=left, op=ast.Mult() | ast.BitAnd(), right=right):
                plain = isinstance(left, ast.Constant) or isinstance(right, ast.Constant)
                return not plain and holds(left) != holds(right)
        return False

    for node in flow.behind(output):
        match node:
            case ast.BinOp(left=above, op=ast.Div(), right=below) if holds(above) and holds(below):
                if any(is_shared(one) for one in flow.behind(above)):
                    return True
    return False


def _tensor(case: Case, node: ast.expr) -> Tensor | None:
    held = Flow(case).tensor(node)
    return held if held is not None else Flow(case).tensor(definition(case, node))


def _as_number(case: Case, node: ast.expr) -> ast.expr:
    """``scores.argmax(1).float()`` around ``scores.argmax(1)``, and ``one_hot(scores.argmax(1)).permute(0, 3, 1, 2).float()``."""
    encoded = case.parents.get(node)
    known: frozenset[str] = _TO_FLOAT
    if isinstance(encoded, ast.Call) and called(encoded) == "one_hot" and encoded.args[:1] == [node]:
        node, known = encoded, _TO_FLOAT | _MOVED
    while True:
        function = case.parents.get(node)
        call = case.parents.get(function) if function is not None else None
        if not isinstance(function, ast.Attribute) or function.attr not in known or not isinstance(call, ast.Call):
            return node
        node = call


def _of_classes(case: Case, cut: Cut) -> tuple[str, bool, str, str] | None:
    """The probability of the second of two classes, or those of all, for the position of the largest score."""
    call = cut.node
    held = _tensor(case, cut.operand)
    if not isinstance(call, ast.Call) or called(call) != "argmax" or held is None:
        return None
    at = argument_of(call, int(cut.operand in call.args), "dim")
    dim = case.value(at) if at is not None else None
    if isinstance(at, ast.UnaryOp) and isinstance(at.operand, ast.Constant):
        dim = -int(at.operand.value) if isinstance(at.operand.value, int) else None
    if at is None or not isinstance(dim, int) or not -held.dim() <= dim < held.dim():
        return None
    made = definition(case, cut.operand)
    own = isinstance(made, ast.Call) and called(made) == "softmax"
    operand = case.text(cut.operand) if isinstance(cut.operand, _CLOSED) else f"({case.text(cut.operand)})"
    soft = operand if own else f"{operand}.softmax(dim={case.text(at)})"
    whole = _as_number(case, call)
    if isinstance(whole, ast.Call) and "one_hot" in case.text(whole.func):
        alike = _tensor(case, whole)
        return soft, alike is not None and alike.shape == held.shape, "", ""
    if int(held.shape[dim]) != 2:
        return soft, False, *_ONE_EACH
    last = dim in (-1, held.dim() - 1) and dim != 1
    place = "[..., 1]" if last else f"[{':, ' * (dim % held.dim())}1]"
    return f"{soft}{place}", True, "", ""


def _of_threshold(case: Case, cut: Cut) -> tuple[str, bool, str, str] | None:
    """The sigmoid of a score, or a probability itself, for whether it is above a threshold."""
    held = _tensor(case, cut.operand)
    match cut.node:
        case ast.Compare(ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant(value=int() | float() as bound)]):
            pass
        case _:
            return None
    if held is None or not held.dtype.is_floating_point or not held.numel():
        return None
    values = held._a
    if bool((values >= 0).all() and (values <= 1).all()):
        return case.text(cut.operand), bound == 0.5 and isinstance(cut.operand, _CLOSED), "", ""
    torch, imports = case.with_torch()
    return f"{torch}.sigmoid({case.text(cut.operand)})", bound == 0 and not imports, "", ""
