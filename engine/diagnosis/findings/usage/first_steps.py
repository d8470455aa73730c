"""First steps: functions and layers taken for one another, arrays in the place of tensors, things not put into a list."""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import MADE_LAYER_OF, written
from gradflow.engine.diagnosis.findings.words import apply, code, finding, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import arguments, mistakes
from gradflow.engine.errors.nn import modules
from gradflow.engine.errors.tensor import indexing, shapes
from gradflow.engine.pytorch import exists
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit

_LISTING: Final = ("ModuleList", "ParameterList")
_OVER_CLASSES: Final = ("softmax", "log_softmax", "softmin")


@finds(errors.NO_MODULE_ATTRIBUTE)
def _function_of_layers(case: Case) -> Finding | None:
    """``nn.softmax(x)``: the function is in ``nn.functional``."""
    node, name = case.find(ast.Attribute), str(case.details.get("name", ""))
    if node is None or case.details.get("module") != "torch.nn" or not exists("torch.nn.functional", name):
        return None
    call = case.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node or not call.args:
        return None
    text = f"{case.operand(node.value)}.functional.{name}"
    edits = case.replace(node, text)
    if name in _OVER_CLASSES and len(call.args) == 1 and not call.keywords:
        edits = [*edits, *case.argument(call, "dim=-1")]
    layer = MADE_LAYER_OF.get(name, "").partition("(")[0]
    made, made_zh = (f", such as `{layer}`", f"（例如 `{layer}`）") if layer else ("", "")
    return finding(
        case,
        f"`torch.nn` holds the layers{made}, which are made first and then called; `{name}`, which computes at once, is in `torch.nn.functional`. Write `{text}`.",
        f"`torch.nn` 里是层{made_zh}，要先创建再调用；直接计算的函数 `{name}` 在 `torch.nn.functional` 里。请写 `{text}`。",
        case.fix(edits, call),
    )


@finds(mistakes.NOT_CALLABLE)
def _data_set_of_arrays(case: Case) -> Finding | None:
    """``TensorDataset(X, y)`` of arrays or lists, whose ``size`` is no method."""
    call = case.find(ast.Call)
    if call is None or called(call) != "TensorDataset":
        return None
    given = [(one, case.value(one)) for one in call.args]
    others = [(one, held) for one, held in given if isinstance(held, np.ndarray | list | tuple)]
    if not others or any(not isinstance(held, np.ndarray | list | tuple | Tensor) for _, held in given):
        return None
    torch = case.module_alias("torch") or "torch"
    edits: list[Edit] = []
    for one, held in others:
        floats = np.asarray(held).dtype == np.float64
        edits += case.replace(one, f"{torch}.tensor({case.text(one)}{', dtype=torch.float32' if floats else ''})")
    names = ", ".join(code(case, one) for one, _ in others)
    array = all(isinstance(held, np.ndarray) for _, held in others)
    kind, kind_zh = (
        ("NumPy arrays" if array else "plain lists or arrays"),
        (" NumPy 数组" if array else "普通列表或数组"),
    )
    first = f"{torch}.tensor({case.text(others[0][0])})"
    return finding(
        case,
        f"`TensorDataset` keeps tensors, and {names} are {kind}. Make tensors of them: `{first}`, of floats as `torch.float32`.",
        f"`TensorDataset` 保存的是张量，而 {names.replace(', ', '、')} 是{kind_zh}。请先转成张量：`{first}`，小数用 `torch.float32`。",
        apply(case, edits, f"`{first}`", f"`{first}`") or (),
    )


@finds(arguments.TOO_MANY_ARGUMENTS)
def _layers_one_by_one(case: Case) -> Finding | None:
    """``nn.ModuleList(a, b)``."""
    call = case.find(ast.Call)
    if call is None or called(call) not in _LISTING or len(call.args) < 2:
        return None
    parts = ", ".join(case.text(one) for one in call.args)
    text = f"{case.text(call.func)}([{parts}])"
    return finding(
        case,
        f"`{called(call)}` takes its elements in one list, and they are given one by one here. Put brackets around them: `[...]`.",
        f"`{called(call)}` 要求把元素放在一个列表里，而这里是一个一个给的。请用方括号括起来：`[...]`。",
        write(case, call, text),
    )


