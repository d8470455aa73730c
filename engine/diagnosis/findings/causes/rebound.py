"""Functions under whose name a line keeps their result: imported ones, those of Python, parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.practice.overwritten import called_at, calls, free_name
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python


@finds(mistakes.NOT_CALLABLE, python.UNBOUND_LOCAL)
def _name_taken(case: Case) -> Finding | None:
    """``grad, = grad(f(x), x)``: in the next turn the gradient is called."""
    call = case.find(ast.Call) or called_at(case)
    if call is None or not isinstance(call.func, ast.Name):
        return None
    name, scope = call.func.id, Flow(case).scope(call)
    own = [one for one in _bindings(case, name) if Flow(case).scope(one) is scope]
    given = next((one for one in own if calls(one, name)), None)
    origin = _origin(case, name, scope)
    if given is None or origin is None or [one for one in own if one is not given and one is not origin[2]]:
        return None
    other = free_name(case, f"{name}_value", f"{name}_result", f"the_{name}_value")
    edits = [edit for one in _uses(case, name, scope) for edit in case.replace(one, other)]
    value = given.value if isinstance(given, ast.Assign) else given
    local = case.details.get("type") in (None, "UnboundLocalError")
    then, then_zh = (
        (
            "so the name belongs to the function that is running, and has no value before that line",
            "于是这个名字属于正在运行的函数，在那一行之前没有值",
        )
        if local
        else ("so the next time it is called it is a tensor", "于是下一次调用时它已经是张量")
        if case.details.get("type") == "Tensor"
        else ("so the next time it is called it is that result", "于是下一次调用时它已经是那个结果")
    )
    return finding(
        case,
        f"`{name}` is {origin[0]}, and line {line(given)} keeps what {code(case, value)} gives under the same name, {then}. Give the result another name,"
        f" such as `{other}`.",
        f"`{name}` 是{origin[1]}，而第 {line(given)} 行把 {code(case, value)} 的结果存进了同一个名字，{then_zh}。请给结果换一个名字，例如 `{other}`。",
        [apply(case, edits, f"`{other}` for the result", f"结果改名为 `{other}`")],
        given,
    )


def _bindings(case: Case, name: str) -> Iterator[ast.stmt]:
    """The assignments that give a name a value, alone or with others."""
    for one in case.nodes(ast.Assign):
        stored = [part for each in one.targets for part in ast.walk(each) if isinstance(part, ast.Name)]
        if any(part.id == name and isinstance(part.ctx, ast.Store) for part in stored):
            yield one
    for each in case.nodes(ast.AugAssign):
        if isinstance(each.target, ast.Name) and each.target.id == name:
            yield each


def _origin(case: Case, name: str, scope: ast.AST) -> tuple[str, str, ast.stmt | None] | None:
    """What a name stood for before: in both languages, and the assignment, if it was one of several names."""
    if isinstance(scope, ast.FunctionDef) and name in [one.arg for one in (*scope.args.args, *scope.args.kwonlyargs)]:
        return (
            f"a parameter of `{scope.name}` (line {line(scope)})",
            f" `{scope.name}` 的参数（第 {line(scope)} 行）",
            None,
        )
    for one in case.nodes(ast.ImportFrom):
        if name in [alias.asname or alias.name for alias in one.names]:
            return f"the function imported on line {line(one)}", f"第 {line(one)} 行导入的函数", None
    for each in case.nodes(ast.FunctionDef):
        if each.name == name and not isinstance(case.parents.get(each), ast.ClassDef):
            return f"the function of line {line(each)}", f"第 {line(each)} 行的函数", None
    makers = [one for one in _bindings(case, name) if not calls(one, name)]
    if len(makers) == 1 and isinstance(makers[0], ast.Assign) and isinstance(makers[0].targets[0], ast.Tuple):
        made = makers[0]
        return f"made on line {line(made)} to be called", f"第 {line(made)} 行创建的、供调用的对象", made
    if not makers and name in _OF_PYTHON:
        return "a function of Python", " Python 自带的函数", None
    return None


_OF_PYTHON: Final = frozenset(
    {
        "sum",
        "max",
        "min",
        "abs",
        "round",
        "len",
        "range",
        "input",
        "list",
        "iter",
        "next",
        "map",
        "filter",
        "sorted",
        "zip",
        "pow",
    }
    | {"float", "int", "str", "dict", "set", "tuple", "bool", "type", "any", "all"}
)


def _uses(case: Case, name: str, scope: ast.AST) -> Iterator[ast.Name]:
    """Where the name stands for the result."""
    flow = Flow(case)
    for one in case.nodes(ast.Name):
        outer = case.parents.get(one)
        is_function = isinstance(outer, ast.Call) and outer.func is one
        if one.id == name and not is_function and flow.scope(one) is scope and not _makes(case, one, name):
            yield one


def _makes(case: Case, node: ast.Name, name: str) -> bool:
    """Whether a name stands where the function itself is bound."""
    statement = case.statement(node)
    return isinstance(statement, ast.Assign) and isinstance(node.ctx, ast.Store) and not calls(statement, name)
