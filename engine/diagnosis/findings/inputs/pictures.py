"""Pictures as the target of what was computed from flat rows: the target has to be made flat in the same way."""

from __future__ import annotations

import ast
from math import prod

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.practice.handed_on import given_outside
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.BCE_SIZE, errors.BCE_LOGITS_SIZE, errors.SHAPE_BROADCAST)
def _target_not_flat(case: Case) -> Finding | None:
    """``elbo(recon, digits, mu, logvar)`` after ``vae(digits.view(-1, 36))``."""
    pair = _compared(case)
    shapes = [shape_at(case, one) for one in pair]
    if len(pair) != 2 or shapes[0] is None or shapes[1] is None:
        return None
    for flat, whole in ((0, 1), (1, 0)):
        own, other = shapes[flat] or (), shapes[whole] or ()
        if len(own) == 2 and len(other) > 2 and own[0] == other[0] and prod(other[1:]) == own[1]:
            return _told(case, (pair[flat], own), (pair[whole], other))
    return None


def _compared(case: Case) -> list[ast.expr]:
    """The two tensors of a loss or of a difference."""
    node = case.find(ast.BinOp) or case.find(ast.Call)
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(args=[first, second, *_]):
            return [first, second]
    return []


def _told(case: Case, flat: tuple[ast.expr, tuple[int, ...]], whole: tuple[ast.expr, tuple[int, ...]]) -> Finding:
    outside = given_outside(case, [whole[0]])[0]
    text, end = _made_flat(case, outside, flat[1])
    hands = f" that line {line(outside)} hands over" if outside is not whole[0] else ""
    hands_zh = f"第 {line(outside)} 行传入的 " if outside is not whole[0] else ""
    return finding(
        case,
        f"{code(case, flat[0])} has the shape {list(flat[1])}, one row for each sample, and {code(case, outside)}{hands} still has the shape"
        f" {list(whole[1])}. Make each sample one row here too: `{text}`.",
        f"{code(case, flat[0])} 的形状是 {list(flat[1])}，每个样本一行，而{hands_zh or ' '}{code(case, outside)} 的形状仍是 {list(whole[1])}。请在这里也把每个样本变成一行："
        f"`{text}`。",
        case.fix(case.followed(outside, end), case.parents.get(outside)),
        outside,
    )


def _made_flat(case: Case, node: ast.expr, shape: tuple[int, ...]) -> tuple[str, str]:
    """How the program itself made this flat, else ``flatten(1)``: what is written then, and what is added for it."""
    text = case.text(node)
    for one in case.nodes(ast.Call):
        match one:
            case ast.Call(func=ast.Attribute(value=owner, attr="view" | "reshape" | "flatten")) if (
                case.text(owner) == text and shape_at(case, one) == shape and case.text(one).startswith(text)
            ):
                return case.text(one), case.text(one)[len(text) :]
    return f"{case.operand(node)}.flatten(1)", ".flatten(1)"
