"""Passes whose gradients are differentiated again, and that record no graph for it."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line


def is_itself(case: Case, output: ast.expr, call: ast.Call) -> bool:
    """Whether an output is what a pass gave, or an element, a sum, or the like of it: nothing but that gradient."""
    node: ast.AST = output
    if isinstance(output, ast.Name):
        node = case.assignment(output.id, unpacked=True) or output
    while isinstance(node, ast.Subscript | ast.Attribute) or (isinstance(node, ast.Call) and node is not call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node is call or isinstance(node, ast.Name)


def without_graph(case: Case, output: ast.expr, call: ast.Call, itself: bool) -> Finding:
    shown = code(case, call)
    first, first_zh = ("that first", "第一次的") if call is not case.find(ast.Call) else ("that", "")
    en = (
        f"{code(case, output)} is a gradient, computed by"
        if itself
        else f"{code(case, output)} is computed from a gradient, that of"
    )
    where = f"第 {line(call)} 行的 {shown}"
    zh = f"是由{where} 算出的梯度" if itself else f"由梯度计算而来，这个梯度是{where} 算出的"
    more = _also_trained(case, call)
    lines = "Line {} needs" if len(more) == 1 else "Lines {} need"
    numbers = ", ".join(str(line(one)) for one in more)
    also = (
        f" {lines.format(numbers)} it as well, for the loss goes through {'it' if len(more) == 1 else 'them'}."
        if more
        else ""
    )
    also_zh = f"第 {'、'.join(str(line(one)) for one in more)} 行也需要，因为损失要经过它们求导。" if more else ""
    edits = [edit for one in (call, *more) for edit in case.argument(one, "create_graph=True")]
    return finding(
        case,
        f"{en} {shown} on line {line(call)}; without `create_graph=True` that pass records no graph of its own, so its result cannot be differentiated"
        f" again. Write `create_graph=True` into {first} call.{also}",
        f"{code(case, output)} {zh}；没有 `create_graph=True` 时，那次反向传播"
        f"不记录自己的计算图，其结果不能再求导。请在那个{first_zh}调用里写上 `create_graph=True`。{also_zh}",
        apply(case, edits, "`create_graph=True`", "`create_graph=True`") if more else case.fix(edits, call),
        call,
    )


def _also_trained(case: Case, call: ast.Call) -> list[ast.Call]:
    """Further calls of ``grad`` beside one whose gradient is differentiated again, where what comes out is trained with."""
    failing = case.find(ast.Call)
    if failing is None or failing is call or called(failing) != "grad":
        return []
    if not any(called(one) == "backward" for one in case.nodes(ast.Call)):
        return []
    around = case.enclosing(failing, ast.FunctionDef)
    return [
        one
        for one in case.nodes(ast.Call)
        if one is not call
        and pass_of(case, one, itself=True) is one
        and case.enclosing(one, ast.FunctionDef) is around
        and not any(keyword.arg in ("create_graph", None) for keyword in one.keywords)
    ]


def pass_of(case: Case, node: ast.expr, *, itself: bool = False) -> ast.Call | None:
    """The call of ``grad`` that a value is of, or of ``backward`` for ``x.grad``."""
    match node:
        case ast.Call(func=ast.Name(id="grad")) if any(one.name == "grad" for one in case.nodes(ast.FunctionDef)):
            return None  # a function of the program's, whose own call it is
        case ast.Call(func=ast.Attribute(attr="grad") | ast.Name(id="grad")) as call:
            again = case.program.span_of(call) == case.context.related  # the same call, of a turn or a call before
            return call if itself or again or call is not case.find(ast.Call) else None
        case ast.Attribute(attr="grad"):
            calls = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "backward"]
            before = [one for one in calls if one.lineno < case.span.line]
            return before[-1] if before else None
    return None
