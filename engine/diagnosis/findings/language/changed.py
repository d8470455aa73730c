"""Collections that change while a loop goes through them, and values that give their elements once and one by one."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, place
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python

_CHANGED: Final = re.compile(r"(changed size|mutated|keys changed) during iteration")
_CHANGING: Final = frozenset(
    {"pop", "popitem", "popleft", "add", "remove", "discard", "append", "appendleft", "update", "clear", "setdefault"}
)
_ONCE: Final = (
    "generator",
    "map",
    "zip",
    "filter",
    "enumerate",
    "dict_keys",
    "dict_values",
    "dict_items",
    "odict_keys",
    "odict_values",
    "odict_items",
    "reversed",
    "list_iterator",
    "tuple_iterator",
)


@finds(python.UNCLASSIFIED)
def _changed_meanwhile(case: Case) -> Finding | None:
    """``for key in grads: del grads[key]``."""
    node = case.find(ast.AST)
    if node is None or not _CHANGED.search(str(case.details.get("message", ""))):
        return None
    loops = [
        one for one in case.nodes(ast.For) if one is node or one.iter is node or case.program.span_of(one) == case.span
    ]
    loop = loops[0] if loops else case.enclosing(node, ast.For)
    if loop is None:
        return None
    source, owner = loop.iter, _owner(loop.iter)
    changes = [one for statement in loop.body for one in ast.walk(statement) if _changes(case, one, case.text(owner))]
    if not changes:
        return None
    change = case.statement(changes[0]) or changes[0]
    text = f"list({case.text(source)})"
    return finding(
        case,
        f"{code(case, change)} on line {line(change)} changes how many entries `{case.text(owner)}` has while the loop on line"
        f" {line(loop)} goes through it. Go through a"
        f" copy: `for {case.text(loop.target)} in {text}`.",
        f"第 {line(change)} 行的 {code(case, change)} 在第 {line(loop)} 行的循环正遍历 `{case.text(owner)}` 时改变了它的条目数。"
        "请遍历一份副本："
        f"`for {case.text(loop.target)} in {text}`。",
        write(case, source, text),
        change,
    )


def _owner(node: ast.expr) -> ast.expr:
    """The collection behind ``d.items()`` or ``enumerate(d)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="items" | "keys" | "values")):
            return owner
        case ast.Call(func=ast.Name(id="enumerate" | "reversed"), args=[inner, *_]):
            return _owner(inner)
    return node


def _changes(case: Case, node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=owner, ctx=ast.Del() | ast.Store()):
            return case.text(owner) == name
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
            return attr in _CHANGING and case.text(owner) == name
    return False


@finds(mistakes.NO_LENGTH, mistakes.NOT_SUBSCRIPTABLE)
def _one_by_one(case: Case) -> Finding | None:
    """``len(model.parameters())``, ``model.parameters()[0]``."""
    match node := case.find(ast.Call) or case.find(ast.Subscript):
        case ast.Call(func=ast.Name(id="len"), args=[held]):
            ask, ask_zh = "how many", "个数"
        case ast.Subscript(value=held):
            ask, ask_zh = "the one with a number", "按编号取"
        case _:
            return None
    kind = str(case.details.get("type", ""))
    if kind not in _ONCE or node is None:
        return None
    text = f"list({case.text(held)})"
    whole = f"len({text})" if isinstance(node, ast.Call) else f"{text}[{case.text(node.slice)}]"
    made, (where, where_zh) = definition(case, held), place(case, held)
    if isinstance(made, ast.Call) and Flow(case).called(made):
        return None  # a function of the program
    numbers = ""
    if isinstance(node, ast.Call) and isinstance(made, ast.Call) and getattr(made.func, "attr", "") == "parameters":
        numbers = f"sum(p.numel() for p in {case.text(held)})"
    also = f" That counts the tensors; the numbers in them are `{numbers}`." if numbers else ""
    also_zh = f"这样数的是张量的个数；其中数字的总数是 `{numbers}`。" if numbers else ""
    return finding(
        case,
        f"{code(case, held)}{where} is a `{kind}`: it gives its elements one by one in a loop, and cannot be asked for {ask}. Make"
        " a list of it:"
        f" `{whole}`.{also}",
        f"{code(case, held)}{where_zh} 是 `{kind}`：它在循环里逐个给出元素，不能{ask_zh if ask != 'how many' else '问' + ask_zh}。"
        f"请先变成列表：`{whole}`。{also_zh}",
        write(case, held, text, node),
        held,
    )


