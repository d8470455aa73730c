"""Traps of sequences: padding that counts, heads that are mixed, masks that are inverted, targets that are not shifted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, children_of, is_call_of, modules_in
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Note

PADDING_COUNTED: Final = Trap(
    "padding-counts-in-loss",
    "{count} of the {whole} targets are `{name}`, and this loss counts them like all others: the model learns to predict padding. Leave them"
    " out: `ignore_index={name}`.",
    "{whole} 个目标里有 {count} 个是 `{name}`，而这个损失把它们和其他目标一样计算：模型学到的是预测填充。请忽略它们：`ignore_index={name}`。",
)


HEADS_MIXED: Final = Trap(
    "heads-split-across-steps",
    "`{text}` cuts the {steps} steps of {width} numbers into {heads} parts in the order of the memory: a part holds numbers of several steps. Split"
    " the last dimension first, and exchange the two then: `{meant}`.",
    "`{text}` 按内存次序把 {steps} 步、每步 {width} 个数切成 {heads} 份：一份里混进了不同步的数。请先拆分最后一维，再交换两维：`{meant}`。",
)


MASK_INVERTED: Final = Trap(
    "padding-mask-inverted",
    "In `{word}` a `True` says that a place is to be ignored. `{text}` is `True` at the beginning of a row and `False` at its end, as a mask of"
    " what is there: the padding is looked at and the rest is not. Turn it round: `~{text}`.",
    "在 `{word}` 里，`True` 表示忽略这个位置。`{text}` 每行开头是 `True`、末尾是 `False`，像是标记有效位置的掩码：结果只看填充，不看其余。请取反：`~{text}`。",
)


NOT_SHIFTED: Final = Trap(
    "targets-are-inputs",
    "The targets are the same tokens that went in, place by place, so the model learns to repeat its input. To predict the next one, give it all"
    " but the last, `[:, :-1]`, and compare with all but the first, `[:, 1:]`.",
    "目标就是输入的那些词元，位置也相同，所以模型学到的只是重复输入。要预测下一个，请输入去掉最后一个的 `[:, :-1]`，并与去掉第一个的 `[:, 1:]` 比较。",
)


BATCH_AS_STEPS: Final = Trap(
    "batch-read-as-steps",
    "`{name}` takes the steps first, (steps, batch, features), and `{given}` says that the batch stands first: the samples are read as steps of"
    " one another. Say so where it is made: `batch_first=True`.",
    "`{name}` 要求时间步在最前（步，批量，特征），而 `{given}` 写明批量在最前：各个样本被当成了彼此的时间步。请在创建时写明：`batch_first=True`。",
)


_BEHIND_ALL: Final = 10**6
"""A place that no argument has: it is given by its name alone."""
_PAD: Final = re.compile(r"pad(_?(id|idx|token|index))?", re.IGNORECASE)


def padding_counted(run: Record) -> Iterator[Note]:
    """Targets that are padding, in a loss that was not told of it."""
    if "ignore_index" in run.program.source or "cross_entropy" not in run.program.source.lower().replace(
        "crossentropy", "cross_entropy"
    ):
        return
    known = {name: value for name, value in run.namespace.items() if _PAD.fullmatch(name) and type(value) is int}
    for call in run.case.nodes(ast.Call) if len(known) == 1 else ():
        target = argument_of(call, 1, "target")
        made = _loss_maker(run, call)
        if made is None or target is None:
            continue
        values = _integers(run, target)
        (name, value), *_ = known.items()
        count = int((values == value).sum()) if values is not None else 0
        if values is None or not 1 < count < values.size or _is_left_out(run, call, made, value):
            continue
        if values.ndim == 1 and not _ends_rows(run, values, value):
            continue
        fix = run.fix(
            run.case.argument(made, f"ignore_index={name}"), f"`ignore_index={name}`", f"`ignore_index={name}`"
        )
        yield PADDING_COUNTED.note(run.program.span_of(made), (), fix, name=name, count=count, whole=int(values.size))


def _ends_rows(run: Record, values: np.ndarray, value: int) -> bool:
    """Whether a value fills up the ends or the beginnings of rows, of which these targets are one or several."""
    rows = [one.array for one in run.recorder.entries if one.array.ndim == 2 and one.array.size == values.size]
    whole = next((one for one in rows if one.dtype == values.dtype and (one.reshape(-1) == values).all()), values[None])
    padded = whole == value
    return all((row[:-1] <= row[1:]).all() or (row[:-1] >= row[1:]).all() for row in padded)


def _is_left_out(run: Record, call: ast.Call, made: ast.Call, value: int) -> bool:
    """Whether no pass brought a gradient to the places of padding: a mask behind the loss, or a weight of 0, leaves them out.

    A loss that keeps its places apart may still be masked where no pass has come to it.
    """
    span, arrived = run.program.span_of(call), False
    for step in (step for one in run.passes for step in one.steps):
        node = step.node
        if (
            not is_call_of(node, "nll_loss_rows nll_loss_places")
            or run.span(node.place) != span
            or not step.grad_inputs
        ):
            continue
        target, grad = node.operands[1], array_of(step.grad_inputs[0])
        if not isinstance(target, TensorEntry) or grad is None:
            continue
        arrived = True
        if (grad.any(1) & (target.array == value)).any():
            return False
    kept_apart = argument_of(made, _BEHIND_ALL, "reduction")
    return arrived or (kept_apart is not None and run.case.value(kept_apart) == "none")


def _loss_maker(run: Record, call: ast.Call) -> ast.Call | None:
    """Where the settings of a cross-entropy are given: its own call, or that which made the layer."""
    name = called(call)
    if name == "cross_entropy":
        return call
    value = run.case.value(call.func)
    if type(value).__name__ != "CrossEntropyLoss" or not isinstance(call.func, ast.Name):
        return None
    made = run.case_at_end.assignment(call.func.id)
    return made if isinstance(made, ast.Call) else None


def _integers(run: Record, node: ast.expr) -> np.ndarray | None:
    """The whole numbers that an expression gave last."""
    array = run.array_of(node)
    return array if array is not None and array.dtype.kind == "i" else None


def heads_mixed(run: Record) -> Iterator[Note]:
    """``x.view(B, heads, T, d)`` of what is (B, T, heads * d)."""
    for node in run.calls("view reshape_alias"):
        before, after = node.inputs[0].array.shape, node.outputs[0].array.shape
        if len(before) != 3 or len(after) != 4 or before[0] != after[0] or after[1] == before[1]:
            continue
        if 1 in (after[1], before[1]):
            continue  # one part, or one step: nothing is mixed
        if after[2] != before[1] or after[1] * after[3] != before[2]:
            continue
        span = run.span(node.place)
        call = run.call_at(span)
        if call is None or not isinstance(call.func, ast.Attribute) or len(call.args) != 4:
            continue
        first, heads, steps, width = (run.case.text(one) for one in call.args)
        meant = f"{run.case.text(call.func)}({first}, {steps}, {heads}, {width}).transpose(1, 2)"
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        words = {"text": run.case.text(call), "steps": before[1], "width": before[2], "heads": after[1], "meant": meant}
        yield HEADS_MIXED.note(span, node.outputs, fix, **words)


_MASKS: Final = ("key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask")


def _array_of(run: Record, node: ast.expr) -> np.ndarray | None:
    """What a tensor of the program, or one that a function gave this name last, holds."""
    if (array := run.array_of(node)) is not None:
        return array
    named = [one for one in run.recorder.entries if getattr(node, "id", None) in one.first.names]
    return named[-1].array if named else None


def masks_inverted(run: Record) -> Iterator[Note]:
    """A mask of attention that is True where there is something."""
    for call in run.case.nodes(ast.Call):
        for keyword in call.keywords:
            array = _array_of(run, keyword.value) if keyword.arg in _MASKS else None
            if array is None or array.dtype.kind != "b" or array.ndim != 2 or array.shape[1] < 2:
                continue
            falling = all((row[:-1] >= row[1:]).all() for row in array)
            if not falling or not array[:, 0].all() or array[:, -1].all():
                continue
            text = run.case.text(keyword.value)
            shown = text if isinstance(keyword.value, ast.Name | ast.Attribute) else f"({text})"
            fix = run.fix(run.case.replace(keyword.value, f"~{shown}"), f"`~{shown}`", f"`~{shown}`")
            yield MASK_INVERTED.note(run.program.span_of(keyword.value), (), fix, word=keyword.arg, text=shown)


def not_shifted(run: Record) -> Iterator[Note]:
    """A model of language whose targets are its inputs."""
    for node in run.calls("nll_loss_rows"):
        target = node.operands[1] if len(node.operands) > 1 else None
        if not isinstance(target, TensorEntry) or not node.inputs or node not in run.ran_backward:
            continue
        for embedded in run.calls("embedding_rows"):
            ids = next((one for one in embedded.inputs if one.array.dtype.kind == "i"), None)
            if ids is None or ids.array.ndim != 2 or min(ids.array.shape) < 2 or ids.array.size != target.array.size:
                continue
            if _source(ids) is _source(target) and np.array_equal(ids.array.reshape(-1), target.array.reshape(-1)):
                yield NOT_SHIFTED.note(run.span(node.place), [target], None)
                return


def _source(entry: TensorEntry) -> TensorEntry:
    """The tensor that views and other shapes of it come from."""
    for _ in range(8):
        if entry.view_of is not None:
            entry = entry.view_of
            continue
        node = entry.first.node
        if node is None or not node.inputs or not is_call_of(node, "view unsafe_view clone reshape_alias"):
            break
        entry = node.inputs[0]
    return entry.first


_BATCH_FIRST: Final = re.compile(r"\(?\[?\s*(batch|b|n|bs)\s*[,x×]\s*(time|seq\w*|t|l|steps?|length)\b", re.IGNORECASE)


def batch_as_steps(run: Record) -> Iterator[Note]:
    """``nn.RNN(4, 6)`` for what a comment says is (batch, time, features)."""
    if not any(one in run.program.source for one in ("RNN(", "GRU(", "LSTM(")):
        return
    yield from _steps_in_forward(run)
    if "#" not in run.program.source:
        return
    for call in run.case.nodes(ast.Call):
        held = run.case.value(call.func)
        if (
            type(held).__name__ not in ("RNN", "GRU", "LSTM")
            or attributes_of(held).get("batch_first", True)
            or not call.args
        ):
            continue
        given = call.args[0]
        made = run.case_at_end.assignment(given.id) if isinstance(given, ast.Name) else None
        text = run.program.source.split("\n")[made.lineno - 1] if made is not None else ""
        comment = text.partition("#")[2]
        value = run.case.value(given)
        maker = run.case_at_end.assignment(call.func.id) if isinstance(call.func, ast.Name) else None
        if (
            not _BATCH_FIRST.search(comment)
            or not isinstance(value, Tensor)
            or value.dim() != 3
            or not isinstance(maker, ast.Call)
        ):
            continue
        fix = run.fix(run.case.argument(maker, "batch_first=True"), "`batch_first=True`", "`batch_first=True`")
        yield BATCH_AS_STEPS.note(
            run.program.span_of(maker), (), fix, name=run.case.text(call.func), given=comment.strip()
        )


def _steps_in_forward(run: Record) -> Iterator[Note]:
    """``self.rnn(x)`` without ``batch_first``, where a comment names the batch first, or the last step is ``out[:, -1]``."""
    inner = {
        name: child
        for held in run.held()
        for _, own in modules_in(held)
        for name, child in children_of(own).items()
        if type(child).__name__ in ("RNN", "GRU", "LSTM") and not attributes_of(child).get("batch_first", True)
    }
    for statement in run.case.nodes(ast.Assign) if inner else ():
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=output), _])],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[given, *_]) as call,
            ) if name in inner:
                pass
            case _:
                continue
        method = run.case.enclosing(statement, ast.FunctionDef)
        owner = run.case.enclosing(statement, ast.ClassDef)
        told = _told_of(run, method, given) or _last_of(run, method, output)
        makers = [
            one.value
            for one in run.case.nodes(ast.Assign)
            if run.case.enclosing(one, ast.ClassDef) is owner and f"self.{name}" in map(ast.unparse, one.targets)
        ]
        if not told or len(makers) != 1 or not isinstance(makers[0], ast.Call) or not _has_steps(run, call):
            continue
        fix = run.fix(run.case.argument(makers[0], "batch_first=True"), "`batch_first=True`", "`batch_first=True`")
        yield BATCH_AS_STEPS.note(run.program.span_of(makers[0]), (), fix, name=f"self.{name}", given=told)


def _told_of(run: Record, method: ast.FunctionDef | None, given: ast.expr) -> str:
    """A comment beside the head of a method that says of its input that the batch comes first."""
    if method is None or not isinstance(given, ast.Name) or given.id not in [one.arg for one in method.args.args]:
        return ""
    if _times_set(method, given.id):
        return ""
    comment = run.case.line(method.lineno).partition("#")[2].strip()
    return comment if _BATCH_FIRST.search(comment) else ""


def _last_of(run: Record, method: ast.FunctionDef | None, output: str) -> str:
    """``out[:, -1]``, which is the last step where the batch comes first."""
    for node in ast.walk(method) if method is not None and _times_set(method, output) == 1 else ():
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == output:
            text = "".join(run.case.text(node).split())
            if text in (f"{output}[:,-1]", f"{output}[:,-1,:]"):
                return run.case.text(node)
    return ""


def _times_set(method: ast.FunctionDef, name: str) -> int:
    """How often a method gives a name a value."""
    return sum(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in ast.walk(method)
    )


def _has_steps(run: Record, call: ast.Call) -> bool:
    """Whether a recurrent layer was given three dimensions at a call."""
    span = run.program.span_of(call)
    return any(one.array.ndim == 3 for one in run.recorder.entries if run.span(one.place) == span)


TRAPS: Final = (padding_counted, heads_mixed, masks_inverted, not_shifted, batch_as_steps)
