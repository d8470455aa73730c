"""Names that a loop has taken: the tensor that they stood for is gone."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.NOT_SUBSCRIPTABLE, errors.ARGUMENT_TYPE)
def _taken_by_loop(case: Case) -> Finding | None:
    """``for x in range(3)``, where ``x`` was the data."""
    node = case.find(ast.expr)
    kind = case.details.get("type", case.details.get("actual"))
    if node is None or kind not in ("int", "float", "str"):
        return None
    owner = node.value if isinstance(node, ast.Attribute | ast.Subscript) else node
    used = {one.id for one in Flow(case).behind(owner) if isinstance(one, ast.Name)}
    for loop in case.nodes(ast.For):
        name = loop.target.id if isinstance(loop.target, ast.Name) else ""
        before = [one for one in case.nodes(ast.Assign) if line(one) < line(loop) and _gives(one, name)]
        if name not in used or not before or case.enclosing(loop, ast.FunctionDef) is not None:
            continue
        made = before[-1]
        return finding(
            case,
            f"The loop on line {line(loop)} gives `{name}` the elements of {code(case, loop.iter)}, one by one, and so takes the name"
            f" from what line {line(made)} had put there. Give the variable of the loop another name.",
            f"第 {line(loop)} 行的循环把 {code(case, loop.iter)} 的元素依次给了 `{name}`，第 {line(made)} 行放在这个名字里的东西就没有了。请给循环变量换一个"
            f"名字。",
            (),
            loop.target,
        )
    return None


def _gives(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in statement.targets)
