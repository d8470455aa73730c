"""Leaves of which a part is overwritten, and the result then used: what is written must be a copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion, is_in_place, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.practice.overwritten import free_name
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_other_line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.fixes.writes import elsewhere
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.uses import written_name
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Edit, Fix

_VIEWS: Final = frozenset(
    [
        "view",
        "reshape",
        "flatten",
        "squeeze",
        "unsqueeze",
        "transpose",
        "permute",
        "t",
        "narrow",
        "select",
        "diagonal",
        "unfold",
        "view_as",
        "swapaxes",
    ]
)
_TURNED: Final = ("T", "mT")
_NO_CHANGE: Final = ("uniform_", "normal_", "random_", "requires_grad_", "retain_grad_")


@dataclass(frozen=True)
class _Write:
    """A write into what a name holds, or into a ``part`` of it: the name, where the name is first looked through, and the writing statement."""

    name: str
    statement: ast.stmt
    through: ast.stmt
    scope: ast.AST
    view: str
    part: bool


@finds(errors.LEAF_INPLACE, errors.LEAF_VIEW_INPLACE)
def _copied_first(case: Case) -> Finding | None:
    """``x[:, 2] = 0`` of what a function was given, and ``return x``; ``part = x[1:]``, ``part.zero_()`` and ``net(x)``."""
    write = _write(case)
    if write is None or _is_trained(case, write) or not (reads := _reads(case, write)):
        return None
    scope, name = write.scope, write.name
    if isinstance(scope, ast.FunctionDef) and name in [one.arg for one in scope.args.args]:
        return _of_argument(case, write, reads) if write.part else _whole_argument(case, write, reads)
    if write.part and _made_here(case, write):
        return _of_own_leaf(case, write, reads)
    return None


def _write(case: Case) -> _Write | None:
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    written = written_name(statement)
    if written is None or statement is None or not _changes_a_value(statement):
        return None
    flow = Flow(case)
    name, view, through = written, "", statement
    while (origin := _viewed(flow, name)) is not None:
        view, through = view or name.id, case.statement(origin) or through
        name = origin
    part = bool(view) or isinstance(statement, ast.Assign) or _writes_part(statement)
    return _Write(name.id, statement, through, flow.scope(name), view, part)


def _changes_a_value(statement: ast.stmt) -> bool:
    """Whether a statement is no step of a training, and no drawing of first values."""
    match statement:
        case ast.AugAssign(value=value) | ast.Assign(value=value):
            return "grad" not in ast.dump(value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr)) as call):
            return is_in_place(attr) and attr not in _NO_CHANGE and "grad" not in ast.dump(call)
    return False


def _writes_part(statement: ast.stmt) -> bool:
    """Whether a write stands at an index: ``x[0] += 1``, ``x[:, 1].zero_()``."""
    match statement:
        case ast.AugAssign(target=ast.Subscript()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript()))):
            return True
    return False


def _viewed(flow: Flow, name: ast.Name) -> ast.Name | None:
    """The name of what another one is a view of, by the one value that it is given."""
    scope = flow.scope(name)
    values = [
        one for one in flow.assigned(name, name.id) if flow.scope(one) is scope and _binds(flow.case, one, name.id)
    ]
    if len(values) != 1:
        return None
    value = values[0]
    while True:
        match value:
            case ast.Subscript(value=inner):
                value = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _VIEWS:
                value = inner
            case ast.Attribute(value=inner, attr=attr) if attr in _TURNED:
                value = inner
            case ast.Name(id=other) if other != name.id:
                return value
            case _:
                return None


def _binds(case: Case, value: ast.expr, name: str) -> bool:
    """Whether a value is given to the name itself, and not to an element of it."""
    match case.parents.get(value):
        case ast.Assign(targets=[ast.Name(id=bound)]) | ast.For(target=ast.Name(id=bound)):
            return bound == name
    return False


def _is_trained(case: Case, write: _Write) -> bool:
    """Whether the leaf is a parameter, or the program updates it by its gradient: then its values were set."""
    leaf = case.context.name or write.name
    if isinstance(case.values.get(write.name), Parameter) or "." in leaf:
        return True
    names = {leaf, write.name}
    for each in case.nodes(ast.Call):
        held = case.value(each.func)
        if isinstance(held, type) and issubclass(held, Optimizer) and names & _names(each):
            return True
    return any(
        names & _names(one.target) and "grad" in ast.dump(one.value) for one in case.nodes(ast.AugAssign)
    ) or any(
        names & {*map(str, map(case.text, one.targets))} and "attr='grad'" in ast.dump(one.value)
        for one in case.nodes(ast.Assign)
    )


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _reads(case: Case, write: _Write) -> list[ast.Name]:
    """Where the name is read behind the write, in its own function: what is computed with, not its gradient."""
    flow, end = Flow(case), (write.statement.end_lineno or 0, write.statement.end_col_offset or 0)
    names = {write.name, write.view} - {""}
    return [
        one
        for one in ast.walk(write.scope)
        if isinstance(one, ast.Name)
        and one.id in names
        and isinstance(one.ctx, ast.Load)
        and start_of(one) >= end
        and flow.scope(one) is write.scope
        and not _asks_only(case, one)
    ]


def _asks_only(case: Case, name: ast.Name) -> bool:
    """``x.grad``, ``x.shape``: what is known of a tensor beside its values; and what is only printed, or written again."""
    match case.parents.get(name):
        case ast.Attribute(attr="grad" | "shape" | "requires_grad" | "is_leaf" | "grad_fn" | "zero_grad"):
            return True
        case ast.Call(func=ast.Name(id="print")):
            return True
        case ast.Subscript(value=value, ctx=ast.Store()):
            return value is name
    return False


def _of_argument(case: Case, write: _Write, reads: list[ast.Name]) -> Finding | None:
    """A function writes into what it was given: the caller's own leaf."""
    name, place = write.name, _outside_of_loops(case, write)
    text = f"{name} = {name}.clone()"
    edits = case.line_before(place, text) if not _asks_gradient(case, write) else []
    given, given_zh = _given_words(case, name)
    view, view_zh = _view_words(write)
    before, before_zh = _place_words(case, place, write.statement)
    return finding(
        case,
        f"{view}{given}, which requires a gradient: {code(case, write.statement)} would overwrite the caller's values, and a leaf cannot be"
        f" overwritten within the graph. Line {line(reads[0])} uses the result, so change a copy: `{text}`"
        f" before {before}.",
        f"{view_zh}{given_zh}，它需要梯度：{code(case, write.statement)} 会改掉调用者的数值，而叶子张量在计算图里不能被改写。第 {line(reads[0])} 行"
        f"要用改写后的结果，所以请改动副本：在{before_zh}之前写 `{text}`。",
        [apply(case, edits, f"`{text}`", f"`{text}`")] if edits else (),
        place if place is not write.statement else None,
    )


