"""Loops through a tensor, whose turns give views of it that cannot be written into."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.uses import is_lost, loop_of, written_name
from gradflow.engine.tensor import Tensor


@finds(errors.MULTI_VIEW_INPLACE)
def _rows_of_loop(case: Case) -> Finding | None:
    """``for row in grid: row += heat``, where nothing reads the row afterwards: the whole tensor was meant."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    name = written_name(statement)
    loop = loop_of(case, name, name.id) if name is not None else None
    if statement is None or name is None or loop is None or not is_lost(case, statement):
        return None
    source = _gone_through(loop.target, loop.iter, name.id)
    held = Flow(case).tensor(source) if source is not None else None
    if source is None or not isinstance(held, Tensor):
        return None
    whole, row = code(case, source), f"`{name.id}`"
    leaf = held.is_leaf and held.requires_grad
    return finding(
        case,
        f"The loop on line {line(loop)} goes through {whole}, and each of its turns gives a view of it, {row}: PyTorch makes all these views at once, as"
        f" `unbind` does, and writing into one of them on line {line(statement)} cannot be recorded. A new value for the name {row} would not change"
        f" {whole}. Compute the whole tensor out of place: one expression for all rows in place of the loop, or the new rows in a list, joined by `torch.stack`."
        + (f" If it is an update of the leaf {whole}, write the loop under `torch.no_grad()` instead." if leaf else ""),
        f"第 {line(loop)} 行的循环遍历 {whole}，每一轮给出它的一个视图 {row}：PyTorch 像 `unbind` 那样一次生成所有这些视图，而第 {line(statement)}"
        f" 行对其中一个的就地写入无法记录。给名字 {row} 一个新值也不会改变 {whole}。请以非就地的方式算出整个张量：用一个式子算出所有行来代替循环，或者把新的行放进列表，再用"
        f" `torch.stack` 合起来。"
        + (f"如果这是在更新叶子张量 {whole}，则请把循环写在 `torch.no_grad()` 里。" if leaf else ""),
        (),
        loop.iter,
    )


def _gone_through(target: ast.expr, source: ast.expr, name: str) -> ast.expr | None:
    """Of what a loop goes through that which gives the name: also in ``zip`` and ``enumerate``."""
    match target, source:
        case ast.Name(id=bound), _:
            return source if bound == name else None
        case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[through, *_]):
            return _gone_through(inner, through, name)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=sources) if len(targets) == len(sources):
            pairs = zip(targets, sources, strict=True)
            return next((found for one, each in pairs if (found := _gone_through(one, each, name)) is not None), None)
    return None
