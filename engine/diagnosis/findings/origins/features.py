"""Numbers of a sample that a layer cannot find any more: the step on the way that laid samples together, or was without effect."""

from __future__ import annotations

import ast
from math import prod
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_FAR: Final = 6


@finds(errors.MM_SHAPE)
def _samples_laid_together(case: Case) -> Finding | None:
    """``x.view(-1)``, ``torch.cat([s, a])``: a step that leaves no rows of as many numbers as the layer takes."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if layer is None or given is None or given._entry is None:
        return None
    needed, entry = int(layer.in_features), given._entry
    for _ in range(_FAR):
        before, name = operands_of(entry), entry.node.op.name if entry.node is not None and entry.node.op else ""
        if not before:
            return None
        node = case.at(ast.Call, entry.place)
        if node is not None and name == "cat" and sum(int(one.array.shape[-1]) for one in before) == needed:
            return _joined_below(case, node, before, needed)
        shape = before[0].array.shape
        if node is not None and len(shape) > 1 and entry.array.ndim < len(shape) and prod(shape[1:]) == needed:
            return _flattened(case, node, shape, needed)
        entry = before[0]
    return None


def _joined_below(case: Case, node: ast.Call, before: list[TensorEntry], needed: int) -> Finding | None:
    dim = argument_of(node, 1, "dim")
    last = before[0].array.ndim - 1
    if last < 1:
        return None
    sizes = " + ".join(str(int(one.array.shape[-1])) for one in before)
    edits = case.replace(dim, str(last)) if dim is not None else case.argument(node, f"dim={last}")
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} puts the rows below one another, so there are more samples and no more numbers in each;"
        f" the layer needs {needed} = {sizes} in a row. Join them side by side: `dim={last}`.",
        f"第 {line(node)} 行的 {code(case, node)} 把各行上下接起来，于是样本变多了，而每个样本的数没有变多；这一层要求每行有 {needed} = {sizes} 个数。请左右拼接："
        f"`dim={last}`。",
        case.fix(edits, node),
        node,
    )


def _flattened(case: Case, node: ast.Call, shape: tuple[int, ...], needed: int) -> Finding | None:
    if not isinstance(node.func, ast.Attribute):
        return None
    of_torch = isinstance(node.func.value, ast.Name) and node.func.value.id == case.module_alias("torch")
    source = node.args[0] if of_torch and node.args else node.func.value
    text = (
        f"{case.operand(node.func.value)}.flatten({case.text(source)}, 1)"
        if of_torch
        else f"{case.operand(source)}.flatten(1)"
    )
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} lays the numbers of all {shape[0]} samples into one row; each sample has"
        f" {' × '.join(map(str, shape[1:]))} = {needed} of them, as many as the layer takes. Keep the dimension of the samples: `{text}`.",
        f"第 {line(node)} 行的 {code(case, node)} 把全部 {shape[0]} 个样本的数排成了一行；而每个样本有 {' × '.join(map(str, shape[1:]))} = {needed} 个数，正是这一层"
        f"要求的个数。请保留样本那一维：`{text}`。",
        case.fix(case.replace(node, text), node),
        node,
    )


_NEW: Final = frozenset(
    {
        "unsqueeze",
        "squeeze",
        "view",
        "reshape",
        "permute",
        "transpose",
        "flatten",
        "t",
        "to",
        "float",
        "long",
        "double",
        "int",
        "type",
        "expand",
        "repeat",
        "contiguous",
        "requires_grad",
        "masked_fill",
        "clamp",
        "add",
        "mul",
        "sub",
        "div",
    }
)
"""Methods that leave a tensor as it is, and give a new one."""


@finds(
    errors.MODULE_ARGUMENT,
    errors.MODULE_RUNTIME,
    errors.CONV_CHANNELS,
    errors.CONV_INPUT,
    errors.MM_SHAPE,
    errors.BMM_SHAPE,
    errors.AFFINE_DTYPE,
    errors.FOUND_DTYPE,
    errors.EMBEDDING_DTYPE,
    errors.TARGET_DTYPE,
    errors.TARGET_SIZE,
    errors.TARGET_BATCH,
    errors.TARGET_MULTI,
    errors.SHAPE_BROADCAST,
    errors.CAT_SIZE,
    errors.CAT_DIMENSIONS,
    errors.BCE_SIZE,
    errors.BCE_LOGITS_SIZE,
    errors.INDEX_DTYPE,
    errors.GATHER_SHAPE,
)
def _without_effect(case: Case) -> Finding | None:
    """``image.unsqueeze(0)`` on a line of its own."""
    failed = case.find(ast.expr)
    behind = set(Flow(case).behind(failed)) if failed is not None else set()
    names = {one.id for one in behind if isinstance(one, ast.Name)}
    for statement in case.nodes(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _NEW:
            continue
        owner = call.func.value
        if not isinstance(owner, ast.Name) or owner.id not in names or not isinstance(Flow(case).tensor(owner), Tensor):
            continue
        text = f"{owner.id} = {case.text(call)}"
        return finding(
            case,
            f"{code(case, call)} on line {line(call)} gives a new tensor and leaves `{owner.id}` as it is, and its result is thrown away. Keep it:"
            f" `{text}`.",
            f"第 {line(call)} 行的 {code(case, call)} 返回一个新张量，`{owner.id}` 本身不变，而结果没有保存下来。请保存它：`{text}`。",
            case.fix(case.before(call, f"{owner.id} = "), statement),
            statement,
        )
    return None


@finds(errors.MODULE_RUNTIME)
def _one_step(case: Case) -> Finding | None:
    """``gru(e, h)`` with one step of a batch and the state of a batch."""
    call, told = case.find(ast.Call), str(case.details.get("message", ""))
    if call is None or len(call.args) < 2 or "For unbatched 2-D input" not in told:
        return None
    layer, given = case.value(call.func), Flow(case).tensor(call.args[0])
    if given is None or given.dim() != 2:
        return None
    at, statement = (1 if getattr(layer, "batch_first", False) else 0), case.statement(call)
    text = f"{case.operand(call.args[0])}.unsqueeze({at})"
    output = statement.targets[0] if isinstance(statement, ast.Assign) else None
    first = output.elts[0] if isinstance(output, ast.Tuple) else None
    edits = case.followed(call.args[0], f".unsqueeze({at})")
    also = also_zh = ""
    span = case.program.span_of(statement) if statement is not None else None
    if isinstance(first, ast.Name) and span is not None:
        line_ = f"{first.id} = {first.id}.squeeze({at})"
        head = case.line(span.line)[: span.column]
        edits = [*edits, insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}{line_}")]
        also, also_zh = f", and take it from the output again: `{line_}`", f"，再从输出里去掉它：`{line_}`"
    return finding(
        case,
        f"{code(case, call.args[0])} has the shape {list(given.shape)}, one step of {int(given.shape[0])} samples, and the state is that of a batch; a"
        f" recurrent layer then looks for a dimension of steps. Add it, of size 1: `{text}`{also}.",
        f"{code(case, call.args[0])} 的形状是 {list(given.shape)}，是 {int(given.shape[0])} 个样本的一步，而状态是一批的状态；循环层这时还需要步数这一维。请补上大小为 1 的"
        f"一维：`{text}`{also_zh}。",
        case.fix(edits, statement),
        call.args[0],
    )


@finds(errors.INVALID_COMBINATION)
def _bound(case: Case) -> Finding | None:
    """``torch.max(0, x)``, the larger of a number and a tensor."""
    call = case.find(ast.Call)
    name = str(getattr(call.func, "attr", "")) if call is not None else ""
    if call is None or name not in ("max", "min") or len(call.args) != 2 or call.keywords:
        return None
    tensors = [one for one in call.args if Flow(case).tensor(one) is not None]
    numbers = [one for one in call.args if isinstance(case.value(one), int | float)]
    if len(tensors) != 1 or len(numbers) != 1:
        return None
    owner = (
        case.text(tensors[0])
        if isinstance(tensors[0], ast.Name | ast.Attribute | ast.Call)
        else f"({case.text(tensors[0])})"
    )
    text = f"{owner}.clamp({'min' if name == 'max' else 'max'}={case.text(numbers[0])})"
    more, more_zh = ("less", "小于") if name == "max" else ("more", "大于")
    return finding(
        case,
        f"`{case.text(call.func)}` compares two tensors, and {code(case, numbers[0])} is a number. To let nothing be {more} than a number there is"
        f" `clamp`: `{text}`.",
        f"`{case.text(call.func)}` 比较的是两个张量，而 {code(case, numbers[0])} 是一个数。要让结果都不{more_zh}某个数，请用 `clamp`：`{text}`。",
        case.fix(case.replace(call, text), call),
        call,
    )
