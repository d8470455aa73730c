"""Names that one function knows and another one uses: what is to be handed over, or is called otherwise outside."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.names import bound_here
from gradflow.engine.diagnosis.findings.practice.handed_on import given_for
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit


@finds(python.NAME)
def _of_the_caller(case: Case) -> Finding | None:
    """``optimizer`` in ``step(model)``, which ``train`` calls, and which is a variable of ``train``."""
    node = case.find(ast.Name)
    own = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or own is None or node.id in bound_here(case.program.tree):
        return None
    method = isinstance(case.parents.get(own), ast.ClassDef)
    kind = ast.Attribute if method else ast.Name
    calls = [one for one in case.nodes(ast.Call) if isinstance(one.func, kind) and own in Flow(case).called(one)]
    callers = {case.enclosing(one, ast.FunctionDef) for one in calls}
    caller = next(iter(callers), None)
    if len(callers) != 1 or caller is None or caller is own or not _knows(caller, node.id):
        return None
    edits = _as_parameter(case, own, calls, node.id)
    return finding(
        case,
        f"`{node.id}` is known inside of `{caller.name}` (line {line(caller)}) alone, and `{own.name}` (line {line(own)}), which it calls, does not see it. Hand it"
        f" over: make `{node.id}` a parameter of `{own.name}` and give it in the call on line {line(calls[0])}.",
        f"`{node.id}` 只在 `{caller.name}`（第 {line(caller)} 行）内部有效，它调用的 `{own.name}`（第 {line(own)} 行）看不到它。请传进去：把 `{node.id}` 写成"
        f" `{own.name}` 的参数，并在第 {line(calls[0])} 行的调用里给出。",
        [apply(case, edits, f"Hand `{node.id}` to `{own.name}`", f"把 `{node.id}` 传给 `{own.name}`")],
        own,
    )


def _knows(function: ast.FunctionDef, name: str) -> bool:
    """Whether a name is a parameter or a variable of a function."""
    return name in _parameters(function) or name in bound_here(function)


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]


def _as_parameter(case: Case, function: ast.FunctionDef, calls: list[ast.Call], name: str) -> list[Edit]:
    """The edits that give a function one parameter more; none where others have defaults or are gathered."""
    given = function.args
    if given.defaults or given.vararg or given.kwarg or given.kwonlyargs or not given.args:
        return []
    if any(one.keywords or any(isinstance(each, ast.Starred) for each in one.args) for one in calls):
        return []
    edits = case.after(given.args[-1], f", {name}")
    return [*edits, *(edit for one in calls for edit in case.argument(one, name))]


@finds(python.NAME)
def _of_a_function(case: Case) -> Finding | None:
    """A parameter of a function, used outside of it: there the value has the name under which it was given."""
    node = case.find(ast.Name)
    if node is None or case.enclosing(node, ast.FunctionDef) is not None or node.id in bound_here(case.program.tree):
        return None
    owners = [one for one in case.nodes(ast.FunctionDef) if node.id in _parameters(one)]
    if len(owners) != 1 or isinstance(case.parents.get(owners[0]), ast.ClassDef):
        return None
    function = owners[0]
    calls = [one for one in case.nodes(ast.Call) if function in Flow(case).called(one) and one.lineno <= node.lineno]
    found = [given_for(function, one, node.id) for one in calls]
    given = [one for one in found if isinstance(one, ast.Name | ast.Constant) and not _is(one, node.id)]
    if len({case.text(one) for one in given}) != 1 or len(given) != len(calls):
        return None
    text = case.text(given[0])
    return finding(
        case,
        f"`{node.id}` is a parameter of `{function.name}` (line {line(function)}) and is known inside of it alone. Line {line(calls[0])} gives it {code(case, given[0])}:"
        f" write `{text}` here.",
        f"`{node.id}` 是 `{function.name}`（第 {line(function)} 行）的参数，只在它内部有效。第 {line(calls[0])} 行给它的是 {code(case, given[0])}：这里请写 `{text}`。",
        write(case, node, text, case.statement(node)),
        node,
    )


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
