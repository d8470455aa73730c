"""Parameters that an optimizer is given twice, in two of its groups."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit, Span


@finds(errors.OPTIMIZER_ARGUMENT)
def _twice(case: Case) -> Finding | None:
    """``[{"params": net.emb.parameters()}, {"params": net.out.parameters()}]`` of layers that share a weight."""
    call = case.find(ast.Call)
    listed = argument_of(call, 0, "params") if call is not None else None
    if not isinstance(listed, ast.List) or "more than one parameter group" not in str(case.details.get("message", "")):
        return None
    seen: dict[int, ast.expr] = {}
    for group in listed.elts:
        for given, layer in _layers_of(case, group):
            own = dict(layer.named_parameters())
            shared = [name for name, one in own.items() if id(one) in seen]
            if shared:
                return _shared(case, listed, group, given, seen[id(own[shared[0]])], shared[0], len(shared) == len(own))
            seen |= {id(one): given for one in own.values()}
    return None


def _layers_of(case: Case, group: ast.expr) -> Iterator[tuple[ast.expr, Layer]]:
    """The modules whose parameters stand in a group."""
    for one in ast.walk(group):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "parameters":
            held = case.value(one.func.value)
            if isinstance(held, Layer):
                yield one, held


def _shared(
    case: Case, listed: ast.List, group: ast.expr, given: ast.expr, other: ast.expr, name: str, whole: bool
) -> Finding:
    tied = [
        one
        for one in case.nodes(ast.Assign)
        if isinstance(one.value, ast.Attribute)
        and any(isinstance(part, ast.Attribute) and part.attr == name.rpartition(".")[2] for part in one.targets)
    ]
    why = f", for line {line(tied[0])} makes them the same" if tied else ""
    why_zh = f"，因为第 {line(tied[0])} 行让它们成为同一个" if tied else ""
    action = "Leave this second group out" if whole else f"Leave `{name}` out of the second"
    action_zh = "请去掉后面这一组" if whole else f"请从后一个里去掉 `{name}`"
    at, before = case.program.span_of(group), None
    position = listed.elts.index(group)
    if position:
        before = case.program.span_of(listed.elts[position - 1])
    edits = (
        [Edit(Span(before.end_line, before.end_column, at.end_line, at.end_column), "")]
        if whole and at is not None and before is not None
        else []
    )
    return finding(
        case,
        f"{code(case, other)} and {code(case, given)} both have the parameter `{name}`{why}, and an optimizer moves each parameter in one group"
        f" alone. {action}.",
        f"{code(case, other)} 和 {code(case, given)} 都含有参数 `{name}`{why_zh}，而优化器的每个参数只能属于一个组。{action_zh}。",
        case.fix(edits, listed) if edits else (),
        tied[0] if tied else group,
    )
