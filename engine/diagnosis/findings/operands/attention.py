"""Attention: a mask for each sample where one for each head is wanted, and sequences whose batch stands first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.MODULE_RUNTIME, errors.MODULE_ASSERTION)
def _mask_of_each_sample(case: Case) -> Finding | None:
    """``attn_mask`` of (batch, steps, steps): three dimensions are (batch · heads, steps, steps)."""
    call = case.find(ast.Call)
    if call is None or "3D attn_mask" not in str(case.details.get("message", "")):
        return None
    layer = case.value(call.func)
    heads = (
        next((one.__dict__["num_heads"] for one in layer.modules() if "num_heads" in one.__dict__), None)
        if isinstance(layer, Layer)
        else None
    )
    given = next((one.value for one in call.keywords if one.arg in ("attn_mask", "src_mask", "mask", "tgt_mask")), None)
    held = Flow(case).tensor(given) if given is not None else None
    data = shape_at(case, call.args[0]) if call.args else None
    if not isinstance(heads, int) or given is None or held is None or data is None or len(data) != 3 or held.dim() != 3:
        return None
    batch = int(held.shape[0])
    if batch not in data[:2] or batch * heads == batch or held.shape[1] != held.shape[2]:
        return None
    same = bool((held._a == held._a[:1]).all())
    text = f"{case.operand(given)}[0]" if same else f"{case.operand(given)}.repeat_interleave({heads}, dim=0)"
    made = definition(case, given)
    action, action_zh = (
        ("All are the same here, so one is enough", "这里每个样本的掩码都相同，一个就够了")
        if same
        else ("Repeat each for its heads", "请为每个头重复一次")
    )
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) has the shape {list(held.shape)}, one mask for each of {batch} samples, and a mask of three dimensions needs"
        f" one for each head of each sample: {batch} · {heads} = {batch * heads}. {action}: `{text}`.",
        f"{code(case, given)}（第 {line(made)} 行）的形状是 {list(held.shape)}，{batch} 个样本各有一个掩码，而三维的掩码要求每个样本的每个头各有一个：{batch} · {heads} = {batch * heads}。"
        f"{action_zh}：`{text}`。",
        write(case, given, text, call),
        given,
    )


_SEQUENCES: Final = frozenset({"RNN", "LSTM", "GRU", "MultiheadAttention", "TransformerEncoderLayer"})


@finds(errors.TARGET_BATCH, errors.BCE_SIZE, errors.BCE_LOGITS_SIZE, errors.SHAPE_BROADCAST)
def _steps_for_samples(case: Case) -> Finding | None:
    """A layer made without ``batch_first=True`` gave a result for each step, and there is a target for each sample."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, targets = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or targets is None or not scores.dim() or not targets.dim():
        return None
    rows, samples = int(scores.shape[0]), int(targets.shape[0])
    for node in flow.behind(call.args[0]):
        held = flow.tensor(node)
        if held is None or held.dim() != 3 or tuple(held.shape[:2]) != (samples, rows) or rows == samples:
            continue
        for made in _made_time_first(case):
            return replace(
                finding(
                    case,
                    f"{code(case, made)} on line {line(made)} makes the layer without `batch_first=True`, so it reads {code(case, node)} ({list(held.shape)}) as"
                    f" {samples} steps of {rows} samples, and {code(case, call.args[0])} has {rows} rows for the {samples} targets. The batch is dimension 0: write"
                    f" `batch_first=True` where the layer is made.",
                    f"第 {line(made)} 行的 {code(case, made)} 创建这一层时没有写 `batch_first=True`，所以它把 {code(case, node)}（{list(held.shape)}）看作 {rows} 个样本的 {samples} 步，"
                    f"于是 {code(case, call.args[0])} 有 {rows} 行，而目标有 {samples} 个。批量在第 0 维：请在创建这一层的地方写上 `batch_first=True`。",
                    case.fix(case.argument(made, "batch_first=True"), made),
                    made,
                ),
                guess=True,
            )
    return None


def _made_time_first(case: Case) -> Iterator[ast.Call]:
    """Where the program makes the one layer of sequences that was not told that the batch stands first."""
    layers = [one for value in case.values.values() if isinstance(value, Layer) for one in value.modules()]
    found = {id(one): one for one in layers if type(one).__name__ in _SEQUENCES}
    made = [maker_of(case, one) for one in found.values() if not getattr(one, "batch_first", True)]
    if len(found) == len(made) == 1 and made[0] is not None and argument_of(made[0], 99, "batch_first") is None:
        yield made[0]


@finds(errors.MODULE_RUNTIME)
def _batch_second(case: Case) -> Finding | None:
    """``nn.Transformer`` made without ``batch_first=True``, and sequences whose batch comes first."""
    call = case.find(ast.Call)
    if call is None or "batch number of src and tgt" not in str(case.details.get("message", "")) or len(call.args) < 2:
        return None
    layer = case.value(call.func)
    source, target = shape_at(case, call.args[0]), shape_at(case, call.args[1])
    if not isinstance(layer, Layer) or source is None or target is None or len(source) != 3 or len(target) != 3:
        return None
    made = maker_of(case, layer)
    names = f"{code(case, call.args[0])} ({list(source)}) and {code(case, call.args[1])} ({list(target)})"
    names_zh = f"{code(case, call.args[0])}（{list(source)}）和 {code(case, call.args[1])}（{list(target)}）"
    if made is None or source[0] != target[0] or argument_of(made, 99, "batch_first") is not None:
        return None
    return finding(
        case,
        f"{names} have their batch of {source[0]} first, but {code(case, made)} on line {line(made)} makes the layer without `batch_first=True`, so it reads"
        f" dimension 1, {source[1]} and {target[1]}, as the batch. Say it where the layer is made: `batch_first=True`.",
        f"{names_zh} 都是批量（{source[0]}）在前，但第 {line(made)} 行的 {code(case, made)} 创建这一层时没有写 `batch_first=True`，所以它把第 1 维（{source[1]} 和 {target[1]}）当作批量。"
        f"请在创建这一层时写上：`batch_first=True`。",
        case.fix(case.argument(made, "batch_first=True"), made),
        made,
    )
