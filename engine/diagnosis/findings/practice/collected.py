"""What was collected in a list and is used as one tensor: numbers that are stacked, tensors with graphs that are copied, rows that are formatted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_JOINING = ("stack", "cat", "concat", "concatenate", "hstack", "vstack")


@finds(errors.SEQUENCE_ELEMENT, errors.ELEMENT_TYPE, errors.ARGUMENT_TYPE)
def _numbers_stacked(case: Case) -> Finding | None:
    """``torch.stack(actions)``, where the actions are whole numbers of Python."""
    call = case.find(ast.Call)
    name = str(getattr(call.func, "attr", getattr(call.func, "id", ""))) if call is not None else ""
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
    text = f"{case.text(kept)}.detach().clone()"
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
        text = f"{case.text(given)}.copy()"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} gives a view of the array that goes backwards through its memory, and a tensor can share only"
            f" memory that goes forwards. Copy it first: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 得到的是倒着走内存的视图，而张量只能共享顺着走的内存。请先复制：`{text}`。",
            case.fix(case.followed(given, ".copy()"), call),
            one,
        )
    return None
