"""The ``return`` that is missing at the end of a function."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.findings.words import apply
from gradflow.engine.trace import Fix

_FOR_EFFECT: Final = frozenset(
    {
        "print",
        "backward",
        "step",
        "zero_grad",
        "append",
        "extend",
        "update",
        "insert",
        "train",
        "eval",
        "write",
        "setdefault",
    }
)
"""Calls whose result nobody wants."""


def thrown_away(statement: ast.stmt) -> ast.expr | None:
    """The value that a statement computes and does not keep."""
    match statement:
        case ast.Expr(value=ast.Constant() | ast.Yield() | ast.YieldFrom() | ast.Await()):
            return None
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))) if (
            name in _FOR_EFFECT or name.endswith("_")
        ):
            return None
        case ast.Expr(value=value):
            return value
    return None


def result_named(case: Case, function: ast.FunctionDef, call: ast.AST | None) -> str | None:
    """The variable of a function that its caller must have meant: of the name that its result is given, or the last one."""
    if function.name == "__getitem__" and len(several := _left_over(function)) > 1:
        return ", ".join(several)
    names = [
        target.id
        for one in ast.walk(function)
        if isinstance(one, ast.Assign | ast.AugAssign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    ]
    outer = case.statement(call) if call is not None else None
    wanted = [case.text(one) for one in outer.targets] if isinstance(outer, ast.Assign) else []
    for name in wanted:
        if name in names:
            return name
        parts = name.strip("()").split(", ")
        if len(parts) > 1 and all(one in names for one in parts):
            return ", ".join(parts)
    return names[-1] if names else None


def _left_over(function: ast.FunctionDef) -> list[str]:
    """The variables of a function that no other one is computed from, in the order in which they are set."""
    given = [one for one in function.body if isinstance(one, ast.Assign)]
    names = [target.id for one in given for target in one.targets if isinstance(target, ast.Name)]
    used = {one.id for each in given for one in ast.walk(each.value) if isinstance(one, ast.Name)}
    return [name for name in dict.fromkeys(names) if name not in used]


def with_return(case: Case, function: ast.FunctionDef, last: ast.stmt, call: ast.AST | None = None) -> Fix | None:
    """Give back what the last statement of a function computed; the variables that the caller unpacks, if they are all there."""
    span = case.program.span_of(last)
    value = thrown_away(last)
    if value is not None:
        return case.fix(case.before(value, "return "), last)
    several = unpacked_into(case, call)
    name = ", ".join(several) if several else _result(case, function, last, call)
    if span is None or name is None or not set(several) <= _variables(function):
        return None
    head = case.line(span.line)[: span.column]
    if head.strip():
        return None
    edits = [insertion(span.end_line, len(case.line(span.end_line)), f"\n{head}return {name}")]
    return apply(case, edits, f"`return {name}`", f"`return {name}`")


def _result(case: Case, function: ast.FunctionDef, last: ast.stmt, call: ast.AST | None) -> str | None:
    match last:
        case ast.Assign() if function.name == "__getitem__" and (several := result_named(case, function, call)):
            return several
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Tuple() as parts]):
            return case.text(parts)
        case ast.Expr(value=ast.Call(func=ast.Name(id="print")) as shown) if _wanted(case, call) not in _variables(
            function
        ):
            told = _printed(case, function, shown)
            return told[0] if len(told) == 1 else result_named(case, function, call) if not told else None
        case ast.Expr() | ast.For() | ast.With() | ast.If():
            return result_named(case, function, call)
    return None


def _wanted(case: Case, call: ast.AST | None) -> str:
    """The name that the result of a call is given."""
    outer = case.statement(call) if call is not None else None
    return case.text(outer.targets[0]) if isinstance(outer, ast.Assign) else ""


def _printed(case: Case, function: ast.FunctionDef, shown: ast.Call) -> list[str]:
    """What a function prints of its results: neither its parameters nor what its loops go by."""
    given = [each for one in shown.args for each in (one.values if isinstance(one, ast.JoinedStr) else [one])]
    values = [one.value if isinstance(one, ast.FormattedValue) else one for one in given]
    known = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    loops = [one.target for one in ast.walk(function) if isinstance(one, ast.For)]
    known |= {one.id for each in loops for one in ast.walk(each) if isinstance(one, ast.Name)}
    told = [one for one in values if not isinstance(one, ast.Constant)]
    told = [one for one in told if not (isinstance(one, ast.Name) and one.id in known) and not _describes(one)]
    return list(dict.fromkeys(case.text(one) for one in told))


def _describes(node: ast.expr) -> bool:
    """Whether an expression tells of a value, and is not the value itself: its shape, its kind, its length."""
    match node:
        case ast.Attribute(attr="shape" | "dtype" | "device" | "ndim" | "requires_grad" | "grad_fn"):
            return True
        case ast.Call(func=ast.Name(id="len" | "type") | ast.Attribute(attr="size" | "numel" | "dim")):
            return True
        case ast.Subscript(value=value):
            return _describes(value)
    return False


def unpacked_into(case: Case, call: ast.AST | None) -> list[str]:
    """The several names that the result of a call is unpacked into, at once or by way of another name."""
    statement = case.parents.get(call) if call is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]) if len(parts) > 1:
            starred = any(isinstance(one, ast.Starred) for one in parts)
            return [] if starred else [case.text(one) for one in parts]
        case ast.Assign(targets=[ast.Name(id=kept)]):
            later = [one.value for one in case.nodes(ast.Assign) if one.lineno > statement.lineno]
            used = next((one for one in later if isinstance(one, ast.Name) and one.id == kept), None)
            return unpacked_into(case, used)
    return []


def _variables(function: ast.FunctionDef) -> set[str]:
    """What a function gives a value to, and its parameters."""
    own = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return own | {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}


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


def open_ends(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements behind which a function ends without having returned: of a condition without ``else`` itself."""
    last = body[-1]
    if not _goes_on(body):
        return []
    match last:
        case ast.If(body=then, orelse=other):
            return [*open_ends(then), *(open_ends(other) if other else [last])]
        case ast.With(body=inner):
            return open_ends(inner)
    return [last]
