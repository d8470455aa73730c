"""Contrastive losses of two views of each sample, laid below one another: the target of a row is the other view, half of the rows away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import is_made_by, operands_of
from gradflow.engine.recording.entries import TensorEntry

_MOST: Final = 400
_PRODUCTS: Final = ("mm", "matmul")
_DIAGONAL: Final = re.compile(r"fill_diagonal_|\beye\(|\bdiag\w*\(")


def joined_with_itself(scores: TensorEntry) -> TensorEntry | None:
    """The two halves, joined along dimension 0, that a square of scores compares row by row with themselves."""
    for one in _behind(scores):
        shape = one.array.shape
        name = one.node.op.name if one.node is not None and one.node.op is not None else ""
        if name not in _PRODUCTS or len(shape) != 2 or shape[0] != shape[1]:
            continue
        factors = [each for each in operands_of(one) if each.array.ndim == 2]
        if len(factors) != 2:
            return None
        others = {each.first.number for each in _behind(factors[1])}
        for each in _behind(factors[0]):
            parts = [part.array.shape for part in operands_of(each)]
            halves = is_made_by(each, "cat") and len(parts) == 2 and parts[0] == parts[1]
            if halves and 2 * parts[0][0] == each.array.shape[0] == shape[0] and each.first.number in others:
                return each
        return None
    return None


def _behind(end: TensorEntry) -> Iterator[TensorEntry]:
    seen, waiting = {end.number}, [end]
    for current in waiting:
        yield current
        for one in operands_of(current):
            if one.number not in seen and len(seen) < _MOST:
                seen.add(one.number)
                waiting.append(one)


@finds(errors.TARGET_BATCH)
def _half_of_the_targets(case: Case) -> Finding | None:
    """``z = cat([a, b]); cross_entropy(z @ z.t(), arange(n))``, with the diagonal hidden."""
    call, flow = case.find(ast.Call), Flow(case)
    if call is None or len(call.args) < 2:
        return None
    scores, targets = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or scores._entry is None or targets is None or targets.dim() != 1:
        return None
    joined = joined_with_itself(scores._entry)
    rows = int(targets.shape[0])
    if joined is None or 2 * rows != int(scores.shape[0]) or targets._a.tolist() != list(range(rows)):
        return None
    ranges = [one for one in flow.behind(call.args[1]) if isinstance(one, ast.Call) and called(one) == "arange"]
    place = case.at(ast.expr, joined.place)
    if place is None:
        return None
    made = ranges[0] if len(ranges) == 1 and len(ranges[0].args) == 1 else None
    if made is None or not _DIAGONAL.search(case.program.source):
        return _in_words(case, call, place, rows)
    return _told(case, call, made, place, rows)


def _said(case: Case, call: ast.Call, joined: ast.expr, rows: int) -> tuple[str, str]:
    return (
        f"{code(case, joined)} on line {line(joined)} lays two views of {rows} samples below one another, so {code(case, call.args[0])} has {2 * rows} rows",
        f"第 {line(joined)} 行的 {code(case, joined)} 把 {rows} 个样本的两个视图上下相接，所以 {code(case, call.args[0])} 有 {2 * rows} 行",
    )


def _in_words(case: Case, call: ast.Call, joined: ast.expr, rows: int) -> Finding:
    """Where it is not known how the targets are to be written, or whether the rows may find themselves."""
    en, zh = _said(case, call, joined, rows)
    return finding(
        case,
        f"{en}, and {code(case, call.args[1])} has {rows} targets. Give a target for each row, the other view of its sample: row k + {rows} for the first {rows}, row k - {rows} for the"
        f" others.",
        f"{zh}，而 {code(case, call.args[1])} 只有 {rows} 个目标。请为每一行给出目标，即同一样本的另一个视图：前 {rows} 行是第 k + {rows} 行，其余是第 k - {rows} 行。",
        (),
        joined,
    )


def _told(case: Case, call: ast.Call, made: ast.Call, joined: ast.expr, rows: int) -> Finding:
    given = made.args[0]
    half = case.operand(given)
    double = f"2 * {half}"
    edits = [
        *case.replace(given, double),
        *case.before(made, "("),
        *case.after(made, f" + {half}) % ({double})"),
    ]
    shown = f"({text_with(case, made, given, double)} + {half}) % ({double})"
    en, zh = _said(case, call, joined, rows)
    return finding(
        case,
        f"{en}, and {code(case, made)} on line {line(made)} gives {rows} targets. Row k is to find the other view of its own sample, row k + {rows} (and back), and not itself on the"
        f" hidden diagonal: `{shown}`.",
        f"{zh}，而第 {line(made)} 行的 {code(case, made)} 只给出 {rows} 个目标。第 k 行要找的是同一样本的另一个视图，即第 k + {rows} 行（反过来也一样），而不是被遮住的对角线上的自己："
        f"`{shown}`。",
        apply(case, edits, f"`{shown}`", f"`{shown}`") or (),
        made,
    )
