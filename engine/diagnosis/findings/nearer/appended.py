"""Two lists that are filled in nested loops, one of them more often than the other, and stacked: their rows do not belong together."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import decision, shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.trace import Edit, Span

_STACKING: Final = ("stack", "cat", "tensor", "as_tensor", "vstack", "LongTensor")


@dataclass(frozen=True)
class _Filled:
    """A list: the call that makes a tensor of it, the one that fills it, and the loops around that."""

    stacked: ast.Call
    append: ast.Call
    loops: Sequence[ast.For]
    rows: int


@finds(errors.TARGET_BATCH, errors.DATA_SIZES)
def _filled_more_often(case: Case) -> Finding | None:
    """``crops.append(...)`` in a loop over the crops of each image, and ``kinds.append(...)`` behind it."""
    call = case.find(ast.Call)
    pair = [_filled(case, one) for one in call.args[:2]] if call is not None else []
    if len(pair) != 2 or pair[0] is None or pair[1] is None:
        return None
    more, less = sorted((pair[0], pair[1]), key=lambda one: -one.rows)
    if not less.rows or more.rows % less.rows or more.rows == less.rows:
        return None
    if len(more.loops) != len(less.loops) + 1 or list(more.loops[1:]) != list(less.loops):
        return None
    return _told(case, more, less)


def _filled(case: Case, node: ast.expr) -> _Filled | None:
    shape = shape_at(case, node)
    found = decision(case, node, shape[0], 0) if shape else None
    made = found.node if found is not None else None
    if shape is None or not isinstance(made, ast.Call) or called(made) not in _STACKING or not made.args:
        return None
    held, flow = made.args[0], Flow(case)
    if not isinstance(held, ast.Name):
        return None
    scope = flow.scope(made)
    fills = [
        one
        for one in case.nodes(ast.Call)
        if isinstance(one.func, ast.Attribute) and case.text(one.func.value) == held.id and flow.scope(one) is scope
    ]
    if len(fills) != 1 or called(fills[0]) != "append" or len(fills[0].args) != 1:
        return None
    loops, current = list[ast.For](), case.enclosing(fills[0], ast.For)
    while current is not None and flow.scope(current) is scope:
        loops.append(current)
        current = case.enclosing(current, ast.For)
    return _Filled(made, fills[0], loops, int(shape[0]))


def _told(case: Case, more: _Filled, less: _Filled) -> Finding:
    inner, times = more.loops[0], more.rows // less.rows
    turn = {1: "once", 2: "twice"}.get(times, f"{times} times")
    one, other = code(case, more.append), code(case, less.append)
    en = (
        f"{one} on line {line(more.append)} stands in the loop of line {line(inner)} and runs {turn} where {other} on line {line(less.append)} runs once, so {code(case, more.stacked)} has"
        f" {more.rows} rows and {code(case, less.stacked)} {less.rows}."
    )
    zh = (
        f"第 {line(more.append)} 行的 {one} 在第 {line(inner)} 行的循环里，第 {line(less.append)} 行的 {other} 每运行一次，它就运行 {times} 次，所以 {code(case, more.stacked)} 有 {more.rows} 行，而"
        f" {code(case, less.stacked)} 有 {less.rows} 行。"
    )
    if not _is_of_turn(inner, more.append.args[0]):
        return finding(
            case,
            f"{en} Let both run in the same loop: `.append` on line {line(less.append)} in the inner one, or that on line {line(more.append)} behind it.",
            f"{zh}请让两者在同一个循环里运行：把第 {line(less.append)} 行的 `.append` 放进内层循环，或者把第 {line(more.append)} 行的放到它后面。",
            (),
            less.append,
        )
    edits = _moved(case, inner, less.append)
    return finding(
        case,
        f"{en} Move line {line(less.append)} into that loop, so that each row gets its own.",
        f"{zh}请把第 {line(less.append)} 行移进那个循环，使每一行都有自己的一个。",
        apply(case, edits, f"{other} inside the loop", f"把 {other} 放进循环") or (),
        less.append,
    )


def _is_of_turn(loop: ast.For, given: ast.expr) -> bool:
    """Whether what is appended is another one in each turn of a loop."""
    bound = {
        one.id
        for part in (loop.target, *loop.body)
        for one in ast.walk(part)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return any(isinstance(one, ast.Name) and one.id in bound for one in ast.walk(given)) or any(
        isinstance(one, ast.Call) for one in ast.walk(given)
    )


def _moved(case: Case, loop: ast.For, append: ast.Call) -> list[Edit]:
    """The statement at the end of a loop in the place of where it stands."""
    statement, last = case.statement(append), loop.body[-1]
    begin, end = case.program.span_of(loop.body[0]), case.program.span_of(last)
    gone = without_line(case, statement) if isinstance(statement, ast.Expr) else []
    if begin is None or end is None or not gone or begin.line == loop.lineno or loop.orelse:
        return []
    if isinstance(last, ast.Continue | ast.Break) or any(
        isinstance(one, ast.Continue | ast.Break) for one in ast.walk(loop)
    ):
        return []
    indent = case.line(begin.line)[: begin.column]
    if indent.strip() or case.line(end.end_line)[end.end_column :].strip():
        return []
    own = case.program.span_of(append)
    if own is not None and own.line == end.end_line + 1:
        return [Edit(Span(own.line, 0, own.line, own.column), indent)]
    return [insertion(end.end_line, end.end_column, f"\n{indent}{case.text(append)}"), *gone]
