"""Dimensions in another order than a layer or a product takes them, where their sizes tell which one was meant."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import constant, maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer


@finds(errors.CHANNEL_COUNT, errors.MODULE_RUNTIME)
def _features_last(case: Case) -> Finding | None:
    """``bn(x)`` of (batch, steps, features), where the layer takes the features in dimension 1."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and len(call.args) == 1 else None
    shape = shape_at(case, given) if given is not None else None
    if call is None or given is None or shape is None or len(shape) < 3:
        return None
    layer = case.value(call.func)
    made = maker_of(case, layer) if isinstance(layer, Layer) else call.func
    if not isinstance(made, ast.Call) or not called(made).startswith(("BatchNorm", "InstanceNorm")) or not made.args:
        return None
    size, last = constant(case, made.args[0]), len(shape) - 1
    if size != shape[-1] or shape[1] == size:
        return None
    moved = f".transpose(1, {last})"
    inner = case.text(given) if isinstance(given, ast.Name | ast.Attribute | ast.Call) else f"({case.text(given)})"
    text = f"{case.text(call.func)}({inner}{moved}){moved}"
    return finding(
        case,
        f"{code(case, made)} (line {line(made)}) normalises dimension 1, and {code(case, given)} has the shape {list(shape)}: its"
        f" {size} features stand last. Move them to"
        f" dimension 1 and back: `{text}`.",
        f"{code(case, made)}（第 {line(made)} 行）归一化第 1 维，而 {code(case, given)} 的形状是 {list(shape)}：{size}"
        f" 个特征在最后一维。请移到第 1 维再移回来：`{text}`。",
        case.fix(case.replace(call, text), call),
        given,
    )


@finds(errors.NORMALIZED_SHAPE)
def _normalised_in_place(case: Case) -> Finding | None:
    """``nn.LayerNorm(6)(x)`` of a layer that has no name, for features that do not stand last."""
    call = case.find(ast.Call)
    made = call.func if call is not None else None
    shape = shape_at(case, call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(made, ast.Call) or not made.args or shape is None or len(shape) < 3:
        return None
    size = constant(case, made.args[0])
    if not isinstance(size, int) or size not in shape[1:-1]:
        return None
    at, last = shape.index(size, 1), len(shape) - 1
    given, own = case.text(call.args[0]), f"{case.text(made.func)}({shape[-1]})"
    moved = f"{case.text(made)}({given}.transpose({at}, {last})).transpose({at}, {last})"
    return finding(
        case,
        f"{code(case, made)} normalises the last dimension of {code(case, call.args[0])} (shape {list(shape)}), which is"
        f" {shape[-1]}; {size} is dimension {at}. If the last are"
        f" the features, make it for them, `{own}`; if the features stand in dimension {at}, move them last and back: `{moved}`.",
        f"{code(case, made)} 归一化 {code(case, call.args[0])}（形状 {list(shape)}）的最后一维，它是 {shape[-1]}；{size} 是第 {at}"
        f" 维。如果最后一维是特征，请按它创建 `{own}`；如果特征在第"
        f" {at} 维，请移到最后再移回来：`{moved}`。",
        [write(case, made.args[0], str(shape[-1]), made), case.fix(case.replace(call, moved), call)],
        made,
    )


@finds(errors.SHAPE_BROADCAST, errors.BMM_SHAPE, errors.MM_SHAPE)
def _turned_as_whole(case: Case) -> Finding | None:
    """``q @ k.T`` of batches: ``.T`` turns all dimensions round, also that of the batch."""
    node = case.find(ast.expr)
    parts = (
        [node.left, node.right]
        if isinstance(node, ast.BinOp)
        else [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        if isinstance(node, ast.Call)
        else []
    )
    for part in parts:
        turned = definition(case, part)
        if not isinstance(turned, ast.Attribute) or turned.attr != "T":
            continue
        shape = shape_at(case, turned.value)
        others = [other for one in parts if one is not part and (other := shape_at(case, one)) is not None]
        if shape is None or len(shape) < 3 or not any(len(other) >= 3 for other in others):
            continue
        text = f"{case.operand(turned.value)}.mT"
        return finding(
            case,
            f"`.T` on line {line(turned)} turns all dimensions round: of {code(case, turned.value)}, {list(shape)}, it makes"
            f" {list(shape[::-1])}, so the batch comes last. For the"
            f" matrices of a batch only the last two change places: `{text}`, or `.transpose(-2, -1)`.",
            f"第 {line(turned)} 行的 `.T` 会把所有维都倒过来：{code(case, turned.value)} 的形状 {list(shape)} 变成 {list(shape[::-1])}，"
            f"批量维到了最后。对一批矩阵只交换最后两维：`{text}`，或"
            f" `.transpose(-2, -1)`。",
            write(case, turned, text),
            turned,
        )
    return None
