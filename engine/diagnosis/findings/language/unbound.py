"""Names without a value yet: set in a loop without turns, under a condition that did not hold, or further down alone."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.practice.emptiness import length_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python


def _stores(case: Case, node: ast.Name) -> list[ast.Name]:
    """Where the function or the program that uses a name gives it a value."""
    flow = Flow(case)
    scope = flow.scope(node)
    return [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Name)
        and one.id == node.id
        and isinstance(one.ctx, ast.Store)
        and flow.scope(one) is scope
    ]


@finds(python.UNBOUND_LOCAL, python.NAME)
def _in_loop(case: Case) -> Finding | None:
    """``return loss.item()`` behind a loop over a loader that has no batch."""
    node = case.find(ast.Name)
    stores = _stores(case, node) if node is not None else []
    loops = [case.enclosing(one, ast.For) for one in stores]
    loop = loops[0] if loops else None
    if node is None or loop is None or any(one is not loop for one in loops):
        return None
    if case.enclosing(node, ast.For) is loop or line(node) < line(loop) or length_of(case.value(loop.iter)) != 0:
        return None
    made = definition(case, loop.iter)
    why, why_zh = _without_batches(case, made, case.value(loop.iter))
    where, where_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not loop.iter else ("", "")
    return finding(
        case,
        f"`{node.id}` gets its value only inside of the loop on line {line(loop)}, and that had no turn:"
        f" {code(case, loop.iter)}{where} is empty{why}. See to it that"
        f" there is something to go through, or give `{node.id}` a value before the loop.",
        f"`{node.id}` 只在第 {line(loop)} 行的循环里得到值，而循环一轮也没有执行：{code(case, loop.iter)}{where_zh}是空的{why_zh}。"
        "请让它有东西可以遍历，或者在循环之前给"
        f" `{node.id}` 一个值。",
        (),
        made,
    )


def _without_batches(case: Case, made: ast.expr, loader: object) -> tuple[str, str]:
    """Why a loader has no batch."""
    size, count = getattr(loader, "batch_size", None), length_of(getattr(loader, "dataset", None))
    if not isinstance(size, int) or count is None or not getattr(loader, "drop_last", False) or count >= size:
        return "", ""
    return (
        f", for there are {count} samples, fewer than a batch of {size}, and `drop_last=True` drops what is not full",
        f"，因为样本只有 {count} 个，少于一批 {size} 个，而 `drop_last=True` 会丢弃不满的批次",
    )


@finds(python.UNBOUND_LOCAL, python.NAME)
def _under_condition(case: Case) -> Finding | None:
    """A name that only the branches give a value, and none of them was taken."""
    node = case.find(ast.Name)
    stores = [one for one in _stores(case, node) if line(one) <= line(node)] if node is not None else []
    tests = [case.enclosing(one, ast.If) for one in stores]
    if node is None or not stores or any(one is None for one in tests):
        return None
    inside = {id(each) for one in tests if one is not None for each in ast.walk(one)}
    if id(node) in inside:
        return None
    found = [one.test for one in tests if one is not None]
    first = found[0]
    told = ", ".join(dict.fromkeys(f"{code(case, one)} on line {line(one)}" for one in found[:3]))
    told_zh = "、".join(dict.fromkeys(f"第 {line(one)} 行的 {code(case, one)}" for one in found[:3]))
    names = dict.fromkeys(one.id for test in found for one in ast.walk(test) if isinstance(one, ast.Name))
    held = [(one, case.values.get(one)) for one in names]
    plain = [
        f"`{name}` is `{value!r}`"
        for name, value in held
        if type(value) in (int, float, str, bool) and len(repr(value)) < 40
    ][:2]
    now, now_zh = (f" ({', '.join(plain)})", f"（{'，'.join(plain).replace(' is ', ' 是 ')}）") if plain else ("", "")
    return finding(
        case,
        f"`{node.id}` gets its value only under a condition, {told}, and that did not hold{now}. Give it a value in every case: in"
        " an `else`, or"
        f" before.",
        f"`{node.id}` 只在条件成立时得到值，即 {told_zh}，而条件没有成立{now_zh}。请让它在每种情况下都有值：写在 `else` 里，"
        "或写在前面。",
        (),
        first,
    )


@finds(python.UNBOUND_LOCAL)
def _own_of_function(case: Case) -> Finding | None:
    """``step += 1`` in a function, of the program's ``step``."""
    node = case.find(ast.Name)
    if node is None:
        augmented = case.find(ast.AugAssign)
        node = augmented.target if augmented is not None and isinstance(augmented.target, ast.Name) else None
    function = case.enclosing(node, ast.FunctionDef) if node is not None else None
    stores = _stores(case, node) if node is not None else []
    if node is None or function is None or not stores:
        return None
    outer = [
        one
        for one in case.nodes(ast.Name)
        if one.id == node.id and isinstance(one.ctx, ast.Store) and isinstance(Flow(case).scope(one), ast.Module)
    ]
    store = min(stores, key=line)
    if not outer:
        if line(store) <= line(node):
            return None
        return finding(
            case,
            f"`{node.id}` is used on line {line(node)} and gets its value only further down, on line {line(store)}. Set it before it"
            " is used.",
            f"第 {line(node)} 行就用了 `{node.id}`，而它在后面第 {line(store)} 行才得到值。请在使用之前先设置它。",
            (),
            node,
        )
    fixer = FIXERS.get(python.UNBOUND_LOCAL.code)
    known = fixer(case) if fixer is not None else None
    text = known.title.en if known is not None else f"`global {node.id}`"
    return finding(
        case,
        f"Line {line(store)} gives `{node.id}` a value inside of `{function.name}`, so in the whole function `{node.id}` is a name"
        " of its own, which has no value yet on"
        f" line {line(node)}; the `{node.id}` of line {line(outer[0])} is another one. To change that one, say so first: {text};"
        " otherwise use"
        f" another name.",
        f"第 {line(store)} 行在 `{function.name}` 里给 `{node.id}` 赋值，所以在整个函数里 `{node.id}` 是函数自己的变量，到第"
        f" {line(node)} 行还没有值；第 {line(outer[0])} 行的"
        f" `{node.id}` 是另一个。要修改那一个，请先声明：{text}；否则请换一个名字。",
        None,
        store,
    )
