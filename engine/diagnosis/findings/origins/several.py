"""Several numbers where one is needed: which loss was not reduced, and over what to take the mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import dtypes


def unreduced(case: Case, node: ast.expr) -> Iterator[ast.Call]:
    """The losses behind a value that give one number for each sample."""
    for one in Flow(case).behind(node):
        if not isinstance(one, ast.Call):
            continue
        layer = case.value(one.func)
        made = maker_of(case, layer) if isinstance(layer, Layer) else one
        for keyword in made.keywords if made is not None else ():
            if made is not None and keyword.arg == "reduction" and getattr(keyword.value, "value", "") == "none":
                yield made


@finds(errors.ITEM_NOT_SCALAR)
def _item_of_several(case: Case) -> Finding | None:
    """``loss.item()`` of a loss with ``reduction="none"``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    made, held = next(unreduced(case, owner), None), Flow(case).tensor(owner)
    if made is None or held is None:
        return None
    text = f"{case.operand(owner)}.mean().item()"
    return finding(
        case,
        f'{code(case, owner)} holds {held.numel()} numbers, for {code(case, made)} on line {line(made)} is told `reduction="none"` and gives one'
        f" for each sample; `item()` takes one number. Take their mean first: `{text}`.",
        f'{code(case, owner)} 有 {held.numel()} 个数，因为第 {line(made)} 行的 {code(case, made)} 写了 `reduction="none"`，为每个样本给出一个；而 `item()` '
        f"只能取一个数。请先取平均：`{text}`。",
        case.fix(case.followed(owner, ".mean()"), call),
        made,
    )


@finds(errors.ITEM_NOT_SCALAR)
def _item_of_answers(case: Case) -> Finding | None:
    """``(predicted == labels).item()``."""
    call = case.find(ast.Call)
    owner = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    held = Flow(case).tensor(owner) if owner is not None else None
    if owner is None or held is None or held.dtype is not dtypes.bool_:
        return None
    return finding(
        case,
        f"{code(case, owner)} holds {held.numel()} answers, true or false, one for each element, and `item()` takes one number. Count those"
        f" that are true first: `.sum().item()`.",
        f"{code(case, owner)} 有 {held.numel()} 个答案，每个元素一个真或假，而 `item()` 只能取一个数。请先数出为真的个数：`.sum().item()`。",
        case.fix(case.followed(owner, ".sum()"), call),
        owner,
    )


@finds(errors.ONE_HOT_RANGE)
def _more_classes(case: Case) -> Finding | None:
    """``one_hot(labels, num_classes=3)`` of a label 3."""
    call = case.find(ast.Call)
    given, size = (
        (argument_of(call, 0, "tensor"), argument_of(call, 1, "num_classes")) if call is not None else (None, None)
    )
    held = Flow(case).tensor(given) if given is not None else None
    if given is None or size is None or held is None or not held.numel():
        return None
    high, made = int(held._a.max()), definition(case, size)
    return finding(
        case,
        f"{code(case, given)} has the class {high}, and classes are counted from 0, so there are {high + 1}; {code(case, made)} on line {line(made)}"
        f" says how many. Write `{high + 1}` there.",
        f"{code(case, given)} 里有类别 {high}，类别从 0 开始编号，所以一共有 {high + 1} 个；个数由第 {line(made)} 行的 {code(case, made)} 给出。请在那里写"
        f" `{high + 1}`。",
        (),  # scores for as many classes are needed, too
        made,
    )


@finds(errors.GRAD_SHAPE)
def _for_each_sample(case: Case) -> Finding | None:
    """``w.grad = ...`` with a row for each sample."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return None
    own, given = Flow(case).tensor(statement.targets[0].value), Flow(case).tensor(statement.value)
    if own is None or given is None or tuple(given.shape[1:]) != tuple(own.shape) or not given.dim():
        return None
    rows, text = int(given.shape[0]), case.text(statement.value)
    fixes = [case.fix(case.followed(statement.value, end), statement) for end in (".sum(0)", ".mean(0)")]
    return finding(
        case,
        f"{code(case, statement.value)} has the shape {list(given.shape)}, a gradient for each of {rows} samples, and {code(case, statement.targets[0].value)}"
        f" has the shape {list(own.shape)}. Add them up, `{text}.sum(0)`, or for a loss that is a mean take `{text}.mean(0)`.",
        f"{code(case, statement.value)} 的形状是 {list(given.shape)}，即 {rows} 个样本各有一个梯度，而 {code(case, statement.targets[0].value)} 的形状是"
        f" {list(own.shape)}。请相加：`{text}.sum(0)`；如果损失是平均值，请用 `{text}.mean(0)`。",
        fixes,
        statement.value,
    )


@finds(errors.MODULE_RUNTIME)
def _unsorted(case: Case) -> Finding | None:
    """``pack_padded_sequence`` of rows in any order."""
    call = case.find(ast.Call)
    if call is None or "enforce_sorted" not in str(case.details.get("message", "")) or len(call.args) < 2:
        return None
    given = next((one for one in call.keywords if one.arg == "enforce_sorted"), None)
    edits = case.argument(call, "enforce_sorted=False") if given is None else case.replace(given.value, "False")
    return finding(
        case,
        f"{code(case, call.func)} packs from the longest row to the shortest, and {code(case, call.args[1])} is in another order. Let it sort by itself,"
        f" which changes no result: `enforce_sorted=False`.",
        f"{code(case, call.func)} 要求从最长的行到最短的行，而 {code(case, call.args[1])} 不是这个次序。请让它自己排序，结果不受影响：`enforce_sorted=False`。",
        case.fix(edits, call),
        call.args[1],
    )
