"""Where the numbers of a tensor were made, however they were handed on since."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.words import code, line, on_line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.registry import REGISTRY, Op

_MOST: Final = 60
_SELECTING: Final = "index select slice index_select view unsqueeze squeeze_dim squeeze_dims stack cat permute alias"
"""What only takes parts of data, or puts them together, as a data set and its loader do."""


@cache
def _selecting() -> frozenset[Op]:
    return frozenset(REGISTRY[name] for name in _SELECTING.split())


def born(case: Case, node: ast.expr) -> ast.expr | None:
    """The expression that made the numbers of a tensor, however they were handed on, cut into batches and unpacked since."""
    *_, entry = [None, *_handed_on(case, node)]
    return case.at(ast.expr, entry.place) if entry is not None else None


def _handed_on(case: Case, node: ast.expr) -> Iterator[TensorEntry]:
    """A tensor and those that it was taken out of or put together from, the one that was made last."""
    tensor = Flow(case).tensor(node)
    entry = tensor._entry.first if tensor is not None and tensor._entry is not None else None
    for _ in range(_MOST):
        if entry is None:
            return
        yield entry
        if entry.node is None or entry.node.op is None or entry.node.op not in _selecting():
            return
        entry = entry.node.inputs[0].first if entry.node.inputs else None


def _is_part(entry: TensorEntry) -> bool:
    return entry.node is not None and entry.node.op in (REGISTRY["slice"], REGISTRY["index"], REGISTRY["index_select"])


def joined_elsewhere(case: Case, node: ast.expr) -> tuple[str, str]:
    """`made_elsewhere`; of what was put together of parts that were cut out of one tensor, where that was done."""
    for entry, before in pairwise(_handed_on(case, node)):
        if entry.node is not None and entry.node.op is REGISTRY["stack"] and _is_part(before):
            made = case.at(ast.expr, entry.place)
            known = isinstance(made, ast.Call) and called(made) == "stack" and line(made) != case.span.line
            return on_line(made) if known else made_elsewhere(case, node)
    return made_elsewhere(case, node)


def made_elsewhere(case: Case, node: ast.expr) -> tuple[str, str]:
    """`` (line 3)`` of `born`, where that is another line than the one that is told of."""
    made = born(case, node)
    return ("", "") if made is None or line(made) == case.span.line else on_line(made)


def column_made(case: Case, node: ast.expr) -> ast.expr | None:
    """The expression that made a column of a row of numbers, however its rows were chosen and put together since."""
    tensor = Flow(case).tensor(node)
    entry = tensor._entry.first if tensor is not None and tensor._entry is not None else None
    last = None
    for _ in range(_MOST):
        if entry is None:
            break
        column = entry.array.ndim == 2 and entry.array.shape[1] == 1
        last = entry if column else last
        if entry.node is None or entry.node.op not in _selecting() or not entry.node.inputs:
            break
        before = entry.node.inputs[0].first
        if column and before.array.ndim == 1 and before.array.size == entry.array.size:
            break
        entry = before
    return case.at(ast.expr, last.place) if last is not None else None


def made_by(case: Case, node: ast.expr, made: ast.expr) -> tuple[str, str]:
    """`` (from `raw.view(-1, 1)` on line 3)``, where something was made on another line than that where it is used."""
    if line(made) == line(node) or line(made) == case.span.line:
        return "", ""
    return f" (from {code(case, made)} on line {line(made)})", f"（来自第 {line(made)} 行的 {code(case, made)}）"


def called_elsewhere(case: Case, node: ast.expr) -> tuple[str, str]:
    """`` (`waves` on line 7)``: what a tensor is called where it was made, and where that is."""
    made = born(case, node)
    statement = case.statement(made) if made is not None else None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if made is not None and name != case.text(node):
            return f" (`{name}` on line {line(made)})", f"（第 {line(made)} 行的 `{name}`）"
    return made_elsewhere(case, node)
