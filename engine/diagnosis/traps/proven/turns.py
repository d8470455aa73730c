"""Traps of turns: graphs of earlier steps that are gone through again, gradients counted twice or thrown away unused."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.edits import in_every_turn, line_after, moved_after, without_line
from gradflow.engine.diagnosis.traps.proven.totals import indented
from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import Record, Trap, producer
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.trace import Fix, Note

STALE: Final = Trap(
    "graph-older-than-step",
    "This pass goes once more through what line {line} computed before the step in line {step} moved {names}: the loss is that of the old weights, and so is the"
    " gradient. `retain_graph=True` keeps the old graph only; compute the output and the loss anew in every turn.",
    "这次反向传播又一次经过第 {line} 行在第 {step} 行更新 {names} 之前算出的结果：损失是旧权重的损失，梯度也是。`retain_graph=True` 只是保留旧的计算图；请在每一轮重新计算输出和损失。",
)
SAME_AGAIN: Final = Trap(
    "loss-of-old-output",
    "`{text}` is computed of {output}, which was computed before the step: it gives the very number of line {line}, and shows nothing of the new weights. Compute the"
    " output anew.",
    "`{text}` 是由 {output} 计算的，而它是在更新之前算出的：结果与第 {line} 行完全相同，看不出新权重的任何效果。请重新计算输出。",
)
TWICE: Final = Trap(
    "gradient-counted-twice",
    "{loss} is a part of {total}, whose pass follows in line {line}: its gradient is added to `.grad` twice before the step. One pass, of {total}, is enough.",
    "{loss} 已经是 {total} 的一部分，后者的反向传播在第 {line} 行：更新之前它的梯度被加进 `.grad` 两次。只对 {total} 反向传播一次就够了。",
)
UNUSED: Final = Trap(
    "gradients-thrown-away",
    "Gradients are set to zero here in every turn, and the step in line {step} comes less often: those of {count} passes were thrown away before any step used them,"
    " and nothing adds up. Zero them behind the step.",
    "这里每一轮都把梯度清零，而第 {step} 行的更新没有那么频繁：有 {count} 次反向传播的梯度在用于更新之前就被丢掉，什么也没有累积。请在更新之后再清零。",
)

ROWS_ADDED: Final = Trap(
    "rows-added-up",
    "`{owner}.grad` is kept in every turn as the gradient of `{root}` alone, and nothing clears it: `backward()` adds, so from the second turn on it is the sum of all"
    " gradients so far. Clear it behind this line: `{meant}`.",
    "每一轮都把 `{owner}.grad` 当作 `{root}` 单独的梯度保存下来，但从没有清零：`backward()` 总是累加，所以从第二轮起保存的是到目前为止所有梯度的和。请在这一行之后清掉：`{meant}`。",
)

_MOST: Final = 60
"""Passes that are looked at."""
_NEAR: Final = 16
"""Calls after the one of a loss that are compared with it."""


def stale(run: Record) -> Iterator[Note]:
    """``pred = model(x)`` before the loop, and ``loss.backward(retain_graph=True)`` in it."""
    if "retain_graph" not in run.program.source or not run.steps:
        return
    been: dict[NodeEntry, int] = {}
    moved: dict[TensorEntry, tuple[EventEntry, int]] = {}
    told = set()
    for count, event in enumerate(list(run.events())[: _MOST * 10]):
        if event.kind == "step":
            moved.update({entry.first: (event, count) for entry in event.told["tensors"]})
        if event.kind != "pass":
            continue
        one = run.passes[event.told["index"]]
        for step in one.steps:
            leaf = next((each.first for each in step.node.inputs if each.first in moved), None)
            if step.node in been and leaf is not None and one.place not in told and been[step.node] < moved[leaf][1]:
                told.add(one.place)
                words = {"line": run.line(step.node.place), "step": run.line(moved[leaf][0].place)}
                old = [each.node for each in one.steps if each.node in been]
                yield STALE.note(
                    run.span(one.place), [leaf], in_every_turn(run, one, old), **words, names=run.name(leaf)
                )
        been |= dict.fromkeys((step.node for step in one.steps), count)


def same_again(run: Record) -> Iterator[Note]:
    """``after = loss_fn(out, y)`` behind the step, of the output before it."""
    roots = {root.first: None for one in run.passes[:_MOST] for root, *_ in one.roots if root.array.size == 1}
    for root in roots:
        made = producer(root)
        if made is None or made.op is None:
            continue
        later = (
            each
            for each in run.alike(made)
            if each.number > made.number and each not in run.ran_backward and each.outputs[0].first not in roots
        )
        for again in islice(later, _NEAR):
            shared = _shared(root, again.outputs[0], 6)
            step = next((one for one in run.steps if made.number < one.nodes <= again.number), None)
            # the sum of a loss for each sample, or of several losses, is told as the number that it was
            only_sums = len(again.inputs) == 1 and again.inputs[0].first is shared
            only_sums = only_sums or all(one.array.size == 1 for one in again.inputs)
            if shared is None or only_sums or step is None or not _depends(shared, step):
                continue
            span = run.span(again.place)
            words = {"text": " ".join((run.builder.expression(again.place) or "").split()), "output": run.name(shared)}
            yield SAME_AGAIN.note(span, [shared], _anew(run, again, shared), **words, line=run.line(made.place))
            return


def _shared(one: TensorEntry, other: TensorEntry, depth: int) -> TensorEntry | None:
    """The tensor with a graph that two results were computed of, by the same functions of the same operands."""
    if one.first is other.first:
        return one if one.first.node is not None and one.requires_grad else None
    a, b = producer(one), producer(other)
    if a is None or b is None or a.op is not b.op or a.settings != b.settings or depth == 0:
        return None
    if len(a.inputs) != len(b.inputs) or a is b:
        return None
    found = None
    for first, second in zip(a.inputs, b.inputs, strict=True):
        if first is second and not (first.requires_grad and first.first.node is not None):
            continue
        shared = _shared(first, second, depth - 1)
        if shared is None:
            return None
        found = shared
    return found


def _depends(entry: TensorEntry, step: EventEntry) -> bool:
    moved = {one.first for one in step.told["tensors"]}
    return any(one.first in moved for one in behind(entry))


def _anew(run: Record, again: NodeEntry, shared: TensorEntry) -> Fix | None:
    """The expression that made the output in the place of its name."""
    call = run.call_at(run.span(again.place))
    for given in call.args if call is not None else ():
        match given:
            case ast.Name(id=name) if name in shared.first.names and call is not None:
                made = [
                    one.value
                    for one in run.case.nodes(ast.Assign)
                    if any(isinstance(each, ast.Name) and each.id == name for each in one.targets)
                ]
                if len(made) == 1 and isinstance(made[0], ast.Call):
                    text = run.case.text(made[0])
                    return run.fix(run.case.replace(given, text), f"`{text}`", f"`{text}`")
    return None


def counted_twice(run: Record) -> Iterator[Note]:
    """``loss1.backward(retain_graph=True)``, and ``(loss1 + loss2).backward()`` before the step."""
    before: dict[TensorEntry, list[PassEntry]] = {}  # by what they began at
    places = set()
    for event in run.events():
        if event.kind in ("zero", "step"):
            before = {}
        if event.kind != "pass":
            continue
        one = run.passes[event.told["index"]]
        leaves = run.leaves_of[event.told["index"]]
        parts = {each.first for step in one.steps for each in step.node.inputs} if before else set()
        for earlier in [each for part in parts for each in before.get(part, ())]:
            root = earlier.roots[0][0]
            again = leaves & {entry.first for entry, *_ in earlier.accumulations}
            if root.array.size != 1 or not again or earlier.place in places:
                continue
            if _is_stepped(run, again):
                places.add(earlier.place)
                statement = run.statement_at(run.span(earlier.place))
                edits = without_line(run.case, statement) if isinstance(statement, ast.Expr) else []
                fix = run.fix(edits, "Without this pass", "去掉这次反向传播")
                words = {"loss": run.name(root), "total": run.name(one.roots[0][0]), "line": run.line(one.place)}
                yield TWICE.note(run.span(earlier.place), [root], fix, **words)
        if one.kind == "backward" and len(one.roots) == 1:
            before.setdefault(one.roots[0][0].first, []).append(one)


def _is_stepped(run: Record, leaves: set[TensorEntry]) -> bool:
    return not leaves.isdisjoint(run.moved)


def thrown_away(run: Record) -> Iterator[Note]:
    """``optimizer.zero_grad()`` in every turn, and ``optimizer.step()`` in every fourth."""
    source = run.program.source.replace("autograd.grad", "").replace(".grad.zero_", "").replace(".grad = None", "")
    if ".grad" in source or not run.steps:
        return
    fresh: dict[TensorEntry, int] = {}
    lost: dict[int, EventEntry] = {}
    for event in run.events():
        if event.kind == "pass":
            fresh |= dict.fromkeys(run.leaves_of[event.told["index"]], event.told["index"])
        elif event.kind == "step":
            used = {fresh.get(entry.first) for entry in event.told["tensors"]}
            fresh = {entry: index for entry, index in fresh.items() if index not in used}
        elif event.kind == "zero":
            gone = {fresh.pop(entry.first) for entry in event.tensors() if entry.first in fresh}
            lost |= {index: event for index in gone if index not in fresh.values()}
    kept = [at for at in lost if run.leaves_of[at] <= run.moved.keys()]
    places = {run.passes[at].place for at in kept}
    if len(kept) > 1 and len(places) == 1 and len({lost[at].place for at in kept}) == 1:
        yield from _unused(run, lost[kept[0]], len(kept), next(iter(places)))


def _unused(run: Record, zero: EventEntry, count: int, place: object) -> Iterator[Note]:
    """The note, where a step stands under a condition in the same loop as the pass."""
    statement = run.statement_at(run.span(zero.place))
    step = run.statement_at(run.span(run.steps[0].place))
    backward = run.statement_at(run.span(next(one.place for one in run.passes if one.place == place)))
    if statement is None or step is None or backward is None:
        return
    loop, choice = run.case.enclosing(backward, ast.For), run.case.enclosing(step, ast.If)
    if loop is None or run.case.enclosing(statement, ast.For) is not loop:
        return
    behind_loop = run.case.parents.get(step) is run.case.parents.get(loop)
    if behind_loop:
        words = {"step": run.line(run.steps[0].place), "count": count}
        yield UNUSED.note(run.program.span_of(statement), (), indented(run, loop, [step]), **words)
    if behind_loop or choice is None or run.case.enclosing(choice, ast.For) is not loop:
        return
    fix = run.fix(moved_after(run.case, statement, step), "Zero them behind the step", "在更新之后清零")
    yield UNUSED.note(run.program.span_of(statement), (), fix, step=run.line(run.steps[0].place), count=count)


def rows_added(run: Record) -> Iterator[Note]:
    """``y[i].backward(retain_graph=True)`` and ``J[i] = x.grad`` in every turn."""
    for loop in run.case.nodes(ast.For):
        if _CLEARING.search(run.case.text(loop)):
            continue
        own = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
        roots = [call for one in loop.body if (call := _backward_of(one)) is not None and own & _names_in(call)]
        kept = [(one, owner) for one in loop.body if (owner := _kept_gradient(run, one))]
        if len(roots) != 1 or len(kept) != 1 or roots[0].lineno > kept[0][0].lineno:
            continue
        statement, owner = kept[0]
        place = run.program.span_of(roots[0])
        sums = [
            entry
            for one in run.passes
            if run.span(one.place) == place
            for entry, before, *_ in one.accumulations
            if before is not None and np.any(before) and f".{run.name(entry).strip('`')}".endswith(f".{owner}")
        ]
        if sums and not run.steps:
            meant = f"{owner}.grad = None"
            fix = run.fix(line_after(run.case, statement, meant), f"`{meant}`", f"`{meant}`")
            words = {"owner": owner, "root": run.case.text(roots[0].func.value), "meant": meant}  # type: ignore[attr-defined]  # a method's
            yield ROWS_ADDED.note(run.program.span_of(statement), sums[:1], fix, **words)


_CLEARING: Final = re.compile(
    r"zero_|grad\s*=[^=]|set_to_none|del .*grad|requires_grad|\.clone\(\)\.detach|detach\(\)\.clone"
)
"""What may give a leaf a fresh gradient, or make a fresh leaf, in a turn."""


def _backward_of(statement: ast.stmt) -> ast.Call | None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward")) as call):
            return call
    return None


def _names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _kept_gradient(run: Record, statement: ast.stmt) -> str:
    """``x`` of ``J[i] = x.grad``, ``rows.append(x.grad.clone())``; nothing for all else."""
    match statement:
        case ast.Assign(targets=[ast.Subscript()], value=value):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[value])):
            pass
        case _:
            return ""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.args:
        value = value.func.value  # clone(), detach(), item(), flatten()
    return run.case.text(value.value) if isinstance(value, ast.Attribute) and value.attr == "grad" else ""


TRAPS: Final = (stale, same_again, counted_twice, thrown_away, rows_added)
