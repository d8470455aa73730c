"""What was collected in a list and is used as one tensor: numbers that are stacked, tensors with graphs that are copied, rows that are formatted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.targets import tested
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_JOINING: Final = ("stack", "cat", "concat", "concatenate", "hstack", "vstack")


@finds(errors.SEQUENCE_ELEMENT, errors.ELEMENT_TYPE, errors.ARGUMENT_TYPE)
def _numbers_stacked(case: Case) -> Finding | None:
    """``torch.stack(actions)``, where the actions are whole numbers of Python."""
    call = case.find(ast.Call)
    name = called(call) if call is not None else ""
    if call is None or name not in _JOINING or not call.args:
        return None
    given = call.args[0]
    value = case.value(given)
    if not isinstance(value, list | tuple) or not value or any(isinstance(one, Tensor) for one in value):
        return None
    kind = type(value[0]).__name__
    if not isinstance(value[0], int | float | list) and kind not in ("ndarray", "float64", "float32", "int64"):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.tensor({case.text(given)})"
    where, where_zh = place(case, given)
    return finding(
        case,
        f"{code(case, given)}{where} holds {len(value)} values of type `{kind}`, and `{name}` joins tensors. Make one tensor of the values:"
        f" `{text}`.",
        f"{code(case, given)}{where_zh} 里是 {len(value)} 个 `{kind}` 类型的值，而 `{name}` 拼接的是张量。请直接由这些值创建一个张量：`{text}`。",
        case.fix([*case.replace(call, text), *imports], call),
        given,
    )


def _collecting(case: Case, name: ast.expr) -> Iterator[ast.Call]:
    """The calls that add to a list: ``history.append(y)``."""
    for call in case.nodes(ast.Call):
        func = call.func
        adds = isinstance(func, ast.Attribute) and func.attr == "append" and len(call.args) == 1
        if adds and isinstance(func, ast.Attribute) and case.text(func.value) == case.text(name):
            yield call


@finds(errors.DEEPCOPY_NON_LEAF)
def _graphs_copied(case: Case) -> Finding | None:
    """``deepcopy(history)`` of tensors that carry their graphs."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    adders = list(_collecting(case, given)) if given is not None else []
    if given is None or not adders or not isinstance(case.value(given), list):
        return None
    kept = adders[-1].args[0]
    text = f"{case.operand(kept)}.detach().clone()"
    return finding(
        case,
        f"{code(case, given)} holds what line {line(adders[-1])} puts in, {code(case, kept)}, which was computed and carries its graph, and a copy"
        f" cannot take a graph along. Keep the values alone: `{text}`.",
        f"{code(case, given)} 里是第 {line(adders[-1])} 行放进去的 {code(case, kept)}，它是算出来的，带着计算图，而副本无法带走计算图。请只保存数值：`{text}`。",
        case.fix(case.followed(kept, ".detach().clone()"), adders[-1]),
        adders[-1],
    )


@finds(errors.FORMAT_TENSOR)
def _several_formatted(case: Case) -> Finding | None:
    """``f"{loss:.3f}"`` of a loss for each element."""
    node = case.find(ast.JoinedStr) or case.find(ast.Call)
    shown = (
        [one.value for one in ast.walk(node) if isinstance(one, ast.FormattedValue) and one.format_spec is not None]
        if node is not None
        else []
    )
    tensors = [(one, held) for one in shown if isinstance(held := case.value(one), Tensor) and held.numel() != 1]
    if len(tensors) != 1:
        return None
    given, held = tensors[0]
    made = _kept_at(case, given) or definition(case, given)
    at, at_zh = (
        (f" (from {code(case, made)} on line {line(made)})", f"（来自第 {line(made)} 行的 {code(case, made)}）")
        if made is not given
        else ("", "")
    )
    name = given.id if isinstance(given, ast.Name) else case.text(given)
    text = f"{name}.mean()"
    return finding(
        case,
        f"`{name}`{at} has the shape {list(held.shape)}, {held.numel()} numbers, and a format such as `:.2f` is for one. Reduce it to one"
        f" number where it is made or here: `{text}` or `.sum()`.",
        f"`{name}`{at_zh} 的形状是 {list(held.shape)}，有 {held.numel()} 个数，而 `:.2f` 这样的格式只用于一个数。请在创建处或这里归约成一个数："
        f"`{text}` 或 `.sum()`。",
        (),
        made,
    )


