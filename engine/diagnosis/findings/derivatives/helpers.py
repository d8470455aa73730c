"""A function of the program that differentiates, called for the derivative of what it gave: without a graph of that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, Function, default_of, returned
from gradflow.engine.sandbox.positions import argument_of

_MOST: Final = 16
_CUTTING: Final = ("detach", "item", "numpy", "tolist", "clone_detached")


@finds(errors.NO_GRAD_FN)
def _derivative_again(case: Case) -> Finding | None:
    """``u_xx = D(u_x, x)`` behind ``u_x = D(u, x)``, where ``D`` calls ``grad(..., retain_graph=True)``."""
    call = case.find(ast.Call)
    function = (
        case.enclosing(call, ast.FunctionDef | ast.Lambda) if call is not None and called(call) == "grad" else None  # type: ignore[arg-type]  # isinstance takes a union
    )
    if call is None or function is None or not _gives_gradient(case, function, call):
        return None
    site = _site(case, function)
    given = _given(case, call, function, site) if site is not None else None
    first = next(_made_by(case, given, function), None) if given is not None else None
    if given is None or first is None:
        return None
    flag = next((one for one in call.keywords if one.arg == "create_graph"), None)
    if flag is None and not any(one.arg is None for one in call.keywords):
        return _told(case, given, first, call)
    if isinstance(function, ast.FunctionDef) and flag is not None and isinstance(flag.value, ast.Name):
        return _left_off(case, given, first, (function, flag.value.id))
    return None


def _gives_gradient(case: Case, function: Function, call: ast.Call) -> bool:
    """Whether what a function gives back is what the call gives, or a part of it."""
    for node in returned(function):
        for _ in range(4):
            match node:
                case ast.Subscript(value=inner):
                    node = inner
                case ast.Name(id=name):
                    node = next(iter(Flow(case).assigned(node, name)), node)
        if node is call:
            return True
    return False


def _site(case: Case, function: Function) -> ast.Call | None:
    """The call of a function that was running when the error was raised."""
    for frame in reversed(case.frames):
        made = case.find(ast.Call, frame.span) if frame.span is not None else None
        if made is not None and function in Flow(case).called(made):
            return made
    return None


def _given(case: Case, call: ast.Call, function: Function, site: ast.Call) -> ast.expr | None:
    """What the running call of a function gave for the output that is differentiated."""
    output = argument_of(call, 0, "outputs")
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    bound = int(names[:1] == ["self"])
    for one in ast.walk(output) if output is not None else ():
        if isinstance(one, ast.Name) and one.id in names:
            return argument_of(site, names.index(one.id) - bound, one.id)
    return None


def _made_by(case: Case, given: ast.expr, function: Function) -> Iterator[ast.Call]:
    """The calls of a function that a value is a result of, itself or computed with."""
    flow, waiting = Flow(case), [given]
    for node in waiting:
        if len(waiting) > _MOST:
            return
        match node:
            case ast.Call() if function in flow.called(node):
                yield node
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _CUTTING:
                return
            case ast.Call(func=ast.Attribute(value=owner), args=args):
                waiting += [owner, *args]
            case ast.Name(id=name):
                waiting += list(flow.assigned(node, name))[:1]
            case ast.Subscript(value=inner) | ast.UnaryOp(operand=inner):
                waiting.append(inner)
            case ast.BinOp(left=left, right=right):
                waiting += [left, right]


def _told(case: Case, given: ast.expr, first: ast.Call, call: ast.Call) -> Finding:
    kept = next((one for one in call.keywords if one.arg == "retain_graph"), None)
    why = "`retain_graph` only keeps the graph that is gone through, and " if kept is not None else ""
    why_zh = "`retain_graph` 只保留被走过的计算图，" if kept is not None else ""
    edits = case.replace(kept, "create_graph=True") if kept is not None else case.argument(call, "create_graph=True")
    by, by_zh = (
        f", which {code(case, first)} on line {line(first)} computed by",
        f"，由第 {line(first)} 行的 {code(case, first)} 通过",
    )
    if given is first:
        by, by_zh = f" on line {line(first)} is a gradient, computed by", f"（第 {line(first)} 行）是梯度，由"
    is_a, is_a_zh = ("", "") if given is first else (" is a gradient", " 是梯度")
    return finding(
        case,
        f"{code(case, given)}{is_a}{by} this same {code(case, call.func)} on line"
        f" {line(call)}: {why}without `create_graph=True` the gradient has no graph of its own and cannot be differentiated again. Write"
        f" `create_graph=True` there.",
        f"{code(case, given)}{is_a_zh}{by_zh}第 {line(call)} 行的同一个 {code(case, call.func)} 算出："
        f"{why_zh}没有 `create_graph=True` 时，梯度没有自己的计算图，不能再求导。请在那里写 `create_graph=True`。",
        case.fix(edits, call),
        call,
    )


def _left_off(case: Case, given: ast.expr, first: ast.Call, flag: tuple[ast.FunctionDef, str]) -> Finding | None:
    """``D(u, x)`` of a function that has ``create_graph=False`` as a default of its own."""
    function, name = flag
    default = next(iter(default_of(function, name)), None)
    if (
        not isinstance(default, ast.Constant)
        or default.value is not False
        or any(one.arg == name for one in first.keywords)
    ):
        return None
    text = f"{name}=True"
    return finding(
        case,
        f"{code(case, given)} is a gradient, computed by {code(case, first)} on line {line(first)}, where `{name}` keeps its default, `False`: such a"
        f" gradient has no graph of its own and cannot be differentiated again. Write `{text}` into that call.",
        f"{code(case, given)} 是梯度，由第 {line(first)} 行的 {code(case, first)} 算出，那里 `{name}` 取默认值 `False`：这样的梯度没有自己的计算图，不能再求导。"
        f"请在那个调用里写 `{text}`。",
        case.fix(case.argument(first, text), first),
        first,
    )
