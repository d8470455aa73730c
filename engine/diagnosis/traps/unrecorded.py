"""Traps of what is left out: parameters that are used where nothing is recorded, and samples shuffled without their targets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.findings.nothing_differentiable import outside
from gradflow.engine.diagnosis.switches import switched_off
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Fix, Note

UNRECORDED: Final = Trap(
    "parameter-under-no-grad",
    "{names}: the optimizer holds them, and no pass ever reached them, so they are never trained: everything that is computed from them runs under"
    " `{switch}`, which records no graph. Leave it out if they are to learn.",
    "{names}：优化器保存着它们，但没有一次反向传播到达过，所以从未训练：由它们计算的一切都在 `{switch}` 之下进行，那里不记录计算图。如果要训练它们，请去掉它。",
)
ONE_SHUFFLED: Final = Trap(
    "one-of-two-shuffled",
    "`{text}` shuffles the samples, and {name}, which they are compared with in the loss, keeps its order: every sample gets the target of another."
    " Use the same order for both.",
    "`{text}` 打乱了样本，而损失中与之比较的 {name} 仍是原来的次序：每个样本都对应了别人的目标。请对两者用同样的次序。",
)


def unrecorded(run: Record) -> Iterator[Note]:
    """Parameters that an optimizer holds, whose every use was under ``no_grad`` on the way to a loss of which a pass was run."""
    if not any(one.complete for one in run.passes):
        return
    lost = [entry for entry in run.idle if entry not in run.reached]
    found: dict[ast.AST, list[TensorEntry]] = {}
    for entry in lost:
        readers = run.consumers.get(entry, ())
        if any(node.outputs[0].requires_grad for node in readers):
            continue  # it was in a graph that was cut behind it
        places = {switch for node in readers if (switch := _switch(run, node)) is not None}
        if len(places) == 1 and entry.requires_grad and _leads_to_pass(run, entry):
            found.setdefault(places.pop(), []).append(entry)
    for switch, entries in found.items():
        shown = switch.items[0].context_expr if isinstance(switch, ast.With) else switch
        fix = outside(run.case, switch) if not isinstance(switch, ast.With) else None
        yield UNRECORDED.note(
            run.program.span_of(shown), entries, fix, names=run.names(entries), switch=run.case.text(shown)
        )


def _switch(run: Record, node: NodeEntry) -> ast.AST | None:
    """The block or the decorator under which a function of the program ran without being recorded: that of its call, or around it."""
    span = run.span(node.place)
    call = run.case.find(ast.expr, span) if span is not None else None
    return switched_off(run.case, call) if call is not None and not node.outputs[0].requires_grad else None


def _leads_to_pass(run: Record, entry: TensorEntry) -> bool:
    """Whether what was computed from a tensor is an operand of something that a pass went through."""
    seen, waiting = {entry}, [entry]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if node in run.ran_backward:
                return True
            new = [out.first for out in node.outputs if out.first not in seen and len(seen) < 5000]
            seen.update(new)
            waiting += new
    return False


def shuffled_alone(run: Record) -> Iterator[Note]:
    """``X = X[order]``, and targets that stay as they are."""
    shuffles = [
        node for node in run.calls("index") if (order := order_of(node)) is not None and is_shuffle(node, order)
    ]
    if not shuffles or not run.steps:
        return
    moved = {node.inputs[0].first for node in shuffles} | {node.outputs[0].first for node in shuffles}
    for node in shuffles[:1]:
        rows = node.outputs[0].array.shape[0]
        for target in _compared_with(run, node.outputs[0]):
            root = _root(target)
            if (
                root.first in moved
                or not root.first.names  # what a layer or a loss made for itself: a mask of dropout, smoothed labels
                or root.array.shape[:1] != (rows,)
                or root.requires_grad
                or any(_comes_from(root, one.outputs[0]) for one in shuffles)
            ):
                continue
            span = run.span(node.place)
            subscript = None if span is None else run.case.find(ast.Subscript, span)
            text = run.case.text(subscript) if subscript is not None else "index"
            yield ONE_SHUFFLED.note(
                span, [node.outputs[0], root], _both(run, subscript, root), text=text, name=run.name(root)
            )
            return


def order_of(node: NodeEntry) -> np.ndarray | None:
    """The positions by which rows were taken."""
    given = [entry.array for entry in node.inputs[1:]]
    settings = node.settings[0] if node.settings else ()
    given += [one for one in settings if isinstance(one, np.ndarray)] if isinstance(settings, tuple) else []
    return given[0] if len(given) == 1 else None


def is_shuffle(node: NodeEntry, order: np.ndarray) -> bool:
    rows = node.inputs[0].array.shape[:1]
    if order.ndim != 1 or order.dtype.kind != "i" or order.shape != rows or not 3 < order.size <= 10_000:
        return False
    counted = np.arange(order.size)
    return (
        not node.inputs[0].requires_grad
        and not np.array_equal(order, counted)
        and np.array_equal(np.sort(order), counted)
    )


def _compared_with(run: Record, source: TensorEntry) -> Iterator[TensorEntry]:
    """What predictions that were computed from a tensor meet, data alone, in what a pass went through."""
    seen, waiting = {source.first}, [source.first]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if node in run.ran_backward and len(node.inputs) == 2:
                yield from (
                    one for one in node.inputs if one.first not in seen and _is_data(one) and current.requires_grad
                )
            new = [out.first for out in node.outputs if out.first not in seen and len(seen) < 3000]
            seen.update(new)
            waiting += new


def _is_data(entry: TensorEntry) -> bool:
    return not entry.requires_grad and entry.array.ndim > 0


def _root(entry: TensorEntry) -> TensorEntry:
    """The tensor that an entry is a part of."""
    for _ in range(10):
        if entry.view_of is None:
            return entry
        entry = entry.view_of
    return entry


def _comes_from(entry: TensorEntry, source: TensorEntry) -> bool:
    """Whether a tensor was computed from another one."""
    seen, waiting = {entry.first}, [entry]
    for current in waiting:
        if current.first is source.first:
            return True
        before = list(current.first.node.inputs) if current.first.node is not None else []
        new = [one for one in before if one.first not in seen and len(seen) < 500]
        seen.update(one.first for one in new)
        waiting += new
    return False


def _both(run: Record, subscript: ast.Subscript | None, root: TensorEntry) -> Fix | None:
    """``X, Y = X[order], Y[order]``, where the statement sets the one alone."""
    statement = run.case.statement(subscript) if subscript is not None else None
    names = [name for name, held in run.namespace.items() if held is root.tensor]
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
            value is subscript and len(names) == 1 and isinstance(subscript.slice, ast.Name)
        ):
            text = f"{name}, {names[0]} = {run.case.text(subscript)}, {names[0]}[{subscript.slice.id}]"
            return run.fix(run.case.replace(statement, text), f"`{text}`", f"`{text}`")
    return None


TRAPS: Final = (unrecorded, shuffled_alone)
