"""Several inputs whose gradients a function asks for one after the other, all of them made without the flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor


def asked_together(case: Case, chosen: Mapping[ast.Call, str]) -> Finding | None:
    """``grad(u.sum(), t)`` and then ``grad(u.sum(), x)``, with ``x`` and ``t`` from ``torch.rand``."""
    call = case.find(ast.Call)
    if call is None or called(call) != "grad":
        return None
    makers = dict(chosen)
    for wanted in _asked(case, call):
        value, made = case.value(wanted), _maker(definition(case, wanted))
        plain = isinstance(value, Tensor) and not value.requires_grad and value.dtype.is_floating_point
        statement = case.statement(made)
        if plain and isinstance(made, ast.Call) and is_maker(made) and isinstance(statement, ast.Assign):
            makers.setdefault(made, case.text(statement.targets[0]))
    if len(makers) < 2 - (not chosen):
        return None
    ordered = sorted(makers, key=line)
    names = [f"`{makers[one]}`" for one in ordered]
    told = [f"{name} (line {line(one)})" for name, one in zip(names, ordered, strict=True)]
    told_zh = [f"{name}（第 {line(one)} 行）" for name, one in zip(names, ordered, strict=True)]
    edits = [edit for one in ordered for edit in case.argument(one, "requires_grad=True")]
    one, alone = len(makers) == 1, len(_calls(case, call)) == 1
    them, they = ("it", "it is") if one else ("them", "they are")
    end, end_zh = (" has", "") if alone else (" and the calls like it have", "和类似的调用都")
    return finding(
        case,
        f"{joined(told, 'en')} {'was' if one else 'were'} made without `requires_grad=True`, so nothing records what is computed from {them}, and"
        f" {code(case, call)}{end} no way back to {them}. Give {joined(names, 'en')} the flag where {they} made.",
        f"{joined(told_zh, 'zh')}创建时没有写 `requires_grad=True`，所以没有记录由{'它' if one else '它们'}算出的结果，{code(case, call)} {end_zh}找不到回去的路。"
        f"请在创建 {joined(names, 'zh')} 时{'' if one else '都'}写上它。",
        apply(
            case,
            edits,
            f"`requires_grad=True` for {joined(names, 'en')}",
            f"给 {joined(names, 'zh')} 加上 `requires_grad=True`",
        )
        or (),
        next(iter(chosen), ordered[0]),
    )


def _maker(node: ast.expr) -> ast.expr:
    """The call that made a tensor, of which methods gave the rest: ``torch.rand(6)`` of ``torch.rand(6).unsqueeze(1)``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not is_maker(node):
        node = node.func.value
    return node


def _asked(case: Case, call: ast.Call) -> Iterator[ast.expr]:
    """The names whose gradients the function asks for, in this call and in the others like it."""
    for one in _calls(case, call):
        listed = one.args[1]
        parts = listed.elts if isinstance(listed, ast.List | ast.Tuple) else [listed]
        yield from (part for part in parts if isinstance(part, ast.Name))


def _calls(case: Case, call: ast.Call) -> list[ast.Call]:
    scope = Flow(case).scope(call)
    return [
        one
        for one in case.nodes(ast.Call)
        if called(one) == "grad" and len(one.args) > 1 and Flow(case).scope(one) is scope
    ]
