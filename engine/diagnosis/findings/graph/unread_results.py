"""A function gives back one thing, and what is asked for besides it was computed there and is read by nobody."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes

_GATHERED = ("append", "extend")


@finds(mistakes.NOT_ITERABLE, mistakes.TOO_MANY_VALUES, mistakes.NOT_ENOUGH_VALUES)
def _left_behind(case: Case) -> Finding | None:
    """``net, opt = build()``, where ``build`` ends with ``return net`` and `opt` is a name of its own that it never reads."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call):
            names = [case.text(one) for one in parts]
        case _:
            return None
    back = _only_return(Flow(case), call)
    if back is None or isinstance(back.value, ast.Tuple | ast.List) or back.value is None:
        return None
    function = case.enclosing(back, ast.FunctionDef)
    unread = _unread(function) if function is not None else []
    if function is None or not unread or len(unread) != len(names) - 1:
        return None
    given = [case.text(back.value), *unread]
    if set(unread) & set(names[:1]) and len(given) == 2:
        given.reverse()
    text, listed, many = ", ".join(given), [f"`{one}`" for one in unread], len(unread) > 1
    return finding(
        case,
        f"`{function.name}` gives back {code(case, back.value)} alone on line {line(back)}, and {len(names)} names wait for its results: `{', '.join(names)}`."
        f" {joined(listed, 'en')} {'are' if many else 'is'} computed there and used by nobody, so give {'them' if many else 'it'} back, too: `return {text}`.",
        f"`{function.name}` 在第 {line(back)} 行只返回了 {code(case, back.value)}，而有 {len(names)} 个名字等着接收结果：`{', '.join(names)}`。{joined(listed, 'zh')}"
        f" 在那里算了出来却没有被使用，请一并返回：`return {text}`。",
        [write(case, back.value, text, back)],
        back,
    )


def _listed(node: ast.expr | None) -> list[ast.Name]:
    """The names that an expression itself uses as a list: what is gone through, indexed or counted."""
    match node:
        case ast.Name():
            return [node]
        case ast.Subscript(value=ast.Name() as owner):
            return [owner]
        case ast.Call(func=ast.Name(), args=given):
            return [one for one in given if isinstance(one, ast.Name)]
    return []


@finds(mistakes.NOT_ITERABLE, mistakes.NOT_SUBSCRIPTABLE, mistakes.NO_LENGTH)
def _list_forgotten(case: Case) -> Finding | None:
    """``history = train(net)``, where ``train`` gathers the losses in a list and ends with ``return net``."""
    whole = case.find(ast.expr) or case.find(ast.For)
    start = whole.iter if isinstance(whole, ast.For) else whole
    for node in _listed(start):
        made = next(Flow(case).assigned(node, node.id), None)
        back = _only_return(Flow(case), made) if isinstance(made, ast.Call) else None
        function = case.enclosing(back, ast.FunctionDef) if back is not None else None
        if made is None or back is None or function is None or not isinstance(back.value, ast.Name):
            continue
        own, lists = [one.arg for one in function.args.args], _gathered(function)
        if back.value.id not in own or len(lists) != 1:
            continue
        text = f"return {lists[0]}"
        return finding(
            case,
            f"{code(case, made)} gives what `{function.name}` returns on line {line(back)}: `{back.value.id}`, which it was given. `{node.id}` is used as a list here,"
            f" and `{function.name}` fills a list, `{lists[0]}`, that nobody uses. Give that back: `{text}`.",
            f"{code(case, made)} 得到的是 `{function.name}` 在第 {line(back)} 行返回的 `{back.value.id}`，即传进去的对象本身。这里把 `{node.id}` 当作列表使用，而"
            f" `{function.name}` 里填好的列表 `{lists[0]}` 没有被使用。请返回它：`{text}`。",
            [write(case, back.value, lists[0], back)],
            back,
        )
    return None


def _only_return(flow: Flow, call: ast.Call) -> ast.Return | None:
    """The one statement with which the function of a call ends."""
    functions = [one for one in flow.called(call) if isinstance(one, ast.FunctionDef)]
    results = returned(functions[-1]) if functions else []
    back = flow.case.parents.get(results[0]) if len(results) == 1 else None
    return back if isinstance(back, ast.Return) else None


def _unread(function: ast.FunctionDef) -> list[str]:
    """The names that a function gives a value by a line of their own, and never reads."""
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
    read = {one.id for one in names if isinstance(one.ctx, ast.Load)}
    made = [
        one.targets[0].id
        for one in function.body
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name)
    ]
    return [one for one in dict.fromkeys(made) if one not in read]


def _gathered(function: ast.FunctionDef) -> list[str]:
    """The lists that a function fills, and does not read otherwise."""
    empty = [
        one.targets[0].id
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and ast.unparse(one.value) == "[]"
    ]
    filled = {
        one.func.value.id: one
        for one in ast.walk(function)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _GATHERED
        and isinstance(one.func.value, ast.Name)
    }
    uses = [one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    return [name for name in empty if name in filled and uses.count(name) == 1]
