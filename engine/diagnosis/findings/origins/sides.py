"""A side that an image begins with, written anew wherever the program writes it: in the input, and in masks or targets of the same size."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.words import apply, code, joined, line
from gradflow.engine.trace import Fix

_MAKERS: Final = frozenset(
    {"rand", "randn", "randint", "zeros", "ones", "full", "empty", "normal", "random", "uniform"}
)


def sides_elsewhere(case: Case, at: ast.expr, side: int) -> list[ast.stmt]:
    """The other statements that make tensors with this side, which have to change with it."""
    own = case.statement(at)
    made = [case.statement(one[0]) for one in _written(case, side)]
    return [one for one in dict.fromkeys(made) if one is not None and one is not own] if _in_maker(case, at) else []


def with_sides(case: Case, at: ast.expr, side: int, sides: list[int]) -> list[Fix | None]:
    """The side replaced by each of some others, at its place and at all that belong to it."""
    places: list[ast.expr] = [at] if isinstance(at, ast.Constant) else []
    if _in_maker(case, at):
        places = [one for found in _written(case, side) for one in found]
    fixes = []
    for new in sides if places else []:
        edits = [edit for one in places for edit in case.replace(one, str(new))]
        rows = list(dict.fromkeys(str(line(one)) for one in places))
        plural = "s" * (len(rows) > 1)
        words = f"`{new}` on line{plural} {joined(rows, 'en')}", f"第 {joined(rows, 'zh')} 行改用 `{new}`"
        fixes.append(apply(case, edits, *words))
    return fixes


def told_elsewhere(case: Case, others: list[ast.stmt]) -> tuple[str, str]:
    """That the side stands on other lines, too, in both languages."""
    if not others:
        return "", ""
    shown = [f"{code(case, one)} (line {line(one)})" for one in others]
    shown_zh = [f"{code(case, one)}（第 {line(one)} 行）" for one in others]
    return f", and the same in {joined(shown, 'en')}", f"，{joined(shown_zh, 'zh')} 也要相同"


def _in_maker(case: Case, at: ast.expr) -> bool:
    outer = case.parents.get(at)
    outer = case.parents.get(outer) if isinstance(outer, ast.Tuple | ast.List) else outer
    return isinstance(outer, ast.Call) and called(outer) in _MAKERS


def _written(case: Case, side: int) -> Iterator[list[ast.expr]]:
    """The numbers that are this side among the last two sizes of each tensor that is made of sizes."""
    for call in case.nodes(ast.Call):
        if called(call) not in _MAKERS:
            continue
        rows = [one.elts for one in call.args if isinstance(one, ast.Tuple | ast.List)]
        sizes = rows[-1] if rows else call.args
        found: list[ast.expr] = [one for one in sizes[-2:] if isinstance(one, ast.Constant) and one.value == side]
        if found and len(sizes) > 2:
            yield found
