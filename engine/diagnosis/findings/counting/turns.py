"""Loops that count their turns: what counts, through which numbers, and the index that follows from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.counting.shortened import number_at
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

Loop = ast.For | ast.comprehension


@dataclass(frozen=True)
class Place:
    """An index that lies outside: where it stands, its expression, and how many places there are."""

    node: ast.Subscript
    index: ast.expr
    size: int
    length: str


def loops_around(case: Case, node: ast.AST) -> Iterator[Loop]:
    """The loops that a node stands in, innermost first, as far as its function goes."""
    current = case.parents.get(node)
    while current is not None and not isinstance(current, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        if isinstance(current, ast.For):
            yield current
        yield from reversed(getattr(current, "generators", []))
        current = case.parents.get(current)


def computed_index(case: Case, loop: Loop, index: ast.expr) -> ast.expr | None:
    """The index where it is computed from the loop's variable; of a name what the loop gave it."""
    variable = variable_of(loop)
    if variable is None:
        return None
    if isinstance(index, ast.Name) and index.id != variable:
        index = next(iter(Flow(case).assigned(index, index.id)), index)
    names = {one.id for one in ast.walk(index) if isinstance(one, ast.Name)}
    return index if variable in names else None


def variable_of(loop: Loop) -> str | None:
    """The variable that counts the turns."""
    match loop.target, loop.iter:
        case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), args=[_, *_]):
            return name
        case ast.Name(id=name), ast.Call(
            func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="range"), args=[_, *_])]
        ):
            return name
        case ast.Tuple(elts=[ast.Name(id=name), _]), ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[]):
            return name
    return None


def source_of(loop: Loop) -> ast.Call:
    """The ``range`` or the ``enumerate``, the former also within ``reversed``."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner]):
            return inner
        case ast.Call() as call:
            return call
    raise TypeError


def turns_of(case: Case, loop: Loop) -> range | None:
    """The values that the variable takes."""
    given = source_of(loop).args
    if not isinstance(loop.target, ast.Name):
        held = case.value(given[0])
        size = held.shape[0] if isinstance(held, Tensor) and held.dim() else None
        size = len(held) if isinstance(held, list | tuple) else size
        return range(size) if size is not None else None
    numbers = [number_at(case, one, "", 0) for one in given]
    known = [one for one in numbers if one is not None]
    if len(known) != len(given) or len(known) > 3 or known[2:] == [0]:
        return None
    return range(*known)


def written(place: Place) -> ast.expr | None:
    """The index as it stands in the brackets; None where it is computed before."""
    given = place.node.slice.elts if isinstance(place.node.slice, ast.Tuple) else [place.node.slice]
    return place.index if any(one is place.index for one in given) else None


def position_of(place: Place) -> int:
    """In which dimension an index stands."""
    given = place.node.slice.elts if isinstance(place.node.slice, ast.Tuple) else [place.node.slice]
    return next((at for at, one in enumerate(given) if one is place.index), 0)