@finds(python.TYPE, mistakes.NOT_CALLABLE)
def _method_of_list(case: Case) -> Finding | None:
    """``handles.remove()`` of a list whose elements have a method of this name that takes nothing."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.args or call.keywords:
        return None
    held, name = case.value(call.func.value), call.func.attr
    if not isinstance(held, list | tuple) or not held or not hasattr(list, name) or not hasattr(type(held[0]), name):
        return None
    owner, kind = case.text(call.func.value), type(held[0]).__name__
    text = f"for one in {owner}: one.{name}()"
    where, where_zh = place(case, call.func.value)
    statement = case.statement(call)
    alone = isinstance(statement, ast.Expr) and statement.value is call
    return finding(
        case,
        f"`{owner}`{where} is a `list` of {len(held)}, and `{name}` of a list is another thing than `{name}` of its elements"
        f" (`{kind}`). Call it for each of"
        f" them: `{text}`.",
        f"`{owner}`{where_zh} 是含 {len(held)} 个元素的 `list`，列表的 `{name}` 与其中元素（`{kind}`）的 `{name}` 不是一回事。"
        f"请对每个元素调用：`{text}`。",
        write(case, call, text) if alone else (),
        call.func,
    )


@finds(mistakes.SEQUENCE_INDEX)
def _shorter_meanwhile(case: Case) -> Finding | None:
    """``for i in range(len(xs)): xs.pop(i)``."""
    node = case.find(ast.Subscript)
    loop = case.enclosing(node, ast.For) if node is not None else None
    if node is None or loop is None or not isinstance(loop.target, ast.Name):
        return None
    owner, variable = case.text(node.value), loop.target.id
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[held])]):
            if case.text(held) != owner:
                return None
        case _:
            return None
    taken = [one for statement in loop.body for one in ast.walk(statement) if _takes_out(case, one, owner)]
    at = case.values.get(variable)
    if not taken or not isinstance(at, int):
        return None
    change = case.statement(taken[0]) or taken[0]
    there = case.value(node.value)
    left = f"{len(there)}" if isinstance(there, list) else "fewer"
    left_zh = f"{len(there)} 个" if isinstance(there, list) else "更少的"
    own = f"{owner}[{variable}]" in case.text(change) or f"pop({variable})" in case.text(change)
    text = f"reversed({case.text(loop.iter)})"
    return finding(
        case,
        f"{code(case, change)} on line {line(change)} makes `{owner}` shorter while the loop on line {line(loop)} counts as far as it was at the beginning: at"
        f" `{variable}` = {at} it has {left} elements left, and the one behind each that was taken out is passed over. Go backward: `{text}`.",
        f"第 {line(change)} 行的 {code(case, change)} 会让 `{owner}` 变短，而第 {line(loop)} 行的循环仍按开始时的长度计数：`{variable}` = {at} 时只剩{left_zh}元素，"
        f"而且每取出一个，紧跟着的那个就会被跳过。请从后往前走：`{text}`。",
        write(case, loop.iter, text) if own else (),
        change,
    )


def _takes_out(case: Case, node: ast.AST, owner: str) -> bool:
    """Whether a node makes a list shorter."""
    match node:
        case ast.Call(func=ast.Attribute(value=held, attr="pop" | "remove")):
            return case.text(held) == owner
        case ast.Delete(targets=[ast.Subscript(value=held)]):
            return case.text(held) == owner
    return False
