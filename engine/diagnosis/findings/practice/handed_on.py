"""`None` that one function of the program hands to the next: found in the calls that led to the error."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import falls_through
from gradflow.engine.diagnosis.findings.nothing import NONE_MET, returns_nothing
from gradflow.engine.diagnosis.findings.origins.absent import gives, returns_sometimes
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_TOLD = ("message", "type", "actual", "left", "right", "given")


@finds(*NONE_MET, errors.INVALID_COMBINATION)
def _given_nothing(case: Case) -> Finding | None:
    """``f = self.first(x)`` and ``self.second(f)``, where ``forward`` of the first block ends without ``return``."""
    told = " ".join(str(case.details.get(one, "")) for one in _TOLD)
    if "NoneType" not in told and case.details.get("value", UNKNOWN) is not None:
        return None
    node = case.find(ast.AST)
    for part in ast.walk(node) if node is not None else ():
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and case.value(part) is None:
            for call in _givers(case, part):
                for function in _run_by(case, call):
                    if not gives(function):
                        return returns_nothing(case, function, call)
                    if (through := falls_through(function)) is not None:
                        return returns_sometimes(case, function, through, call)
    return None


def _givers(case: Case, name: ast.Name) -> list[ast.Call]:
    """The call that gave what a name stands for, also where the name is a parameter, outwards through the calls."""
    node: ast.expr = name
    for depth in range(len(case.frames)):
        if not isinstance(node, ast.Name):
            break
        function = case.enclosing(node, ast.FunctionDef)
        before = _last_before(case, node, function)
        if before is not None:
            node = before
            break
        outer = case.frames[-2 - depth].span if depth + 1 < len(case.frames) else None
        call = case.find(ast.Call, outer) if outer is not None else None
        given = given_for(function, call, node.id) if function is not None and call is not None else None
        if given is None:
            break
        node = given
    return [node] if isinstance(node, ast.Call) else []


def given_outside(case: Case, nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """What some names of a function stand for where it was called, outwards as long as all of them are its parameters."""
    found = list(nodes)
    for depth in range(len(case.frames) - 1):
        function = case.enclosing(found[0], ast.FunctionDef)
        span = case.frames[-2 - depth].span
        call = case.find(ast.Call, span) if span is not None else None
        names = [one.id for one in found if isinstance(one, ast.Name)]
        if function is None or call is None or len(names) < len(found):
            break
        if any(_last_before(case, one, function) is not None for one in found if isinstance(one, ast.Name)):
            break
        given = [given_for(function, call, name) for name in names]
        if any(one is None for one in given):
            break
        found = [one for one in given if one is not None]
    return found


def _last_before(case: Case, node: ast.Name, function: ast.FunctionDef | None) -> ast.expr | None:
    """What a name was given last above the line where it is used, in the same function."""
    found = [
        one
        for one in case.nodes(ast.Assign)
        if one.lineno < node.lineno
        and case.enclosing(one, ast.FunctionDef) is function
        and any(isinstance(each, ast.Name) and each.id == node.id for each in one.targets)
    ]
    return found[-1].value if found else None


def given_for(function: ast.FunctionDef, call: ast.Call, name: str) -> ast.expr | None:
    """What a call gives for a parameter."""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if name not in names:
        return None
    at = names.index(name) - (names[:1] == ["self"])
    given = {one.arg: one.value for one in call.keywords}
    return call.args[at] if 0 <= at < len(call.args) else given.get(name)


def _run_by(case: Case, call: ast.Call) -> list[ast.FunctionDef]:
    """The functions of the program that a call runs, also where it calls a part of an object that is not in sight."""
    flow = Flow(case)
    if known := [one for one in flow.called(call) if isinstance(one, ast.FunctionDef)]:
        return known
    kinds = [
        one.func.id for one in flow.behind(call.func) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
    ]
    return [method for kind in kinds[:1] if (method := flow.methods(kind).get("forward")) is not None]
