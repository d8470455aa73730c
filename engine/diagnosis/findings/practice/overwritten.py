"""Names that are given what a call leaves: a function under whose name its own result is kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python


@finds(mistakes.NOT_CALLABLE, python.UNBOUND_LOCAL)
def _result_for_function(case: Case) -> Finding | None:
    """``loss = loss(net(x), y)``: in the next turn the result is called."""
    call = case.find(ast.Call) or called_at(case)
    if call is None or not isinstance(call.func, ast.Name):
        return None
    name = call.func.id
    given = next((one for one in case.nodes(ast.Assign) if _gives(one, name) and calls(one.value, name)), None)
    makers = [one for one in case.nodes(ast.Assign) if _gives(one, name) and not calls(one.value, name)]
    if given is None or len(makers) != 1 or not _is_one_name(makers[0]):
        return None
    other = free_name(case, f"{name}_fn", f"{name}_function", f"the_{name}_fn")
    edits = case.replace(makers[0].targets[0], other)
    for one in _uses_of_function(case, name):
        edits += case.replace(one, other)
    unbound = case.enclosing(given, ast.FunctionDef) is not None and case.enclosing(makers[0], ast.FunctionDef) is None
    unbound = unbound and not any(name in one.names for one in case.nodes(ast.Global))
    then, then_zh = (
        (
            "inside of the function the name stands for the result alone, which is not there yet",
            "在函数里这个名字只代表结果，而结果还不存在",
        )
        if unbound
        else ("the next call finds the result there", "下一次调用时得到的就是这个结果")
    )
    return finding(
        case,
        f"Line {line(given)} keeps what {code(case, given.value)} gives under the name of the function itself, `{name}` (line {line(makers[0])}):"
        f" {then}. Give the function another name, such as `{other}`.",
        f"第 {line(given)} 行把 {code(case, given.value)} 的结果存进了函数自己的名字 `{name}`（第 {line(makers[0])} 行）：{then_zh}。请给函数换一个名字，例如 `{other}`。",
        apply(case, edits, f"`{other} = {case.text(makers[0].value)}`", f"`{other} = {case.text(makers[0].value)}`")
        or (),
        given,
    )


def _uses_of_function(case: Case, name: str) -> Iterator[ast.Name]:
    """Where a name stands for the function: called, or handed to a function that calls it; not the parameters of others that are called so."""
    flow = Flow(case)
    for call in case.nodes(ast.Call):
        own = isinstance(call.func, ast.Name) and call.func.id == name
        if own and isinstance(call.func, ast.Name) and not _is_parameter(flow, call, name):
            yield call.func
        for function in flow.called(call):
            names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
            pairs = [*zip(names[names[:1] == ["self"] :], call.args, strict=False)]
            pairs += [(one.arg, one.value) for one in call.keywords if one.arg is not None]
            for parameter, given in pairs:
                handed = isinstance(given, ast.Name) and given.id == name and calls(function, parameter)
                if handed and isinstance(given, ast.Name) and not _is_parameter(flow, given, name):
                    yield given


def _is_parameter(flow: Flow, node: ast.AST, name: str) -> bool:
    """Whether a name belongs to a function around a node that has it as a parameter."""
    scope = flow.scope(node)
    while isinstance(scope, ast.FunctionDef | ast.Lambda):
        if name in [one.arg for one in ast.walk(scope.args) if isinstance(one, ast.arg)]:
            return True
        scope = flow.scope(scope)
    return False


def called_at(case: Case) -> ast.Call | None:
    """The call whose function is the name at the error."""
    node = case.find(ast.Name)
    outer = case.parents.get(node) if node is not None else None
    return outer if isinstance(outer, ast.Call) and outer.func is node else None


def _gives(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for each in statement.targets for one in ast.walk(each))


def calls(value: ast.AST, name: str) -> bool:
    """Whether a function of this name is called somewhere in a part of the program."""
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name for one in ast.walk(value)
    )


def _is_one_name(statement: ast.Assign) -> bool:
    return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)


def free_name(case: Case, *choices: str) -> str:
    """The first of these names that the program does not use."""
    taken = {one.id for one in case.nodes(ast.Name)}
    return next(one for one in choices if one not in taken)
