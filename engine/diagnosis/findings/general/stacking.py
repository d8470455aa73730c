"""Samples of different shapes that are stacked: images of two sizes, sequences in a loader, one channel among three."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place, shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Text

Sizes = tuple[int, ...]


@finds(errors.TENSORS_AS_NUMBERS)
def _rows_as_numbers(case: Case) -> Finding | None:
    """``torch.tensor(rows)`` of a list of tensors, however the list is written: ``torch.tensor([b[0] for b in batch])``."""
    call = case.find(ast.Call)
    data = case.details.get("data")
    if call is None or len(call.args) != 1 or isinstance(call.args[0], ast.Starred) or not isinstance(data, Sequence):
        return None
    rows = [one for one in data if isinstance(one, Tensor)]
    if len(rows) != len(data) or len({tuple(one.shape) for one in rows}) != 1:
        return None
    given, ending = call.args[0], _as_asked(case, call, rows)
    if ending is None:
        return None
    shape, kind = list(rows[0].shape), f"`{type(data).__name__}`"
    listed = case.text(given) if isinstance(data, list | tuple) else f"list({case.text(given)})"
    text = f"{case.module_alias('torch') or 'torch'}.stack({listed}){ending}"
    flow, flow_zh = (
        (", through which gradients flow, too", "，梯度也能通过它")
        if any(one.requires_grad for one in rows)
        else ("", "")
    )
    shown = " ".join(text.split())
    return finding(
        case,
        f"{code(case, given)} is a {'list' if isinstance(data, list) else kind} of {len(rows)} tensor{'s' * (len(rows) != 1)} of shape {shape}, and {code(case, call.func)} makes a tensor of plain"
        f" numbers. Put the tensors together: `{shown}`{flow}.",
        f"{code(case, given)} 是由 {len(rows)} 个形状为 {shape} 的张量组成的{'列表' if isinstance(data, list) else f' {kind}'}，而 {code(case, call.func)} 只用普通的数创建张量。"
        f"请把这些张量叠起来：`{shown}`{flow_zh}。",
        case.fix(case.replace(call, text), call),
        call,
    )


def _as_asked(case: Case, call: ast.Call, rows: Sequence[Tensor]) -> str | None:
    """What is to stand behind the stack for the dtype that was asked for; None where more was asked for."""
    if not call.keywords:
        return ""
    asked = call.keywords[0]
    if len(call.keywords) > 1 or asked.arg != "dtype":
        return None
    return "" if all(one.dtype == case.value(asked.value) for one in rows) else f".to({case.text(asked.value)})"


@finds(errors.DATA_DIMENSIONS)
def _texts_as_numbers(case: Case) -> Finding | None:
    """``torch.tensor(["cat", "dog"])``."""
    call = case.find(ast.Call)
    texts = case.value(call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        return None
    if any(one.strip().lstrip("+-").replace(".", "", 1).isdigit() for one in texts):
        return None
    given = case.text(call.args[0])
    text = f"[sorted(set({given})).index(one) for one in {given}]"
    return finding(
        case,
        f"{code(case, call.args[0])} holds texts, such as `{texts[0]!r}`, and a tensor holds numbers. Number the classes: `{text}`.",
        f"{code(case, call.args[0])} 里是字符串，例如 `{texts[0]!r}`，而张量由数组成。请给类别编号：`{text}`。",
        write(case, call.args[0], text, call),
        definition(case, call.args[0]),
    )


@finds(errors.STACK_SIZE)
def _loader(case: Case) -> Finding | None:
    """A loader that stacks the samples of a batch."""
    made = _loader_of(case)
    shapes = [
        tuple(map(int, shape))
        for shape in (
            case.details.get("a", case.details.get("first")),
            case.details.get("b", case.details.get("other")),
        )
        if isinstance(shape, tuple | list)
    ]
    if made is None:
        return None
    sizes = f": {list(shapes[0])} and {list(shapes[1])}" if len(shapes) == 2 else ""
    sizes_zh = f"：{list(shapes[0])} 和 {list(shapes[1])}" if len(shapes) == 2 else ""
    rows = len({shape[1:] for shape in shapes}) == 1 and all(len(shape) in (1, 2) for shape in shapes)
    en = (
        "Fill them up in a `collate_fn`, with `torch.nn.utils.rnn.pad_sequence`"
        if rows
        else "Bring every sample to one size in `__getitem__`"
    )
    zh = (
        "请在 `collate_fn` 里用 `torch.nn.utils.rnn.pad_sequence` 把它们补齐"
        if rows
        else "请在 `__getitem__` 里把每个样本变成同样的大小"
    )
    results = _samples_given(case, made)
    source, source_zh = on_line(results[0]) if len(results) == 1 else ("", "")
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} stacks the samples of a batch into one tensor, and the data set gives tensors of"
        f" different shapes{source}{sizes}. {en}.",
        f"第 {line(made)} 行的 {code(case, made)} 要把一批样本叠成一个张量，而数据集{source_zh}给出的张量形状不同{sizes_zh}。{zh}。",
        [*_paddings(case, made)] if rows else (),
        made,
    )


def _loader_of(case: Case) -> ast.Call | None:
    """The call that made the loader whose batch failed."""
    node = case.find(ast.AST)
    calls = [one for one in case.nodes(ast.Call) if called(one) == "DataLoader"]
    used = case.find(ast.Call)
    if node is None or (used is not None and getattr(used.func, "attr", "") in ("stack", "cat")):
        return None
    return calls[0] if len(calls) == 1 else None


def _samples_given(case: Case, made: ast.Call) -> list[ast.expr]:
    """What ``__getitem__`` of the data set of a loader gives back."""
    if not made.args:
        return []
    held, named = case.value(made.args[0]), getattr(getattr(made.args[0], "func", None), "id", "")
    alike = (one for one in case.values.values() if type(one).__name__ == named)
    dataset = held if hasattr(held, "__getitem__") else next(alike, None)
    getter = Flow(case).methods(named or type(dataset).__name__).get("__getitem__")
    return returned(getter) if getter is not None else []


def _paddings(case: Case, made: ast.Call) -> Iterator[Fix | None]:
    """Functions that pad each sample, where it is a row alone, a row and a number, or two rows. Which of them runs tells a trial.

    The second row may be the class of every place: cross-entropy leaves out those of -100.
    """
    results = _samples_given(case, made)
    if any(one.arg == "collate_fn" for one in made.keywords) or len(results) != 1:
        return
    torch, imports = case.with_torch()
    pad, words = f"{torch}.nn.utils.rnn.pad_sequence", Text("Fill up in a `collate_fn`", "在 `collate_fn` 里补齐")
    texts: tuple[str, ...] = ()
    if isinstance(results[0], ast.Tuple) and len(results[0].elts) == 2:
        first, numbers = f"{pad}([x for x, _ in rows], batch_first=True)", f"{torch}.tensor([y for _, y in rows])"
        ignored = ", padding_value=-100" if re.search(r"cross_entropy|CrossEntropyLoss", case.program.source) else ""
        texts = numbers, f"{pad}([y for _, y in rows], batch_first=True{ignored})"
        texts = tuple(f"({first}, {one})" for one in texts)
    elif isinstance(results[0], ast.Name | ast.Subscript | ast.Call):
        texts = (f"{pad}(rows, batch_first=True)",)
    for text in texts:
        yield case.fix([*case.argument(made, f"collate_fn=lambda rows: {text}"), *imports], words=words)


@finds(errors.STACK_SIZE)
def _images(case: Case) -> Finding | None:
    """Images of two sizes, or of one channel and of three."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    listed, parts = call.args[0], []
    if isinstance(listed, ast.List | ast.Tuple):
        parts = [(one, shape_at(case, one)) for one in listed.elts]
    value = case.value(listed)
    shapes = [shape for _, shape in parts if shape is not None] or [
        tuple(map(int, one.shape))
        for one in (value if isinstance(value, list | tuple) else ())
        if isinstance(one, Tensor)
    ]
    if len(set(shapes)) < 2 or len({len(shape) for shape in shapes}) != 1 or len(shapes[0]) < 2:
        return None
    target = max(shapes, key=lambda shape: (shapes.count(shape), shape))
    odd = next((at for at, shape in enumerate(shapes) if shape != target))
    node, shape = (parts[odd][0] if parts else listed), shapes[odd]
    widened = all(a in (b, 1) for a, b in zip(shape, target, strict=True))
    images = len(shape) in (3, 4) and shape[:-2] == target[:-2]
    text = f".expand({', '.join(map(str, target))})" if widened else ""
    torch, imports = case.with_torch()
    resized = f"{torch}.nn.functional.interpolate({case.operand(node)}[None], size={target[-2:]})[0]"
    edits: list[Edit] = []
    if widened:
        action, action_zh = f"Repeat its dimension of size 1: `{text}`", f"请重复它大小为 1 的那一维：`{text}`"
        edits = case.followed(node, text) if parts else []
    elif images:
        action, action_zh = f"Resize it first: `{resized}`", f"请先缩放：`{resized}`"
        edits = [*case.replace(node, resized), *imports] if parts and len(shape) == 3 else []
    else:
        action = "Pad, cut or compute them to one shape first, or keep them in a list"
        action_zh = "请先补齐、裁剪或重新计算成同一形状，或者保留在列表里"
    where, where_zh = place(case, node) if parts else ("", "")
    what = f"{code(case, node)}{where} is {list(shape)}" if parts else f"entry {odd} is {list(shape)}"
    what_zh = f"{code(case, node)}{where_zh} 是 {list(shape)}" if parts else f"第 {odd} 个是 {list(shape)}"
    return finding(
        case,
        f"`stack` makes one tensor of tensors of one shape, and {what} while the others are {list(target)}. {action}.",
        f"`stack` 只能把形状相同的张量叠成一个，而 {what_zh}，其他的是 {list(target)}。{action_zh}。",
        case.fix(edits, call) if edits else (),
        node if parts else None,
    )
