"""Settings that are declared as text, with a number in quotation marks, and used as numbers."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.inputs.texts import kind_of_number
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python


@finds(
    mistakes.UNORDERED,
    python.TYPE,
    errors.ARGUMENT_TYPE,
    errors.MODULE_TYPE,
    errors.INVALID_COMBINATION,
    mistakes.OPERAND_TYPES,
)
def _number_in_quotes(case: Case) -> Finding | None:
    """``lr: str = "3e-4"`` in a class of settings, and ``Adam(params, lr=cfg.lr)``."""
    node = case.find(ast.Call) or case.find(ast.BinOp)
    for used in ast.walk(node) if node is not None else ():
        if not isinstance(used, ast.Attribute):
            continue
        declared = _declared(case, type(case.value(used.value)).__name__, used.attr)
        value = declared.value if declared is not None else None
        if declared is None or not isinstance(value, ast.Constant):
            continue
        held = case.value(used)
        held = value.value if held is UNKNOWN else held
        if not isinstance(held, str) or not kind_of_number(held):
            continue
        number = str(value.value)
        text = f"{used.attr}: {kind_of_number(number)} = {number}"
        edits = [*case.replace(declared.annotation, kind_of_number(number)), *case.replace(value, number)]
        says = (
            f"{code(case, declared)} on line {line(declared)} declares a text, and {code(case, used)} is the text `{held!r}`, while line {line(used)} computes with a"
            f" number. Declare it as one: `{text}`.",
            f"第 {line(declared)} 行的 {code(case, declared)} 声明的是字符串，所以 {code(case, used)} 是字符串 `{held!r}`，而第 {line(used)} 行要用数计算。请声明为数：`{text}`。",
        )
        return finding(case, *says, apply(case, edits, f"`{text}`", f"`{text}`") or (), declared)
    return None


def _declared(case: Case, owner: str, name: str) -> ast.AnnAssign | None:
    """The line of a class that declares an attribute as text and gives it a number in quotation marks."""
    for kind in case.nodes(ast.ClassDef):
        for one in kind.body if kind.name == owner else ():
            match one:
                case ast.AnnAssign(
                    target=ast.Name(id=own), annotation=ast.Name(id="str"), value=ast.Constant(value=str(value))
                ) if own == name and kind_of_number(value):
                    return one
    return None
