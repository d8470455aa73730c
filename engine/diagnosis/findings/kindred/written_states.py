"""A state that each turn reads and writes in place: copies of what is read, or a new tensor in each turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.findings.writes import last_write
from gradflow.engine.diagnosis.fixers import finds

_SAVED = (errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED, errors.SAVED_MODIFIED_LEAF)


@finds(*_SAVED)
def _read_in_statement(case: Case) -> Finding | None:
    """``u[1:-1] = u[1:-1] + f(u)``: the copies are read where it is written."""
    found = _state(case)
    if found is None:
        return None
    statement, _, name = found
    return _told(case, statement, name, list(_reads(case, statement.value, name)))


@finds(*_SAVED)
def _read_in_turn(case: Case) -> Finding | None:
    """``net(p)`` of the whole of it, and several writes in one turn: each reading is of a copy."""
    found = _state(case)
    if found is None:
        return None
    statement, loop, name = found
    return _told(case, statement, name, [one for part in loop.body for one in _reads(case, part, name)])


def _state(case: Case) -> tuple[ast.Assign, ast.For, str] | None:
    """The write into a part of a tensor that is the same part in each turn, its loop, and the name of the tensor."""
    node = last_write(case)
    statement = case.statement(node) if node is not None else None
    loop = case.enclosing(statement, ast.For) if statement is not None else None
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)], value=value) if loop is not None:
            turns = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
            if any(isinstance(one, ast.Name) and one.id in turns for one in ast.walk(place)):
                return None  # rows of the turns
            return (statement, loop, name) if any(_reads(case, value, name)) else None
    return None


def _reads(case: Case, within: ast.AST, name: str) -> Iterator[ast.expr]:
    """``u[1:-1]``, and ``u`` as a whole where it is given to a function or computed with."""
    for one in ast.walk(within):
        if not isinstance(one, ast.Name) or one.id != name or not isinstance(one.ctx, ast.Load):
            continue
        outer = case.parents.get(one)
        if isinstance(outer, ast.Subscript) and outer.value is one:
            if isinstance(outer.ctx, ast.Load):
                yield outer
        elif isinstance(outer, ast.Call | ast.BinOp | ast.keyword):
            yield one


def _told(case: Case, statement: ast.Assign, name: str, reads: list[ast.expr]) -> Finding | None:
    shown, shown_zh = names_of(list(dict.fromkeys(" ".join(case.text(one).split()) for one in reads)))
    copies, copies_zh = names_of(list(dict.fromkeys(f"{' '.join(case.text(one).split())}.clone()" for one in reads)))
    edits = [edit for one in reads for edit in case.followed(one, ".clone()")]
    return finding(
        case,
        f"{code(case, statement)} on line {line(statement)} writes into `{name}` in place, and each turn reads {shown} out of the same memory, which the backward"
        f" pass needs as it was. Read copies, {copies}, or put the new part and what stays together as a new `{name}` in each turn, with `torch.cat` or `torch.stack`.",
        f"第 {line(statement)} 行的 {code(case, statement)} 就地写入 `{name}`，而每一轮又从同一块内存读取 {shown_zh}，反向传播需要它原来的值。请读取副本 {copies_zh}，或者每一轮都用"
        f" `torch.cat` 或 `torch.stack` 把新的部分和不变的部分合成新的 `{name}`。",
        apply(case, edits, copies, copies_zh),
        statement,
    )
