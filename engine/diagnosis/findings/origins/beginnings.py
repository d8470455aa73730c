"""What is added to before it has a first value: an entry of a dictionary, an attribute of an object."""

from __future__ import annotations

import ast
from difflib import get_close_matches

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.objects import one_apart
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Fix

_LISTS = frozenset({"append", "extend", "insert", "pop", "sort"})


def _first_value(case: Case, node: ast.expr) -> str:
    """With what a value begins that is counted up, or put things into; empty where it is neither."""
    outer = case.parents.get(node)
    match outer:
        case ast.AugAssign(target=target, op=ast.Mult() | ast.Div()) if target is node:
            return "1.0"
        case ast.AugAssign(target=target, value=ast.List() | ast.ListComp()) if target is node:
            return "[]"
        case ast.AugAssign(target=target, value=value) if target is node:
            return "0" if isinstance(value, ast.Constant) and isinstance(value.value, int) else "0.0"
        case ast.Attribute(attr=attr) if attr in _LISTS:
            return "[]"
        case ast.Attribute(attr="update" | "items" | "keys" | "setdefault"):
            return "{}"
        case ast.Subscript(value=value, ctx=ast.Store()) if value is node:
            return "{}"
    return ""


@finds(python.KEY)
def _entry(case: Case) -> Finding | None:
    """``metrics["acc"] += 1`` where the dictionary has no ``"acc"``."""
    node = case.find(ast.Subscript)
    held, begin = (case.value(node.value), _first_value(case, node)) if node is not None else (None, "")
    if node is None or not isinstance(held, dict) or not begin:
        return None
    owner, key = code(case, node.value), case.text(node.slice)
    made = _dictionary(case, node.value)
    what, what_zh = (
        ("counts on from the value", "是在已有的值上累加")
        if begin != "[]"
        else ("adds to the list", "是往已有的列表里添加")
    )
    if isinstance(node.slice, ast.Constant) and isinstance(made, ast.Dict):
        entry = f"{key}: {begin}"
        edits = [insertion(made.end_lineno or 0, _end_of(case, made), f", {entry}" if made.keys else entry)]
        return finding(
            case,
            f"{code(case, case.statement(node) or node)} {what} under {code(case, node.slice)}, and {owner} (line {line(made)}) has none. Begin it there:"
            f" `{entry}`.",
            f"{code(case, case.statement(node) or node)} {what_zh}，而 {owner}（第 {line(made)} 行）还没有键 {code(case, node.slice)}。请在那里给出初值："
            f"`{entry}`。",
            case.fix(edits, made),
            made,
        )
    statement = case.statement(node)
    text = f"{case.operand(node.value)}.setdefault({key}, {begin})"
    return finding(
        case,
        f"{code(case, statement or node)} {what} under {code(case, node.slice)}, and {owner} (line {line(made)}) has none for this one yet. Begin"
        f" it before that: `{text}`.",
        f"{code(case, statement or node)} {what_zh}，而 {owner}（第 {line(made)} 行）里还没有这个键 {code(case, node.slice)}。请在那之前给出初值：`{text}`。",
        apply(case, case.line_before(statement, text), f"`{text}`", f"`{text}`") if statement is not None else (),
        made,
    )


def _dictionary(case: Case, node: ast.expr) -> ast.expr:
    """Where a dictionary was made, and not only given another entry."""
    given = Flow(case).assigned(node, node.id) if isinstance(node, ast.Name) else ()
    return next((one for one in given if isinstance(one, ast.Dict)), definition(case, node))


def _end_of(case: Case, node: ast.expr) -> int:
    """The column in front of the bracket that ends an expression."""
    span = case.program.span_of(node)
    return span.end_column - 1 if span is not None else 0


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _attribute(case: Case) -> Finding | None:
    """``self.losses.append(...)`` where nothing sets ``self.losses``."""
    node = case.find(ast.Attribute)
    if node is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
        return None
    begin, owner = _first_value(case, node), case.enclosing(node, ast.ClassDef)
    sets = [one for one in case.nodes(ast.Attribute) if one.attr == node.attr and isinstance(one.ctx, ast.Store)]
    if not begin or owner is None or any(not isinstance(case.parents.get(one), ast.AugAssign) for one in sets):
        return None
    if any(one_apart(name, node.attr) for name in _never_read(case, owner)):
        return None  # it was begun, under a name that is misspelt
    text, made = f"self.{node.attr} = {begin}", Flow(case).methods(owner.name).get("__init__")
    where, where_zh = on_line(made)
    return finding(
        case,
        f"{code(case, case.statement(node) or node)} goes on with `self.{node.attr}`, and nothing has set it before: `__init__` of `{owner.name}`{where}"
        f" does not. Begin it there: `{text}`.",
        f"{code(case, case.statement(node) or node)} 要接着使用 `self.{node.attr}`，而之前没有任何地方设置它：`{owner.name}` 的 `__init__`{where_zh}没有设置。"
        f"请在那里给出初值：`{text}`。",
        _at_end(case, made, text) or () if made is not None else (),
        made or owner,
    )


