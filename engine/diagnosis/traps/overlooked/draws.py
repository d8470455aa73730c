"""Traps of policies and their draws: the probability of another choice, a weight of the choice that learns with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.trace import Note

DRAWN_ANEW: Final = Trap(
    "probability-of-another-draw",
    "`{text}` draws once more, and takes the probability of that: what it is multiplied with belongs to what line {line} drew, `{name}`, so the two have nothing to do with"
    " each other. Take the one that was drawn: `{meant}`.",
    "`{text}` 又抽取了一次，并取这一次的概率：而与它相乘的量属于第 {line} 行抽到的 `{name}`，两者毫不相干。请使用当时抽到的那个：`{meant}`。",
)

WEIGHT_LEARNS: Final = Trap(
    "advantage-with-gradient",
    "`{name}` says how good the choice was, and keeps its graph here: the loss of the policy also moves what `{name}` was computed from, so that choices look better than they"
    " were. Hold it fixed: `{name}.detach()`.",
    "`{name}` 说的是这个选择有多好，而这里它保留着计算图：策略的损失也会移动计算 `{name}` 的那部分参数，让选择看起来比实际更好。请固定它：`{name}.detach()`。",
)


def weight_learns(run: Record) -> Iterator[Note]:
    """``-(dist.log_prob(a) * advantage)``, where the advantage comes of a critic that is trained with it."""
    if "log_prob" not in run.program.source:
        return
    drawn = {run.case.text(one.targets[0]) for one in _all_draws(run)}
    choices = [one for one in run.case.nodes(ast.Call) if called(one) == "log_prob" and _is_choice(one.args[:1], drawn)]
    logs = {
        one.targets[0].id
        for one in run.case.nodes(ast.Assign)
        if isinstance(one.targets[0], ast.Name) and any(each in choices for each in ast.walk(one.value))
    }
    for node in run.case.nodes(ast.BinOp):
        if not isinstance(node.op, ast.Mult):
            continue
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(other, ast.Name) or other.id in logs or not _is_log_probability(one, logs, choices):
                continue
            made = [each for each in run.made_at(node) if is_call_of(each, "mul") and each in run.ran_backward]
            if made and all(
                len(each.inputs) == 2 and all(e.first in run.learned for e in each.inputs) for each in made
            ):
                fix = run.fix(run.case.after(other, ".detach()"), f"`{other.id}.detach()`", f"`{other.id}.detach()`")
                yield WEIGHT_LEARNS.note(run.program.span_of(node), (), fix, name=other.id)


def _is_choice(given: Sequence[ast.expr], drawn: set[str]) -> bool:
    """Whether what a probability is asked of was drawn."""
    return bool(given) and (
        _draws_now(given[0]) or any(isinstance(one, ast.Name) and one.id in drawn for one in ast.walk(given[0]))
    )


def _is_log_probability(node: ast.expr, names: set[str], choices: Sequence[ast.Call]) -> bool:
    """Whether an expression is the logarithm of a choice's probability, also under its name or with a minus."""
    match node:
        case ast.UnaryOp(operand=inner):
            return _is_log_probability(inner, names, choices)
        case ast.Name(id=name):
            return name in names
        case ast.Call() if node in choices:
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="sum" | "squeeze" | "view" | "mean")):
            return _is_log_probability(inner, names, choices)
    return False


def drawn_anew(run: Record) -> Iterator[Note]:
    """``-dist.log_prob(dist.sample()) * reward``, where the reward is that of another draw."""
    if not any(one.kind == "backward" for one in run.passes):
        return
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr="log_prob"), args=[given]):
                again = _draw_of(run, call, given)
            case _:
                continue
        kept = [one for one in _draws(run, call) if one.value is not again]
        if again is None or not kept or not _is_weighed(run, call):
            continue
        name = kept[-1].targets[0]
        assert isinstance(name, ast.Name)
        meant = f"{run.case.text(call.func)}({name.id})"
        fix = run.fix(run.case.replace(given, name.id), f"`{meant}`", f"`{meant}`")
        words = {"text": run.case.text(again), "line": kept[-1].lineno, "name": name.id, "meant": meant}
        yield DRAWN_ANEW.note(run.program.span_of(call), (), fix, **words)


def _draw_of(run: Record, call: ast.Call, given: ast.expr) -> ast.expr | None:
    """The draw that stands as an argument, or whose name nothing else reads."""
    if _draws_now(given):
        return given
    if not isinstance(given, ast.Name):
        return None
    scope = run.case.enclosing(call, ast.FunctionDef)
    uses = [
        one
        for one in run.case.nodes(ast.Name)
        if one.id == given.id and isinstance(one.ctx, ast.Load) and run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    made = [one for one in _draws(run, call) if run.case.text(one.targets[0]) == given.id]
    return made[-1].value if len(uses) == 1 and made else None


def _draws(run: Record, call: ast.Call) -> list[ast.Assign]:
    """The names that were given what was drawn, before a call in the same function."""
    scope = run.case.enclosing(call, ast.FunctionDef)
    return [
        one for one in _all_draws(run) if one.lineno < call.lineno and run.case.enclosing(one, ast.FunctionDef) is scope
    ]


def _all_draws(run: Record) -> list[ast.Assign]:
    return [one for one in run.case.nodes(ast.Assign) if isinstance(one.targets[0], ast.Name) and _draws_now(one.value)]


def _draws_now(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "squeeze" | "detach" | "long", value=inner)):
            return _draws_now(inner)
        case ast.Call(func=ast.Attribute(attr="sample")):
            return True
    return False


def _is_weighed(run: Record, call: ast.Call) -> bool:
    """Whether a logarithm of a probability is multiplied with something, as by a reward."""
    current: ast.AST = call
    while (outer := run.case.parents.get(current)) is not None and isinstance(outer, ast.expr):
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult):
            other = outer.right if outer.left is current else outer.left
            return not isinstance(other, ast.Constant)
        current = outer
    return False


TRAPS: Final = (drawn_anew, weight_learns)