def _place_words(case: Case, place: ast.stmt, written: ast.stmt) -> tuple[str, str]:
    """The statement before which the copy is made."""
    if isinstance(place, ast.For | ast.While):
        return f"the loop on line {line(place)}", f"第 {line(place)} 行的循环"
    en, zh = on_other_line(place, written)
    return f"{code(case, place)}{en}", f" {code(case, place)}{zh or ' '}"


def _whole_argument(case: Case, write: _Write, reads: list[ast.Name]) -> Finding | None:
    """``x.clamp_(0, 1)`` of what a function was given, and ``return net(x)``: the method that gives a new tensor."""
    if isinstance(write.statement, ast.AugAssign) and write.name in _names(write.statement.value):
        return None  # told of with what it is computed from
    edits = elsewhere(case, write.statement)
    function = write.scope.name if isinstance(write.scope, ast.FunctionDef) else ""
    if not edits or _asks_gradient(case, write) or "init" in function or "reset" in function:
        return None
    fix = case.fix(edits, write.statement)
    given, given_zh = _given_words(case, write.name)
    if fix is None:
        return None
    return finding(
        case,
        f"{given}, which requires a gradient: {code(case, write.statement)} would overwrite the caller's values, and a leaf cannot be overwritten"
        f" within the graph. Line {line(reads[0])} uses the result, so make a new tensor: {fix.title.en}.",
        f"{given_zh}，它需要梯度：{code(case, write.statement)} 会改掉调用者的数值，而叶子张量在计算图里不能被改写。第 {line(reads[0])} 行要用改写后的"
        f"结果，所以请生成新张量：{fix.title.zh}。",
        [fix],
        None,
    )


def _given_words(case: Case, name: str) -> tuple[str, str]:
    """Which leaf the parameter of a function holds."""
    leaf = case.context.name
    if leaf == name or not leaf:
        return f"`{name}` is itself the leaf that the function was given", f"`{name}` 就是传给函数的那个叶子张量"
    return f"`{name}` is the leaf `{leaf}` itself", f"`{name}` 就是叶子张量 `{leaf}` 本身"


def _view_words(write: _Write) -> tuple[str, str]:
    if not write.view:
        return "", ""
    return f"`{write.view}` is a view of `{write.name}`, and ", f"`{write.view}` 是 `{write.name}` 的视图，"


