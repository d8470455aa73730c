"""Traps of policies and their draws: the probability of another choice, a weight of the choice that learns with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import called, insertion
from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import REARRANGING, Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Edit, Note

DRAWN_ANEW: Final = Trap(
    "probability-of-another-draw",
    "`{text}` draws once more, and takes the probability of that: what it is multiplied with belongs to what line {line} drew, `{name}`, so the two have nothing to do with"
    " each other. Take the one that was drawn: `{meant}`.",
    "`{text}` 又抽取了一次，并取这一次的概率：而与它相乘的量属于第 {line} 行抽到的 `{name}`，两者毫不相干。请使用当时抽到的那个：`{meant}`。",
)

WEIGHT_LEARNS: Final = Trap(
    "advantage-with-gradient",
    "`{name}` says how good the choice was, and keeps its graph here: the loss of the policy also moves the parameters that `{name}` was computed with, and these are to be"
    " trained by a loss of their own. Hold it fixed: `{meant}`.",
    "`{name}` 说的是这个选择有多好，而这里它保留着计算图：策略的损失也会更新用来计算 `{name}` 的参数，而这些参数应由另一个专门的损失来训练。请把它固定住：`{meant}`。",
)


def weight_learns(run: Record) -> Iterator[Note]:
    """``-(dist.log_prob(a) * advantage)``, where the advantage comes of a critic that is trained with it."""
    if not re.search(r"log_prob|log_softmax", run.program.source):
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
        made = [each for each in run.made_at(node) if is_call_of(each, "mul") and each in run.ran_backward]
        if not made or not all(len(e.inputs) == 2 and all(i.first in run.learned for i in e.inputs) for e in made):
            continue
        for place, (one, other) in enumerate(((node.left, node.right), (node.right, node.left))):
            named = isinstance(other, ast.Name) and other.id not in logs and _is_log_probability(one, logs, choices)
            if named or _is_weighed_choice(run, made[-1], place):
                text, meant = run.case.text(other), f"{run.case.operand(other)}.detach()"
                fix = run.fix(_detached(run, other), f"`{meant}`", f"`{meant}`")
                yield WEIGHT_LEARNS.note(run.program.span_of(node), (), fix, name=text, meant=meant)
                break


def _detached(run: Record, node: ast.expr) -> list[Edit]:
    """Write ``.detach()`` behind an expression, or behind the brackets that it stands in."""
    span = run.program.span_of(node)
    if span is not None and not isinstance(node, ast.Call):
        before, behind_it = run.case.line(span.line)[: span.column], run.case.line(span.end_line)[span.end_column :]
        if before.endswith("* (") or (before.endswith("(") and behind_it.startswith(") *")):
            return [insertion(span.end_line, span.end_column + 1, ".detach()")] if behind_it.startswith(")") else []
    return run.case.followed(node, ".detach()")


_CARRIED: Final = f"{REARRANGING} neg stack cat unbind expand sum_all sum_dim mean_all mean_dim to_dtype"
"""What leaves a logarithm of a probability one, or adds up several."""
_COUNTED_ON: Final = f"{_CARRIED} add add_scalar sub_scalar mul mul_scalar div div_scalar"
"""What an advantage goes through before it weighs a choice: it is discounted, added up, brought to one size."""


def _is_weighed_choice(run: Record, product: NodeEntry, place: int) -> bool:
    """Whether a side of a product is the logarithm of the probability of what was drawn, and the other a difference from what is learned."""
    if not re.search(r"\b(sample|multinomial|choice|choices)\(", run.program.source) or "rsample" in run.program.source:
        return False  # no choice was drawn, or gradients are to go through what was
    made = _log_probability(run, product.inputs[place])
    other = product.inputs[1 - place]
    if made is None or not _is_difference(run, other, "" if is_call_of(made, "gather") else "rsub_scalar"):
        return False
    own = {made.inputs[0].first, *(out.first for out in made.outputs)}
    return not any(one.first in own for one in behind(other, in_graph=True))


def _log_probability(run: Record, entry: TensorEntry) -> NodeEntry | None:
    """What made a logarithm of a probability: a call of ``log_prob``, or a ``gather`` from ``log_softmax``."""
    for made in _makers(entry, _CARRIED):
        call = run.call_at(run.span(made.place))
        picked = producer(made.inputs[0]) if is_call_of(made, "gather") else None
        if (call is not None and called(call) == "log_prob") or (
            picked is not None and is_call_of(picked, "log_softmax_dim")
        ):
            return made
    return None


def _is_difference(run: Record, entry: TensorEntry, also: str) -> bool:
    """Whether something was subtracted that parameters are behind, as what a critic says from what came; also from a number, if that counts."""
    return any(
        (is_call_of(made, "sub") and len(made.inputs) == 2 and made.inputs[1].first in run.learned)
        or is_call_of(made, also)
        for made in _makers(entry, _COUNTED_ON)
    )


def _makers(entry: TensorEntry, through: str) -> Iterator[NodeEntry]:
    """The functions that made a tensor, back through some operations."""
    waiting, seen = [entry.first], {entry.first}
    for current in waiting:
        made = producer(current)
        if made is None or len(seen) > _FURTHEST:
            continue
        yield made
        if is_call_of(made, through):
            new = [one.first for one in made.inputs if one.requires_grad and one.first not in seen]
            seen.update(new)
            waiting += new


_FURTHEST: Final = 300


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
