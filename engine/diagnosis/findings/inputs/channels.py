"""One picture with its channels last: the axis of the batch and the order of the others, in one step."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.practice.handed_on import given_outside
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_TURN: Final = ".permute(2, 0, 1)"
_ONE: Final = ".unsqueeze(0)"


@finds(errors.CONV_CHANNELS)
def _one_picture(case: Case) -> Finding | None:
    """``torch.as_tensor(obs).unsqueeze(0)`` of height, width and channels; a picture without a batch."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    shape = shape_at(case, given) if given is not None else None
    weight = case.details.get("weight")
    if given is None or shape is None or not isinstance(weight, list | tuple) or len(weight) != 4:
        return None
    channels, told = int(weight[1]), case.details.get("given")
    if shape[-1] != channels or shape[-3] == channels or len(shape) < 3 or told != shape[-3]:
        return None
    if len(shape) == 3:
        return _without_batch(case, given, shape)
    return _with_batch_put(case, given, shape) if len(shape) == 4 and shape[0] == 1 else None


def _without_batch(case: Case, given: ast.expr, shape: tuple[int, ...]) -> Finding:
    outside = given_outside(case, [given])[0]
    text = case.operand(outside)
    return finding(
        case,
        f"{code(case, outside)} has the shape {list(shape)}: height, width and {shape[2]} channels, without a batch. A convolution takes the batch first,"
        f" then the channels. Bring it into that order: `{text}{_TURN}{_ONE}`.",
        f"{code(case, outside)} 的形状是 {list(shape)}：高、宽和 {shape[2]} 个通道，没有批量维。卷积要求先是批量，再是通道。请换成这个次序："
        f"`{text}{_TURN}{_ONE}`。",
        case.fix(case.followed(outside, f"{_TURN}{_ONE}"), case.parents.get(outside)),
        outside,
    )


def _with_batch_put(case: Case, given: ast.expr, shape: tuple[int, ...]) -> Finding | None:
    """The batch is there, for a line put it in front; the channels still stand last."""
    flow = Flow(case)
    for one in flow.behind(given):
        owner = _unsqueezed(one)
        if owner is None or shape_at(case, one) != shape:
            continue
        own = flow.tensor(owner)
        if not isinstance(own, Tensor) or tuple(map(int, own.shape)) != shape[1:]:
            return None
        edits = case.followed(owner, _TURN)
        text = f"{case.operand(owner)}{_TURN}{_ONE}"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} puts the batch in front of a picture of the shape {list(shape[1:])}: height, width and {shape[3]} channels,"
            f" which still stand last, so the convolution takes {shape[1]} for the channels. Put them first before that: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 在形状为 {list(shape[1:])}（高、宽和 {shape[3]} 个通道）的图片前加上了批量维，而通道仍在最后，所以卷积把"
            f" {shape[1]} 当作通道数。请先把通道移到前面：`{text}`。",
            case.fix(edits, case.statement(one)),
            one,
        )
    return None


def _unsqueezed(node: ast.expr) -> ast.expr | None:
    """What ``x.unsqueeze(0)`` puts a batch in front of."""
    match node:
        case ast.Call(func=ast.Attribute(value=value), args=[ast.Constant(value=0)]) if called(node) == "unsqueeze":
            return value
        case ast.Call(func=ast.Attribute(), args=[value, ast.Constant(value=0)]) if called(node) == "unsqueeze":
            return value
    return None