def _kept_at(case: Case, name: ast.expr) -> ast.expr | None:
    """Where what a loop goes through was put into its list."""
    for one in Flow(case).behind(name):
        if isinstance(one, ast.Name) and (adders := list(_collecting(case, one))):
            return adders[-1]
    return None


@finds(errors.ARRAY_LAYOUT)
def _turned_round(case: Case) -> Finding | None:
    """``torch.from_numpy(image[:, ::-1])``."""
    call = case.find(ast.Call)
    if call is None or not call.args:
        return None
    given = call.args[0]
    for one in Flow(case).behind(given):
        turned = isinstance(one, ast.Subscript) and "::-1" in case.text(one.slice).replace(" ", "")
        flipped = isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("flip", "fliplr", "flipud", "rot90")
        if not turned and not flipped:
            continue
        text = f"{case.operand(given)}.copy()"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} gives a view of the array that goes backwards through its memory, and a tensor can share only"
            f" memory that goes forwards. Copy it first: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 得到的是倒着走内存的视图，而张量只能共享顺着走的内存。请先复制：`{text}`。",
            case.fix(case.followed(given, ".copy()"), call),
            one,
        )
    return None


@finds(errors.INVALID_SHAPE, errors.BMM_SHAPE, errors.MODULE_RUNTIME)
def _batches_of_attention(case: Case) -> Finding | None:
    """Queries and keys of another number of samples, for a layer that may be told wrongly which dimension they are."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    if call is None or type(layer).__name__ != "MultiheadAttention" or len(call.args) < 2:
        return None
    flow = Flow(case)
    query, key = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    first = bool(getattr(layer, "batch_first", False))
    at = 0 if first else 1
    if query is None or key is None or query.dim() != 3 or key.dim() != 3 or query.shape[at] == key.shape[at]:
        return None
    other = query.shape[1 - at] == key.shape[1 - at]
    if other and isinstance(layer, Layer) and (told := _batch_elsewhere(case, call, layer, (query, key))) is not None:
        return told
    hint = " If the batch stands in the other dimension, change `batch_first` where the layer is made." if other else ""
    hint_zh = "如果批量在另一维，请在创建这一层的地方修改 `batch_first`。" if other else ""
    return finding(
        case,
        f"Attention lets every query look at the keys of its own sample, and {code(case, call.args[0])} (shape {list(query.shape)}) has"
        f" {int(query.shape[at])} samples, {code(case, call.args[1])} (shape {list(key.shape)}) {int(key.shape[at])}: the batch is dimension {at}"
        f" here. Give both the same samples.{hint}",
        f"注意力让每个查询只看自己样本的键，而 {code(case, call.args[0])}（形状 {list(query.shape)}）有 {int(query.shape[at])} 个样本，"
        f"{code(case, call.args[1])}（形状 {list(key.shape)}）有 {int(key.shape[at])} 个：这里批量是第 {at} 维。请让两者来自同样的样本。{hint_zh}",
        (),
        definition(case, call.args[1]),
    )


def _batch_elsewhere(case: Case, call: ast.Call, layer: Layer, given: tuple[Tensor, Tensor]) -> Finding | None:
    """Attention made without ``batch_first=True``, or with it, for sequences that are the other way round."""
    made = maker_of(case, layer)
    written = argument_of(made, 99, "batch_first") if made is not None else None
    first = bool(getattr(layer, "batch_first", False))
    if made is None or (written is not None) != first:
        return None
    shapes = [list(one.shape) for one in given]
    read, batch = (0, 1) if first else (1, 0)
    sizes = f"{shapes[0][read]} samples of {code(case, call.args[0])} ({shapes[0]}), {shapes[1][read]} of {code(case, call.args[1])} ({shapes[1]})"
    sizes_zh = f"{code(case, call.args[0])}（{shapes[0]}）是 {shapes[0][read]} 个样本，{code(case, call.args[1])}（{shapes[1]}）是 {shapes[1][read]} 个"
    keyword = next((one for one in made.keywords if one.arg == "batch_first"), None)
    edits = case.without_argument(made, keyword) if keyword is not None else case.argument(made, "batch_first=True")
    way, action = ("with", "Leave `batch_first=True` out") if first else ("without", "Write `batch_first=True`")
    way_zh, action_zh = ("写了", "去掉 `batch_first=True`") if first else ("没有写", "写上 `batch_first=True`")
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} makes the layer {way} `batch_first=True`, so it takes dimension {read} for the batch: {sizes}. Their batch"
        f" of {shapes[0][batch]} is dimension {batch}. {action} where the layer is made.",
        f"第 {line(made)} 行的 {code(case, made)} 创建这一层时{way_zh} `batch_first=True`，所以它把第 {read} 维当作批量：{sizes_zh}。而它们的批量（{shapes[0][batch]}）是第"
        f" {batch} 维。请在创建这一层的地方{action_zh}。",
        case.fix(edits, made),
        made,
    )


@finds(python.TYPE)
def _pair_formatted(case: Case) -> Finding | None:
    """``f"{x.max(0):.3f}"``, where a function gives values and places."""
    node = case.find(ast.JoinedStr)
    if node is None or "unsupported format string" not in str(case.details.get("message", "")):
        return None
    for one in ast.walk(node):
        match one:
            case ast.FormattedValue(
                value=ast.Call(func=ast.Attribute(attr=name)) as call, format_spec=ast.JoinedStr()
            ) if name in _PAIRS:
                text = f"{ast.unparse(call)}.values"
                return finding(
                    case,
                    f"`{ast.unparse(call)}` gives two things, the values and their places, and a format such as `:.3f` is for one number. Take the values:"
                    f" `{text}`.",
                    f"`{ast.unparse(call)}` 给出两样东西：数值和它们的位置，而 `:.3f` 这样的格式只用于一个数。请取数值：`{text}`。",
                    (),
                    node,
                )
    return None


_PAIRS: Final = ("max", "min", "median", "mode", "kthvalue", "sort", "topk")


@finds(errors.BOOL_AMBIGUOUS)
def _scores_for_class(case: Case) -> Finding | None:
    """``if out[i] == y[i]``, where a row of scores is compared with the number of a class."""
    node = tested(case)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return None
    sides = [node.left, node.comparators[0]]
    held = [Flow(case).tensor(one) for one in sides]
    for at in (0, 1):
        scores, label, other = held[at], held[1 - at], case.value(sides[1 - at])
        whole = isinstance(other, int) or (label is not None and not label.dim() and not label.dtype.is_floating_point)
        if scores is None or not whole or scores.dim() != 1 or scores.numel() < 2 or not scores.dtype.is_floating_point:
            continue
        text = f"{case.operand(sides[at])}.argmax()"
        return finding(
            case,
            f"{code(case, sides[at])} holds {scores.numel()} scores, one for each class, and {code(case, sides[1 - at])} is the number of a class, so the"
            f" comparison has {scores.numel()} answers. Compare the class with the largest score: `{text}`.",
            f"{code(case, sides[at])} 里是 {scores.numel()} 个得分，每个类别一个，而 {code(case, sides[1 - at])} 是类别编号，所以比较有 {scores.numel()} 个答案。请比较得分最大的"
            f"类别：`{text}`。",
            case.fix(case.followed(sides[at], ".argmax()"), node),
            node,
        )
    return None
