"""Lists in the place of numbers: in arithmetic, in texts with a format, rounded, and generators in the place of lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, on_other_line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_SIGNS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**"}
_RATES: Final = frozenset({"get_last_lr", "get_lr"})


def _is_numbers(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(one, int | float) for one in value)


def _rates(case: Case, node: ast.expr) -> ast.Call | None:
    """``scheduler.get_last_lr()``, a list with the rate of each group."""
    made = definition(case, node)
    for one in ast.walk(made):
        if isinstance(one, ast.Call) and called(one) in _RATES and made in (one, *ast.walk(made)):
            return one
    return None


@finds(mistakes.OPERAND_TYPES, python.TYPE)
def _rates_of_groups(case: Case) -> Finding | None:
    """``scheduler.get_last_lr() * 2``, ``f"{scheduler.get_last_lr():.4f}"``."""
    node = _formatted(case) or case.find(ast.BinOp)
    found = _rates(case, node) if isinstance(node, ast.expr) else None
    if found is None or not any(word in str(case.details.get("message", "")) for word in ("list", "real number")):
        return None
    text = f"{case.operand(found)}[0]"
    return finding(
        case,
        f"{code(case, found)} gives a list, with the learning rate of each group of parameters, also where there is one. Take the first: `{text}`.",
        f"{code(case, found)} 给出的是列表，每组参数一个学习率，只有一组时也是如此。请取第一个：`{text}`。",
        case.fix(case.after(found, "[0]"), found),
        found,
    )


def _formatted(case: Case) -> ast.expr | None:
    """What stands in a text with a format that it cannot have."""
    if "unsupported format string" not in str(case.details.get("message", "")):
        return None
    told = re.search(r"passed to ([\w.]+)\.__format__", str(case.details.get("message", "")))
    kind = told[1].split(".")[-1] if told is not None else ""
    within = case.find(ast.JoinedStr)
    parts = [one for one in ast.walk(within) if isinstance(one, ast.FormattedValue)] if within is not None else []
    parts = [one for one in parts if one.format_spec is not None]
    known = [one for one in parts if type(case.value(one.value)).__name__ == kind]
    unknown = [one for one in parts if case.value(one.value) is UNKNOWN]
    chosen = known or (unknown if len(unknown) == 1 else [])
    return chosen[0].value if chosen else None


@finds(python.TYPE)
def _list_with_format(case: Case) -> Finding | None:
    """``f"{losses:.3f}"``, ``"%.3f" % losses``, ``round(losses, 2)`` of a list."""
    message = str(case.details.get("message", ""))
    node: ast.expr | None = None
    whole: ast.AST | None = None
    if "list.__format__" in message or "tuple.__format__" in message:
        node = whole = _formatted(case)
    elif "must be real number, not list" in message:
        whole = case.find(ast.BinOp)
        node = whole.right if isinstance(whole, ast.BinOp) and isinstance(whole.op, ast.Mod) else None
    elif "__round__" in message:
        whole = case.find(ast.Call)
        node = whole.args[0] if isinstance(whole, ast.Call) and whole.args else None
    if node is None or whole is None:
        return None
    value, made = case.value(node), definition(case, node)
    where, where_zh = on_other_line(made, node)
    count = len(value) if isinstance(value, list | tuple) else None
    many, many_zh = (f" of {count} elements", f"（{count} 个元素）") if count is not None else ("", "")
    name = case.text(node)
    rounds = isinstance(whole, ast.Call)
    each = (
        f"[round(v{case.text(whole)[len('round(') + len(name) : -1]}) for v in {name}]"
        if rounds
        else f"sum({name}) / len({name})"
    )
    fix = (
        write(case, whole, each, whole)
        if rounds
        else write(case, node, f"({each})" if whole is not node else each, node)
    )
    action = (
        f"Round each: `{each}`" if rounds else f"For their mean write `{each}`; for all of them leave the format out"
    )
    action_zh = f"请逐个取整：`{each}`" if rounds else f"要平均值请写 `{each}`；要全部列出就去掉格式"
    what = "`round` takes one number" if rounds else "a format for numbers is for one number"
    what_zh = " `round` 只接受一个数" if rounds else "数的格式只用于一个数"
    return finding(
        case,
        f"{code(case, node)}{where} is a {'tuple' if isinstance(value, tuple) else 'list'}{many}, and {what}. {action}.",
        f"{code(case, node)}{where_zh} 是{'元组' if isinstance(value, tuple) else '列表'}{many_zh}，而{what_zh}。{action_zh}。",
        fix if _is_numbers(value) else (),
        made,
    )


@finds(mistakes.OPERAND_TYPES)
def _list_by_its_length(case: Case) -> Finding | None:
    """``losses / len(losses)``."""
    node = case.find(ast.BinOp)
    match node:
        case ast.BinOp(
            left=ast.Name(id=name) as own,
            op=ast.Div(),
            right=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=other)]),
        ) if name == other:
            pass
        case _:
            return None
    held = case.value(own)
    if not isinstance(held, list | tuple):
        return None
    made = definition(case, own)
    text = f"sum({name}) / len({name})"
    return finding(
        case,
        f"`{name}` (line {line(made)}) is a list, and a mean is the sum of its elements by their number. Write `{text}`.",
        f"`{name}`（第 {line(made)} 行）是列表，而平均值是各元素之和除以个数。请写 `{text}`。",
        case.fix(case.wrapped(own, "sum(", ")"), node),
        own,
    )


@finds(mistakes.OPERAND_TYPES)
def _two_lists(case: Case) -> Finding | None:
    """``pred - target`` of two lists, ``A @ w`` of an array and a tensor, ``a.parameters() + b.parameters()``."""
    node = case.find(ast.BinOp)
    if node is None:
        return None
    left, right = case.value(node.left), case.value(node.right)
    sign = _SIGNS.get(type(node.op), "")
    if type(case.details.get("left")) is str and case.details.get("left") == case.details.get("right") == "generator":
        text = f"[*{case.text(node.left)}, *{case.text(node.right)}]"
        return finding(
            case,
            f"{code(case, node.left)} and {code(case, node.right)} are generators, which give their elements one by one and cannot be added. Put the"
            f" elements of both into one list: `{text}`.",
            f"{code(case, node.left)} 和 {code(case, node.right)} 是生成器，逐个给出元素，不能相加。请把两者的元素放进一个列表：`{text}`。",
            write(case, node, text, case.statement(node)),
            node,
        )
    torch, imports = case.with_torch()
    if _is_numbers(left) and _is_numbers(right) and sign in ("-", "*", "/"):
        text = f"{torch}.tensor({case.text(node.left)}) {sign} {torch}.tensor({case.text(node.right)})"
        where, where_zh = on_line(definition(case, node.left))
        return finding(
            case,
            f"{code(case, node.left)}{where} and {code(case, node.right)} are lists, and lists are not computed with element by element. Make tensors of"
            f" both: `{text}`.",
            f"{code(case, node.left)}{where_zh} 和 {code(case, node.right)} 是列表，列表不能逐元素计算。请都变成张量：`{text}`。",
            case.fix([*case.replace(node, text), *imports], node),
            definition(case, node.left),
        )
    return _array_beside(case, node, sign)


def _array_beside(case: Case, node: ast.BinOp, sign: str) -> Finding | None:
    for array, other in ((node.left, node.right), (node.right, node.left)):
        held, tensor = case.value(array), Flow(case).tensor(other)
        if not isinstance(held, np.ndarray) or tensor is None:
            continue
        torch, imports = case.with_torch()
        text = f"{torch}.from_numpy({case.text(array)}).to({case.operand(other)}.dtype)"
        made = definition(case, array)
        return finding(
            case,
            f"{code(case, array)} (line {line(made)}) is an array of NumPy, and {code(case, other)} a tensor; `{sign}` does not mix the two. Make a tensor"
            f" of the array, with the same kind of numbers: `{text}`.",
            f"{code(case, array)}（第 {line(made)} 行）是 NumPy 的数组，{code(case, other)} 是张量；`{sign}` 不能混用。请把数组变成同类型的张量：`{text}`。",
            case.fix([*case.replace(array, text), *imports], node),
            made,
        )
    return None


@finds(errors.DATA_DTYPE_UNKNOWN)
def _no_list(case: Case) -> Finding | None:
    """``torch.tensor(scores.values())``, ``torch.tensor(v for v in ...)``, a None among numbers."""
    call = case.find(ast.Call)
    kind = str(case.details.get("type", ""))
    if call is None or not call.args:
        return None
    given = call.args[0]
    if kind == "NoneType":
        held = case.value(given)
        at = [k for k, one in enumerate(held) if one is None] if isinstance(held, list | tuple) else []
        if not at:
            return None
        made = definition(case, given)
        return finding(
            case,
            f"{code(case, given)} (line {line(made)}) has `None` at place {at[0]}, and a tensor is made of numbers. Put a number there, such as"
            f" `float('nan')` for what is not known, or leave it out.",
            f"{code(case, given)}（第 {line(made)} 行）的第 {at[0]} 个位置是 `None`，而张量由数组成。请在那里放一个数，例如用 `float('nan')` 表示未知，或者去掉它。",
            (),
            made,
        )
    if kind not in ("generator", "dict_values", "dict_keys", "map", "filter", "zip", "set", "odict_values"):
        return None
    inner = case.text(given)
    bare = isinstance(given, ast.GeneratorExp)
    plain = inner[1:-1] if bare and inner.startswith("(") else inner
    text = f"[{plain}]" if bare else f"list({inner})"
    whole = f"{case.text(call.func)}({text})"
    return finding(
        case,
        f"{code(case, given)} is a `{kind}`, which gives its elements one by one, and `{case.text(call.func)}` takes a list of numbers. Make a list of it:"
        f" `{text}`.",
        f"{code(case, given)} 是 `{kind}`，逐个给出元素，而 `{case.text(call.func)}` 需要数的列表。请变成列表：`{text}`。",
        write(case, call, whole, call) if len(call.args) == 1 and not call.keywords else (),
        given,
    )


@finds(errors.PARAMETER_TYPE)
def _generators_in_list(case: Case) -> Finding | None:
    """``SGD([a.parameters(), b.parameters()])``."""
    call = case.find(ast.Call)
    given = definition(case, call.args[0]) if call is not None and call.args else None
    if not isinstance(given, ast.List | ast.Tuple) or not given.elts:
        return None
    wrong = [
        one
        for one in given.elts
        if (isinstance(one, ast.Call) and called(one) == "parameters") or isinstance(case.value(one), Layer)
    ]
    if len(wrong) != len(given.elts):
        return None
    parts = [case.text(one) if isinstance(one, ast.Call) else f"{case.operand(one)}.parameters()" for one in given.elts]
    text = f"[{', '.join(f'*{one}' for one in parts)}]"
    return finding(
        case,
        f"{code(case, given)} on line {line(given)} is a list of several collections, and an optimizer takes the tensors themselves. Put the tensors of all"
        f" into one list, with a star before each: `{text}`.",
        f"第 {line(given)} 行的 {code(case, given)} 是由几个集合组成的列表，而优化器要的是张量本身。请在每一个前面加星号，把所有张量放进一个列表：`{text}`。",
        write(case, given, text, case.statement(given)),
        given,
    )


@finds(python.TYPE)
def _list_behind_size(case: Case) -> Finding | None:
    """``x.shape + [4]``."""
    node = case.find(ast.BinOp)
    if node is None or "torch.Size" not in str(case.details.get("message", "")) or not isinstance(node.right, ast.List):
        return None
    inner = ", ".join(case.text(one) for one in node.right.elts)
    text = f"({inner},)" if len(node.right.elts) == 1 else f"({inner})"
    return finding(
        case,
        f"{code(case, node.left)} is a tuple, and a tuple is continued by a tuple only, not by the list {code(case, node.right)}. Write `{text}`.",
        f"{code(case, node.left)} 是元组，元组后面只能接元组，不能接列表 {code(case, node.right)}。请写 `{text}`。",
        write(case, node.right, text, node),
        node.right,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _losses_in_dictionary(case: Case) -> Finding | None:
    """``losses.backward()`` of a dictionary of losses."""
    node = case.find(ast.Attribute)
    held = case.value(node.value) if node is not None else None
    if node is None or node.attr != "backward" or not isinstance(held, dict) or not held:
        return None
    if not all(isinstance(one, Tensor) and one.numel() == 1 for one in held.values()):
        return None
    made = definition(case, node.value)
    name = case.text(node.value)
    text = f"sum({name}.values()).backward()"
    call = case.parents.get(node)
    result = _returned_dictionary(case, made)
    where, where_zh = on_line(made)
    if result is not None:
        where = f"{where}, which line {line(result)} returns,"
        where_zh = f"{where_zh}由第 {line(result)} 行返回，它"
    return finding(
        case,
        f"`{name}`{where} is a dictionary of {len(held)} losses, and only a tensor has `backward`. Add the losses up: `{text}`.",
        f"`{name}`{where_zh}是装着 {len(held)} 个损失的字典，只有张量才有 `backward`。请把损失加起来：`{text}`。",
        apply(case, case.replace(call, text), f"`{text}`", f"`{text}`")
        if isinstance(call, ast.Call) and not call.args
        else (),
        result if result is not None else made,
    )


def _returned_dictionary(case: Case, made: ast.expr) -> ast.expr | None:
    """What the function of the program that gave a dictionary returns: also where an object is called like a function."""
    if not isinstance(made, ast.Call):
        return None
    flow = Flow(case)
    functions = flow.called(made) or list(_call_of_object(flow, type(case.value(made.func)).__name__))
    results = [one for each in functions for one in returned(each)]
    return results[0] if len(results) == 1 else None


def _call_of_object(flow: Flow, kind: str) -> Iterator[ast.FunctionDef]:
    methods = flow.methods(kind)
    yield from (methods[name] for name in ("__call__",) if name in methods)
