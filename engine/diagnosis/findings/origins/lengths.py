"""What cannot be counted or joined: what is computed on the way, numbers that are no rows, a loop without a turn."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python

_ON_THE_WAY: Final = frozenset({"generator", "map", "zip", "filter", "enumerate", "list_iterator", "reversed"})


@finds(mistakes.NO_LENGTH, mistakes.NOT_SUBSCRIPTABLE)
def _on_the_way(case: Case) -> Finding | None:
    """``len(gen)`` of a generator, whose elements are made while a loop goes through it."""
    node = case.find(ast.Call) or case.find(ast.Subscript)
    given = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "value", None)
    if not isinstance(given, ast.expr) or type(case.value(given)).__name__ not in _ON_THE_WAY:
        return None
    made = definition(case, given)
    functions = Flow(case).called(made) if isinstance(made, ast.Call) else []
    yields = [one for each in functions for one in ast.walk(each) if isinstance(one, ast.Yield)]
    why = f", for `yield` on line {line(yields[0])} makes one element after the other" if yields else ""
    why_zh = f"，因为第 {line(yields[0])} 行的 `yield` 逐个给出元素" if yields else ""
    text = f"list({case.text(made)})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} is a `{type(case.value(given)).__name__}`{why}: it has no length, no positions, and can be gone"
        f" through once. Make a list of it: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 是 `{type(case.value(given)).__name__}`{why_zh}：它没有长度，不能按位置取，而且只能遍历一次。请变成列表："
        f"`{text}`。",
        case.fix(case.wrapped(made, "list(", ")"), case.statement(made)),
        made,
    )


@finds(errors.JOIN_REFUSED)
def _numbers(case: Case) -> Finding | None:
    """``torch.cat`` of losses, which are single numbers."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or "zero-dimensional" not in str(case.details):
        return None
    old = call.func.attr
    given = code(case, call.args[0]) if call.args else code(case, call)
    text = f"{case.text(call.func)[: -len(old)]}stack"
    return finding(
        case,
        f"{given} holds single numbers, and `{old}` puts tensors behind one another along a dimension that they have; numbers have none."
        f" `stack` makes a vector of them: `{text}(...)`.",
        f"{given} 里都是单个数，而 `{old}` 要沿已有的维度首尾相接，单个数没有维度。`stack` 会把它们组成向量：`{text}(...)`。",
        case.fix(case.rename_end(call.func, old, "stack"), call),
        call,
    )


@finds(python.UNBOUND_LOCAL, python.NAME)
def _without_turn(case: Case) -> Finding | None:
    """A name that gets its value in a loop, and the loop had nothing to go through."""
    node = case.find(ast.Name)
    if node is None:
        return None
    scope = Flow(case).scope(node)
    stores = [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Name) and one.id == node.id and isinstance(one.ctx, ast.Store)
    ]
    loops = [case.enclosing(one, ast.For) for one in stores]
    loop = loops[0] if loops and all(one is not None and one is loops[0] for one in loops) else None
    if loop is None or case.enclosing(node, ast.For) is loop or Flow(case).scope(stores[0]) is not scope:
        return None
    if not _is_empty(case, loop.iter):
        return None
    made = definition(case, loop.iter)
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not loop.iter else ("", "")
    shown = f", {code(case, made)}" if made is not loop.iter else ""
    shown_zh = f"，即 {code(case, made)}" if made is not loop.iter else ""
    return finding(
        case,
        f"`{node.id}` gets its value inside of the loop on line {line(loop)}, and that had no turn: {code(case, loop.iter)}{shown}{where} is empty."
        f" See to it that there is something to go through there, or give `{node.id}` a value before the loop.",
        f"`{node.id}` 在第 {line(loop)} 行的循环里得到值，而循环一轮也没有执行：{code(case, loop.iter)}{shown_zh}{where_zh}是空的。请让那里有东西可以遍历，或者在循环"
        f"之前给 `{node.id}` 一个值。",
        (),
        made,
    )


def _is_empty(case: Case, node: ast.expr) -> bool:
    value = case.value(node)
    if isinstance(value, list | tuple | dict | range):
        return not value
    inner = definition(case, node)
    return isinstance(inner, ast.List | ast.Tuple) and not inner.elts


@finds(errors.STACK_EMPTY)
def _nothing_put_in(case: Case) -> Finding | None:
    """A list whose one ``append`` stands under a condition that never held."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if not isinstance(given, ast.Name):
        return None
    adds = [
        one
        for one in case.nodes(ast.Call)
        if getattr(one.func, "attr", "") == "append" and case.text(getattr(one.func, "value", one)) == given.id
    ]
    tests = [(one, outer) for one in adds if (outer := case.enclosing(one, ast.If)) is not None]
    if not adds or len(tests) != len(adds):
        return None
    test = tests[0][1].test
    return finding(
        case,
        f"`{given.id}` is still empty: it gets something on line {line(tests[0][0])} only, under {code(case, test)} (line {line(test)}), and that was"
        f" never true. Look what {code(case, test)} compares, and correct the condition.",
        f"`{given.id}` 还是空的：只有第 {line(tests[0][0])} 行会往里放东西，条件是 {code(case, test)}（第 {line(test)} 行），而它从未成立。请检查"
        f" {code(case, test)} 比较的内容，并改正条件。",
        (),
        test,
    )
