"""Masks of padding for layers that take the steps first, and data whose batch comes first."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import padding_mask, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit

_LAYERS: Final = ("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer", "MultiheadAttention")
_TURNING: Final = frozenset({"t", "T", "mT", "transpose", "permute", "swapaxes", "movedim", "swapdims", "rearrange"})
_STEPS: Final = re.compile(r"(?i)(t|s|l|seq\w*|n?_?steps?|time\w*|len\w*|length|\w+_len|max_?len)")
_COMMENT: Final = re.compile(r"(?i)#.*[(\[]\s*(t|s|l|seq\w*|steps?|time\w*|len\w*)\s*,")


@finds(errors.MODULE_ASSERTION, errors.MODULE_RUNTIME)
def _batch_first_missing(case: Case) -> Finding | None:
    """A mask of (batch, steps) and data of (batch, steps, features) for a layer made without ``batch_first=True``."""
    told, call = padding_mask(case), case.find(ast.Call)
    if told is None or call is None:
        return None
    given, wanted, rows = told
    layer, mask = case.value(call.func), shape_at(case, given.value)
    data = next((one for one in call.args if len(own := shape_at(case, one) or ()) == 3 and own[:2] == mask), None)
    if not isinstance(layer, Layer) or mask is None or data is None or wanted == rows:
        return None
    if _steps_come_first(case, data) or _steps_come_first(case, given.value):
        return None
    makers = _makers(case, layer)
    if not makers:
        return None
    edits = [edit for one in makers for edit in _with_batch_first(case, one)]
    lines = ", ".join(dict.fromkeys(str(line(one)) for one in makers))
    shape = list(shape_at(case, data) or ())
    return finding(
        case,
        f"{code(case, data)} has the shape {shape}, and the mask {code(case, given.value)} {list(mask)}: both have the batch first. But {code(case, makers[0])} on"
        f" line {lines} makes the layer without `batch_first=True`, so it reads dimension 0 as the steps and expects a mask of {wanted} rows. Say it where"
        " the layer is made: `batch_first=True`.",
        f"{code(case, data)} 的形状是 {shape}，掩码 {code(case, given.value)} 的形状是 {list(mask)}：两者都是批量在前。但第 {lines} 行的 {code(case, makers[0])} 创建这一层时没有写"
        f" `batch_first=True`，所以它把第 0 维当作步，要求掩码有 {wanted} 行。请在创建这一层时写上：`batch_first=True`。",
        [case.fix(edits, makers[0])],
        makers[0],
    )


_SQUARE: Final = ("attn_mask", "mask", "src_mask", "tgt_mask")


@finds(errors.MODULE_ASSERTION, errors.MODULE_RUNTIME, errors.MODULE_ARGUMENT)
def _square_of_second(case: Case) -> Finding | None:
    """A mask of (steps, steps) made for (batch, steps, features), and a layer made without ``batch_first=True``."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or not isinstance(layer, Layer) or "mask" not in str(case.details.get("message", "")):
        return None
    named = [one.value for one in call.keywords if one.arg in _SQUARE]
    for mask in (*named, *call.args[1:]):
        size = shape_at(case, mask) or ()
        data = next((one for one in call.args if _has_steps_second(case, one, size)), None)
        makers = _makers(case, layer) if data is not None else []
        if data is None or not makers or _steps_come_first(case, data):
            continue
        shape = list(shape_at(case, data) or ())
        lines = ", ".join(dict.fromkeys(str(line(one)) for one in makers))
        edits = [edit for one in makers for edit in _with_batch_first(case, one)]
        return finding(
            case,
            f"{code(case, makers[0])} on line {lines} makes the layer without `batch_first=True`, so of {code(case, data)}, of shape {shape}, it reads"
            f" dimension 0, {shape[0]}, as the steps. The mask {code(case, mask)} is {list(size)}, for the {shape[1]} steps in dimension 1. The batch"
            " stands first here: say so where the layer is made, `batch_first=True`.",
            f"第 {lines} 行的 {code(case, makers[0])} 创建这一层时没有写 `batch_first=True`，所以对形状为 {shape} 的 {code(case, data)}，它把第 0 维（{shape[0]}）当作步数。而掩码"
            f" {code(case, mask)} 是 {list(size)}，对应第 1 维的 {shape[1]} 步。这里批量在前：请在创建这一层时写上 `batch_first=True`。",
            [case.fix(edits, makers[0])],
            makers[0],
        )
    return None


def _has_steps_second(case: Case, node: ast.expr, mask: tuple[int, ...]) -> bool:
    """Whether a square mask fits dimension 1 of a tensor, and not dimension 0."""
    shape = shape_at(case, node) or ()
    return len(shape) == 3 and len(mask) == 2 and mask[0] == mask[1] == shape[1] != shape[0]


def _makers(case: Case, layer: Layer) -> list[ast.Call]:
    """The calls that make the layer, or the layers in it, which take the batch second."""
    second = {type(one).__name__ for one in layer.modules() if _takes_batch_second(one)}
    calls = [one for one in case.nodes(ast.Call) if called(one) in _LAYERS and called(one) in second]
    return [one for one in calls if not _is_batch_first(case, one) and not any(k.arg is None for k in one.keywords)]


def _takes_batch_second(layer: Layer) -> bool:
    own = [getattr(one, "batch_first", None) for one in layer.modules()]
    return False in own and True not in own


def _is_batch_first(case: Case, call: ast.Call) -> bool:
    given = argument_of(call, 10**6, "batch_first")
    return given is not None and case.value(given) is not False


def _with_batch_first(case: Case, call: ast.Call) -> list[Edit]:
    given = argument_of(call, 10**6, "batch_first")
    return case.replace(given, "True") if given is not None else case.argument(call, "batch_first=True")


def _steps_come_first(case: Case, node: ast.expr) -> bool:
    """Whether a tensor was turned round on its way, or is made of sizes the first of which is named as that of the steps."""
    for one in Flow(case).behind(node):
        if getattr(one, "attr", None) in _TURNING or (isinstance(one, ast.Call) and called(one) in _TURNING):
            return True
        if isinstance(one, ast.Call) and len(one.args) > 1:
            first = one.args[0]
            if _COMMENT.search(case.line(line(one))):
                return True
            if isinstance(first, ast.Name) and _STEPS.fullmatch(first.id) and type(case.value(first)) is int:
                return True
    return False
