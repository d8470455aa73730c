"""Loops that go too far: the index of the last turns, or of the first one, is computed from the variable and lies outside."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.counting.from_one import counted_from_one
from gradflow.engine.diagnosis.findings.counting.others import furthest, other_loops, range_of
from gradflow.engine.diagnosis.findings.counting.shortened import number_at, shortened
from gradflow.engine.diagnosis.findings.counting.sources import of_another
from gradflow.engine.diagnosis.findings.counting.turns import (
    Loop,
    Place,
    computed_index,
    loops_around,
    source_of,
    turns_of,
    variable_of,
)
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.indices import blamed
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Fix

_MOST: Final = 100_000
"""Turns that are counted."""
_FEW: Final = 5_000
"""Turns that are counted of each index in a loop."""


@finds(errors.INDEX_RANGE, errors.SELECT_RANGE, mistakes.SEQUENCE_INDEX, mistakes.ARRAY_INDEX, python.INDEX)
def _too_far(case: Case) -> Finding | None:
    """``for i in range(len(x)): x[i + 1]``."""
    node = case.find(ast.Subscript)
    found = blamed(case, node) if node is not None else None
    if node is None or found is None:
        return None
    for loop in loops_around(case, node):
        index = computed_index(case, loop, found[0])
        if index is None:
            continue
        told = _of_loop(case, loop, Place(node, index, found[1], found[2]))
        if told is not None:
            return told
    return None


def _of_loop(case: Case, loop: Loop, place: Place) -> Finding | None:
    variable, turns = variable_of(loop), turns_of(case, loop)
    if variable is None or turns is None or not 0 < len(turns) <= _MOST:
        return None
    places = [number_at(case, place.index, variable, turn) for turn in turns]
    known = [one for one in places if one is not None]
    wrong = [not -place.size <= one < place.size for one in known]
    now = case.values.get(variable)
    if len(known) != len(places) or not any(wrong):
        return None
    first = wrong.index(True)
    if (
        isinstance(now, int)
        and isinstance(case.parents.get(loop), ast.stmt | ast.Module)
        and now != turns[-1 if source_of(loop) is not loop.iter else first]
    ):
        return None
    if first > 0 and all(wrong[first:]) and known[first] >= place.size:
        return _cut_short(case, loop, place, turns, first, known[first])
    if first == 0 and len(turns) > 1 and not any(wrong[1:]) and known[0] == place.size:
        return _one_lower(case, loop, place, turns, known)
    return None


def _cut_short(case: Case, loop: Loop, place: Place, turns: range, good: int, asked: int) -> Finding | None:
    """The last turns are too many."""
    if (other := of_another(case, loop, place, turns, asked)) is not None:
        return other
    variable, over = str(variable_of(loop)), len(turns) - good
    source, more = source_of(loop), []
    fixes: Sequence[Fix | None]
    if isinstance(loop.target, ast.Name):
        worst = furthest(case, loop, turns) if len(turns) < _FEW else None
        least, lowest = worst if worst is not None and worst[0] < good else (good, place)
        text = range_of(case, loop, lowest, turns, least)
        if text is None:
            return None
        whole, more = text, other_loops(case, loop, place.node)
        edits = [
            *case.replace(source, whole),
            *(edit for one, new in more for edit in case.replace(source_of(one), new)),
        ]
        fixes = [case.fix(edits, source), write(case, source, whole) if more else None]
    else:
        whole = f"enumerate({case.operand(source.args[0])}[:-{over}])"
        fixes = [write(case, source, whole)] if isinstance(source.args[0], ast.Name | ast.Attribute) else []
    if (shifted := counted_from_one(case, loop, place, turns)) is not None:
        return shifted
    far, far_zh = ("one turn", "一轮") if over == 1 else (f"{over} turns", f" {over} 轮")
    too = "".join(f"; and so the one on line {line(source_of(one))}: `{new}`" for one, new in more)
    too_zh = "".join(f"；第 {line(source_of(one))} 行的循环也是：`{new}`" for one, new in more)
    head = code(case, source)
    shown = code(case, place.node)
    which, which_zh = ("last", "最后一轮") if source is loop.iter else ("first", "第一轮")
    if over == 1:
        said = f"in its {which} turn `{variable}` is {turns[good]}, and {shown} asks for the place {asked}"
        said_zh = f"{which_zh} `{variable}` 是 {turns[good]}，{shown} 要取编号 {asked} 的位置"
    else:
        said = f"`{variable}` ends at {turns[-1]}, and from {turns[good]} on {shown} asks for places from {asked} up"
        said_zh = f"`{variable}` 一直到 {turns[-1]}，从 {turns[good]} 起 {shown} 就要取编号 {asked} 及以后的位置"
    return finding(
        case,
        f"The loop over {head} on line {line(source)} goes {far} too far: {said}, where the places are 0 to {place.size - 1}. Let it end"
        f" earlier: `{whole}`{too}.",
        f"第 {line(source)} 行对 {head} 的循环多走了{far_zh}：{said_zh}，而编号只有 0 到 {place.size - 1}。请让循环早一些结束：`{whole}`{too_zh}。",
        fixes,
        source,
    )


@finds(errors.INDEX_RANGE, errors.SELECT_RANGE, mistakes.SEQUENCE_INDEX, mistakes.ARRAY_INDEX, python.INDEX)
def _condition_too_wide(case: Case) -> Finding | None:
    """``while i <= len(x): x[i]``."""
    node = case.find(ast.Subscript)
    found = blamed(case, node) if node is not None else None
    loop = case.enclosing(node, ast.While) if node is not None else None
    if node is None or found is None or loop is None:
        return None
    match loop.test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() as op], comparators=[limit]):
            equal = isinstance(op, ast.LtE)
        case _:
            return None
    now, end = case.values.get(name), number_at(case, limit, "", 0)
    if type(now) is not int or end is None:
        return None
    over, asked = end + equal - now, number_at(case, found[0], name, now)
    before = number_at(case, found[0], name, now - 1)
    if over < 1 or asked is None or before is None or not before < found[1] <= asked:
        return None
    turns = range(end + equal)
    source = ast.copy_location(ast.Call(ast.Name("range", ast.Load()), [limit], []), limit)
    text = shortened(case, source, found[0], name, range(turns.stop - equal), now - equal, None)
    whole = f"{name} < {case.text(limit)}" if equal and over == 1 else f"{name} {'<=' if equal else '<'} {text}"
    if text is None and not (equal and over == 1):
        return None
    test, shown = code(case, loop.test), code(case, node)
    return finding(
        case,
        f"{test} on line {line(loop)} still holds when `{name}` is {now}, and {shown} then asks for the place {asked}, where the places are 0 to {found[1] - 1}."
        f" Let the loop end earlier: `{whole}`.",
        f"`{name}` 等于 {now} 时，第 {line(loop)} 行的 {test} 仍然成立，这时 {shown} 要取编号 {asked} 的位置，而编号只有 0 到 {found[1] - 1}。请让循环早一些结束：`{whole}`。",
        write(case, loop.test, whole),
        loop.test,
    )


def _one_lower(case: Case, loop: Loop, place: Place, turns: range, places: Sequence[int]) -> Finding | None:
    """``x[len(x) - i]``, ``for i in range(len(x), 0, -1): x[i]``: the places are counted down from the length itself."""
    if any(later >= before for before, later in pairwise(places)):
        return None
    if places[-1] < 1:
        return _starts_at_length(case, loop, place, turns)
    variable, index = str(variable_of(loop)), place.index
    if index is not place.node.slice:
        return None
    text = f"{case.text(index)} - 1"
    match index:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Name(id=name)) if name == variable:
            text = f"{case.text(left)} - 1 - {name}"
    whole = f"{case.operand(place.node.value)}[{text}]"
    return finding(
        case,
        f"In the first turn of the loop over {code(case, loop.iter)} on line {line(loop.iter)} `{variable}` is {turns[0]}, and {code(case, place.node)} asks for"
        f" the place {places[0]}, where the places are 0 to {place.size - 1}: the last place is the length less one. Take one off: `{whole}`.",
        f"第 {line(loop.iter)} 行对 {code(case, loop.iter)} 的循环，第一轮 `{variable}` 是 {turns[0]}，{code(case, place.node)} 要取编号 {places[0]} 的位置，而编号只有 0 到"
        f" {place.size - 1}：最后一个编号是长度减一。请减去一：`{whole}`。",
        write(case, index, text, place.node),
        place.node,
    )


def _starts_at_length(case: Case, loop: Loop, place: Place, turns: range) -> Finding | None:
    """``for i in range(len(x), -1, -1): x[i]``: down to 0, but from one too high."""
    source = source_of(loop)
    if source is not loop.iter or len(source.args) != 3 or turns.step != -1 or not isinstance(place.index, ast.Name):
        return None
    start, variable = source.args[0], str(variable_of(loop))
    match start:
        case ast.Constant(value=int(number)):
            text = str(number - 1)
        case ast.Name() | ast.Call() | ast.Subscript() | ast.Attribute():
            text = f"{case.text(start)} - 1"
        case _:
            return None
    whole = f"range({text}, {case.text(source.args[1])}, {case.text(source.args[2])})"
    return finding(
        case,
        f"The loop over {code(case, source)} on line {line(source)} begins with `{variable}` = {turns[0]}, and {code(case, place.node)} asks for the place"
        f" {turns[0]}, where the places are 0 to {place.size - 1}: the last place is the length less one. Begin there: `{whole}`.",
        f"第 {line(source)} 行对 {code(case, source)} 的循环从 `{variable}` = {turns[0]} 开始，{code(case, place.node)} 要取编号 {turns[0]} 的位置，而编号只有 0 到"
        f" {place.size - 1}：最后一个编号是长度减一。请从那里开始：`{whole}`。",
        write(case, source, whole),
        source,
    )
