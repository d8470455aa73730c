"""Derivatives without a graph that are added to what a network gives: the loss trains the other part of the equation alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Note

MIXED: Final = Trap(
    "derivative-without-graph",
    "`{text}` records no graph of its own pass, so `{name}` is a plain number for what comes after it: of `{sum}` on line {line} the loss sends gradients"
    " through the other part alone and none through `{name}`, so the network is not trained for the equation that is written there. Record it: `create_graph=True`.",
    "`{text}` 没有为自己的反向传播记录计算图，所以对后面来说 `{name}` 只是普通的数：在第 {line} 行的 `{sum}` 中，损失的梯度只通过另一部分，不通过 `{name}`，网络并不是按所写的"
    "方程训练的。请记录计算图：`create_graph=True`。",
)

_STEPS: Final = 8
"""Functions between a derivative and the sum that it is a part of."""
_FIXED: Final = re.compile(r"target|tgt|label|truth|目标", re.IGNORECASE)


def mixed(run: Record) -> Iterator[Note]:
    """``u_t + 0.5 * u``, where ``u_t = autograd.grad(u, t, ...)[0]`` has no graph."""
    if ".grad(" not in run.program.source or not run.steps:
        return
    for statement in run.case.nodes(ast.Assign):
        call = next((one for one in ast.walk(statement.value) if _is_asked(run, one)), None)
        names = [one.id for each in statement.targets for one in ast.walk(each) if isinstance(one, ast.Name)]
        if not isinstance(call, ast.Call) or len(names) != 1 or any(_FIXED.search(one) for one in names):
            continue
        met = _met(run, call)
        expression = run.case.find(ast.BinOp, run.span(met.place)) if met is not None else None
        if met is None or expression is None:
            continue
        kept = next((one for one in call.keywords if one.arg == "retain_graph"), None)
        edits = (
            run.case.replace(kept, "create_graph=True")
            if kept is not None
            else run.case.argument(call, "create_graph=True")
        )
        words = {"text": " ".join(run.case.text(call.func).split()), "name": names[0], "line": expression.lineno}
        shown = " ".join(run.case.text(expression).split())
        fix = run.fix(edits, "`create_graph=True`", "`create_graph=True`")
        yield MIXED.note(run.program.span_of(call), (), fix, sum=shown, **words)


def _is_asked(run: Record, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and run.case.text(node.func).endswith("autograd.grad")
        and not any(one.arg in ("create_graph", None) for one in node.keywords)
    )


def _met(run: Record, call: ast.Call) -> NodeEntry | None:
    """The sum of a derivative and of what the same network made of the same input, if a pass went through it."""
    span = run.program.span_of(call)
    last = next((one for one in reversed(run.passes) if one.kind == "grad" and run.span(one.place) == span), None)
    if last is None or not all(root.first in run.learned for root, _, _ in last.roots):
        return None
    asked = [one.first for one in last.others]
    if not asked or any(one in run.learned for one in asked):
        return None  # the derivative with respect to a parameter, or to what comes of one
    after = _behind(run, asked)
    for entry in run.recorder.entries:
        array = next((each for each in last.others.values() if each.shape == entry.array.shape), None)
        if array is None or entry.first.node is not None or entry.requires_grad or entry.number is None:
            continue
        if (entry.array == array).all() and (found := _added(run, entry, after)) is not None:
            return found
    return None


def _behind(run: Record, entries: list[TensorEntry]) -> set[TensorEntry]:
    """What was computed from some tensors."""
    seen, waiting = set(entries), list(entries)
    while waiting:
        for node in run.consumers.get(waiting.pop(), ()):
            new = {out.first for out in node.outputs} - seen
            seen |= new
            waiting += new
    return seen


def _added(run: Record, entry: TensorEntry, after: set[TensorEntry]) -> NodeEntry | None:
    """The addition of a plain tensor, or of what comes of it, to what is learned, tensors of more than one number both."""
    waiting, seen = [entry.first], {entry.first}
    for _ in range(_STEPS):
        found: list[TensorEntry] = []
        for one in waiting:
            if any(_FIXED.search(name) for name in one.names):
                continue
            for node in run.consumers.get(one, ()):
                if _is_sum(run, node, one, after):
                    return node
                found += [out.first for out in node.outputs if not out.requires_grad and out.first not in seen]
        seen.update(found)
        waiting = found
    return None


def _is_sum(run: Record, node: NodeEntry, one: TensorEntry, after: set[TensorEntry]) -> bool:
    others = [each.first for each in node.inputs if each.first is not one]
    return (
        is_call_of(node, "add sub")
        and node in run.ran_backward
        and len(others) == 1
        and others[0] in run.learned
        and others[0] in after
        and others[0].array.shape == one.array.shape
        and one.array.size > 1
    )


TRAPS: Final = (mixed,)
