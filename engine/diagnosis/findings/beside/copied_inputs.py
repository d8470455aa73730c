"""The gradient of a copy whose original the output was computed from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Text

_COPIES: Final = "clone detach requires_grad_ float double half to type contiguous cuda cpu type_as view_as"
_COPYING: Final = frozenset(_COPIES.split())
_MAKERS: Final = frozenset(("tensor", "as_tensor", "Variable", "Parameter", "clone", "detach", "deepcopy", "copy"))


@finds(errors.UNUSED_INPUT)
def _copied(case: Case) -> Finding | None:
    """``t = x.clone().requires_grad_()``, ``u = net(x)`` and ``grad(u, t)``."""
    call, index = case.find(ast.Call), case.details.get("index")
    output = argument_of(call, 0, "outputs") if call is not None else None
    given = argument_of(call, 1, "inputs") if call is not None else None
    wanted = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    if not isinstance(output, ast.expr) or not isinstance(index, int) or index >= len(wanted):
        return None
    lost = wanted[index]
    made = _made(case, lost) if isinstance(lost, ast.Name) else None
    original = _original(case, made.value) if made is not None else None
    if made is None or original is None or not isinstance(lost, ast.Name):
        return None
    uses = _uses(case, output, original, made)
    if not uses:
        return None
    statements = list(dict.fromkeys(one for use in uses if (one := case.statement(use)) is not None))
    early = [one for one in statements if one.lineno < made.lineno]
    edits = [edit for use in uses for edit in case.replace(use, lost.id)]
    if early:
        moved = moved_behind(case, statements[0], made, before=True) if len(early) == 1 else []
        edits = [*edits, *moved] if moved and not _overlap(edits, moved) else []
    places = {_around(case, use): use for use in uses}
    calls = [one for one in places if one is not places[one]] or uses[:1]
    source, name, first = code(case, original), code(case, lost), calls[0]
    shown = list(dict.fromkeys(code(case, one) for one in calls))
    said, said_zh, take = joined(shown, "en"), joined(shown, "zh"), "takes" if len(shown) == 1 else "take"
    when, when_zh = (f", before there is {name}", f"，那时还没有 {name}") if early else ("", "")
    text = text_with(case, first, places.get(first, first), lost.id) if first in places else lost.id
    where = f" in front of line {line(statements[0])}" if early else ""
    where_zh = f"放到第 {line(statements[0])} 行之前，" if early else ""
    words = Text(f"Make {name}{where}, and write `{text}`", f"{where_zh}创建 {name}，并写 `{text}`")
    return finding(
        case,
        f"{name} is a tensor of its own, made from {source} on line {line(made)}, and {said} on line {line(first)} {take} {source} itself{when}: so no"
        f" path leads from {name} to {code(case, output)}. {f'Make {name}{where}, and compute' if early else 'Compute'} the output from {name}:"
        f" `{text}`.",
        f"{name} 是第 {line(made)} 行由 {source} 得到的另一个张量，而第 {line(first)} 行的 {said_zh} 用的是 {source} 本身{when_zh}：所以没有路径从 {name} 通向"
        f" {code(case, output)}。请{f'把创建 {name} 的一行' if early else ''}{where_zh}用 {name} 计算输出：`{text}`。",
        [case.fix(edits, statements[0], words if early else None)],
        first,
    )


def _made(case: Case, name: ast.Name) -> ast.Assign | None:
    """The one assignment of a name in its function."""
    scope = Flow(case).scope(name)
    found = [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Assign)
        and [case.text(each) for each in one.targets] == [name.id]
        and Flow(case).scope(one) is scope
    ]
    return found[0] if len(found) == 1 else None


def _original(case: Case, value: ast.expr) -> ast.expr | None:
    """What an expression is a copy of: `x` of ``x.detach().clone()``, ``torch.tensor(x)``, and of a function that gives a copy back."""
    copied = False
    while True:
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=[given, *_]) as call if called(
                call
            ) in _MAKERS and not isinstance(case.values.get(module), Tensor):
                value, copied = given, True
            case ast.Call(func=ast.Name(id=name), args=[given, *_]) if name in _MAKERS:
                value, copied = given, True
            case ast.Call(func=ast.Attribute(value=owner)) as call if called(call) in _COPYING:
                value, copied = owner, copied or called(call) != "requires_grad_"
            case ast.Call(func=ast.Name(), args=[given]) as call if functions := Flow(case).called(call):
                inner = [one.value for one in ast.walk(functions[0]) if isinstance(one, ast.Return) and one.value]
                parameters = [one.arg for one in functions[0].args.args]
                own = _original(case, inner[0]) if len(inner) == 1 else None
                if not isinstance(own, ast.Name) or parameters[:1] != [own.id]:
                    return None
                value, copied = given, True
            case _:
                return value if copied and is_simple(value) else None


def _uses(case: Case, output: ast.expr, original: ast.expr, made: ast.Assign) -> list[ast.expr]:
    """Where the output was computed from the original, in the function that makes the copy."""
    flow, text = Flow(case), case.text(original)
    found = [
        one
        for one in flow.behind(output)
        if case.text(one) == text
        and type(one) is type(original)
        and flow.scope(one) is flow.scope(made)
        and case.statement(one) is not made
        and (isinstance(case.statement(one), ast.Assign | ast.AugAssign | ast.Expr | ast.Return))
    ]
    return sorted(found, key=lambda one: (one.lineno, one.col_offset))


def _around(case: Case, use: ast.expr) -> ast.expr:
    """The call that takes a value; the value itself where none does."""
    parent = case.parents.get(use)
    return parent if isinstance(parent, ast.Call) and use in parent.args else use


def _overlap(edits: Sequence[Edit], others: Sequence[Edit]) -> bool:
    """Whether some lines are changed by both."""
    return any(
        (edit.span.line, edit.span.column) < (one.span.end_line, one.span.end_column)
        and (one.span.line, one.span.column) < (edit.span.end_line, edit.span.end_column)
        for edit in edits
        for one in others
    )
