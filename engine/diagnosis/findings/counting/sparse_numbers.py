"""Numbers of things that are not consecutive, in a table with one row for each thing."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(errors.EMBEDDING_RANGE)
def _gaps(case: Case) -> Finding | None:
    """``nn.Embedding(len(set(ids)), 8)`` with ids such as 31 and 1029."""
    call, flow = case.find(ast.Call), Flow(case)
    layer = case.value(call.func) if call is not None else None
    given = flow.tensor(call.args[0]) if call is not None and call.args else None
    if call is None or not isinstance(layer, Layer) or given is None or given._a.dtype.kind not in "iu":
        return None
    if type(layer).__name__ != "Embedding" or not given.numel():
        return None
    made, rows, high = maker_of(case, layer), int(layer.num_embeddings), int(given._a.max())
    if made is None or not made.args or high < rows:
        return None
    ids = _all_of(case, call.args[0], high)
    size = definition(case, made.args[0])
    if ids is None:
        return None
    place, tensor = ids
    distinct, high = len(set(tensor._a.reshape(-1).tolist())), int(tensor._a.max())
    counted = _counter(case, size) or (size if isinstance(size, ast.Call) and high > _FAR * rows else None)
    if counted is None or not distinct <= rows <= distinct + 2 or high + 1 <= distinct + 2:
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.unique({case.text(place)}, return_inverse=True)[1]"
    short = f"{torch}.unique(..., return_inverse=True)[1]"
    return finding(
        case,
        f"{code(case, place)} on line {line(place)} holds {distinct} different numbers, up to {high}, with gaps between them, and {code(case, made)} on line"
        f" {line(made)} has one row for each that {code(case, counted)} (line {line(counted)}) counts, the rows 0 to {rows - 1}. Number them without gaps"
        f" first: `{short}` there.",
        f"第 {line(place)} 行的 {code(case, place)} 里有 {distinct} 个不同的编号，最大到 {high}，中间有空缺；而第 {line(made)} 行的 {code(case, made)} 只为"
        f" {code(case, counted)}（第 {line(counted)} 行）数出的每一个准备了一行，即第 0 到 {rows - 1} 行。请先在那里把编号变成连续的：`{short}`。",
        apply(case, [*case.replace(place, text), *imports], f"`{short}`", f"`{short}`") or (),
        place,
    )


def _all_of(case: Case, node: ast.expr, high: int) -> tuple[ast.expr, Tensor] | None:
    """The expression that a program gives a name, and that holds all the numbers: the furthest back."""
    found: tuple[ast.expr, Tensor] | None = None
    flow = Flow(case)
    for count, one in enumerate(flow.behind(node)):
        if count > _MOST:
            break
        statement = case.parents.get(one)
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        tensor = flow.tensor(one)
        if tensor is not None and tensor._a.dtype.kind in "iu" and tensor.dim() == 1 and high in tensor._a:
            found = one, tensor
    return found


def _counter(case: Case, size: ast.expr) -> ast.expr | None:
    """What counts different things behind a size: ``len(set(ids))``, ``ids.unique().numel()``."""
    for count, one in enumerate(Flow(case).behind(size)):
        if count > _MOST:
            return None
        if isinstance(one, ast.Call) and _counts(case, one):
            return one
    return None


def _counts(case: Case, call: ast.Call) -> bool:
    text = case.text(call)
    distinct = any(word in text for word in ("set(", "unique(")) or any(
        isinstance(part, ast.SetComp) for part in ast.walk(call)
    )
    return distinct and (text.startswith("len(") or text.endswith(("numel()", "size(0)", "nunique()")))


_MOST = 80
_FAR = 4
"""Times the rows from where on a number can only be a name of something, and no position counted wrongly."""
