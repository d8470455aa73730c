"""Parameters in what can be gone through once, as ``filter`` and a generator, after something has gone through them."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called, start_of
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Fix

_ONCE: Final = frozenset({"filter", "map", "reversed", "zip", "chain", "iter"})
_OF_LAYERS: Final = ("parameters", "named_parameters")
_ONLY_LOOKING: Final = frozenset({"print", "type", "isinstance", "id", "repr", "hasattr", "callable"})
_MOST: Final = 5


@finds(errors.NO_PARAMETERS)
def _used_up(case: Case) -> Finding | None:
    """``weights = filter(...)``, ``sum(w.numel() for w in weights)``, and then ``Adam(weights)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(given, ast.Name):
        return None
    names, made = _handed_on(case, given)
    kind = _kind(case, made)
    first = _first_use(case, names, made) if made is not None and kind is not None else None
    if made is None or kind is None or first is None or _was_empty(case, made):
        return None
    text = f"[{_inner(case, made)}]" if isinstance(made, ast.GeneratorExp) else f"list({case.text(made)})"
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} is {kind[0]}, which can be gone through once; line {line(first)} has done"
        f" so, and nothing is left for the optimizer. Keep a list: `{text}`.",
        f"第 {line(made)} 行的 {code(case, made)} 是{kind[1]}，只能遍历一次；第 {line(first)} 行已经用掉了，优化器什么也得不到。请保存为列表：`{text}`。",
        _kept(case, made, text) or (),
        made,
    )


def _handed_on(case: Case, given: ast.Name) -> tuple[list[ast.Name], ast.expr | None]:
    """The names through which the optimizer gets what it is given, and the expression that made it."""
    names, node = [given], given
    for _ in range(_MOST):
        made = next(iter(Flow(case).assigned(node, node.id)), None)
        if not isinstance(made, ast.Name):
            return names, made
        names.append(made)
        node = made
    return names, None


def _kind(case: Case, made: ast.expr | None) -> tuple[str, str] | None:
    """What an expression gives, where it can be gone through once."""
    if isinstance(made, ast.GeneratorExp):
        return "a generator", "生成器"
    if not isinstance(made, ast.Call):
        return None
    name = called(made)
    if isinstance(made.func, ast.Attribute) and name in _OF_LAYERS:
        return "a generator", "生成器"
    plain = isinstance(made.func, ast.Name) and case.values.get(name, UNKNOWN) is UNKNOWN
    return ("an iterator", "迭代器") if name in _ONCE and (plain or name == "chain") else None


def _first_use(case: Case, names: list[ast.Name], made: ast.expr) -> ast.Name | None:
    """The first place behind the expression, and before the optimizer, where something goes through it."""
    flow, known = Flow(case), {one.id for one in names}
    scopes = {flow.scope(one) for one in names}
    uses = [
        one
        for one in case.nodes(ast.Name)
        if one.id in known and isinstance(one.ctx, ast.Load) and one not in names and _scope(flow, one) & scopes
    ]
    behind = [one for one in uses if line(made) < line(one) and line(one) != case.span.line]
    taken = [one for one in behind if not _only_looks(case, one)]
    first = min(taken, key=start_of, default=None)
    same_block = first is not None and flow.scope(first) is flow.scope(names[-1])
    return None if first is None or (same_block and line(first) > line(names[-1])) else first


def _scope(flow: Flow, node: ast.AST) -> set[ast.AST]:
    """The functions around a node, with the program."""
    found = {flow.scope(node)}
    while not isinstance(node, ast.Module):
        node = flow.scope(node)
        found.add(node)
    return found


def _only_looks(case: Case, use: ast.Name) -> bool:
    parent = case.parents.get(use)
    return isinstance(parent, ast.Call) and parent.func is not use and called(parent) in _ONLY_LOOKING


def _was_empty(case: Case, made: ast.expr) -> bool:
    """Whether there was nothing from the beginning: a model without parameters, or, where they are chosen by it, without a flag."""
    owners = [
        case.value(one.func.value)
        for one in ast.walk(made)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _OF_LAYERS
    ]
    layers = [one for one in owners if isinstance(one, Layer)]
    by_flag = "requires_grad" in case.text(made)
    held = [weight for one in layers for weight in one.parameters() if weight.requires_grad or not by_flag]
    return bool(layers) and not held


def _inner(case: Case, made: ast.expr) -> str:
    text = case.text(made)
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def _kept(case: Case, made: ast.expr, text: str) -> Fix | None:
    return case.fix(case.replace(made, text), case.statement(made))
