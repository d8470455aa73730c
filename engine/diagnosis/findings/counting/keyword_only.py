"""More arguments than a function of the program takes by place: the others stand behind its `*`, and are given by name."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit


@finds(errors.TOO_MANY_ARGUMENTS)
def _behind_the_star(case: Case) -> Finding | None:
    """``scale(x, 3)`` of ``def scale(x, *, by)``."""
    call = case.find(ast.Call)
    found = Flow(case).called(call) if call is not None else []
    if call is not None and not found and isinstance(call.func, ast.Name):
        found = [one for one in [Flow(case).methods(call.func.id).get("__init__")] if one is not None]
    function = found[0] if found and isinstance(found[0], ast.FunctionDef) else None
    if call is None or function is None or function.args.vararg is not None:
        return None
    taken = [one.arg for one in (*function.args.posonlyargs, *function.args.args) if one.arg not in ("self", "cls")]
    given = {one.arg for one in call.keywords}
    free = [one.arg for one in function.args.kwonlyargs if one.arg not in given]
    surplus = call.args[len(taken) :]
    if not surplus or len(surplus) > len(free) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    edits: list[Edit] = [
        edit for one, name in zip(surplus, free, strict=False) for edit in case.before(one, f"{name}=")
    ]
    named = [f"`{name}={case.text(one)}`" for one, name in zip(surplus, free, strict=False)]
    names, names_zh = (joined([f"`{one}`" for one in free[: len(surplus)]], each) for each in ("en", "zh"))
    many = len(surplus) > 1
    title, title_zh = joined(named, "en"), joined(named, "zh")
    return finding(
        case,
        f"In `{function.name}` (line {line(function)}) {names} {'stand' if many else 'stands'} behind the `*`, and what stands there is given by its name alone; {code(case, call)} gives"
        f" {'them' if many else 'it'} by place. Write {title}.",
        f"在 `{function.name}`（第 {line(function)} 行）里，{names_zh} 位于 `*` 之后，那里的参数只能按名字给出；而 {code(case, call)} 是按位置给的。请写 {title_zh}。",
        apply(case, edits, title, title_zh),
        call,
    )
