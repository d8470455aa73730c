"""An argument that a call of the program's own function does not give, while the value for it lies unused where the call stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit, Fix

_COUNTS: Final = frozenset({"n", "num", "nb", "number"})
_SHORTEST: Final = 3


@dataclass(frozen=True)
class _Lying:
    """A variable that nothing reads where the call stands: where it gets its value, and at which place of the call it belongs."""

    name: str
    node: ast.AST
    at: int


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT)
def _unused_value(case: Case) -> Finding | None:
    """``decoder(token, hidden)`` of ``forward(self, token, hidden, memory)``, while ``enc_out`` is used nowhere."""
    call = case.find(ast.Call)
    function = _function(case, call) if call is not None else None
    if call is None or function is None or call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args) if one.arg not in ("self", "cls")]
    needed = names[: len(names) - len(function.args.defaults)]
    if len(needed) != len(call.args) + 1:
        return None
    if needed[-1] in case.values and needed[-1] not in [case.text(one) for one in call.args]:
        return None  # a variable of that very name
    lying = _lying(case, call, needed)
    idle = _is_idle(function, needed[-1])
    return _told(case, call, function, needed, lying, idle) if lying is not None or idle else None


def _told(
    case: Case, call: ast.Call, function: ast.FunctionDef, needed: Sequence[str], lying: _Lying | None, idle: bool
) -> Finding:
    at = lying.at if lying is not None else len(call.args)
    missing, fixes = needed[at], []
    en = (
        f"`{function.name}` on line {line(function)} takes {_listed(needed, ', ')}, and this call gives no `{missing}`."
    )
    zh = f"第 {line(function)} 行的 `{function.name}` 需要 {_listed(needed, '、')}，而这次调用没有给出 `{missing}`。"
    if lying is not None:
        edits, text = _given(case, call, at, lying.name)
        en += f" `{lying.name}` (line {line(lying.node)}) is used nowhere, and seems to be meant for it: `{text}`."
        zh += f"`{lying.name}`（第 {line(lying.node)} 行）没有在任何地方用到，看来应当传给它：`{text}`。"
        fixes.append(apply(case, edits, f"Give it: `{text}`", f"传给它：`{text}`"))
    if idle and at == len(call.args):
        does = f"the body of `{function.name}` does nothing with `{missing}`"
        does_zh = f"`{function.name}` 的函数体并没有用到 `{missing}`"
        if lying is not None:
            en += f" But {does}, so it can also be left out of line {line(function)}."
            zh += f"不过 {does_zh}，所以也可以在第 {line(function)} 行去掉它。"
        else:
            en += f" As {does}, leave it out of line {line(function)}, or use it there and give it here."
            zh += f"由于 {does_zh}，请在第 {line(function)} 行去掉它，或者在那里用上它，并在这里给出。"
        fixes.append(_without_parameter(case, function, missing))
    return finding(case, en, zh, fixes, lying.node if lying is not None else _parameter(function, missing))


def _parameter(function: ast.FunctionDef, name: str) -> ast.arg | None:
    return next((one for one in function.args.args if one.arg == name), None)


def _listed(names: Sequence[str], between: str) -> str:
    return between.join(f"`{one}`" for one in names)


def _function(case: Case, call: ast.Call) -> ast.FunctionDef | None:
    """The function of the program that a call runs: of a class its ``__init__``."""
    found = Flow(case).called(call)
    if not found and isinstance(call.func, ast.Name):
        found = [one for one in [Flow(case).methods(call.func.id).get("__init__")] if one is not None]
    return found[0] if found and isinstance(found[0], ast.FunctionDef) else None


def _lying(case: Case, call: ast.Call, needed: Sequence[str]) -> _Lying | None:
    """The one variable that fits: of those that nothing reads one that is called like an argument, else the only one that was computed here."""
    unread = list(_unread(case, call))
    named = [
        _Lying(name, node, at)
        for name, node in unread
        for at, one in enumerate(needed)
        if are_alike(name, one) and _fits(call, needed, at)
    ]
    if named:
        return named[0] if len(named) == 1 else None
    here = Flow(case).scope(call)
    own = [(name, node) for name, node in unread if Flow(case).scope(node) is here and _is_computed(case, node)]
    return _Lying(*own[0], len(call.args)) if len(own) == 1 else None


def _fits(call: ast.Call, needed: Sequence[str], at: int) -> bool:
    """Whether an argument can be missing at a place: at the last one, or before those that are called like what they then are."""
    pairs = zip(call.args[at:], needed[at + 1 :], strict=True)
    return all(isinstance(one, ast.Name) and are_alike(one.id, name) for one, name in pairs)


def _is_computed(case: Case, node: ast.AST) -> bool:
    """Whether a variable gets what an expression gives, not a number or text that is written there."""
    statement = case.statement(node)
    return isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Constant)


def _unread(case: Case, call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """The names that have a value where a call stands, and that nothing reads there."""
    scope: ast.AST = Flow(case).scope(call)
    seen: set[str] = set()
    while True:
        inside = list(ast.walk(scope))
        read = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        for node in inside:
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            own = scope in (Flow(case).scope(node), case.enclosing(node, ast.FunctionDef))
            if (
                name
                and own
                and not _is_counter(case, node)
                and name not in read | seen
                and name not in ("self", "cls")
                and not name.startswith("_")
            ):
                seen.add(name)
                if line(node) <= line(call):
                    yield name, node
        if isinstance(scope, ast.Module):
            return
        scope = case.program.tree


def _is_counter(case: Case, node: ast.AST) -> bool:
    """Whether a name is what a loop goes by."""
    parent = case.parents.get(node)
    return isinstance(parent, ast.For | ast.comprehension) and parent.target is node


def are_alike(name: str, other: str) -> bool:
    """``enc_out`` and ``encoder_outputs``, ``num_classes`` and ``n_classes``: every word of the shorter name stands in the other one."""
    ours, theirs = sorted((_words(name), _words(other)), key=len)
    left = list(theirs)
    for word in ours:
        found = next((one for one in left if _same(word, one)), None)
        if found is None:
            return False
        left.remove(found)
    return bool(set(ours) - _COUNTS) and len(left) <= 1


def _words(name: str) -> list[str]:
    return [one for one in name.lower().split("_") if one]


def _same(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return word == other or {word, other} <= _COUNTS or (len(short) >= _SHORTEST and long.startswith(short))


def _given(case: Case, call: ast.Call, at: int, name: str) -> tuple[list[Edit], str]:
    """The call with a variable among its arguments."""
    texts = [case.text(one) for one in call.args]
    text = f"{case.text(call.func)}({', '.join([*texts[:at], name, *texts[at:]])})"
    if at < len(call.args):
        return case.before(call.args[at], f"{name}, "), text
    return case.argument(call, name), text


def _is_idle(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function does nothing with one of its parameters, though it does something."""
    body = [one for statement in function.body for one in ast.walk(statement)]
    plain = all(isinstance(one, ast.Pass | ast.Raise | ast.Expr) for one in function.body)
    return not plain and not any(isinstance(one, ast.Name) and one.id == name for one in body)


def _without_parameter(case: Case, function: ast.FunctionDef, name: str) -> Fix | None:
    """The function without a parameter, where this is not its only one."""
    every = [*function.args.posonlyargs, *function.args.args]
    at = next((at for at, one in enumerate(every) if one.arg == name), 0)
    before, own = case.program.span_of(every[at - 1]), case.program.span_of(every[at])
    if at == 0 or function.args.posonlyargs or before is None or own is None:
        return None
    return apply(
        case,
        [case.cut(type(own)(before.end_line, before.end_column, own.end_line, own.end_column))],
        f"Leave `{name}` out of line {line(function)}",
        f"在第 {line(function)} 行去掉 `{name}`",
    )
