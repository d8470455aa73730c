"""Numbers of words that begin at 1, and a table that counts the words."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_PADS: Final = re.compile(r"pad", re.IGNORECASE)
"""In a program that fills up, 0 is the number of what it fills up with."""


@finds(errors.EMBEDDING_RANGE)
def _counted_from_one(case: Case) -> Finding | None:
    """``{w: i + 1 for i, w in enumerate(words)}``, and ``nn.Embedding(len(vocab), 5)``."""
    call = case.find(ast.Call)
    layer = case.value(call.func) if call is not None else None
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if call is None or given is None or not given.numel() or not isinstance(layer, Layer):
        return None
    tables = [one for one in layer.modules() if type(one).__name__ == "Embedding"]
    made = maker_of(case, tables[0]) if len(tables) == 1 else None
    match made:
        case ast.Call(args=[ast.Call(func=ast.Name(id="len"), args=[counted]) as size, *_]):
            pass
        case _:
            return None
    rows = int(tables[0].num_embeddings)
    if int(given._a.max()) != rows or int(given._a.min()) < 0:
        return None
    begun = _begun_at_one(case, counted)
    if begun is None:
        return None
    text = f"{case.text(size)} + 1"
    fills = int(given._a.min()) == 0 or _PADS.search(case.program.source) is not None
    other, other_zh = ("", "") if fills else ("; or number from 0", "；或者从 0 开始编号")
    return finding(
        case,
        f"Line {line(begun)} numbers from 1 on, so the largest number in {code(case, call.args[0])} can be {rows}, and {code(case, made)} on line"
        f" {line(made)} has the rows 0 to {rows - 1}. Keep row 0 for padding, and make one row more: `{text}`{other}.",
        f"第 {line(begun)} 行从 1 开始编号，所以 {code(case, call.args[0])} 里最大的编号可以是 {rows}，而第 {line(made)} 行的 {code(case, made)} 只有第 0 到 {rows - 1}"
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
