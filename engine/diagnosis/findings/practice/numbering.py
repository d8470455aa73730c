"""Numbers of words that begin at 1, and a table that counts the words."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_FEWEST: Final = 3
_PADS: Final = re.compile(r"pad", re.IGNORECASE)
"""In a program that fills up, 0 is the number of what it fills up with."""


def _looked_up(case: Case) -> tuple[ast.expr, tuple[int, int], int, ast.Call] | None:
    """What the failing call looks up: its numbers, the least and the greatest; the rows of the one table, and where that is made."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if call is None or given is None or not given.numel() or not isinstance(layer, Layer):
        return None
    tables = [one for one in layer.modules() if type(one).__name__ == "Embedding"]
    made = maker_of(case, tables[0]) if len(tables) == 1 else None
    if made is None:
        return None
    return call.args[0], (int(given._a.min()), int(given._a.max())), int(tables[0].num_embeddings), made


@finds(errors.EMBEDDING_RANGE)
def _counted_from_one(case: Case) -> Finding | None:
    """``{w: i + 1 for i, w in enumerate(words)}``, and ``nn.Embedding(len(vocab), 5)``."""
    found = _looked_up(case)
    if found is None:
        return None
    node, (least, most), rows, made = found
    match made:
        case ast.Call(args=[ast.Call(func=ast.Name(id="len"), args=[counted]) as size, *_]):
            pass
        case _:
            return None
    if most != rows or least < 0:
        return None
    begun = _begun_at_one(case, counted)
    if begun is None:
        return None
    text = f"{case.text(size)} + 1"
    fills = least == 0 or _PADS.search(case.program.source) is not None
    other, other_zh = ("", "") if fills else ("; or number from 0", "；或者从 0 开始编号")
    return finding(
        case,
        f"Line {line(begun)} numbers from 1 on, so the largest number in {code(case, node)} can be {rows}, and {code(case, made)} on line"
        f" {line(made)} has the rows 0 to {rows - 1}. Keep row 0 for padding, and make one row more: `{text}`{other}.",
        f"第 {line(begun)} 行从 1 开始编号，所以 {code(case, node)} 里最大的编号可以是 {rows}，而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1}"
        f" 行。请把第 0 行留给填充，多创建一行：`{text}`{other_zh}。",
        case.fix(case.after(size, " + 1"), made),
        begun,
    )


def _begun_at_one(case: Case, counted: ast.expr) -> ast.expr | None:
    """Where the elements of a table of words are numbered, if that begins at 1."""
    for node in Flow(case).behind(counted):
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Name(id="enumerate"), args=[_, ast.Constant(value=1)]):
                    return part
                case ast.Call(func=ast.Name(id="enumerate"), keywords=[ast.keyword(value=ast.Constant(value=1))]):
                    return part
                case ast.DictComp(value=ast.BinOp(op=ast.Add(), right=ast.Constant(value=1)) as number):
                    return number
    for statement in case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=owner)],
                value=ast.BinOp(left=ast.Call(), op=ast.Add(), right=ast.Constant(value=1)),
            ) if case.text(owner) == case.text(counted):
                return statement.value
    return None


@finds(errors.EMBEDDING_RANGE)
def _every_row_but_the_first(case: Case) -> Finding | None:
    """Months from 1 to 12, and ``nn.Embedding(12, 4)``: the numbers fit, and begin one too high."""
    found = _looked_up(case)
    if found is None:
        return None
    node, (least, most), rows, made = found
    if not made.args or not isinstance(made.args[0], ast.Constant) or _PADS.search(case.program.source):
        return None
    if rows < _FEWEST or (least, most) != (1, rows):
        return None
    more = str(rows + 1)
    text, wider = f"{case.operand(node)} - 1", f"{code(case, made)[1:-1].replace(case.text(made.args[0]), more, 1)}"
    return finding(
        case,
        f"{code(case, node)} goes from 1 to {rows}, and the {rows} rows of {code(case, made)} on line {line(made)} have the numbers 0 to {rows - 1}. If 1 is the first that"
        f" there can be, count from 0: `{text}`; or keep the numbers and make one row more, `{wider}`.",
        f"{code(case, node)} 的值从 1 到 {rows}，而第 {line(made)} 行的 {code(case, made)} 的 {rows} 行编号是 0 到 {rows - 1}。如果最小的编号就是 1，请从 0 数：`{text}`；或者保留编号，多创建一行："
        f"`{wider}`。",
        [
            apply(case, case.replace(node, text), f"`{text}`", f"`{text}`"),
            apply(case, case.replace(made.args[0], more), f"`{wider}`", f"`{wider}`"),
        ],
        made,
    )
