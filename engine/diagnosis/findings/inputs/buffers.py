"""Buffers that are given plain numbers."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import place
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.nn import modules


@finds(modules.BUFFER_TYPE)
def _plain_numbers(case: Case) -> Finding | None:
    """``self.register_buffer("q", quantiles)`` of a list, ``self.q = [0.1, 0.9]``."""
    node = case.find(ast.Call) or case.find(ast.Attribute)
    statement = case.statement(node) if node is not None else None
    given: ast.expr | None = None
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer"), args=[_, second, *_])):
            given = second
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="register_buffer"), keywords=keywords)):
            given = next((one.value for one in keywords if one.arg == "tensor"), None)
        case ast.Assign(value=value):
            given = value
    held = case.value(given) if given is not None else UNKNOWN
    held = _written(given) if held is UNKNOWN and given is not None else held
    if given is None or not _is_numbers(held):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.tensor({case.text(given)})"
    where, where_zh = place(case, given)
    what, what_zh = (
        (f"a `{type(held).__name__}` of {len(held)}", f"含 {len(held)} 个元素的 `{type(held).__name__}`")
        if isinstance(held, list | tuple)
        else (f"the plain number `{held}`", f"普通的数 `{held}`")
    )
    return finding(
        case,
        f"{code(case, given)}{where} is {what}, and a buffer is a tensor, which moves and is saved with the module. Make a tensor of it: `{text}`.",
        f"{code(case, given)}{where_zh} 是{what_zh}，而缓冲区必须是张量，它会随模块一起移动和保存。请先转成张量：`{text}`。",
        case.fix([*case.replace(given, text), *imports], given),
    )


def _written(node: ast.expr) -> object:
    """The value of what is written out."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return UNKNOWN


def _is_numbers(held: object) -> bool:
    """Whether something is a number, or rows of numbers."""
    if isinstance(held, list | tuple):
        return bool(held) and all(_is_numbers(one) for one in held)
    return isinstance(held, bool | int | float)
