"""A tensor that is handed to a function which never uses it: the parameter, and the numbers that stand in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import ALLOWED, apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow

_COMMON: Final = (0.0, 0.5, 1.0, 2.0)
"""Numbers that formulas are full of: that one is equal to the value of a tensor tells nothing."""
_MOST: Final = 4


@dataclass(frozen=True)
class _Unused:
    """A parameter that a function does not use, and the call that gives something for it."""

    call: ast.Call
    function: ast.FunctionDef
    parameter: ast.arg


@finds(errors.UNUSED_INPUT)
def _never_used(case: Case) -> Finding | None:
    """``def price(S, rate): ... 0.03 ...``, and the derivative by what is given for ``rate``."""
    call, index = case.find(ast.Call), case.details.get("index", 0)
    if call is None or len(call.args) < 2 or not isinstance(index, int):
        return None
    output = call.args[0]
    wanted = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else [call.args[1]]
    if index >= len(wanted) or not isinstance(wanted[index], ast.Name | ast.Attribute):
        return None
    lost = wanted[index]
    calls = [one for one in Flow(case).behind(output) if isinstance(one, ast.Call)]
    found = next((one for each in calls for one in _unused(case, each, case.text(lost), 0)), None)
    return _told(case, (output, lost), found, len(wanted)) if found is not None else None


def _unused(case: Case, call: ast.Call, text: str, depth: int) -> Iterator[_Unused]:
    """The parameters that a call gives a variable for, and that are not used where it arrives in the end."""
    flow = Flow(case)
    made = (
        flow.methods(call.func.func.id)
        if isinstance(call.func, ast.Call) and isinstance(call.func.func, ast.Name)
        else {}
    )
    for function in [made["forward"]] if "forward" in made else flow.called(call):
        if not isinstance(function, ast.FunctionDef):
            continue
        for parameter in _given_for(case, call, function, text):
            uses = [one for one in _names(function) if one.id == parameter.arg]
            handed = [case.parents.get(one) for one in uses]
            handed = [case.parents.get(one) if isinstance(one, ast.keyword) else one for one in handed]
            if not uses:
                yield _Unused(call, function, parameter)
            elif depth < _MOST:
                further = [
                    list(_unused(case, one, parameter.arg, depth + 1)) if isinstance(one, ast.Call) else []
                    for one in handed
                ]
                yield from further[0] if all(further) else ()


def _given_for(case: Case, call: ast.Call, function: ast.FunctionDef, text: str) -> Iterator[ast.arg]:
    """The parameters that a variable is given for."""
    names = [*function.args.posonlyargs, *function.args.args]
    names = names[1:] if names and names[0].arg in ("self", "ctx") else names
    if not any(isinstance(one, ast.Starred) for one in call.args):
        yield from (name for name, given in zip(names, call.args, strict=False) if case.text(given) == text)
    for keyword in call.keywords:
        if case.text(keyword.value) == text:
            yield from (one for one in (*names, *function.args.kwonlyargs) if one.arg == keyword.arg)


def _names(function: ast.FunctionDef) -> Iterator[ast.Name]:
    """The names in the body of a function."""
    for statement in function.body:
        yield from (one for one in ast.walk(statement) if isinstance(one, ast.Name))


def _instead(case: Case, function: ast.FunctionDef, lost: ast.expr) -> list[ast.expr]:
    """The numbers in a function that are equal to the value of a tensor, written there or under a name of the program's."""
    held = Flow(case).tensor(lost)
    if held is None or held.numel() != 1:
        return []
    value = float(held._a.reshape(-1)[0])
    own = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    own |= {one.id for one in _names(function) if isinstance(one.ctx, ast.Store)}
    found: list[ast.expr] = []
    for node in (one for statement in function.body for one in ast.walk(statement)):
        if not isinstance(node, ast.Constant) and not (isinstance(node, ast.Name) and node.id not in own):
            continue
        number = case.value(node)
        if type(number) in (int, float) and abs(value) not in _COMMON and isclose(float(number), value, rel_tol=1e-6):  # type: ignore[arg-type]  # a number
            found.append(node)
    return found


def _told(case: Case, ends: tuple[ast.expr, ast.expr], unused: _Unused, count: int) -> Finding:
    output, lost = ends
    function, name = unused.function, unused.parameter.arg
    own = case.text(lost) != name
    given = f"{code(case, lost)} as its `{name}`" if own else code(case, lost)
    given_zh = f"{code(case, lost)} 作为 `{name}`" if own else code(case, lost)
    why = (
        f"{code(case, unused.call)} on line {line(unused.call)} is given {given}, and `{function.name}` (line {line(function)}) never uses `{name}`, so"
        f" {code(case, output)} does not depend on {code(case, lost)}."
    )
    why_zh = (
        f"第 {line(unused.call)} 行的 {code(case, unused.call)} 得到了 {given_zh}，而 `{function.name}`（第 {line(function)} 行）从未使用 `{name}`，"
        f"所以 {code(case, output)} 与 {code(case, lost)} 无关。"
    )
    numbers = _instead(case, function, lost)
    if numbers:
        shown = code(case, numbers[0])
        rows = [str(one) for one in dict.fromkeys(line(one) for one in numbers)]
        places = f"line{'s' * (len(rows) > 1)} {joined(rows, 'en')}"
        return finding(
            case,
            f"{why} On {places} it computes with {shown} instead, which has the same value: write `{name}` there.",
            f"{why_zh}第 {joined(rows, 'zh')} 行改用了数值相同的 {shown}：请在那里写 `{name}`。",
            apply(
                case,
                [edit for one in numbers for edit in case.replace(one, name)],
                f"Write `{name}` for {shown}",
                f"把 {shown} 写成 `{name}`",
            ),
            numbers[0],
        )
    also, also_zh = ALLOWED if count > 1 else ("", "")
    return finding(
        case,
        f"{why} Use `{name}` there where the result is to depend on it{also}.",
        f"{why_zh}请在结果应该依赖它的地方使用 `{name}`{also_zh}。",
        None if count > 1 else (),
        unused.parameter,
    )
