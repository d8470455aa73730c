"""Inputs that still hold the column which the target was taken from."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, running
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.MM_SHAPE)
def _target_among_inputs(case: Case) -> Finding | None:
    """``X = table`` beside ``y = table[:, 4:]``."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    if layer is None or call is None or not call.args:
        return None
    flow, needed = Flow(case), int(layer.in_features)
    for node in flow.behind(call.args[0]):
        held = case.value(node) if isinstance(node, ast.Name) else None
        table = flow.tensor(node) if held is not None else None
        if not isinstance(node, ast.Name) or table is None or table.dim() != 2 or int(table.shape[1]) <= needed:
            continue
        taken = _columns_taken(case, node.id, needed, int(table.shape[1]))
        if taken is None or case.enclosing(node, ast.Subscript) is taken:
            continue
        name, target = node.id, case.statement(taken)
        kept = f"{name}[:, :{needed}]"
        given = case.statement(node)
        plain = isinstance(given, ast.Assign) and given.value is node
        return finding(
            case,
            f"`{name}` has {table.shape[1]} columns, and line {line(taken)} takes the target out of it, {code(case, taken)}; it is still among the inputs on"
            f" line {line(node)}, so each sample has {table.shape[1]} numbers where the layer takes {needed}. Leave it out: `{kept}`.",
            f"`{name}` 有 {table.shape[1]} 列，第 {line(taken)} 行从中取出了目标 {code(case, taken)}；而第 {line(node)} 行的输入里仍然包含它，所以每个样本有"
            f" {table.shape[1]} 个数，而这一层要求 {needed} 个。请去掉它：`{kept}`。",
            case.fix(case.replace(node, kept), given) if plain and target is not given else (),
            node,
        )
    return None


def _columns_taken(case: Case, name: str, needed: int, columns: int) -> ast.Subscript | None:
    """The last columns of a table, taken out for something else: ``table[:, 4:]`` or ``table[:, -1]``."""
    for one in case.nodes(ast.Subscript):
        if case.text(one.value) != name or not isinstance(one.slice, ast.Tuple) or len(one.slice.elts) != 2:
            continue
        first, second = (case.text(each).replace(" ", "") for each in one.slice.elts)
        after = {f"{needed}:", f"{needed - columns}:", *((str(needed), "-1") if columns - needed == 1 else ())}
        if first == ":" and second in after:
            return one
    return None
