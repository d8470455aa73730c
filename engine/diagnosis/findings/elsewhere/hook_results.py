"""What hooks of modules give back for a backward pass: one gradient for each that they were given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, Function, returned

_HOOKS: Final = {
    "grad_input": ("register_full_backward_hook", "register_backward_hook", "register_module_full_backward_hook"),
    "grad_output": ("register_full_backward_pre_hook", "register_module_full_backward_pre_hook"),
}
_TOLD: Final = re.compile(r"invalid number of (grad_input|grad_output), got (\d+), but expected (\d+)")


@finds(errors.MODULE_RUNTIME)
def _number_of_gradients(case: Case) -> Finding | None:
    """``return grad_input[0] * 2, grad_input[0] * 2`` of a hook of a module with one input."""
    told = _TOLD.search(str(case.details.get("message", "")))
    if told is None:
        return None
    kind, got, expected = told[1], int(told[2]), int(told[3])
    for registered in case.nodes(ast.Call):
        if called(registered) not in _HOOKS[kind] or not registered.args:
            continue
        for hook in _functions(case, registered.args[0]):
            for result in returned(hook):
                if isinstance(result, ast.Tuple) and len(result.elts) == got:
                    return _counted(case, registered, hook, result, kind, expected)
    return None


def _functions(case: Case, given: ast.expr) -> Iterator[Function]:
    """The functions that an argument stands for: by name, as a method, without a name, or made by another function."""
    if isinstance(given, ast.Lambda):
        yield given
        return
    flow = Flow(case)
    if isinstance(given, ast.Name | ast.Attribute):
        name = given.id if isinstance(given, ast.Name) else given.attr
        defined = [one for one in case.nodes(ast.FunctionDef) if one.name == name]
        yield from defined
        if not defined and isinstance(given, ast.Name):
            for one in flow.assigned(given, given.id):
                yield from () if isinstance(one, ast.Name) else _functions(case, one)
    elif isinstance(given, ast.Call) and called(given) == "partial" and given.args:
        yield from _functions(case, given.args[0])
    elif isinstance(given, ast.Call):
        for maker in flow.called(given):
            inner = [one for one in ast.walk(maker) if isinstance(one, ast.FunctionDef) and one is not maker]
            for result in returned(maker):
                if isinstance(result, ast.Name):
                    yield from (one for one in inner if one.name == result.id)
                elif isinstance(result, ast.Lambda):
                    yield result


def _counted(
    case: Case, registered: ast.Call, hook: Function, result: ast.Tuple, kind: str, expected: int
) -> Finding | None:
    got, parts = len(result.elts), [case.text(one) for one in result.elts]
    names = [one.arg for one in hook.args.args]
    given = names[-2:][0] if kind == "grad_input" else names[-1]
    if not names or any(isinstance(one, ast.Starred) for one in result.elts):
        return None
    kept = parts[:expected] if got > expected else [*parts, f"*{given}[{got}:]"]
    text = f"({', '.join(kept)}{',' if len(kept) == 1 else ''})"
    what, what_zh = ("inputs", "输入") if kind == "grad_input" else ("outputs", "输出")
    held = code(case, registered.func.value) if isinstance(registered.func, ast.Attribute) else "`the module`"
    number = f"{expected} {what if expected > 1 else what[:-1]}"
    return finding(
        case,
        f"The hook of {held} (line {line(registered)}) returns {got} gradient{'s' * (got > 1)} on line {line(result)}, {code(case, result)}, and the"
        f" module has {number}: what the hook returns takes the place of `{given}`, one gradient for each. Return a tuple of"
        f" {expected}: `{text}`.",
        f"{held} 的钩子（第 {line(registered)} 行）在第 {line(result)} 行返回了 {got} 个梯度 {code(case, result)}，而这个模块有 {expected} 个{what_zh}：钩子返回的内容会"
        f"取代 `{given}`，每个{what_zh}对应一个梯度。请返回含 {expected} 个元素的元组：`{text}`。",
        write(case, result, text, result),
        result,
    )
