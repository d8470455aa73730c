"""Masks of zeros and ones as an index: they select where they are true, and positions are not meant."""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, kind_source, place
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor

_TELLING: Final = 2
"""As short as this, a list of the positions 0 and 1 can have the shape of a mask by chance."""


@finds(errors.INDEX_KIND, errors.INDEX_DTYPE)
def _mask_of_floats(case: Case) -> Finding | None:
    """``losses[mask]`` with ``mask = (tokens != 0).float()``."""
    node = case.find(ast.Subscript)
    mask = mask_in(case, node) if node is not None else None
    held = Flow(case).tensor(mask) if mask is not None else None
    if node is None or mask is None or held is None:
        return None
    made = kind_source(case, mask)
    first = next((one for one in Flow(case).behind(mask) if isinstance(one, ast.Name)), mask)
    where, where_zh = place(case, first)
    if made is not None and line(made) != case.span.line and made is not definition(case, first):
        where = f" (from {code(case, made)} on line {line(made)})"
        where_zh = f"（来自第 {line(made)} 行的 {code(case, made)}）"
    text = f"{case.operand(mask)}.bool()"
    return finding(
        case,
        f"{code(case, mask)}{where} marks the places of {code(case, node.value)} with 0 and 1, but as `{held.dtype}`: as an index a mask has to"
        f" be `torch.bool`. Make it one: `{text}`. (`.long()` would take the places 0 and 1, not the marked ones.)",
        f"{code(case, mask)}{where_zh} 用 0 和 1 标记 {code(case, node.value)} 的位置，但它是 `{held.dtype}`：作为索引的掩码必须是 `torch.bool`。请转换："
        f"`{text}`。（`.long()` 取的会是位置 0 和 1，而不是被标记的位置。）",
        case.fix(case.followed(mask, ".bool()"), case.statement(node)),
        made or definition(case, first),
    )


def mask_in(case: Case, node: ast.Subscript) -> ast.expr | None:
    """The one index of floats that has a zero or a one for each place of the dimensions that it indexes."""
    flow = Flow(case)
    owner, at = flow.tensor(node.value), 0
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts if owner is not None else ():
        held = flow.tensor(part)
        if isinstance(part, ast.Constant) and part.value is None:
            continue
        if isinstance(part, ast.Starred) or (isinstance(part, ast.Constant) and part.value is Ellipsis):
            return None
        if held is not None and held.dtype.is_floating_point:
            return part if owner is not None and _marks(held, tuple(owner.shape)[at:]) else None
        at += 1
    return None


def _marks(held: Tensor, shape: tuple[int, ...]) -> bool:
    own, values = tuple(held.shape), held._a
    return own == shape[: len(own)] and values.size > _TELLING and bool(np.isin(values, (0, 1)).all())
