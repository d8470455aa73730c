"""Operators between things that do not go together: `None`, a layer, a function, a list; and where each was made."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_SYMBOLS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Pow: "**",
    ast.Mod: "%",
    ast.FloorDiv: "//",
}


def _sides(case: Case) -> tuple[list[ast.expr], str]:
    node = case.find(ast.BinOp)
    if node is not None:
        return [node.left, node.right], _SYMBOLS.get(type(node.op), "")
    found = case.find(ast.AST)
    statement = case.statement(found) if found is not None else None
    if isinstance(statement, ast.AugAssign):
        return [statement.target, statement.value], f"{_SYMBOLS.get(type(statement.op), '')}="
    if isinstance(found, ast.Compare):
        return [found.left, *found.comparators[:1]], ""
    return [], ""


@finally_finds(
    mistakes.NONE_OPERAND,
    python.NONE_ATTRIBUTE,
    mistakes.NOT_SUBSCRIPTABLE,
    mistakes.NOT_CALLABLE,
    mistakes.NOT_ITERABLE,
)
def _default(case: Case) -> Finding | None:
    """A parameter with the default `None` that the call did not give."""
    parts, _ = _sides(case)
    node = case.find(ast.Attribute) or case.find(ast.Subscript) or case.find(ast.Call)
    if isinstance(node, ast.Attribute | ast.Subscript):
        parts = [*parts, node.value]
    elif isinstance(node, ast.Call):
        parts = [*parts, node.func]
    flow = Flow(case)
    for part in parts:
        if case.value(part) is not None:
            continue
        for one in flow.behind(part):
            function = case.enclosing(one, ast.FunctionDef)
            if not isinstance(one, ast.Name) or function is None:
                continue
            found = _default_of(function, one.id)
            if found is None or not (isinstance(found, ast.Constant) and found.value is None):
                continue
            owner = case.enclosing(function, ast.ClassDef)
            called = owner.name if owner is not None and function.name == "__init__" else function.name
            calls = [
                call
                for call in case.nodes(ast.Call)
                if getattr(call.func, "id", getattr(call.func, "attr", "")) == called
            ]
            at = f" {code(case, calls[-1])} on line {line(calls[-1])}" if calls else " the call"
            at_zh = f"第 {line(calls[-1])} 行的 {code(case, calls[-1])}" if calls else "调用时"
            return finding(
                case,
                f"{code(case, part)} is `None`:{at} gives no `{one.id}`, and the default on line {line(found)} is `None`. Give the value there,"
                f" or use it only where there is one: `if {case.text(part)} is not None:`.",
                f"{code(case, part)} 是 `None`：{at_zh} 没有给出 `{one.id}`，而第 {line(found)} 行的默认值是 `None`。请在那里给出这个值，或者只在有值时才使用："
                f"`if {case.text(part)} is not None:`。",
                (),
                calls[-1] if calls else found,
            )
    return None


def _default_of(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """The default of a parameter."""
    given = [*function.args.posonlyargs, *function.args.args]
    for parameter, value in zip(reversed(given), reversed(function.args.defaults), strict=False):
        if parameter.arg == name:
            return value
    for parameter, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=False):
        if parameter.arg == name:
            return default
    return None


@finally_finds(mistakes.OPERAND_TYPES, errors.ARGUMENT_TYPE)
def _layer_or_function(case: Case) -> Finding | None:
    """``x + relu``: what is to be applied first."""
    parts, symbol = _sides(case)
    call = case.find(ast.Call)
    if not parts and call is not None:
        parts, symbol = list(call.args), case.text(call.func)
    tensors = [one for one in parts if isinstance(Flow(case).tensor(one), Tensor)]
    for part in parts:
        value = case.value(part)
        if not isinstance(value, Layer) and not (
            callable(value) and value is not UNKNOWN and not isinstance(value, type)
        ):
            continue
        given = case.text(tensors[0]) if len(tensors) == 1 else "..."
        text = f"{case.text(part)}({given})"
        what, what_zh = ("a layer", "层") if isinstance(value, Layer) else ("a function", "函数")
        where, where_zh = place(case, part)
        return finding(
            case,
            f"{code(case, part)}{where} is {what}, not what it computes, so `{symbol}` cannot use it. Apply it first: `{text}`.",
            f"{code(case, part)}{where_zh} 是{what_zh}，而不是它算出的结果，所以不能用于 `{symbol}`。请先调用它：`{text}`。",
            case.fix(case.after(part, f"({given})"), case.parents.get(part) or part) if given != "..." else (),
            part,
        )
    return None


@finally_finds(mistakes.OPERAND_TYPES, mistakes.CONCATENATION, mistakes.UNORDERED)
def _kinds(case: Case) -> Finding | None:
    """A list, a text, a pair or a dictionary beside a tensor or a number."""
    parts, symbol = _sides(case)
    if len(parts) != 2:
        return None
    values = [case.value(part) for part in parts]
    if any(value is UNKNOWN for value in values):
        return None
    kinds = [type(value).__name__ for value in values]
    odd = next((k for k in (1, 0) if isinstance(values[k], list | tuple | dict | str)), None)
    if odd is None:
        return None
    part, value, made = parts[odd], values[odd], definition(case, parts[odd])
    where, where_zh = place(case, part)
    name = case.text(part)
    if isinstance(value, str):
        text = f"float({name})"
    elif isinstance(value, dict):
        text = f'{name}["{next(iter(value), "...")}"]'
    elif isinstance(value, list | tuple) and value and all(isinstance(one, Tensor) for one in value):
        text = f"{name}[0]" if isinstance(value, tuple) else f"torch.stack({name})"
    else:
        text = f"torch.tensor({name})"
    other = parts[1 - odd]
    return finding(
        case,
        f"{code(case, part)}{where} is a `{kinds[odd]}`, and {code(case, other)} a `{kinds[1 - odd]}`; `{symbol}` does not compute with the two."
        f" Take a number or a tensor in its place: `{text}`.",
        f"{code(case, part)}{where_zh} 是 `{kinds[odd]}`，{code(case, other)} 是 `{kinds[1 - odd]}`；`{symbol}` 不能用于两者。请换成数或张量：`{text}`。",
        case.fix(case.replace(part, text), case.parents.get(part) or part),
        made if made is not part else None,
    )
