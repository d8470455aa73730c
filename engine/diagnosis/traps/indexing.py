"""Traps of indices and of small numbers: writes into a copy, places that are named twice, bytes that overflow, the wrong dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import UNKNOWN
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_call_of,
    modules_in,
    producer,
)
from gradflow.engine.diagnosis.traps.unrecorded import order_of
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note

COPY_WRITTEN: Final = Trap(
    "write-into-copy",
    "`{inner}` picks elements by a mask or by positions, which copies them, so `{text} = ...` writes into that copy and `{owner}` stays as"
    " it is. Write with one pair of brackets, `{meant} = ...`, in which the indices are put together.",
    "`{inner}` 用掩码或位置取元素，得到的是副本，所以 `{text} = ...` 写进了副本，`{owner}` 没有变。请只用一对方括号赋值：`{meant} = ...`，"
    "把下标合在一起。",
)
NAMED_TWICE: Final = Trap(
    "repeated-index-added-once",
    "`{index}` names some places more than once, and `{owner}[{index}] {symbol} ...` reads, adds and writes back, so that of several values for"
    " one place only the last one counts. `index_add_` adds them all: `{meant}`.",
    "`{index}` 里有些位置出现了不止一次，而 `{owner}[{index}] {symbol} ...` 是先读、再加、再写回，所以同一个位置的几个值里只有最后一个算数。`index_add_` 才会"
    "全部加上：`{meant}`。",
)
WRAPPED: Final = Trap(
    "integer-overflow",
    "`{text}` is computed in `{dtype}`, whose numbers go from {low} to {high}: results beyond that wrap around, as {wrong} in the place of"
    " {right}. Convert first: `{meant}`.",
    "`{text}` 以 `{dtype}` 计算，它的数只能从 {low} 到 {high}：超出的结果会绕回来，例如本应是 {right}，却得到 {wrong}。请先转换：`{meant}`。",
)
OVER_BATCH: Final = Trap(
    "argmax-over-batch",
    "`{text}` looks for the largest score along dimension 0, among the samples, and gives one place for each class; it is compared with the"
    " classes of the samples. The classes are dimension 1: `dim=1`.",
    "`{text}` 沿第 0 维（样本之间）找最大值，给出的是每个类别一个位置，却拿来与各样本的类别比较。类别是第 1 维：`dim=1`。",
)
LAST_SAMPLE: Final = Trap(
    "last-sample-for-last-step",
    "`{name}` was made with `batch_first=True`, so dimension 0 of its output is the batch, and `{text}` is the last sample with all its"
    " steps. The last step of every sample is `{meant}`.",
    "`{name}` 是用 `batch_first=True` 创建的，输出的第 0 维是批量，所以 `{text}` 是最后一个样本的所有时间步。每个样本的最后一步是 `{meant}`。",
)


def copies_written(run: Record) -> Iterator[Note]:
    """``x[mask][0] = 0``."""
    for statement in run.case.nodes(ast.Assign | ast.AugAssign):  # type: ignore[arg-type]  # isinstance takes a union
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            match target:
                case ast.Subscript(value=ast.Subscript(value=owner, slice=index) as inner):
                    pass
                case _:
                    continue
            if isinstance(run.case.value(owner), Tensor) and _copies(run, index):
                words = {"inner": run.case.text(inner), "owner": run.case.text(owner)}
                together = _together(run, index, target.slice)
                meant = f"{words['owner']}[{together or '...'}]"
                fix = run.fix(run.case.replace(target, meant), f"`{meant}`", f"`{meant}`") if together else None
                text = run.case.text(target)
                yield COPY_WRITTEN.note(run.program.span_of(target), (), fix, text=text, meant=meant, **words)


def _together(run: Record, rows: ast.expr, rest: ast.expr) -> str:
    """One index for a choice of rows and then of columns: ``[rows][:, 0]``, ``[rows][..., 0]``; nothing for others."""
    held = run.case.value(rows)
    one = isinstance(rows, ast.Name) and isinstance(held, Tensor) and held.dim() == 1
    match rest:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None, step=None), last]) if one and _is_plain(last):
            return f"{run.case.text(rows)}, {run.case.text(last)}"
    return ""


def _is_plain(index: ast.expr) -> bool:
    """Whether an index is one place or a slice, which goes together with a mask of another dimension."""
    match index:
        case ast.Slice() | ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant()):
            return True
    return False


def _copies(run: Record, index: ast.expr) -> bool:
    """Whether an index is a mask or a row of positions, which gives a copy."""
    if isinstance(index, ast.Tuple):
        return any(_copies(run, one) for one in index.elts)
    if isinstance(index, ast.Compare | ast.List):
        return True
    held = run.case.value(index)
    return isinstance(held, list) or (isinstance(held, Tensor) and held.dim() > 0)


def named_twice(run: Record) -> Iterator[Note]:
    """``total[index] += values`` with the same place several times."""
    for statement in run.case.nodes(ast.AugAssign):
        target = statement.target
        if not isinstance(statement.op, ast.Add | ast.Sub) or not isinstance(target, ast.Subscript):
            continue
        if not _names_twice(run, statement, target):
            continue
        plus = isinstance(statement.op, ast.Add)
        name, index, value = (run.case.text(one) for one in (target.value, target.slice, statement.value))
        meant = f"{name}.index_add_(0, {index}, {value})"
        added, held = run.case.value(statement.value), run.case.value(target.slice)
        fits = plus and (
            added is UNKNOWN
            or (isinstance(added, Tensor) and isinstance(held, Tensor) and added.shape[:1] == held.shape)
        )
        fix = run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`") if fits else None
        words = {"owner": name, "index": index, "symbol": "+=" if plus else "-=", "meant": meant}
        yield NAMED_TWICE.note(run.program.span_of(statement), (), fix, **words)


def _names_twice(run: Record, statement: ast.AugAssign, target: ast.Subscript) -> bool:
    """Whether one index names a place several times: at the end of the run, or when a function used it."""
    owner, held = run.case.value(target.value), run.case.value(target.slice)
    if isinstance(owner, Tensor) and isinstance(held, Tensor):
        return _repeats(held._a)
    if owner is not UNKNOWN and held is not UNKNOWN:
        return False
    read = [node for node in (*run.made_at(target), *run.made_at(statement)) if is_call_of(node, "index")]
    return any((order := order_of(node)) is not None and _repeats(order) for node in read)


def _repeats(index: np.ndarray) -> bool:
    return index.dtype.kind in "iu" and index.ndim == 1 and np.unique(index).size < index.size


_EXACT: Final = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


def overflown(run: Record) -> Iterator[Note]:
    """Bytes that are subtracted below 0, or added beyond 255."""
    for name, function in _EXACT.items():
        for node in run.calls(name):
            out = node.outputs[0].array if node.outputs else None
            if out is None or out.dtype.kind not in "iu" or out.dtype.itemsize > 2 or out.size < 2:
                continue
            sides = [one.array if isinstance(one, TensorEntry) else one for one in node.operands[:2]]
            if len(sides) != 2 or any(isinstance(one, str) or one is None for one in sides):
                continue
            exact = function(np.asarray(sides[0], dtype=np.int64), np.asarray(sides[1]).astype(np.int64))
            wrong = np.argwhere(np.broadcast_to(exact, out.shape) != out)
            span = run.span(node.place)
            if not len(wrong) or span is None:
                continue
            at, info = tuple(wrong[0]), np.iinfo(out.dtype)
            operation = run.case.find(ast.BinOp, span)
            first = _widened(run, operation, node) if operation is not None else None
            meant = f"{run.case.operand(first)}.float()" if first is not None else ".float()"
            fix = (
                run.fix(run.case.followed(first, ".float()"), f"`{meant}`", f"`{meant}`") if first is not None else None
            )
            yield WRAPPED.note(
                span,
                node.outputs,
                fix,
                text=" ".join(run.program.text_at(span).split()),
                dtype=f"torch.{out.dtype.name}",
                low=int(info.min),
                high=int(info.max),
                wrong=int(out[at]),
                right=int(np.broadcast_to(exact, out.shape)[at]),
                meant=meant,
            )


def _widened(run: Record, operation: ast.BinOp, node: NodeEntry) -> ast.expr | None:
    """The operand that is a tensor of whole numbers, the left one first."""
    if isinstance(run.case.value(operation.left), Tensor):
        return operation.left
    pair = zip((operation.left, operation.right), node.operands[:2], strict=False)
    return next(
        (one for one, held in pair if isinstance(held, TensorEntry) and not isinstance(one, ast.Constant)), None
    )


def over_batch(run: Record) -> Iterator[Note]:
    """``logits.argmax(dim=0) == labels``."""
    for node in run.calls("argmax"):
        source, out = node.inputs[0].array if node.inputs else None, node.outputs[0] if node.outputs else None
        if source is None or out is None or source.ndim != 2 or not node.settings or node.settings[0] not in (0, -2):
            continue
        span = run.span(node.place)
        call = run.call_at(span)
        if call is None or not any(
            is_call_of(one, "eq ne") and _has_classes(one, out) for one in run.consumers.get(out.first, ())
        ):
            continue
        text = run.case.text(call)
        given = [one.value for one in call.keywords if one.arg in ("dim", "axis")] or [
            one for one in call.args if isinstance(one, ast.Constant) and one.value == 0
        ]
        fix = run.fix(run.case.replace(given[0], "1"), "`dim=1`", "`dim=1`") if given else None
        yield OVER_BATCH.note(span, [out], fix, text=text)


def _has_classes(node: NodeEntry, chosen: TensorEntry) -> bool:
    """Whether what is compared with a choice holds whole numbers that were not chosen from scores themselves."""
    others = [one for one in node.inputs if one.first is not chosen.first]
    return bool(others) and all(one.array.dtype.kind in "iu" and producer(one) is None for one in others)


def last_samples(run: Record) -> Iterator[Note]:
    """``out[-1]`` of a recurrent layer whose output begins with the batch."""
    if "batch_first=True" not in run.program.source:
        return
    layers = {
        name: held
        for name, held in run.named()
        if type(held).__name__ in ("RNN", "GRU", "LSTM") and attributes_of(held).get("batch_first")
    }
    inner = {
        part
        for held in run.held()
        for path, own in modules_in(held)
        for part, child in children_of(own).items()
        if type(child).__name__ in ("RNN", "GRU", "LSTM") and attributes_of(child).get("batch_first")
    }
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=output), *_])], value=ast.Call(func=func)):
                pass
            case _:
                continue
        name = run.case.text(func)
        if name not in layers and not (name.startswith("self.") and name[5:] in inner):
            continue
        yield from _taken_from(run, statement, output, name)


def _taken_from(run: Record, statement: ast.Assign, output: str, name: str) -> Iterator[Note]:
    scope = run.case.enclosing(statement, ast.FunctionDef)
    for node in run.case.nodes(ast.Subscript):
        match node:
            case ast.Subscript(
                value=ast.Name(id=used), slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
            ) if (
                used == output and node.lineno > statement.lineno and run.case.enclosing(node, ast.FunctionDef) is scope
            ):
                span, meant = run.program.span_of(node), f"{output}[:, -1]"
                made = [one for one in run.recorder.entries if run.span(one.place) == span and one.view_of is not None]
                if made and made[-1].view_of is not None and made[-1].view_of.array.ndim == 3:
                    fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
                    yield LAST_SAMPLE.note(span, [made[-1]], fix, name=name, text=run.case.text(node), meant=meant)


TRAPS: Final = (copies_written, named_twice, overflown, over_batch, last_samples)