def _never_read(case: Case, owner: ast.ClassDef) -> set[str]:
    """What a class sets in its object, and nothing reads."""
    read = {one.attr for one in case.nodes(ast.Attribute) if isinstance(one.ctx, ast.Load)}
    own = [one for one in ast.walk(owner) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)]
    return {one.attr for one in own if not isinstance(case.parents.get(one), ast.AugAssign)} - read


def _at_end(case: Case, method: ast.FunctionDef, text: str) -> Fix | None:
    """A statement behind the last one of a method."""
    begin, last = case.program.span_of(method.body[0]), case.program.span_of(method.body[-1])
    if begin is None or last is None or case.line(begin.line)[: begin.column].strip():
        return None
    head = case.line(begin.line)[: begin.column]
    edits = [insertion(last.end_line, len(case.line(last.end_line)), f"\n{head}{text}")]
    return apply(case, edits, f"`{text}`", f"`{text}`")


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _kept_otherwise(case: Case) -> Finding | None:
    """``ctx.exp`` where ``forward`` keeps ``ctx.result``, which nothing reads."""
    node = case.find(ast.Attribute)
    owner = case.enclosing(node, ast.ClassDef) if node is not None else None
    if node is None or owner is None or not isinstance(node.value, ast.Name) or isinstance(node.ctx, ast.Store):
        return None
    name = node.value.id
    own = [
        one
        for one in ast.walk(owner)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == name
    ]
    stored = {one.attr: one for one in own if isinstance(one.ctx, ast.Store)}
    read = {one.attr for one in own if isinstance(one.ctx, ast.Load)}
    unread = [one for attr, one in stored.items() if attr not in read]
    if get_close_matches(node.attr, stored, 1):
        return None  # another spelling
    if node.attr in stored or len(unread) != 1 or (name != "ctx" and len(stored) > 1):
        return None
    text = f"{name}.{unread[0].attr}"
    return finding(
        case,
        f"Nothing sets `{name}.{node.attr}`; line {line(unread[0])} sets `{text}`, which nothing reads. Write `{text}`.",
        f"没有任何地方设置 `{name}.{node.attr}`；第 {line(unread[0])} 行设置的是 `{text}`，而没有任何地方读取它。请写 `{text}`。",
        case.fix(case.replace(node, text), node),
        unread[0],
    )


_STARTS = {
    ast.Lt: ('float("inf")', "every number is less than that", "任何数都比它小"),
    ast.LtE: ('float("inf")', "every number is less than that", "任何数都比它小"),
    ast.Gt: ('-float("inf")', "every number is greater than that", "任何数都比它大"),
    ast.GtE: ('-float("inf")', "every number is greater than that", "任何数都比它大"),
}


@finds(mistakes.UNORDERED)
def _compared_with_none(case: Case) -> Finding | None:
    """``value < self.best`` where `best` is still None."""
    node = case.find(ast.Compare)
    if node is None or len(node.ops) != 1 or type(node.ops[0]) not in _STARTS:
        return None
    for part, swapped in ((node.comparators[0], False), (node.left, True)):
        if case.value(part) is not None:
            continue
        given = [
            one.value
            for one in case.nodes(ast.Assign)
            if isinstance(one.value, ast.Constant)
            and one.value.value is None
            and ast.unparse(part) in [ast.unparse(each) for each in one.targets]
        ]
        if not given:
            return None
        kind = type(node.ops[0])
        flipped = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
        text, why, why_zh = _STARTS[flipped[kind] if swapped else kind]
        return finding(
            case,
            f"{code(case, part)} is still `None` here, as line {line(given[-1])} sets it at the beginning, and `None` cannot be compared with a"
            f" number. Begin with `{text}`: {why}.",
            f"{code(case, part)} 在这里还是 `None`（第 {line(given[-1])} 行设的初值），而 `None` 不能与数比较。请以 `{text}` 开始：{why_zh}。",
            case.fix(case.replace(given[-1], text), case.statement(given[-1])),
            given[-1],
        )
    return None
