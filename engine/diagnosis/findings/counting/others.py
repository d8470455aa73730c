"""The other loops around an index that lies outside, and the other indices within them: those that go too far as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.counting.shortened import number_at, shortened
from gradflow.engine.diagnosis.findings.counting.turns import (
    Loop,
    Place,
    computed_index,
    loops_around,
    source_of,
    turns_of,
    variable_of,
)
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_MOST: Final = 5_000
"""Turns that are counted of another loop."""


def other_loops(case: Case, loop: Loop, node: ast.AST) -> list[tuple[Loop, str]]:
    """The other loops around a node that go too far for some index in them, with the range that each is to have."""
    found = []
    for one in loops_around(case, node):
        if one is loop or not isinstance(one.target, ast.Name):
            continue
        turns = turns_of(case, one)
        worst = furthest(case, one, turns) if turns is not None and 0 < len(turns) <= _MOST else None
        if worst is None or turns is None:
            continue
        text = range_of(case, one, worst[1], turns, worst[0])
        if text is not None:
            found.append((one, text))
    return found


def furthest(case: Case, loop: Loop, turns: range) -> tuple[int, Place] | None:
    """The index in a loop that leaves the fewest turns, and how many."""
    outer = loop if isinstance(loop, ast.For) else case.parents.get(loop)
    body = loop.body if isinstance(loop, ast.For) else [outer] if outer is not None else []
    found: list[tuple[int, Place]] = []
    for node in (one for each in body for one in ast.walk(each) if isinstance(one, ast.Subscript)):
        if _is_asked_for(case, node, outer):
            continue
        for place in _places(case, loop, node):
            good = good_turns(case, loop, place, turns)
            if good is not None:
                found.append((good, place))
    return min(found, key=lambda one: one[0], default=None)


def good_turns(case: Case, loop: Loop, place: Place, turns: range) -> int | None:
    """How many turns go well before those that ask for a place behind the end; None where all do, or others fail as well."""
    places = [number_at(case, place.index, str(variable_of(loop)), turn) for turn in turns]
    known = [one for one in places if one is not None]
    wrong = [not -place.size <= one < place.size for one in known]
    if len(known) != len(places) or not any(wrong):
        return None
    first = wrong.index(True)
    return first if first > 0 and all(one >= place.size for one in known[first:]) else None


def range_of(case: Case, loop: Loop, place: Place, turns: range, good: int) -> str | None:
    """The range with its first turns alone, as the program writes it."""
    source = source_of(loop)
    bare = isinstance(place.index, ast.Name)
    counted = place.length if bare and turns[:good] == range(place.size) else None
    length = place.length if isinstance(place.node.value, ast.Name) and turns == range(place.size) else ""
    text = shortened(case, source, place.index, str(variable_of(loop)), turns, good, counted, length)
    stop = source.args[0 if len(source.args) == 1 else 1]
    if text is None:
        return None
    return f"range({', '.join([text if one is stop else case.text(one) for one in source.args])})"


def _is_asked_for(case: Case, node: ast.AST, outer: ast.AST | None) -> bool:
    """Whether a condition within the loop decides if a node is reached."""
    current = case.parents.get(node)
    while current is not None and current is not outer:
        if isinstance(current, ast.If | ast.IfExp | ast.BoolOp | ast.Try | ast.While):
            return True
        current = case.parents.get(current)
    return False


def _places(case: Case, loop: Loop, node: ast.Subscript) -> Iterator[Place]:
    """The indices of a subscript that are computed from the variable of a loop."""
    value, text = case.value(node.value), case.text(node.value)
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    held = value if isinstance(value, Tensor) else Flow(case).tensor(node.value)
    sizes = [len(value)] if isinstance(value, list | tuple | str) else list(held.shape) if held is not None else []
    for dim, (index, size) in enumerate(zip(given, sizes, strict=False)):
        own = None if isinstance(index, ast.Slice) else computed_index(case, loop, index)
        if own is not None:
            length = f"{text}.shape[{dim}]" if dim or len(given) > 1 else f"len({text})"
            yield Place(node, own, int(size), length)
