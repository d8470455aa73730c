"""Masks of one row for each sample, used on scores of more dimensions: what is missing is given where the mask is made."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.trace import Edit, Fix

_MOST: Final = 8
_FEW: Final = 10_000
_HIDDEN: Final = -100.0
"""What is added at most to a score that is to have no weight."""


@finds(errors.SHAPE_BROADCAST)
def _of_the_keys(case: Case) -> Finding | None:
    """``scores.masked_fill(mask == 0, -1e9)`` in a function, and ``mask = ids != PAD`` elsewhere."""
    scores, mask = _pair(case)
    own, whole = (
        (shape_at(case, mask), shape_at(case, scores)) if mask is not None and scores is not None else (None, None)
    )
    if mask is None or scores is None or own is None or whole is None or len(own) != 2 or len(whole) not in (3, 4):
        return None
    named = [one for one in ast.walk(mask) if isinstance(one, ast.Name) and shape_at(case, one) == own]
    if own != (whole[0], whole[-1]) or own == whole[-2:] or len(named) != 1 or not _is_mask(case, mask):
        return None
    end = f"[:, {'None, ' * (len(whole) - 2)}:]"
    place = _made(case, named[0], own)
    if place is None:
        place = mask
    elif case.enclosing(place, ast.FunctionDef) is case.enclosing(mask, ast.FunctionDef):
        return None
    lacks, lacks_zh = ("2 dimensions", "2 维") if len(whole) == 4 else ("a dimension", "1 维")
    text = f"{case.operand(place)}{end}"
    fix: Fix | None = apply(case, _followed(case, place, end), f"`{text}`", f"`{text}`")
    done, done_zh = ("handed over", "传入") if isinstance(place, ast.Name) else ("made", "产生")
    where = "" if place is mask else f" where it is {done}, on line {line(place)}"
    where_zh = "" if place is mask else f"在第 {line(place)} 行{done_zh}掩码的地方"
    return finding(
        case,
        f"{code(case, mask)} is {Shape(own):en}, one row for each sample, and {code(case, scores)} {Shape(whole):en}: sizes are compared from the right, so {own[0]} meets"
        f" {whole[-2]}. The mask hides what is looked at, the last dimension of the scores, and lacks {lacks} in between. Give it that{where}:"
        f" `{text}`.",
        f"{code(case, mask)} 是{Shape(own):zh}，每个样本一行，而 {code(case, scores)} 是{Shape(whole):zh}：形状从右往左比较，所以 {own[0]} 对上了 {whole[-2]}。掩码要掩盖的是"
        f"被关注的位置，也就是分数的最后一维，中间还缺 {lacks_zh}。请{where_zh}补上：`{text}`。",
        fix,
        place,
    )


def _followed(case: Case, place: ast.expr, end: str) -> list[Edit]:
    """An index behind an expression, and behind the brackets that it may have already."""
    before = case.line(place.lineno)[: place.col_offset]
    return (case.followed_by_more(place, end) if before.endswith("= (") else []) or case.followed(place, end)


def _pair(case: Case) -> tuple[ast.expr | None, ast.expr | None]:
    """The scores and the mask of ``scores.masked_fill(mask, value)``, ``scores + mask`` or ``where(mask, scores, value)``."""
    match case.find(ast.BinOp) or case.find(ast.Call):
        case ast.BinOp(left=left, right=right):
            return left, right
        case ast.Call(func=ast.Attribute(value=value, attr="masked_fill" | "masked_fill_"), args=[mask, *_]):
            return value, mask
        case ast.Call(func=ast.Attribute(attr="where"), args=[mask, scores, *_]):
            return scores, mask
    return None, None


def _is_mask(case: Case, node: ast.expr) -> bool:
    """Whether an operand is filled in by, or is called a mask, or adds nothing at some places and hides the others."""
    if not isinstance(case.parents.get(node), ast.BinOp) or re.search(r"mask|pad", case.text(node), re.I):
        return True
    added = Flow(case).tensor(node)
    held = (
        {float(one) for one in added._a.reshape(-1).tolist()} if added is not None and added.numel() <= _FEW else set()
    )
    return len(held) == 2 and max(held) == 0.0 and min(held) <= _HIDDEN


def _made(case: Case, used: ast.Name, shape: tuple[int, ...]) -> ast.expr | None:
    """The expression in another function that a parameter was given, or what made that for this use alone."""
    flow = Flow(case)
    node: ast.expr = used
    for _ in range(_MOST):
        if not isinstance(node, ast.Name):
            return node if shape_at(case, node) == shape else None
        given = [one for one in flow.assigned(node, node.id) if not isinstance(one, ast.Constant)]
        scope = flow.scope(node)
        if isinstance(scope, ast.FunctionDef) and node.id in [
            one.arg for one in ast.walk(scope.args) if isinstance(one, ast.arg)
        ]:
            given = [one for one in given if isinstance(case.parents.get(one), ast.Call | ast.keyword)]
            given = _of_this_run(case, given) if len(given) > 1 else given
        if len(given) != 1:
            return None
        if node is not used and not isinstance(given[0], ast.Name) and _read_elsewhere(case, node):
            return node
        node = given[0]
    return None


def _of_this_run(case: Case, given: list[ast.expr]) -> list[ast.expr]:
    """What the call gives that is running, of what several calls give."""
    calls = [case.find(ast.Call, frame.span) for frame in case.frames if frame.span is not None]
    inside = {part for call in calls if call is not None for part in (*call.args, *call.keywords)}
    return [one for one in given if one in inside or case.parents.get(one) in inside]


def _read_elsewhere(case: Case, name: ast.Name) -> bool:
    """Whether a variable is read at another place than the call that hands it on."""
    flow = Flow(case)
    scope, call = flow.scope(name), case.enclosing(name, ast.Call)
    reads = [
        one
        for one in case.nodes(ast.Name)
        if one.id == name.id and isinstance(one.ctx, ast.Load) and flow.scope(one) is scope and one is not name
    ]
    func = case.text(call.func) if call is not None else ""
    outer = [case.enclosing(one, ast.Call) for one in reads]
    return any(one is None or case.text(one.func) != func for one in outer)
