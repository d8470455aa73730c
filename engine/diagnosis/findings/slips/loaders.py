"""Loaders: batches that are lists of one tensor, rows that belong into columns, iterators of old, what is gone through once."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor

# -- batches -----------------------------------------------------------------------------------------------------------


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.OPERAND_TYPES, errors.INVALID_COMBINATION)
def _one_in_list(case: Case) -> Finding | None:
    """``for batch in loader`` of a data set of one tensor: each batch is a list that holds it."""
    for loop in case.nodes(ast.For):
        name = getattr(loop.target, "id", "")
        held = case.values.get(name) if name else None
        inside = case.span.line >= line(loop) and case.span.line <= (loop.end_lineno or 0)
        if not inside or type(case.value(loop.iter)).__name__ != "DataLoader":
            continue
        if not isinstance(held, list | tuple) or len(held) != 1 or not isinstance(held[0], Tensor):
            continue
        uses = [
            one for one in ast.walk(loop) if isinstance(one, ast.Name) and one.id == name and one is not loop.target
        ]
        if any(isinstance(case.parents.get(one), ast.Subscript) for one in uses):
            return None
        text = f"for ({name},) in {case.text(loop.iter)}"
        return finding(
            case,
            f"A batch of {code(case, loop.iter)} is a list with one tensor for each part of the data set, here one of shape {list(held[0].shape)}, and"
            f" `{name}` on line {line(loop)} is that list. Take the tensor out of it: `{text}`.",
            f"{code(case, loop.iter)} 的一个批次是列表，数据集的每个部分对应一个张量，这里只有一个，形状为 {list(held[0].shape)}，而第 {line(loop)} 行的 `{name}`"
            f" 就是这个列表。请取出张量：`{text}`。",
            apply(case, case.replace(loop.target, f"({name},)"), f"`{text}`", f"`{text}`"),
            loop.target,
        )
    return None


@finds(mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _rows_for_columns(case: Case) -> Finding | None:
    """``xs, ys = batch`` of a list of pairs."""
    found = case.find(ast.AST)
    statement = case.statement(found) if found is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=source):
            held = case.value(source)
        case _:
            return None
    if not isinstance(held, list | tuple) or len(held) == len(names) or not held:
        return None
    if not all(isinstance(one, list | tuple) and len(one) == len(names) for one in held):
        return None
    given = ", ".join(case.text(one) for one in names)
    text = f"{given} = zip(*{case.text(source)})"
    function = case.enclosing(statement, ast.FunctionDef)
    collates = function is not None and any(
        one.arg == "collate_fn" and case.text(one.value) == function.name for one in case.nodes(ast.keyword)
    )
    what = f"the {len(held)} samples of the batch" if collates else f"{len(held)} elements"
    what_zh = f"批次的 {len(held)} 个样本" if collates else f"{len(held)} 个元素"
    return finding(
        case,
        f"{code(case, source)} holds {what}, each with {len(names)} values, and `{given}` takes them apart row by row. To have the first values of all"
        f" together, and the second, turn it round: `{text}`.",
        f"{code(case, source)} 里是{what_zh}，每个有 {len(names)} 个值，而 `{given}` 是按行拆开的。要把所有的第一个值放在一起、第二个值放在一起，请转换方向：`{text}`。",
        case.fix([*case.wrapped(source, "zip(*", ")")], statement),
        source,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _next_of_old(case: Case) -> Finding | None:
    """``it.next()``, of Python 2."""
    node = case.find(ast.Attribute)
    call = case.parents.get(node) if node is not None else None
    owner = case.details.get("value", case.value(node.value) if node is not None else UNKNOWN)
    if node is None or node.attr != "next" or not hasattr(type(owner), "__next__") or not isinstance(call, ast.Call):
        return None
    text = f"next({case.text(node.value)})"
    return finding(
        case,
        f"`.next()` is how Python 2 asked an iterator for its next value; today it is a function that takes the iterator. Write `{text}`.",
        f"`.next()` 是 Python 2 向迭代器要下一个值的写法；现在是以迭代器为参数的函数。请写 `{text}`。",
        write(case, call, text, case.statement(call)) if not call.args and not call.keywords else (),
        node,
    )


@finds(errors.MODULE_ARGUMENT, python.VALUE)
def _size_with_point(case: Case) -> Finding | None:
    """``DataLoader(data, batch_size=len(data) / 4)``."""
    told = re.search(r"(\w+) should be a positive integer value", str(case.details.get("message", "")))
    call = case.find(ast.Call)
    given = (
        next((one.value for one in call.keywords if told and one.arg == told[1]), None) if call is not None else None
    )
    if call is not None and given is None and told is not None and told[1] == "batch_size" and len(call.args) > 1:
        given = call.args[1]
    value = case.value(given) if given is not None else None
    if call is None or told is None or given is None or not isinstance(value, float):
        return None
    made = definition(case, given)
    where, where_zh = on_other_line(made, given)
    match made:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            text = f"{case.text(left)} // {case.text(right)}"
            edits = case.replace(made, text)
            why, why_zh = "`/` always gives a number with a point", "`/` 的结果总是小数"
        case ast.Constant():
            text = str(int(value))
            edits = case.replace(made, text)
            why, why_zh = "it is written with a point", "它写成了小数"
        case _:
            text = f"int({case.text(given)})"
            edits = case.replace(given, text)
            why, why_zh = "it is a number with a point", "它是小数"
    return finding(
        case,
        f"{code(case, made)}{where} gives {value}: {why}, and `{told[1]}` counts samples, with a whole number. Write `{text}`.",
        f"{code(case, made)}{where_zh} 得到 {value}：{why_zh}，而 `{told[1]}` 要用整数来数样本。请写 `{text}`。",
        case.fix(edits, case.statement(made) or call) if value >= 1 else (),
        made,
    )


# -- gone through once -------------------------------------------------------------------------------------------------

_ONCE: Final = frozenset({"zip", "map", "filter", "iter", "enumerate", "reversed"})


@finds(python.ZERO_DIVISION, python.NAME, python.UNBOUND_LOCAL)
def _gone_through_once(case: Case) -> Finding | None:
    """``pairs = zip(xs, ys)`` before the epochs: in the second one nothing is left of it."""
    failed = case.find(ast.AST)
    if failed is None:
        return None
    for loop in case.nodes(ast.For):
        if line(loop) > case.span.line or not isinstance(loop.iter, ast.Name):
            continue
        made = definition(case, loop.iter)
        once = isinstance(made, ast.GeneratorExp) or (
            isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in _ONCE
        )
        outer = case.enclosing(loop, ast.For) or case.enclosing(loop, ast.While)
        if not once or outer is None or line(made) >= line(outer) or case.span.line < line(outer):
            continue
        if type(case.value(loop.iter)).__name__ not in (*_ONCE, "generator", "list_iterator"):
            continue
        inner = case.text(made)
        bracketed = isinstance(made, ast.GeneratorExp) and inner.startswith("(")
        text = f"[{inner[1:-1]}]" if bracketed else f"list({inner})"
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} can be gone through once, and the first turn of the loop on line {line(outer)} has done so:"
            f" after it the loop on line {line(loop)} has nothing left. Keep a list of it: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 只能遍历一次，第 {line(outer)} 行的循环第一轮就用完了：此后第 {line(loop)} 行的循环什么也得不到。请保存成列表："
            f"`{text}`。",
            write(case, made, text, made),
            made,
        )
    return None
