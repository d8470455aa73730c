"""Fixes of ``torch.autograd.Function``: the number of gradients, static methods, ``apply``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.trace import Edit, Fix, Text


def _functions(case: Case) -> Iterator[tuple[ast.ClassDef, dict[str, ast.FunctionDef]]]:
    """The classes of the program that are made from Function, and their methods."""
    for owner in case.nodes(ast.ClassDef):
        if any(ast.unparse(base).rpartition(".")[2] == "Function" for base in owner.bases):
            yield owner, {part.name: part for part in owner.body if isinstance(part, ast.FunctionDef)}


@fixes(errors.WRONG_GRADIENT_COUNT)
def _one_for_each(case: Case) -> Fix | None:
    """``None`` for the inputs that need no gradient; no ``None`` too many."""
    name = str(case.details.get("name")).removesuffix("Backward")
    expected, got = case.details.get("expected"), case.details.get("actual")
    for owner, methods in _functions(case):
        backward = methods.get("backward")
        if owner.name != name or backward is None or not isinstance(expected, int) or not isinstance(got, int):
            continue
        returns = [part for part in ast.walk(backward) if isinstance(part, ast.Return) and part.value is not None]
        edits = [edit for part in returns for edit in _counted(case, part, expected, got)]
        return case.fix(edits, returns[0]) if edits else None
    return None


def _counted(case: Case, statement: ast.Return, expected: int, got: int) -> list[Edit]:
    value = statement.value
    if value is None:
        return []
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    if len(parts) != got:
        return []
    if got < expected:
        span = case.program.span_of(parts[-1])
        closed = isinstance(value, ast.Tuple | ast.Name | ast.Call | ast.Attribute | ast.BinOp | ast.UnaryOp)
        missing = ", None" * (expected - got)
        if not closed or span is None:
            return []
        return case.after(parts[-1], missing) if isinstance(value, ast.Tuple) else case.followed_by_more(value, missing)
    first, last = case.program.span_of(parts[expected - 1]), case.program.span_of(parts[-1])
    surplus = parts[expected:]
    if expected < 1 or first is None or last is None or not all(case.value(part) is None for part in surplus):
        return []
    return [case.cut(case.between(first, last))]


@fixes(errors.FUNCTION_MISUSE)
def _new_style(case: Case) -> Fix | None:
    """Static methods, and ``F.apply(x)`` in place of ``F()(x)``."""
    edits: list[Edit] = []
    for owner, methods in _functions(case):
        for name in ("forward", "backward"):
            method = methods.get(name)
            if method is not None and not method.decorator_list:
                edits += case.line_before(method, "@staticmethod")
        for call in case.nodes(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == owner.name and not call.args and not call.keywords:
                edits += case.replace(call, f"{owner.name}.apply")
    words = Text("Static methods, and `apply`", "改为静态方法，并用 `apply` 调用")
    return case.fix(edits, words=words)
