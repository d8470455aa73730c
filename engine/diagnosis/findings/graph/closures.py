"""Functions that are given to ``optimizer.step``: what they give back, and who calls them and differentiates their loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.graph.step_functions import Given, differentiated, step_with_function
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.diagnosis.traps.edits import line_after, without_line
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Edit

_TO_NUMBERS: Final = ("item", "tolist", "numpy")


def _losses(case: Case) -> Iterator[Given]:
    """The steps that gave what the failed expression computes with."""
    node = case.find(ast.expr)
    read = [] if node is None else [one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Call)]
    for one in read:
        values = [one] if isinstance(one, ast.Call) else list(Flow(case).assigned(one, one.id))[:1]
        for value in values:
            if (found := step_with_function(case, value)) is not None:
                yield found


@finds(
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    python.NONE_ATTRIBUTE,
    python.TYPE,
    mistakes.NONE_OPERAND,
    mistakes.OPERAND_TYPES,
    errors.ARGUMENT_TYPE,
)
def _result_of_step(case: Case) -> Finding | None:
    """``loss = opt.step(closure)`` and ``loss.item()``, of a closure that gives a number or nothing."""
    for call, function in _losses(case):
        results, passes = returned(function), differentiated(function)
        loss = passes[-1] if len(passes) == 1 and isinstance(passes[-1], ast.Name) else None
        if loss is None or function.decorator_list:
            continue
        if not results and _tells(case, "NoneType"):
            return _without_return(case, call, function, loss.id)
        match results:
            case [ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[])] if (
                name == loss.id and attr in _TO_NUMBERS and not _tells(case, "NoneType")
            ):
                return _number(case, call, function, results[0])
            case [ast.Tuple(elts=[ast.Name(id=name), *_])] if name == loss.id and _tells(case, "tuple"):
                return _several(case, call, function, results[0], name)
    return None


def _tells(case: Case, kind: str) -> bool:
    """Whether the error is about a value of this type."""
    if kind == "NoneType" and case.details.get("value", 0) is None:
        return True
    return any(kind in str(one) for one in case.details.values())


def _without_return(case: Case, call: ast.Call, function: ast.FunctionDef, loss: str) -> Finding | None:
    last, text = function.body[-1], f"return {loss}"
    if called(call) == "step" and case.find(ast.Call) is call:
        return None
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} gives what `{function.name}` (line {line(function)}) gives back, and that ends without a `return`,"
        f" so it is `None`. Give the loss back at its end: `{text}`.",
        f"第 {line(call)} 行的 {code(case, call)} 返回的就是 `{function.name}`（第 {line(function)} 行）的返回值，而它结束时没有 `return`，所以得到 `None`。请在它的末尾返回损失：`{text}`。",
        apply(case, line_after(case, last, text), f"`{text}`", f"`{text}`") or (),
        last,
    )


def _number(case: Case, call: ast.Call, function: ast.FunctionDef, result: ast.expr) -> Finding | None:
    node = case.find(ast.Attribute)
    name = result.func.value if isinstance(result, ast.Call) and isinstance(result.func, ast.Attribute) else result
    if node is None or case.details.get("type") not in ("float", "list", "int"):
        return None
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} gives what `{function.name}` gives back, and that is a plain number, of {code(case, result)} on line"
        f" {line(result)}, which has no `{node.attr}`. Give the loss itself back there: `return {case.text(name)}`.",
        f"第 {line(call)} 行的 {code(case, call)} 返回的就是 `{function.name}` 的返回值，而它在第 {line(result)} 行返回的 {code(case, result)} 是普通的数，没有 `{node.attr}`。请在那里返回"
        f"损失本身：`return {case.text(name)}`。",
        write(case, result, case.text(name), case.statement(result)),
        result,
    )


def _several(case: Case, call: ast.Call, function: ast.FunctionDef, result: ast.expr, loss: str) -> Finding | None:
    if case.find(ast.Call) is not call:
        return None
    text = f"return {loss}"
    return finding(
        case,
        f"`{function.name}` gives several values back on line {line(result)}, {code(case, result)}, and {code(case, call.func)} needs the loss alone, as a"
        f" number. Give only that back: `{text}`.",
        f"`{function.name}` 在第 {line(result)} 行返回了好几个值 {code(case, result)}，而 {code(case, call.func)} 只需要损失这一个数。请只返回它：`{text}`。",
        write(case, result, loss, case.statement(result)),
        result,
    )


@finds(mistakes.NOT_CALLABLE)
def _called_by_itself(case: Case) -> Finding | None:
    """``opt.step(closure())``."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[ast.Call(func=ast.Name(id=name)) as given]):
            pass
        case _:
            return None
    functions = [one for one in case.nodes(ast.FunctionDef) if one.name == name]
    if not functions or given.args or given.keywords or not isinstance(case.value(owner), Optimizer):
        return None
    if not differentiated(functions[-1]) or not returned(functions[-1]):
        return None
    text = f"{case.text(owner)}.step({name})"
    return finding(
        case,
        f"{code(case, given)} calls the function here, so `step` is given the loss that it computed, and `step` calls what it is given. Give it the"
        f" function itself, without brackets: `{text}`.",
        f"{code(case, given)} 在这里就调用了函数，所以交给 `step` 的是它算出的损失，而 `step` 要调用传给它的东西。请传入函数本身，不加括号：`{text}`。",
        case.fix(case.replace(given, name), case.find(ast.Call)),
        given,
    )


@finds(errors.BACKWARD_TWICE)
def _differentiated_by_closure(case: Case) -> Finding | None:
    """``loss = opt.step(closure)`` and ``loss.backward()``, which the closure has called."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as loss, attr="backward")) as again:
            pass
        case _:
            return None
    values = list(Flow(case).assigned(loss, name))[:1]
    found = step_with_function(case, values[0]) if values else None
    passes = differentiated(found[1]) if found is not None else []
    if found is None or not passes:
        return None
    call, function = found
    statement = case.statement(again)
    edits: list[Edit] = without_line(case, statement) if statement is not None else []
    return finding(
        case,
        f"`{name}` is what `{function.name}` gave back to {code(case, call)} on line {line(call)}, and `{function.name}` has called `backward()` of it already, on"
        f" line {line(passes[-1])}; the step is taken, too. Take line {line(again)} out.",
        f"`{name}` 是第 {line(call)} 行 {code(case, call)} 里 `{function.name}` 的返回值，而 `{function.name}` 在第 {line(passes[-1])} 行已经对它调用过 `backward()`，参数也已更新。请删去第"
        f" {line(again)} 行。",
        apply(case, edits, f"Without line {line(again)}", f"去掉第 {line(again)} 行") or (),
        again,
    )
