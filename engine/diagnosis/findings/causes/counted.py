"""Numbers that count something else: lengths of packed sequences, numbers of classes."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor


def _numbers(case: Case, node: ast.expr) -> list[int] | None:
    """Whole numbers in a tensor or a list."""
    held = Flow(case).tensor(node)
    if isinstance(held, Tensor):
        return [int(one) for one in held._a.reshape(-1)] if held.dim() == 1 else None
    value = case.value(definition(case, node)) if not isinstance(node, ast.List) else None
    value = case.value(node) if value is None or not isinstance(value, list) else value
    if isinstance(node, ast.List):
        value = [case.value(one) for one in node.elts]
    return list(value) if isinstance(value, list | tuple) and all(type(one) is int for one in value) else None


@finds(errors.MODULE_RUNTIME)
def _lengths(case: Case) -> Finding | None:
    """Lengths of ``pack_padded_sequence`` that are too few, 0, or longer than the rows."""
    call = case.find(ast.Call)
    if call is None or called(call) != "pack_padded_sequence" or not call.args:
        return None
    given = argument_of(call, 1, "lengths")
    shape = shape_at(case, call.args[0])
    lengths = _numbers(case, given) if given is not None else None
    if given is None or shape is None or len(shape) < 2 or not lengths:
        return None
    first = argument_of(call, 2, "batch_first")
    batched = first is not None and case.value(first) is True
    rows, steps = (shape[0], shape[1]) if batched else (shape[1], shape[0])
    data, made = code(case, call.args[0]), definition(case, given)
    name = code(case, given)
    where, where_zh = f" (line {line(made)})", f"（第 {line(made)} 行）"
    if len(lengths) != rows:
        if len(lengths) == (shape[1] if batched else shape[0]):
            return None  # the other dimension is the batch
        return finding(
            case,
            f"{name}{where} holds {len(lengths)} lengths, and {data}, of shape {list(shape)}, has {rows} rows: each needs one. Give {rows} lengths.",
            f"{name}{where_zh} 里有 {len(lengths)} 个长度，而 {data}（形状 {list(shape)}）有 {rows} 行，每行需要一个。请给出 {rows} 个长度。",
            (),
            made,
        )
    if min(lengths) <= 0:
        at = lengths.index(min(lengths))
        return finding(
            case,
            f"{name}{where} says that row {at} of {data} has the length {lengths[at]}, and an empty sequence cannot be packed. Leave such rows out of the batch.",
            f"{name}{where_zh} 说 {data} 的第 {at} 行长度是 {lengths[at]}，而空序列不能打包。请把这样的行从批次中去掉。",
            (),
            made,
        )
    if max(lengths) > steps:
        at = lengths.index(max(lengths))
        return finding(
            case,
            f"{name}{where} says that row {at} of {data} has the length {lengths[at]}, and the rows have {steps} steps (shape {list(shape)}). A length is at most"
            f" {steps}: look at how the rows were cut and filled up, or at how the lengths were counted.",
            f"{name}{where_zh} 说 {data} 的第 {at} 行长度是 {lengths[at]}，而每行只有 {steps} 步（形状 {list(shape)}）。长度最多是 {steps}：请检查各行是怎样截断和填充的，以及长度是怎样数出来的。",
            (),
            made,
        )
    return None


@finds(errors.ONE_HOT_RANGE)
def _classes_from_one(case: Case) -> Finding | None:
    """``one_hot(labels, 3)`` of labels from 1 to 3: they are counted from 1, or there is one class more."""
    call = case.find(ast.Call)
    given = argument_of(call, 0, "tensor") if call is not None else None
    size = argument_of(call, 1, "num_classes") if call is not None else None
    held = Flow(case).tensor(given) if given is not None else None
    count = case.value(size)
    if call is None or given is None or size is None or held is None or not held.numel() or not isinstance(count, int):
        return None
    low, high = int(held._a.min()), int(held._a.max())
    if low != 1 or high != count:
        return None
    text = f"{case.text(given)} - 1"
    return finding(
        case,
        f"{code(case, given)} has the classes 1 to {high}, and `one_hot` counts them from 0: {count} classes are 0 to {count - 1}. If yours are counted from 1,"
        f" write `{text}`; if there is a class 0 too, say `{high + 1}`.",
        f"{code(case, given)} 里的类别是 1 到 {high}，而 `one_hot` 从 0 开始编号：{count} 个类别是 0 到 {count - 1}。如果你的类别从 1 开始，请写 `{text}`；如果还有类别 0，请写 `{high + 1}`。",
        [
            write(case, given, text, call),
            write(case, size, str(high + 1), call) if isinstance(size, ast.Constant) else None,
        ],
        given,
    )


@finds(errors.ONE_HOT_NEGATIVE)
def _negative_class(case: Case) -> Finding | None:
    """A -1 among the classes, for what has none."""
    call = case.find(ast.Call)
    given = argument_of(call, 0, "tensor") if call is not None else None
    held = Flow(case).tensor(given) if given is not None else None
    if call is None or given is None or held is None or not held.numel():
        return None
    low, count = int(held._a.min()), int((held._a < 0).sum())
    made = definition(case, given)
    text = f"{case.operand(given)}.clamp(min=0)"
    how = f" {count} times" if count > 1 else ""
    how_zh = f"{count} 次" if count > 1 else ""
    return finding(
        case,
        f"{code(case, given)} (line {line(made)}) has {low} among its classes{how}, and `one_hot` counts them from 0. If {low} stands for what has no class, such"
        f" as padding, leave these elements out, or count them as class 0 and mask them afterwards: `{text}`.",
        f"{code(case, given)}（第 {line(made)} 行）的类别里出现了 {low}{'，共 ' + how_zh if how_zh else ''}，而 `one_hot` 从 0 开始编号。"
        f"如果 {low} 表示没有类别（例如填充），请去掉这些元素，或者先当作类别 0、之后再屏蔽：`{text}`。",
        (),
        made,
    )


@finds(errors.CAT_DIMENSIONS)
def _one_for_all_steps(case: Case) -> Finding | None:
    """One vector for each sample, joined to a sequence of vectors for each."""
    call = case.find(ast.Call)
    held = argument_of(call, 0, "tensors") if call is not None else None
    parts = held.elts if isinstance(held, ast.List | ast.Tuple) else []
    dim = argument_of(call, 1, "dim") if call is not None else None
    shapes = [shape_at(case, one) for one in parts]
    if call is None or len(parts) != 2 or case.value(dim) not in (-1, 2):
        return None
    for at, (own, other) in enumerate(zip(shapes, shapes[::-1], strict=True)):
        if own is None or other is None or len(own) != 2 or len(other) != 3 or own[0] != other[0]:
            continue
        part, whole = parts[at], parts[1 - at]
        steps = f"{case.operand(whole)}.size(1)" if isinstance(whole, ast.Name) else str(other[1])
        text = f".unsqueeze(1).expand(-1, {steps}, -1)"
        return finding(
            case,
            f"{code(case, part)} has the shape {list(own)}, one vector for each sample, and {code(case, whole)} the shape {list(other)}, {other[1]} for each."
            f" To join it to every one of them, repeat it: `{case.text(part)}{text}`.",
            f"{code(case, part)} 的形状是 {list(own)}，每个样本一个向量，而 {code(case, whole)} 的形状是 {list(other)}，每个样本 {other[1]} 个。"
            f"要把它接到每一个上，请重复它：`{case.text(part)}{text}`。",
            apply(case, case.followed(part, text), f"`{case.text(part)}{text}`", f"`{case.text(part)}{text}`"),
            part,
        )
    return None
