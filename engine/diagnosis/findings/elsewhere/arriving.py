"""`None` of a `forward` without ``return`` that arrives somewhere else: in another layer, the next turn, another model."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.unreturned import ANY_NONE, absent, is_of_none
from gradflow.engine.diagnosis.findings.language.returns import with_return
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds


@finds(*ANY_NONE)
def _of_forward(case: Case) -> Finding | None:
    """``self.conv(x)`` in the second block of a row, where what the first one ends with gives nothing."""
    parts = absent(case) if is_of_none(case) else []
    ran = [one for one in _forwards(case) if _has_run(case, one)]
    return _arrives(case, ran[0], parts[0]) if parts and ran else None


def _forwards(case: Case) -> list[ast.FunctionDef]:
    """The ``forward`` methods of the program that give nothing back."""
    return [
        one
        for one in case.nodes(ast.FunctionDef)
        if one.name == "forward" and isinstance(case.parents.get(one), ast.ClassDef) and not gives(one)
    ]


def _has_run(case: Case, function: ast.FunctionDef) -> bool:
    """Whether something in a function has made a tensor."""
    parts = (one for each in function.body for one in ast.walk(each) if isinstance(one, ast.expr))
    spans = (case.program.span_of(one) for one in parts)
    return any(case.context.made_at(span) is not UNKNOWN for span in spans if span is not None)


def _arrives(case: Case, function: ast.FunctionDef, part: ast.expr) -> Finding:
    last, owner = function.body[-1], case.parents[function]
    fix = with_return(case, function, last)
    result = fix.title.en if fix is not None and fix.title.en.startswith("`return ") else "`return`"
    kind, end = getattr(owner, "name", ""), last.end_lineno or line(last)
    return finding(
        case,
        f"`{kind}.forward` ends on line {end} without a `return`, so every call of a `{kind}` gives `None`, and that arrives here as {code(case, part)}."
        f" Give the result back at its end: {result}.",
        f"`{kind}.forward` 在第 {end} 行结束时没有 `return`，所以每次调用 `{kind}` 得到的都是 `None`，传到这里就是 {code(case, part)}。"
        f"请在末尾返回结果：{result}。",
        fix or (),
        last,
    )
