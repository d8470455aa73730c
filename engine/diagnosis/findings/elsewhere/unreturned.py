"""`None` that reaches any operation, of a function or a `forward` without ``return``: traced through names, lists and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import with_return
from gradflow.engine.diagnosis.findings.nothing import NONE_MET, returns_nothing
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer

ANY_NONE: Final = (
    *NONE_MET,
    mistakes.NOT_CALLABLE,
    errors.KEYWORD_TYPE,
    errors.INVALID_COMBINATION,
    errors.NO_SIZE,
    errors.SEQUENCE_ELEMENT,
    errors.DATA_DTYPE_UNKNOWN,
    errors.NOT_NDARRAY,
    mistakes.UNORDERED,
    mistakes.NO_LENGTH,
)
"""The errors of what is given None for anything."""
_MOST: Final = 80


@finds(*ANY_NONE)
def _handed_on(case: Case) -> Finding | None:
    """``v = outer(x)``, where ``outer`` gives back what another function does, and that gives nothing."""
    if not is_of_none(case):
        return None
    for part in absent(case):
        for call, function in _givers(case, part):
            known = with_return(case, function, function.body[-1], call) is not None
            return returns_nothing(case, function, call) if known else None
    return None


def is_of_none(case: Case) -> bool:
    """Whether an error can be about `None`, as far as its message tells."""
    told = " ".join(str(one) for one in case.details.values() if isinstance(one, str))
    return not told or "NoneType" in told or case.details.get("value", UNKNOWN) is None


def absent(case: Case) -> list[ast.expr]:
    """What is `None` in the failed expression, or holds such elements; no gradients, which are `None` for other reasons."""
    node: ast.AST | None = case.find(ast.expr)
    if node is None:
        failed = case.find(ast.stmt)
        node = failed.iter if isinstance(failed, ast.For) else failed if isinstance(failed, ast.AugAssign) else None
    found: list[ast.expr] = []
    for one in ast.walk(node) if node is not None else ():
        match one:
            case ast.Name(ctx=ast.Load()) if _is_absent(case.value(one)):
                found.append(one)
            case ast.Attribute(attr=attr, ctx=ast.Load()) if attr != "grad" and _is_absent(case.value(one)):
                found.append(one)
            case ast.ListComp() | ast.GeneratorExp():
                found.append(one)
            case ast.Call() if one is not node and _called(case, one):
                found.append(one)
    return found


def _is_absent(value: object) -> bool:
    return value is None or (type(value) in (list, tuple) and any(each is None for each in value))  # type: ignore[attr-defined]  # it is one of the two


def _givers(case: Case, part: ast.expr) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
    """The calls of functions without a result that may have given a value, through names and what other functions give back."""
    flow, waiting, seen = Flow(case), [part], {part}
    for node in waiting:
        new: list[ast.expr] = []
        match node:
            case ast.Name(id=name):
                new = [*flow.assigned(node, name)]
            case ast.IfExp(body=body, orelse=other):
                new = [body, other]
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                new = parts
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt):
                new = [elt]
            case ast.Call():
                for function in _called(case, node):
                    if not gives(function):
                        yield node, function
                    new += [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value]
        waiting += [one for one in new if one not in seen and len(seen) < _MOST]
        seen.update(new)


def _called(case: Case, call: ast.Call) -> list[ast.FunctionDef]:
    """The functions of the program that a call runs, also the ``forward`` of every layer that a list of layers holds."""
    flow = Flow(case)
    if found := [one for one in flow.called(call) if isinstance(one, ast.FunctionDef)]:
        return found
    held = next((value for one in flow.behind(call.func) if isinstance(value := case.value(one), Layer)), None)
    kinds = [type(one).__name__ for one in held.children()] if type(held).__name__ == "ModuleList" and held else []
    methods = [flow.methods(kind).get("forward") for kind in dict.fromkeys(kinds)]
    return [one for one in methods if one is not None and not gives(one)]
