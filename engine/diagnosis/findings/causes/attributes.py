"""Attributes of modules: a layer and a method of one name, and a computed tensor in the place of a parameter."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit


@finds(python.RECURSION)
def _layer_and_method(case: Case) -> Finding | None:
    """``self.encode = nn.Linear(...)``, and ``def encode(self, x)`` that calls it."""
    owner, method, calls = _own_calls(case)
    if owner is None or method is None or not isinstance(case.values.get("self"), Layer):
        return None
    name = method.name
    kept = [
        one for one in ast.walk(owner) if isinstance(one, ast.Assign) and f"self.{name}" in map(case.text, one.targets)
    ]
    if len(kept) != 1 or not isinstance(kept[0].value, ast.Call):
        return None
    other = _free(case, name)
    targets = [one for one in kept[0].targets if case.text(one) == f"self.{name}"]
    edits: list[Edit] = []
    for one in [*targets, *calls]:
        edits += case.rename_end(one, name, other)
    return finding(
        case,
        f"Line {line(kept[0])} keeps a layer as `self.{name}`, and line {line(method)} defines a method of the same name. A module keeps its layers in a place"
        f" of their own, which is looked in last, so `self.{name}` is always the method, and {code(case, calls[0])} on line {line(calls[0])} calls itself without"
        f" an end. Give the layer another name: `self.{other}`.",
        f"第 {line(kept[0])} 行把一个层存为 `self.{name}`，而第 {line(method)} 行定义了同名的方法。模块把层存放在专门的地方，最后才去那里查找，所以 `self.{name}` 总是这个方法，"
        f"第 {line(calls[0])} 行的 {code(case, calls[0])} 就没有尽头地调用自己。请给层换一个名字：`self.{other}`。",
        [apply(case, edits, f"`self.{other}` for the layer", f"层改名为 `self.{other}`")],
        calls[0],
    )


def _own_calls(case: Case) -> tuple[ast.ClassDef | None, ast.FunctionDef | None, list[ast.Attribute]]:
    """The class, the method at the end of the calls, and where it names itself as an attribute."""
    for frame in reversed(case.frames):
        node = case.find(ast.expr, frame.span) if frame.span is not None else None
        method = case.enclosing(node, ast.FunctionDef) if node is not None else None
        owner = case.parents.get(method) if method is not None else None
        if method is None or not isinstance(owner, ast.ClassDef):
            continue
        own = f"self.{method.name}"
        calls = [one for one in ast.walk(method) if isinstance(one, ast.Attribute) and case.text(one) == own]
        return (owner, method, calls) if calls else (None, None, [])
    return None, None, []


def _free(case: Case, name: str) -> str:
    taken = {one.attr for one in case.nodes(ast.Attribute)} | {one.name for one in case.nodes(ast.FunctionDef)}
    return next(one for one in (f"{name}_layer", f"{name}_module", f"the_{name}_layer") if one not in taken)


@finds(errors.MODULE_ASSIGNMENT)
def _values_of_parameter(case: Case) -> Finding | None:
    """``layer.weight = layer.weight * mask`` of a model that is made already: new values of the same parameter."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return None
    target, value = statement.targets[0], statement.value
    own = case.text(target)
    if case.enclosing(statement, ast.ClassDef) is not None or f"{own}.grad" in case.text(value):
        return None
    if own not in [case.text(one) for one in ast.walk(value) if isinstance(one, ast.Attribute)]:
        return None
    match value:
        case ast.BinOp(left=ast.Attribute() as left, op=ast.Mult(), right=right) if case.text(left) == own:
            write = f"{own}.mul_({case.text(right)})"
        case _:
            write = f"{own}.copy_({case.text(value)})"
    torch, _ = case.with_torch()
    span = case.program.span_of(statement)
    text = write
    if span is not None and not _is_under_no_grad(case, statement):
        text = f"with {torch}.no_grad():\n{case.line(span.line)[: span.column]}    {write}"
    return finding(
        case,
        f"{code(case, value)} gives a new tensor, and `{target.attr}` is registered as a parameter of `{case.text(target.value)}`, whose place only a parameter can"
        f" take, and an optimizer made before would go on moving the old one. Change its values in place, without recording it: `{write}` under `{torch}.no_grad()`.",
        f"{code(case, value)} 得到的是一个新张量，而 `{target.attr}` 已注册为 `{case.text(target.value)}` 的参数，这个位置只能放参数，而且之前创建的优化器仍会更新原来那个。请就地修改它的值，"
        f"并且不要记录：在 `{torch}.no_grad()` 下写 `{write}`。",
        [apply(case, case.replace(statement, text), f"`{write}`", f"`{write}`")],
        statement,
    )


def _is_under_no_grad(case: Case, statement: ast.stmt) -> bool:
    outer = case.enclosing(statement, ast.With)
    return outer is not None and any("no_grad" in case.text(one.context_expr) for one in outer.items)
