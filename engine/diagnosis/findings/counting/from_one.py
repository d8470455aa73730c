"""Loops that count from one what is numbered from zero."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.counting.turns import Loop, Place, position_of, variable_of, written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write


def counted_from_one(case: Case, loop: Loop, place: Place, turns: range) -> Finding | None:
    """``for k in range(1, n + 1): v[k]``, where the number of the turn itself is used, too: each element, counted from 1."""
    variable = str(variable_of(loop))
    if not isinstance(place.index, ast.Name) or turns != range(1, place.size + 1) or written(place) is None:
        return None
    body = [loop] if isinstance(loop, ast.For) else [case.parents[loop]]
    uses = [
        one
        for outer in body
        for one in ast.walk(outer)
        if isinstance(one, ast.Name) and one.id == variable and isinstance(one.ctx, ast.Load)
    ]
    own, at = case.text(place.node.value), position_of(place)
    indices = {one: found for one in uses if (found := _as_index(case, one)) is not None}
    same = [one for one, (outer, where) in indices.items() if case.text(outer.value) == own and where == at]
    if any(_is_of(case, one, own) for one in uses if one not in indices):
        return None  # `x[i] - x[i - 1]`
    if len(indices) == len(uses):
        return _from_zero(case, loop, place)
    edits = [edit for one in same for edit in case.replace(one, f"{variable} - 1")]
    text = text_with(case, place.node, place.index, f"{variable} - 1")
    return finding(
        case,
        f"The loop over {code(case, loop.iter)} on line {line(loop.iter)} counts its {place.size} turns from 1 to {place.size}, and the places of `{own}` are"
        f" counted from 0 to {place.size - 1}: {code(case, place.node)} misses the first and in the last turn lies behind the end. Take one off: `{text}`.",
        f"第 {line(loop.iter)} 行对 {code(case, loop.iter)} 的循环把 {place.size} 轮从 1 数到 {place.size}，而 `{own}` 的位置从 0 数到 {place.size - 1}："
        f"{code(case, place.node)} 漏掉了第一个，最后一轮又越过了末尾。请减去一：`{text}`。",
        case.fix(edits, place.node),
        place.node,
    )


def _as_index(case: Case, node: ast.Name) -> tuple[ast.Subscript, int] | None:
    """The subscript that a name stands in as an index by itself, and in which dimension."""
    match case.parents.get(node):
        case ast.Subscript(slice=index) as outer if index is node:
            return outer, 0
        case ast.Tuple(elts=parts) as several:
            around = case.parents.get(several)
            return (around, parts.index(node)) if isinstance(around, ast.Subscript) else None
    return None


def _is_of(case: Case, node: ast.Name, own: str) -> bool:
    """Whether a name stands in an index of this sequence."""
    outer = case.enclosing(node, ast.Subscript)
    return outer is not None and case.text(outer.value) == own


def _from_zero(case: Case, loop: Loop, place: Place) -> Finding:
    """``for k in range(1, n + 1): v[k]``."""
    own, whole = case.text(place.node.value), f"range({place.length})"
    return finding(
        case,
        f"The loop over {code(case, loop.iter)} on line {line(loop.iter)} counts from 1 to {place.size}, and the places of `{own}` are counted from 0 to"
        f" {place.size - 1}: {code(case, place.node)} misses the first and in the last turn lies behind the end. Count from 0: `{whole}`.",
        f"第 {line(loop.iter)} 行对 {code(case, loop.iter)} 的循环从 1 数到 {place.size}，而 `{own}` 的位置从 0 数到 {place.size - 1}：{code(case, place.node)} 漏掉了第一个，"
        f"最后一轮又越过了末尾。请从 0 数起：`{whole}`。",
        write(case, loop.iter, whole),
        loop.iter,
    )
