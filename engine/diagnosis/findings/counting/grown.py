"""Sizes that were counted too early: the vocabulary grew after its length was taken for a table."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.blocks import block_of
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.meant.moves import around_in, moved_behind
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.known import length
from gradflow.engine.namespace.nn.module import Module as Layer

_ADDING: Final = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})


@finds(errors.EMBEDDING_RANGE)
def _counted_before(case: Case) -> Finding | None:
    """``rows = len(words)``, and then ``words["<unk>"] = len(words)``."""
    call = case.find(ast.Call)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    layer = case.value(call.func) if call is not None else None
    if call is None or not isinstance(layer, Layer) or given is None or not given.numel():
        return None
    tables = [one for one in layer.modules() if type(one).__name__ == "Embedding"]
    made = maker_of(case, tables[0]) if len(tables) == 1 else None
    size = definition(case, made.args[0]) if made is not None and made.args else None
    counted = _counted(size)
    if made is None or size is None or counted is None:
        return None
    rows, high, now = tables[0].num_embeddings, int(given._a.max()), length(case.values.get(counted.id))
    growth = _growth(case, counted)
    if type(now) is not int or not rows < now or not high < now or not growth:
        return None
    statement, last = case.statement(size), growth[-1]
    own = case.text(counted)
    other = around_in(case, last, block_of(case, statement)) if statement is not None else None
    edits = moved_behind(case, statement, other) if statement is not None and other is not None else []
    at = ", ".join(dict.fromkeys(str(line(one)) for one in growth))
    return finding(
        case,
        f"{code(case, size)} on line {line(size)} counts {rows}, and line {at} adds to `{own}` after that: it has {now} elements now, and"
        f" {code(case, call.args[0])} the index {high}, but {code(case, made)} on line {line(made)} only the rows 0 to {rows - 1}. Count behind line"
        f" {line(last)}, when `{own}` is complete.",
        f"第 {line(size)} 行的 {code(case, size)} 数出 {rows} 个，之后第 {at} 行又往 `{own}` 里添加：现在它有 {now} 个元素，{code(case, call.args[0])} 里有下标 {high}，"
        f"而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1} 行。请等 `{own}` 完整之后，在第 {line(last)} 行后面再数。",
        apply(
            case,
            edits,
            f"Line {line(size)} behind line {line(last)}",
            f"把第 {line(size)} 行移到第 {line(last)} 行后面",
        )
        or (),
        size,
    )


def _counted(size: ast.expr | None) -> ast.Name | None:
    """What ``len`` is asked for, also with a number added to it."""
    match size:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as held]):
            return held
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant()):
            return _counted(left)
    return None


def _growth(case: Case, counted: ast.Name) -> list[ast.AST]:
    """Where something is added to a collection behind the place where it was counted, in the same function or the program."""
    flow = Flow(case)
    scope = flow.scope(counted)
    found: list[ast.AST] = []
    for node in case.nodes(ast.Call):
        match node.func:
            case ast.Attribute(value=ast.Name(id=name)) if name == counted.id and called(node) in _ADDING:
                found.append(node)
    for one in case.nodes(ast.Assign):
        for target in one.targets:
            match target:
                case ast.Subscript(value=ast.Name(id=name)) if name == counted.id:
                    found.append(one)
    behind = [one for one in found if flow.scope(one) is scope and line(one) > line(counted)]
    return sorted((one for one in behind if line(one) < case.span.line or not _same(case, one)), key=line)


def _same(case: Case, node: ast.AST) -> bool:
    """Whether a node stands in the function of the error, and so behind it where it stands below."""
    failed = case.find(ast.AST)
    return failed is not None and Flow(case).scope(failed) is Flow(case).scope(node)
