"""Names that nothing has, where a parameter of the function waits to be used."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.names import IMPORTS
from gradflow.engine.errors.language import python


def _alike(one: str, other: str) -> bool:
    """Whether two names share a word, or the beginning of one."""
    words, others = set(one.lower().split("_")), set(other.lower().split("_"))
    short, long = sorted((one.lower(), other.lower()), key=len)
    return (
        bool(words & others - {""}) or (len(short) > 1 and long.startswith(short)) or (len(short) > 2 and short in long)
    )


@finds(python.NAME)
def _unused_parameter(case: Case) -> Finding | None:
    """``def __init__(self, hidden)``, and ``hidden_size`` in its body."""
    node = case.find(ast.Name)
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    if node is None or function is None or node.id in IMPORTS:
        return None
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    waiting = [one for one in function.args.args if one.arg not in used and one.arg not in ("self", "cls", "ctx")]
    meant = [one for one in waiting if _alike(one.arg, node.id)]
    if len(meant) != 1:
        return None
    other = meant[0].arg
    uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == node.id]
    return finding(
        case,
        f"Nothing is called `{node.id}` here; `{function.name}` on line {line(function)} takes `{other}`, and its body does not use that."
        f" Write `{other}`.",
        f"这里没有叫 `{node.id}` 的东西；第 {line(function)} 行的 `{function.name}` 有参数 `{other}`，函数体却没有用到它。请写成 `{other}`。",
        case.fix([edit for one in uses for edit in case.replace(one, other)], case.statement(node)),
        node,
    )
