"""Names for the pieces of a tensor, which stand in another dimension."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.slips.pieces import cut_of
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes


@finds(mistakes.TOO_MANY_VALUES)
def _unbound_elsewhere(case: Case) -> Finding | None:
    """``q, k, v = qkv.unbind(1)`` where dimension 2 has the three."""
    found = case.find(ast.AST)
    statement = case.statement(found) if found is not None else None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call):
            cut = cut_of(case, call, ("unbind",))
        case _:
            return None
    shape = shape_at(case, cut[0]) if cut is not None else None
    if cut is None or shape is None:
        return None
    fitting = [at for at, size in enumerate(shape) if size == len(names)]
    if len(fitting) != 1:
        return None
    given = cut[1][0] if cut[1] else next((one.value for one in cut[2] if one.arg == "dim"), None)
    text = f"dim={fitting[0]}"
    edits = case.replace(given, str(fitting[0])) if given is not None else case.argument(call, text)
    return finding(
        case,
        f"{code(case, call)} gives one tensor for each entry of a dimension, and {code(case, cut[0])} has the shape {list(shape)}: the {len(names)} that"
        f" are wanted stand in dimension {fitting[0]}. Write `{text}`.",
        f"{code(case, call)} 为某一维的每一项给出一个张量，而 {code(case, cut[0])} 的形状是 {list(shape)}：想要的 {len(names)} 个在第 {fitting[0]} 维。请写 `{text}`。",
        case.fix(edits, call),
        call,
    )
