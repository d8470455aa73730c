"""Parameters that a method computes anew and puts under their own name: a local variable was meant, or an update."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer


@finds(errors.MODULE_ASSIGNMENT)
def _of_itself(case: Case) -> Finding | None:
    """``self.weight = F.normalize(self.weight, dim=1)`` in `forward`."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    function = case.enclosing(statement, ast.FunctionDef) if statement is not None else None
    if not isinstance(statement, ast.Assign) or function is None or function.name == "__init__":
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Attribute) or not isinstance(case.value(target.value), Layer):
        return None
    own = case.text(target)
    sources = [one for one in ast.walk(statement.value) if isinstance(one, ast.Attribute) and case.text(one) == own]
    learns = any(isinstance(one, ast.Attribute) and one.attr == "grad" for one in ast.walk(statement.value))
    if not sources or learns or len(statement.targets) != 1:
        return None
    taken = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    taken |= {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} | set(case.values)
    local = next((one for one in (target.attr, target.attr[:1], f"own_{target.attr}") if one not in taken), None)
    if local is None:
        return None
    later = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Load)
        and start_of(one) > (statement.end_lineno or line(statement), statement.end_col_offset or 0)
        and case.text(one) == own
    ]
    if not later:
        return None  # the method is there to change the parameter
    edits = [*case.replace(target, local), *(edit for one in later for edit in case.replace(one, local))]
    used = case.statement(later[0])
    whole = isinstance(used, ast.Assign | ast.Return | ast.Expr) and used.value is not None
    where = f", and use `{local}` on line {line(used)}" if used is not None else ""
    where_zh = f"，并在第 {line(used)} 行使用 `{local}`" if used is not None else ""
    shown = text_with(case, used, later[0], local) if used is not None and whole and len(later) == 1 else ""
    as_in = f": `{shown}`" if 0 < len(shown) <= 90 else ""
    return finding(
        case,
        f"`{own}` is a parameter, which is learned and stays the same tensor; {code(case, statement.value)} is computed from it and is none, so it"
        f" cannot take its place. Keep it in a local variable, `{local} = {case.text(statement.value)}`{where}{as_in}.",
        f"`{own}` 是要学习的参数，一直是同一个张量；{code(case, statement.value)} 是由它算出的，不是参数，不能取代它。请放进局部变量"
        f" `{local} = {case.text(statement.value)}`{where_zh}{as_in.replace(': ', '：')}。",
        case.fix(edits, statement),
        statement,
    )


@finds(errors.MODULE_ASSIGNMENT)
def _updated(case: Case) -> Finding | None:
    """``layer.weight = layer.weight - lr * layer.weight.grad``."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    match statement:
        case ast.Assign(
            targets=[ast.Attribute() as target], value=ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=right)
        ) if case.text(left) == case.text(target):
            pass
        case _:
            return None
    if not any(isinstance(one, ast.Attribute) and one.attr == "grad" for one in ast.walk(right)):
        return None
    torch, imports = case.with_torch()
    text = f"{case.text(target)} {'-=' if isinstance(op, ast.Sub) else '+='} {case.text(right)}"
    head = case.line(statement.lineno)[: statement.col_offset]
    block = f"with {torch}.no_grad():\n{head}    {text}"
    edits = [*case.replace(statement, block), *imports] if not head.strip() and "\n" not in text else []
    return finding(
        case,
        f"{code(case, statement.value)} is a new tensor, computed from `{case.text(target)}`, and no parameter, so it cannot take its place. Change the"
        f" parameter itself, without a graph: `{text}` under `with {torch}.no_grad():`.",
        f"{code(case, statement.value)} 是由 `{case.text(target)}` 算出的新张量，不是参数，不能取代它。请就地修改参数本身，并且不记录计算图：在"
        f" `with {torch}.no_grad():` 里写 `{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") if edits else (),
        statement,
    )
