"""Traps of data and labels that are put into two different orders before they are tensors."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.data import are_data_and_labels
from gradflow.engine.diagnosis.traps.edits import line_before
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note

TWO_SHUFFLES: Final = Trap(
    "two-shuffles",
    "`{first}` and `{second}` are shuffled by two calls, into two different orders: row k of the one no longer belongs to row k of the other. Draw one permutation, and index"
    " both with it.",
    "`{first}` 和 `{second}` 由两次调用分别打乱，次序不同：一个的第 k 行不再对应另一个的第 k 行。请只生成一个排列，用它索引两者。",
)


def two_shuffles(run: Record) -> Iterator[Note]:
    """``np.random.shuffle(X); np.random.shuffle(y)``, and ``X = X[permutation(n)]; y = y[permutation(n)]``."""
    if run.steps:
        yield from _two_permutations(run)
    if "shuffle" not in run.program.source or not run.steps:
        return
    found: list[tuple[ast.Call, str]] = []
    for call in run.case.nodes(ast.Call):
        if called(call) == "seed":
            found = []
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr="shuffle"), args=[ast.Name(id=name)], keywords=[]) if (
                "random" in run.case.text(owner)
            ):
                found.append((call, name))
    for (first, one), (second, other) in itertools.pairwise(found):
        near = second.lineno - first.lineno <= 2 and run.case.enclosing(first, ast.FunctionDef) is run.case.enclosing(
            second, ast.FunctionDef
        )
        lengths = {_length(run.namespace.get(name)) for name in (one, other)}
        if near and one != other and len(lengths) == 1 and lengths != {0}:
            yield TWO_SHUFFLES.note(run.program.span_of(second), (), None, first=one, second=other)
            return


_NEAR: Final = 2
"""Lines between what belongs together."""
_PERMUTING: Final = frozenset({"permutation", "randperm"})


def _two_permutations(run: Record) -> Iterator[Note]:
    """Data and labels, each indexed with a permutation drawn for it alone, one after the other."""
    statements = run.case.nodes(ast.Assign)
    for first, second in itertools.pairwise(statements):
        if second.lineno - first.lineno <= _NEAR:
            one, other = _permuted(first), _permuted(second)
            if one is None or other is None:
                continue
            if not are_data_and_labels(one[0], other[0]):
                continue
            fix = _one_permutation(run, first, one[1], other[1])
            yield TWO_SHUFFLES.note(run.program.span_of(second), (), fix, first=one[0], second=other[0])
            return


def _permuted(statement: ast.stmt) -> tuple[str, ast.Call] | None:
    """The name that is permuted, and the call that draws the order."""
    match statement:
        case ast.Assign(
            targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=name), slice=ast.Call() as order)
        ) if called(order) in _PERMUTING:
            return name, order
    return None


def _one_permutation(run: Record, statement: ast.stmt, first: ast.Call, second: ast.Call) -> Fix | None:
    if re.search(r"\border\b", run.program.source):
        return None
    drawn = line_before(run.case, statement, f"order = {run.case.text(first)}")
    edits = [*drawn, *run.case.replace(first, "order"), *run.case.replace(second, "order")]
    return run.fix(edits, "`[order]` for both", "两者都用 `[order]`")


def _length(held: object) -> int:
    if isinstance(held, Tensor):
        return int(held._a.shape[0]) if held._a.ndim else 0
    return len(held) if type(held) in (list, np.ndarray) else 0  # type: ignore[arg-type]  # none of the program's own


TRAPS: Final = (two_shuffles,)
