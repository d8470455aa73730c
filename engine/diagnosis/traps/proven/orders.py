"""Traps of order: rows that meet the rows of others, because two sides were flattened, merged, shuffled or counted otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_call_of,
    modules_in,
    producer,
)
from gradflow.engine.diagnosis.traps.sharing import arranged
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Fix, Note, Text

FLATTENED: Final = Trap(
    "flattened-in-two-orders",
    "The output was {before} before it was flattened, and the targets were {other}: the rows of the one follow each other in another order than the rows of the other, so"
    " outputs meet the targets of others. {meant}",
    "输出在展平之前是 {before}，而目标是 {other}：两者展平后行的次序不同，输出遇到的是别人的目标。{meant}",
)
MERGED: Final = Trap(
    "heads-merged-across-steps",
    "`{text}` merges {before} into {after} in the order of the memory: a row then holds numbers of one head and several steps. Exchange the two dimensions first: `{meant}`.",
    "`{text}` 按内存次序把 {before} 合并成 {after}：一行里装的是同一个头、好几步的数。请先交换两个维度：`{meant}`。",
)
LAST_OF_BATCH: Final = Trap(
    "last-sample-of-steps",
    "`{name}` takes and gives the steps first, (steps, batch, features), so `{text}` is the last sample of the batch with all its steps, not the last step of every sample."
    " Say `batch_first=True` where it is made if the batch stands first; else the last step is `{meant}`.",
    "`{name}` 的输入输出都是步在前：(步, 批量, 特征)，所以 `{text}` 是批量里最后一个样本的所有步，而不是每个样本的最后一步。如果批量在前，请在创建时写 `batch_first=True`；否则最后一步是 `{meant}`。",
)
SHUFFLED_BATCH: Final = Trap(
    "batch-and-targets-apart",
    "`{text}` takes samples in a shuffled order, and {name}, which they are compared with, is taken in the order as it stands: every sample gets the target of another. Take"
    " both with the same indices.",
    "`{text}` 按打乱的次序取样本，而与之比较的 {name} 是按原来的次序取的：每个样本都对应了别人的目标。请用同样的下标取两者。",
)
_VIEWS: Final = "view reshape_alias unsafe_view"


def _flattened(entry: TensorEntry) -> NodeEntry | None:
    """The function that flattened a tensor, without copies in between."""
    node = producer(entry)
    for _ in range(4):
        if node is None or not node.inputs:
            return None
        if is_call_of(node, _VIEWS) and node.inputs[0].array.ndim > node.outputs[0].array.ndim:
            return node
        if not is_call_of(node, f"{_VIEWS} clone contiguous_copy squeeze_dim log_softmax_dim to_dtype"):
            return None
        node = producer(node.inputs[0])
    return None


def flattened(run: Record) -> Iterator[Note]:
    """``cross_entropy(out.reshape(-1, C), y.reshape(-1))`` of (steps, batch, C) and (batch, steps)."""
    told = set()
    for node in run.calls("nll_loss_rows mse_loss sub"):
        if len(node.inputs) < 2 or node not in run.ran_backward or node.place in told:
            continue
        output, target = node.inputs[:2]
        one, other = _flattened(output), _flattened(target)
        if one is None or other is None:
            continue
        before, after = one.inputs[0].array.shape, other.inputs[0].array.shape
        rows = before[:-1] if is_call_of(node, "nll_loss_rows") else before
        classes = one.outputs[0].array.shape[-1]
        planes = (
            is_call_of(node, "nll_loss_rows")
            and len(before) > 2
            and before[1] == classes != before[-1]
            and (before[0], *before[2:]) == after
        )
        swapped = len(rows) > 1 and rows != after and sorted(rows) == sorted(after) and max(rows) > 1
        if not planes and not (swapped and rows[::-1] == after):
            continue
        told.add(node.place)
        order = ", ".join(map(str, (0, *range(2, len(before)), 1))) if planes else ""
        meant = (
            f"Put the classes last first: `.permute({order})`."
            if planes
            else "Exchange two dimensions of one of them first: `.transpose(0, 1)`."
        )
        meant_zh = (
            f"请先把类别维换到最后：`.permute({order})`。"
            if planes
            else "请先交换其中一个的两个维度：`.transpose(0, 1)`。"
        )
        words = {"before": list(before), "other": list(after), "meant": Text(meant, meant_zh)}
        yield FLATTENED.note(run.span(one.place), [output, target], _ordered(run, one, planes, order, swapped), **words)


def _ordered(run: Record, node: NodeEntry, planes: bool, order: str, swapped: bool) -> Fix | None:
    """The dimensions exchanged before what is flattened."""
    call = run.call_at(run.span(node.place))
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("view", "reshape"):
        return None
    owner = call.func.value
    way = f".permute({order})" if planes else ".transpose(0, 1)"
    match owner:
        case ast.Call(func=ast.Attribute(attr="transpose", value=inner)) if swapped and not planes:
            edits = run.case.replace(owner, run.case.text(inner))
            return run.fix(edits, "Without the exchange", "不交换维度")
    edits = run.case.followed(owner, way)
    if call.func.attr == "view":
        edits = run.case.replace(
            call, f"{run.case.text(owner)}{way}.reshape({', '.join(map(run.case.text, call.args))})"
        )
    return run.fix(edits, f"`{way}`", f"`{way}`")


def merged(run: Record) -> Iterator[Note]:
    """``att.reshape(B, T, H * D)`` of what is (B, H, T, D)."""
    for node in run.calls(_VIEWS):
        before, after = node.inputs[0].array.shape, node.outputs[0].array.shape
        if (
            len(before) != 4
            or len(after) != 3
            or before[0] != after[0]
            or before[1] in (1, before[2])
            or before[2] == 1
        ):
            continue
        call = run.call_at(run.span(node.place))
        if after[1:] != (before[2], before[1] * before[3]) or call is None or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr not in ("view", "reshape") or not _is_product(node.inputs[0]):
            continue
        text, given = run.case.operand(call.func.value), ", ".join(map(run.case.text, call.args))
        meant = f"{text}.transpose(1, 2).reshape({given})"
        yield arranged(run, MERGED, node, call, meant)


def _is_product(entry: TensorEntry) -> bool:
    """Whether a tensor is the product of weights and values, as in attention."""
    node = producer(entry)
    while node is not None and node.inputs and is_call_of(node, f"{_VIEWS} clone"):
        node = producer(node.inputs[0])
    return node is not None and is_call_of(node, "bmm")


_RECURRENT: Final = ("RNN", "GRU", "LSTM")


def last_of_batch(run: Record) -> Iterator[Note]:
    """``out[:, -1]`` of a recurrent layer that takes the steps first."""
    for call in run.case.nodes(ast.Assign):
        match call:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=output), *_])], value=ast.Call(func=func)):
                name = run.case.text(func)
            case _:
                continue
        if not _takes_steps(run, name):
            continue
        scope = run.case.enclosing(call, ast.FunctionDef)
        for node in run.case.nodes(ast.Subscript):
            if (
                node.lineno > call.lineno
                and run.case.enclosing(node, ast.FunctionDef) is scope
                and _is_last(node, output)
            ):
                yield from _of_steps(run, node, output, name)


def _takes_steps(run: Record, name: str) -> bool:
    """Whether the recurrent layer of this name takes the steps first."""
    own = [run.namespace.get(name)]
    if name.startswith("self."):
        own = [children_of(part).get(name[5:]) for held in run.held() for _, part in modules_in(held)]
    layers = [one for one in own if type(one).__name__ in _RECURRENT]
    return bool(layers) and not any(attributes_of(one).get("batch_first") for one in layers)


def _is_last(node: ast.Subscript, output: str) -> bool:
    match node:
        case ast.Subscript(
            value=ast.Name(id=used),
            slice=ast.Tuple(
                elts=[
                    ast.Slice(lower=None, upper=None),
                    ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)),
                    *rest,
                ]
            ),
        ):
            return used == output and all(isinstance(one, ast.Slice) and one.lower is None for one in rest)
    return False


def _of_steps(run: Record, node: ast.Subscript, output: str, name: str) -> Iterator[Note]:
    span = run.program.span_of(node)
    made = [one for one in run.recorder.entries if run.span(one.place) == span and one.view_of is not None]
    source = made[-1].view_of if made else None
    if source is None or made[-1].array.ndim != 2:
        return
    whole = source
    while whole.view_of is not None:
        whole = whole.view_of
    if whole.array.ndim == 3 and made[-1].array.shape[0] == whole.array.shape[0]:
        yield LAST_OF_BATCH.note(
            span, [made[-1]], _first(run, name), name=name, text=run.case.text(node), meant=f"{output}[-1]"
        )


def _first(run: Record, name: str) -> Fix | None:
    """``batch_first=True`` where the layer is made, if it is made once."""
    made = [
        one.value
        for one in run.case.nodes(ast.Assign)
        if isinstance(one.value, ast.Call) and any(run.case.text(each) == name for each in one.targets)
    ]
    if len(made) != 1 or any(one.arg == "batch_first" for one in made[0].keywords):
        return None
    return run.fix(run.case.argument(made[0], "batch_first=True"), "`batch_first=True`", "`batch_first=True`")


def shuffled_batches(run: Record) -> Iterator[Note]:
    """``loss(model(X[b]), y[i:i + 5])`` with ``b`` a part of a permutation."""
    if "randperm" not in run.program.source and "permutation" not in run.program.source:
        return
    told = set()
    for node in run.calls("index"):
        order = _order(run, node)
        if order is None or node.place in told or not _is_part_of_shuffle(node, order):
            continue
        for target in _met(run, node.outputs[0]):
            source = target.view_of
            if (
                source is None
                or source.requires_grad
                or target.array.shape[:1] != order.array.shape
                or source.array.shape[:1] != node.inputs[0].array.shape[:1]
            ):
                continue
            told.add(node.place)
            span = run.span(node.place)
            part = run.case.find(ast.Subscript, span) if span is not None else None
            text = run.case.text(part) if part is not None else "index"
            yield SHUFFLED_BATCH.note(
                span, [node.outputs[0], target], _alike(run, part, target), text=text, name=run.name(target)
            )
            break


def _order(run: Record, node: NodeEntry) -> TensorEntry | None:
    """The part of a tensor of positions by which rows were taken."""
    given = node.settings[0] if node.settings else ()
    arrays = [one for one in given if isinstance(one, np.ndarray)] if isinstance(given, tuple) else []
    if len(arrays) != 1 or arrays[0].ndim != 1 or arrays[0].dtype.kind != "i":
        return None
    parts = (one for one in run.recorder.entries if one.view_of is not None and one.array.shape == arrays[0].shape)
    return next((one for one in parts if one.array.dtype.kind == "i" and np.array_equal(one.array, arrays[0])), None)


def _is_part_of_shuffle(node: NodeEntry, order: TensorEntry) -> bool:
    whole = order
    while whole.view_of is not None:
        whole = whole.view_of
    array, rows = whole.array, node.inputs[0].array.shape[0]
    if array.ndim != 1 or array.dtype.kind != "i" or array.size != rows or not 3 < rows <= 10_000 or whole is order:
        return False
    counted = np.arange(rows)
    return (
        bool(np.array_equal(np.sort(array), counted))
        and not np.array_equal(array, counted)
        and not node.inputs[0].requires_grad
    )


def _met(run: Record, source: TensorEntry) -> Iterator[TensorEntry]:
    """The parts of data that outputs for some samples are compared with."""
    seen, waiting = {source.first}, [source.first]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if node in run.ran_backward and is_call_of(
                node, "mse_loss sub nll_loss_rows binary_cross_entropy_with_logits"
            ):
                yield from (one for one in node.inputs[1:2] if not one.requires_grad and one.first is not current)
            new = [out.first for out in node.outputs if out.first not in seen and len(seen) < 400]
            seen.update(new)
            waiting += new


def _alike(run: Record, part: ast.Subscript | None, target: TensorEntry) -> Fix | None:
    span = run.span(target.place)
    other = run.case.find(ast.Subscript, span) if span is not None else None
    if part is None or other is None or not isinstance(part.slice, ast.Name):
        return None
    text = f"{run.case.text(other.value)}[{part.slice.id}]"
    return run.fix(run.case.replace(other, text), f"`{text}`", f"`{text}`")


TRAPS: Final = (flattened, merged, last_of_batch, shuffled_batches)
