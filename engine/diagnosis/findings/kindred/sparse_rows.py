"""Indices of a sparse tensor with a row for each entry, where it takes a column."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import place
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.SPARSE_PARTS)
def _row_for_each_entry(case: Case) -> Finding | None:
    """``torch.sparse_coo_tensor(edges, values, (n, n))`` of edges that are pairs, one below the other."""
    call, shape, count = case.find(ast.Call), case.details.get("places"), case.details.get("count")
    given = argument_of(call, 0, "indices") if call is not None else None
    if call is None or given is None or not isinstance(shape, list) or len(shape) != 2 or shape[0] != count:
        return None
    sized = argument_of(call, 2, "size") is not None
    if shape[1] != case.details.get("wanted") if sized else shape[0] <= shape[1]:
        return None
    made, made_zh = place(case, given)
    torch, imports = case.with_torch()
    tensor = Flow(case).tensor(given) is not None
    text = f"{case.operand(given)}.t()" if tensor else f"{torch}.tensor({case.text(given)}).t()"
    edits = case.followed(given, ".t()") if tensor else [*case.replace(given, text), *imports]
    return finding(
        case,
        f"{code(case, given)}{made} has the shape {shape}: one row of {shape[1]} positions for each of the {count} values. A sparse tensor takes them the"
        f" other way, a row for each dimension and a column for each value, {shape[::-1]}. Turn them: `{text}`.",
        f"{code(case, given)}{made_zh} 的形状是 {shape}：{count} 个值各有一行，每行 {shape[1]} 个位置。稀疏张量要求的正相反：每个维度一行、每个值一列，即 {shape[::-1]}。"
        f"请转置：`{text}`。",
        case.fix(edits, given),
        given,
    )