def _asks_gradient(case: Case, write: _Write) -> bool:
    """Whether the gradient of what is written is asked for in the same function: of a copy there is none."""
    return any(
        isinstance(one.value, ast.Name) and one.value.id == write.name and one.attr == "grad"
        for one in ast.walk(write.scope)
        if isinstance(one, ast.Attribute)
    )


def _outside_of_loops(case: Case, write: _Write) -> ast.stmt:
    """Where the copy is made: before the loops around the write, as far as these stand in its function and give the name no value."""
    place: ast.stmt = write.through
    for loop in _loops_around(case, write.through):
        if Flow(case).scope(loop) is not write.scope or write.name in _names_stored(loop):
            break
        place = loop
    return place


def _loops_around(case: Case, node: ast.AST) -> Iterator[ast.stmt]:
    current = case.parents.get(node)
    while current is not None and not isinstance(current, ast.FunctionDef):
        if isinstance(current, ast.For | ast.While):
            yield current
        current = case.parents.get(current)


def _names_stored(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _made_here(case: Case, write: _Write) -> bool:
    """Whether the name was given the leaf once, and where it is written: outside of all functions or in the same one."""
    name, scope = write.name, write.scope
    stores = [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Store)
        and Flow(case).scope(one) is scope
    ]
    if len(stores) == 1 and _is_blank(case.parents.get(stores[0])):
        return False
    return len(stores) == 1 and (case.context.name or name) == name and stores[0].lineno < write.statement.lineno


def _is_blank(made: ast.AST | None) -> bool:
    """``w = torch.zeros(3, requires_grad=True)``: room for the values that are written into it."""
    match made:
        case ast.Assign(value=ast.Call() as call):
            return called(call) in ("zeros", "empty", "ones", "full", "eye", "zeros_like", "ones_like", "empty_like")
    return False


def _of_own_leaf(case: Case, write: _Write, reads: list[ast.Name]) -> Finding | None:
    """A leaf is written where it was made, and computed with: its values are set, or a changed copy was meant."""
    name, statement = write.name, write.statement
    fixer = FIXERS[errors.LEAF_INPLACE.code]
    copy = free_name(case, f"{name}_changed", f"{name}_copy", f"changed_{name}")
    view, view_zh = _view_words(write)
    kept, set_ = _copy_fix(case, write, reads, copy), fixer(case)
    if kept is None:
        return None
    values = apply(case, set_.edits, f"Set the values of `{name}` itself", f"改动 `{name}` 本身的值") if set_ else None
    return finding(
        case,
        f"{view}`{name}` is a leaf that requires a gradient, and {code(case, statement)} writes into it, which cannot be part of the graph."
        f" If `{name}` is to keep its own values, and only what is computed from them goes on with the changed ones, write into a copy,"
        f" `{copy} = {name}.clone()`, and go on with that; if only the values that `{name}` begins with are to be set, write under `with torch.no_grad():`.",
        f"{view_zh}`{name}` 是需要梯度的叶子张量，而 {code(case, statement)} 写入了它，这样的写入不能成为计算图的一部分。如果 `{name}` 本身的值要保持不变，只是之后要用改动后的值计算，请写入副本"
        f" `{copy} = {name}.clone()`，之后用这个副本；如果只是要设定 `{name}` 的初始值，请放到 `with torch.no_grad():` 下。",
        [kept, values],
        None,
    )


def _copy_fix(case: Case, write: _Write, reads: list[ast.Name], copy: str) -> Fix | None:
    """A copy under a name of its own, so that the leaf keeps its gradient; not in a loop, where each turn may mean to go on."""
    if any(True for _ in _loops_around(case, write.statement)) or (write.view and write.through is write.statement):
        return None
    edits: list[Edit] = case.line_before(write.through, f"{copy} = {write.name}.clone()")
    span = case.program.span_of(write.through)
    if not edits or span is None:
        return None
    within = [one for one in ast.walk(write.through) if isinstance(one, ast.Name) and one.id == write.name]
    for one in (*within, *(each for each in reads if each.id == write.name)):
        edits += case.replace(one, copy)
    return apply(
        case, _merged(edits), f"Write into `{copy} = {write.name}.clone()`", f"写入副本 `{copy} = {write.name}.clone()`"
    )


def _merged(edits: list[Edit]) -> list[Edit]:
    """An inserted line and a name that is replaced right behind it, as one edit."""
    first, rest = edits[0], edits[1:]
    for one in rest:
        if (one.span.line, one.span.column) == (first.span.line, first.span.column):
            kept = [each for each in rest if each is not one]
            start = insertion(first.span.line, first.span.column, first.text).span
            return [Edit(one.span, first.text + one.text), *kept] if start else edits
    return edits