@finds(shapes.EXPAND_DIMENSIONS)
def _too_many_for_one_place(case: Case) -> Finding | None:
    """``x[0] = torch.ones(2)`` of a vector."""
    target = case.find(ast.Subscript)
    statement = case.parents.get(target) if target is not None else None
    if target is None or not isinstance(statement, ast.Assign) or statement.targets[0] is not target:
        return None
    owner, value = case.value(target.value), case.value(statement.value)
    if not isinstance(owner, Tensor):
        return None
    shape = list(value.shape) if isinstance(value, Tensor) else None
    told, told_zh = (f", of the shape {shape},", f"（形状 {shape}）") if shape else ("", "")
    return finding(
        case,
        f"`{case.text(target.value)}` has the shape {list(owner.shape)}, so {code(case, target)} has fewer dimensions than {code(case, statement.value)}{told} which is written there."
        " Write one number for each place: choose an element of the value, or an index that names as many places.",
        f"`{case.text(target.value)}` 的形状是 {list(owner.shape)}，所以 {code(case, target)} 的维数比要写入的 {code(case, statement.value)}{told_zh} 少。"
        "每个位置写入一个数：请从值里取出一个元素，或者用能指明同样多位置的下标。",
        (),
    )


@finds(shapes.EXPAND_SIZE)
def _expanded_beyond_one(case: Case) -> Finding | None:
    """``x.expand(4, 3)`` of what has two rows."""
    call = case.find(ast.Call)
    owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    held = case.value(owner) if owner is not None else None
    if call is None or owner is None or called(call) != "expand" or not isinstance(held, Tensor):
        return None
    sizes = call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List) else call.args
    wanted = [case.value(one) for one in sizes]
    shape = list(held.shape)
    if len(shape) != len(wanted) or not all(type(one) is int for one in wanted):
        return None
    wrong = [k for k, (own, one) in enumerate(zip(shape, wanted, strict=True)) if own != 1 and one not in (own, -1)]
    if not wrong:
        return None
    first = wrong[0]
    times = [1 if one in (own, -1) else one // own for own, one in zip(shape, wanted, strict=True)]  # type: ignore[operator]  # whole numbers, as was looked
    fits = all(one in (own, -1) or one % own == 0 for own, one in zip(shape, wanted, strict=True))  # type: ignore[operator]
    text = f"{case.operand(owner)}.repeat({', '.join(map(str, times))})"
    more, more_zh = (
        (f" To put copies one behind the other write `{text}`.", f"要把副本首尾相接请写 `{text}`。")
        if fits
        else ("", "")
    )
    return finding(
        case,
        f"`expand` shows a dimension of size 1 several times, and dimension {first} of {code(case, owner)} (shape {list(held.shape)}) has {shape[first]}, so it cannot become {wanted[first]}."
        + (more or " Leave it as it is, `-1`, or begin with size 1 there."),
        f"`expand` 只能把大小为 1 的维重复显示，而 {code(case, owner)}（形状 {list(held.shape)}）的第 {first} 维是 {shape[first]}，不能变成 {wanted[first]}。"
        + (more_zh or "请保持原样（`-1`），或者让那一维从 1 开始。"),
        write(case, call, text) or () if fits else (),
    )


@finds(mistakes.NOT_ITERABLE)
def _number_added_to_list(case: Case) -> Finding | None:
    """``losses += loss.item()``."""
    statement = case.find(ast.AugAssign)
    if statement is None or not isinstance(statement.op, ast.Add) or not isinstance(case.value(statement.target), list):
        return None
    text = f"{case.operand(statement.target)}.append({case.text(statement.value)})"
    return finding(
        case,
        f"`{case.text(statement.target)}` is a list, and `+=` adds the elements of another one to it; {code(case, statement.value)} is a single number. Append it: `{text}`.",
        f"`{case.text(statement.target)}` 是列表，`+=` 会把另一个列表的元素接在后面，而 {code(case, statement.value)} 是一个数。请用 append：`{text}`。",
        write(case, statement, text),
    )


@finds(modules.BUFFER_TYPE, indexing.ASSIGN_TYPE)
def _numbers_for_tensor(case: Case) -> Finding | None:
    """``nn.CrossEntropyLoss(weight=[1.0, 2.0])``, ``x[0] = [1, 2, 3]``."""
    call, target = case.find(ast.Call), case.find(ast.Subscript)
    statement = case.parents.get(target) if target is not None else None
    given = [one.value for one in call.keywords if one.arg in ("weight", "pos_weight")] if call is not None else []
    if isinstance(statement, ast.Assign) and statement.targets[0] is target:
        given = [statement.value]
    held = (written(given[0]) or case.value(given[0])) if given else None
    if not isinstance(held, list | tuple) or not all(isinstance(one, int | float) for one in held):
        return None
    torch = case.module_alias("torch") or "torch"
    text = f"{torch}.tensor({case.text(given[0])})"
    return finding(
        case,
        f"{code(case, given[0])} is a plain `{type(held).__name__}` of {len(held)} numbers, and a tensor is needed here. Make one of it: `{text}`.",
        f"{code(case, given[0])} 是 {len(held)} 个数的普通 `{type(held).__name__}`，而这里需要张量。请先转成张量：`{text}`。",
        case.fix(case.replace(given[0], text), given[0]),
    )
