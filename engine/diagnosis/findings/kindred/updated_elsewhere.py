"""Parameters that a function computes anew from their gradients: what takes their place is no leaf and has none."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes
from gradflow.engine.tensor import Tensor


@finds(mistakes.NONE_OPERAND)
def _computed_anew(case: Case) -> Finding | None:
    """``return p - lr * p.grad``, and ``w = step(w)``, in the second turn."""
    for node in case.nodes(ast.BinOp):
        match node:
            case ast.BinOp(left=ast.Name(id=name), op=ast.Sub() | ast.Add(), right=right) if (
                node.lineno <= case.span.line <= (node.end_lineno or node.lineno) and f"{name}.grad" in case.text(right)
            ):
                held = case.value(node.left)
                if not isinstance(held, Tensor) or held.grad_fn is None:
                    continue
                found = _in_function(case, node, name)
                if found is not None:
                    return found
    return None


def _in_function(case: Case, node: ast.BinOp, name: str) -> Finding | None:
    """The function that gives back the new tensor, for the caller to keep under the old name."""
    outer = case.parents.get(node)
    function = case.enclosing(node, ast.FunctionDef)
    span = case.program.span_of(outer) if outer is not None else None
    if not isinstance(outer, ast.Return) or function is None or span is None:
        return None
    names = [one.arg for one in function.args.args]
    if name not in names or not _takes_its_place(case, function, names.index(name)):
        return None
    head = case.line(span.line)[: span.column]
    torch, imports = case.with_torch()
    sign = "-" if isinstance(node.op, ast.Sub) else "+"
    update = f"{name} {sign}= {case.text(node.right)}"
    lines = [f"with {torch}.no_grad():", f"{head}    {update}", f"{head}{name}.grad = None", f"{head}return {name}"]
    edits = [*case.replace(outer, "\n".join(lines)), *imports] if not head.strip() else []
    return finding(
        case,
        f"{code(case, outer)} on line {line(outer)} gives back a new tensor, computed from the leaf. Kept under the leaf's name, it is no leaf, and in the next turn"
        f" its `.grad` is `None`. Change the leaf in place, under `no_grad`: `{update}`, then set `{name}.grad = None` and give `{name}` itself back.",
        f"第 {line(outer)} 行的 {code(case, outer)} 返回由叶子张量算出的新张量。它被存到叶子张量原来的名字下，却不是叶子张量，下一轮它的 `.grad` 就是 `None`。请在 `no_grad` 下就地修改叶子张量："
        f"`{update}`，然后写 `{name}.grad = None`，并返回 `{name}` 本身。",
        apply(case, edits, f"`{update}` under `no_grad`", f"在 `no_grad` 下 `{update}`"),
        outer,
    )


def _takes_its_place(case: Case, function: ast.FunctionDef, place: int) -> bool:
    """Whether what a function gives back is kept under the name of what it was given: ``w = step(w)``."""
    for call in case.nodes(ast.Call):
        if not isinstance(call.func, ast.Name) or call.func.id != function.name or place >= len(call.args):
            continue
        statement = case.statement(call)
        if not isinstance(statement, ast.Assign):
            continue
        kept = {case.text(one) for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.expr)}
        given = [case.text(call.args[place])]
        outer = case.parents.get(call)
        if isinstance(outer, ast.ListComp | ast.GeneratorExp):
            given = [case.text(one.iter) for one in outer.generators if case.text(one.target) == given[0]]
        if kept.intersection(given):
            return True
    return False
