"""A computation with NumPy in the middle of a model, written with the tensors themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.traps.record import Record
from gradflow.engine.pytorch import exists
from gradflow.engine.trace import Edit, Fix, Span

_OTHER = {
    "power": "pow",
    "absolute": "abs",
    "concatenate": "cat",
}
_TAILS = ("detach", "cpu", "numpy")
_WORDS = {"axis": "dim", "keepdims": "keepdim"}


def of_tensors(run: Record, call: ast.Call) -> Fix | None:
    """``torch.from_numpy(np.abs(a.detach().numpy() - b.detach().numpy()))`` -> ``torch.abs(a - b)``."""
    data = call.args[0]
    outer, inner = run.program.span_of(call), run.program.span_of(data)
    if outer is None or inner is None or len(call.args) != 1 or call.keywords:
        return None
    edits = _edits(run, data)
    if edits is None or ".numpy(" not in run.case.text(data):
        return None
    before, after = ("", "") if isinstance(data, ast.Call | ast.Name) else ("(", ")")
    edits += [
        Edit(Span(outer.line, outer.column, inner.line, inner.column), before),
        Edit(Span(inner.end_line, inner.end_column, outer.end_line, outer.end_column), after),
    ]
    return run.fix(edits, "The same with the tensors themselves", "直接用张量做同样的计算")


def _edits(run: Record, node: ast.expr) -> list[Edit] | None:
    """What makes an expression of arrays one of tensors; None where torch has no such function."""
    inner: list[ast.expr]
    match node:
        case ast.Call(func=ast.Attribute(attr="numpy")):
            return _without_tails(run, node)
        case ast.Call(func=ast.Attribute() as function) if (name := _of_numpy(run, function)) is not None:
            other = _OTHER.get(name, name)
            if not exists("torch", other):
                return None
            torch, _ = run.case.with_torch()
            edits, inner = [*run.case.replace(function, f"{torch}.{other}"), *_words(run, node)], node.args
        case ast.Call(func=ast.Attribute(value=held, attr="sum" | "mean" | "reshape" | "squeeze")):
            edits, inner = [*_words(run, node)], [held]
        case ast.BinOp(left=left, right=right):
            edits, inner = [], [left, right]
        case ast.UnaryOp(operand=operand):
            edits, inner = [], [operand]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            edits, inner = [], parts
        case ast.Constant():
            return []
        case _:
            return None
    for one in inner:
        if (own := _edits(run, one)) is None:
            return None
        edits += own
    return edits


def _without_tails(run: Record, node: ast.expr) -> list[Edit]:
    """``h`` of ``h.detach().cpu().numpy()`` and of ``h.data.numpy()``."""
    edits: list[Edit] = []
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr=attr), args=[]) if attr in _TAILS:
                edits += run.case.without_tail(node)
            case ast.Attribute(value=held, attr="data"):
                dot = run.case.dot_of(node)
                edits += [run.case.cut(dot)] if dot is not None else []
            case _:
                return edits
        node = held


def _of_numpy(run: Record, function: ast.Attribute) -> str | None:
    alias = run.case.module_alias("numpy")
    if isinstance(function.value, ast.Name) and function.value.id == alias:
        return function.attr
    return None


def _words(run: Record, call: ast.Call) -> Iterator[Edit]:
    for word in call.keywords:
        if word.arg in _WORDS:
            yield from run.case.replace(word, f"{_WORDS[word.arg]}={run.case.text(word.value)}")
