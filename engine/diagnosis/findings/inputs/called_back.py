"""Functions that Python calls for each element: a `key`, and those of `map` and `filter`, which are given the element alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.trace import Edit

_BY_KEY: Final = frozenset({"min", "max", "sorted", "sort", "groupby"})
_PAIRED: Final = frozenset({"items", "enumerate", "zip", "named_parameters", "named_children", "named_modules"})
_NAMES: Final = ("pair", "row", "one", "each")


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT)
def _given_one_element(case: Case) -> Finding | None:
    """``min(results, key=lambda lr, loss: loss)``, whose elements are pairs."""
    call = case.find(ast.Call)
    given = _function(call) if call is not None else None
    if call is None or given is None:
        return None
    made = definition(case, given)
    function = made if isinstance(made, ast.Lambda) else None
    if isinstance(given, ast.Name) and function is None:
        return None
    source = (
        call.args[0] if called(call) not in ("map", "filter") and call.args else call.args[-1] if call.args else None
    )
    source = call.func.value if called(call) == "sort" and isinstance(call.func, ast.Attribute) else source
    names = [one.arg for one in function.args.args] if function is not None else []
    if function is None or source is None or len(names) < 2 or function.args.defaults:
        return None
    pairs = _are_pairs(case, source, len(names))
    name = next(one for one in _NAMES if one not in {*names, *_read(function)})
    text, edits = _taken_apart(case, function, names, name)
    action, action_zh = f"Take the element apart inside: `{text}`", f"请在里面把元素拆开：`{text}`"
    if not pairs and isinstance(case.value(source), list | tuple):
        action, action_zh = "Give it a function of one argument", "请给它一个只有一个参数的函数"
    what, what_zh = ("`key`", " `key`") if called(call) in _BY_KEY else ("function", "函数")
    element, element_zh = (f", which has {len(names)} parts,", f"（其中有 {len(names)} 项）") if pairs else (",", "")
    place, place_zh = on_other_line(function, call)
    return finding(
        case,
        f"`{called(call)}` calls its {what} with one element of {code(case, source)} at a time{element} and {code(case, function)}{place} takes {len(names)} arguments."
        f" {action}.",
        f"`{called(call)}` 每次只用 {code(case, source)} 的一个元素{element_zh}来调用它的{what_zh}，而 {code(case, function)}{place_zh} 有 {len(names)} 个参数。"
        f"{action_zh}。",
        apply(case, edits, f"`{text}`", f"`{text}`") if pairs else (),
        function,
    )


def _function(call: ast.Call) -> ast.expr | None:
    """What a call is given to be called for each element."""
    if called(call) in _BY_KEY:
        return next((one.value for one in call.keywords if one.arg == "key"), None)
    return call.args[0] if called(call) in ("map", "filter") and len(call.args) == 2 else None


def _are_pairs(case: Case, source: ast.expr, count: int) -> bool:
    """Whether the elements are known to be tuples of a length."""
    held, made = case.value(source), definition(case, source)
    if isinstance(held, list | tuple) and held:
        return all(isinstance(one, tuple | list) and len(one) == count for one in held)
    if isinstance(made, ast.Call) and called(made) == "zip":
        return len(made.args) == count
    return isinstance(made, ast.Call) and called(made) in _PAIRED and count == 2


def _read(function: ast.Lambda) -> set[str]:
    return {one.id for one in ast.walk(function.body) if isinstance(one, ast.Name)}


def _taken_apart(case: Case, function: ast.Lambda, names: Sequence[str], name: str) -> tuple[str, list[Edit]]:
    """The function with one parameter, whose parts stand where the several stood; as a text, and as changes."""
    span = case.program.span_of(function)
    uses = [one for one in ast.walk(function.body) if isinstance(one, ast.Name) and one.id in names]
    body = case.text(function.body)
    start = case.program.span_of(function.body)
    if span is None or start is None or start.line != start.end_line:
        return f"lambda {name}: ...", []
    for one in sorted(uses, key=lambda each: each.col_offset, reverse=True):
        own = case.program.span_of(one)
        if own is None:
            return f"lambda {name}: ...", []
        at = own.column - start.column
        body = f"{body[:at]}{name}[{names.index(one.id)}]{body[at + len(one.id) :]}"
    text = f"lambda {name}: {body}"
    return text, case.replace(function, text)
