"""The ``return`` that is missing at the end of a function."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.findings.words import apply
from gradflow.engine.trace import Fix


def with_return(case: Case, function: ast.FunctionDef, last: ast.stmt) -> Fix | None:
    """Give back what the last statement of a function computed."""
    span = case.program.span_of(last)
    match last:
        case ast.Expr(value=value):
            return case.fix(case.before(value, "return "), last)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            pass
        case ast.Assign(targets=[ast.Tuple() as several]):
            name = case.text(several)
        case ast.For() | ast.With() | ast.If():
            names = [
                one.targets[0].id
                for one in ast.walk(function)
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
            ]
            first = case.program.span_of(last)
            if not names or span is None or first is None:
                return None
            name = names[-1]
        case _:
            return None
    if span is None:
        return None
    begin = case.program.span_of(function.body[0])
    head = case.line(begin.line)[: begin.column] if begin is not None else ""
    if head.strip():
        return None
    edits = [insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}return {name}")]
    return apply(case, edits, f"`return {name}`", f"`return {name}`")


def falls_through(function: ast.FunctionDef) -> ast.stmt | None:
    """The last statement of a function, where one can go on behind it without having returned; else None."""
    return function.body[-1] if _goes_on(function.body) else None


def _goes_on(body: list[ast.stmt]) -> bool:
    """Whether what stands below a row of statements can be reached."""
    match body[-1]:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return False
        case ast.If(body=then, orelse=other):
            return not other or _goes_on(then) or _goes_on(other)
        case ast.With(body=inner):
            return _goes_on(inner)
        case ast.Try(body=inner, handlers=handlers, finalbody=last):
            return _goes_on(last or inner) or any(_goes_on(one.body) for one in handlers)
        case ast.While(test=ast.Constant(value=True)) | ast.Match():
            return False
    return True
