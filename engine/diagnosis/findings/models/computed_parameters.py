"""A parameter that is given what was computed from itself: a value for the call, and no new parameter."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.trace import Edit


@dataclass(frozen=True)
class _Made:
    """``self.weight = normalize(self.weight)`` in a method of a module, and the name for what it computes."""

    statement: ast.Assign
    target: ast.Attribute
    method: ast.FunctionDef
    name: str


@finds(errors.MODULE_ASSIGNMENT)
def _from_itself(case: Case) -> Finding | None:
    """``self.weight = F.normalize(self.weight, dim=1)`` in a method that ``forward`` calls."""
    made = _made_at(case)
    if made is None:
        return None
    parameter, value = code(case, made.target), made.statement.value
    why = (
        f"{parameter} is a parameter, and {code(case, value)} on line {line(made.statement)} is a tensor computed from it: as the parameter it would"
        f" be computed from itself in every call, and the optimizer would train nothing. Leave the parameter as it is, and keep what is computed"
        f" under a name of its own:"
    )
    why_zh = (
        f"{parameter} 是参数，而第 {line(made.statement)} 行的 {code(case, value)} 是由它算出的张量：如果把它当作参数，每次调用都会由自己再算一遍，优化器也训练不到它。"
        f"请保持参数不变，把算出的值放在单独的名字下："
    )
    if made.method.name == "forward" or _reads(case, made, made.method, line(made.statement)):
        return None  # a value of this method alone
    return _of_helper(case, made, why, why_zh)


def _of_helper(case: Case, made: _Made, why: str, why_zh: str) -> Finding:
    """A method that only computes: it gives the value back to the methods that call it."""
    text = f"return {case.text(made.statement.value)}"
    owner = case.parents.get(made.method)
    calls = [
        one
        for one in case.nodes(ast.Expr)
        if isinstance(one.value, ast.Call) and case.text(one.value.func) == f"self.{made.method.name}"
    ]
    edits: list[Edit] = case.replace(made.statement, text)
    told, told_zh = [], []
    for one in calls:
        caller = case.enclosing(one, ast.FunctionDef)
        if caller is None or case.parents.get(caller) is not owner:
            continue
        reads = _reads(case, made, caller, line(one))
        edits += case.before(one, f"{made.name} = ")
        edits += [edit for each in reads for edit in case.replace(each, made.name)]
        also, also_zh = _listed(reads)
        told.append(
            f"`{made.name} = {case.text(one)}` on line {line(one)}"
            f"{also and f', to compute with `{made.name}` on {also}'}"
        )
        told_zh.append(
            f"第 {line(one)} 行写 `{made.name} = {case.text(one)}`{also_zh and f'，在{also_zh}用 `{made.name}` 计算'}"
        )
    alone = made.method.body[-1] is made.statement and told
    then, then_zh = (f", and {joined(told, 'en')}", f"，{joined(told_zh, 'zh')}") if told else ("", "")
    return finding(
        case,
        f"{why} `{text}`{then}.",
        f"{why_zh}`{text}`{then_zh}。",
        (apply(case, edits, f"`{text}`", f"`{text}`") if alone else None) or (),
        made.statement,
    )


def _made_at(case: Case) -> _Made | None:
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, method = statement.targets[0], case.enclosing(statement, ast.FunctionDef)
    if not isinstance(target, ast.Attribute) or case.text(target.value) != "self" or method is None:
        return None
    inside = [case.text(one) for one in ast.walk(statement.value) if isinstance(one, ast.Attribute)]
    if method.name == "__init__" or case.text(target) not in inside or isinstance(statement.value, ast.Attribute):
        return None
    taken = any(isinstance(one, ast.Name) and one.id == target.attr for one in case.program.nodes)
    return _Made(statement, target, method, f"new_{target.attr}" if taken else target.attr)


def _reads(case: Case, made: _Made, method: ast.FunctionDef, after: int) -> list[ast.Attribute]:
    """Where a method reads the parameter behind a line."""
    found = [
        one
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Load)
        and one.lineno > after
        and case.text(one) == case.text(made.target)
    ]
    return sorted(found, key=start_of)


def _listed(reads: Sequence[ast.AST]) -> tuple[str, str]:
    """``lines 4 and 6``, in both languages; nothing of none."""
    rows = [str(one) for one in dict.fromkeys(line(each) for each in reads)]
    if not rows:
        return "", ""
    return f"line{'s' * (len(rows) > 1)} {joined(rows, 'en')}", f"第 {joined(rows, 'zh')} 行"
