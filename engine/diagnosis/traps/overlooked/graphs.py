"""Traps of what is cut out of the graph without a word: derivatives that become numbers, samples that are drawn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Note, Span

PENALTY_CUT: Final = Trap(
    "penalty-without-graph",
    "`{text}` records no graph of its own pass, so `{name}` is a plain number for what comes after it: the term computed from it is added to the loss,"
    " and no gradient goes through it, so it trains nothing. Record it: `create_graph=True`.",
    "`{text}` 没有为自己的反向传播记录计算图，所以对后面来说 `{name}` 只是普通的数：由它算出的项加进了损失，却没有梯度通过，什么也没有训练。请记录计算图：`create_graph=True`。",
)
DERIVATIVE_CUT: Final = Trap(
    "derivative-cut-off",
    "`{text}` cuts the derivative `{name}` off from the graph that `create_graph=True` recorded for it (line {line}): the term computed from it is added to"
    " the loss, and no gradient goes through it to the network, so it trains nothing. Leave `{cut}` out: `{name}`.",
    "`{text}` 把导数 `{name}` 与 `create_graph=True` 为它记录的计算图（第 {line} 行）断开：由它算出的项加进了损失，却没有梯度通过它传到网络，什么也没有训练。请去掉 `{cut}`：`{name}`。",
)
DRAWN: Final = Trap(
    "sample-cuts-graph",
    "`{text}` draws numbers and cuts them off from the graph: nothing that is computed from them sends a gradient back to the parameters of the"
    " distribution. `rsample()` draws the same numbers as a function of the parameters: `{meant}`.",
    "`{text}` 抽取的数与计算图断开：由它们计算的一切都不会把梯度传回分布的参数。`rsample()` 把同样的数作为参数的函数来抽取：`{meant}`。",
)

_STEPS: Final = 12
"""Functions between a derivative and the loss."""


def penalties(run: Record) -> Iterator[Note]:
    """``autograd.grad(score.sum(), x)``, and its norm in the loss."""
    if ".grad(" not in run.program.source or not any(one.kind == "grad" for one in run.passes):
        return
    for statement in run.case.nodes(ast.Assign):
        call = next((one for one in ast.walk(statement.value) if _differentiates(run, one)), None)
        if not isinstance(call, ast.Call) or any(one.arg in ("create_graph", None) for one in call.keywords):
            continue
        names = [one.id for each in statement.targets for one in ast.walk(each) if isinstance(one, ast.Name)]
        for name in names:
            results = [one for one in run.recorder.entries if name in one.first.names and one.first.node is None]
            results = results or _given(run, run.program.span_of(call))
            if any(not one.requires_grad and is_added(run, one) for one in results):
                kept = next((one for one in call.keywords if one.arg == "retain_graph"), None)
                edits = (
                    run.case.replace(kept, "create_graph=True")
                    if kept is not None
                    else run.case.argument(call, "create_graph=True")
                )
                fix = run.fix(edits, "`create_graph=True`", "`create_graph=True`")
                text = " ".join(run.case.text(call.func).split())
                yield PENALTY_CUT.note(run.program.span_of(call), (), fix, text=text, name=name)
                break


def cut_derivatives(run: Record) -> Iterator[Note]:
    """``u_x.data - cos(x)`` in the residual of an equation, of a derivative whose graph was recorded."""
    if "create_graph" not in run.program.source or not any(one.kind == "grad" for one in run.passes):
        return
    for node in run.case.nodes(ast.expr):
        match node:
            case ast.Attribute(value=ast.Name() as owner, attr="data"):
                cut = ".data"
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="detach"), args=[], keywords=[]):
                cut = ".detach()"
            case _:
                continue
        made = _recorded(run, owner)
        span = run.program.span_of(node)
        results = [one for one in run.recorder.entries if span is not None and run.span(one.first.place) == span]
        if made is None or not any(not one.requires_grad and is_added(run, one) for one in results):
            continue
        fix = run.fix(run.case.replace(node, owner.id), f"`{owner.id}`", f"`{owner.id}`")
        yield DERIVATIVE_CUT.note(span, (), fix, text=run.case.text(node), name=owner.id, line=made.lineno, cut=cut)


def _recorded(run: Record, owner: ast.Name) -> ast.Call | None:
    """The call of ``grad`` with a graph that a name has its value from, if nothing else of the program uses the derivative."""
    scope = run.case.enclosing(owner, ast.FunctionDef)
    own = [
        one
        for one in run.case.nodes(ast.Name)
        if one.id == owner.id and run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    stored = [one for one in own if isinstance(one.ctx, ast.Store)]
    statement = run.case.statement(stored[0]) if len(stored) == 1 and len(own) == 2 else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    call = next((one for one in ast.walk(value) if _differentiates(run, one)), None) if value is not None else None
    if not isinstance(call, ast.Call):
        return None
    graph = next((one.value for one in call.keywords if one.arg == "create_graph"), None)
    return call if isinstance(graph, ast.Constant) and graph.value is True else None


def _differentiates(run: Record, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and run.case.text(node.func).endswith("autograd.grad")


def _given(run: Record, span: Span | None) -> list[TensorEntry]:
    """What the last pass of a call gave, where a function has no name for it at the end."""
    last = next((one for one in reversed(run.passes) if one.kind == "grad" and run.span(one.place) == span), None)
    arrays = list(last.others.values()) if last is not None else []
    return [
        one
        for one in run.recorder.entries
        if one.first.node is None
        and any(one.array.shape == each.shape and np.array_equal(one.array, each) for each in arrays)
    ]


def is_added(run: Record, entry: TensorEntry) -> bool:
    """Whether one number that comes of a tensor, and of nothing that is learned, is added to a loss of which a pass begins."""
    waiting, seen = [entry.first], {entry.first}
    for _ in range(_STEPS):
        found: list[TensorEntry] = []
        for one in waiting:
            for node in run.consumers.get(one, ()):
                if _meets_loss(run, node, one) and node in run.ran_backward:
                    return True
                found += [out.first for out in node.outputs if out.first not in run.learned and out.first not in seen]
        seen.update(found)
        waiting = found
    return False


def _meets_loss(run: Record, node: NodeEntry, entry: TensorEntry) -> bool:
    others = [one for one in node.inputs if one.first is not entry]
    return (
        is_call_of(node, "add sub")
        and not entry.array.ndim
        and bool(others)
        and all(one.requires_grad and not one.array.ndim for one in others)
        and (not entry.requires_grad or all(one.first in run.learned for one in others))
    )


_SMOOTH: Final = frozenset(
    {
        "Normal",
        "LogNormal",
        "Uniform",
        "Beta",
        "Gamma",
        "Laplace",
        "Exponential",
        "MultivariateNormal",
        "StudentT",
        "Gumbel",
    }
)


def drawn(run: Record) -> Iterator[Note]:
    """``z = q.sample()`` of a distribution whose parameters a network gives, and a loss of what is computed from ``z``."""
    source = run.program.source
    if ".sample(" not in source or "log_prob" in source or "rsample" in source or not run.steps:
        return
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=held, attr="sample") as method):
                pass
            case _:
                continue
        made = run.case_at(run.program.span_of(call)).assignment(held.id) if isinstance(held, ast.Name) else held  # type: ignore[arg-type]  # a call stands somewhere
        if not isinstance(made, ast.Call) or called(made) not in _SMOOTH:
            continue
        span = run.program.span_of(call)
        values = [one for one in run.recorder.entries if run.span(one.first.place) == span]
        if not values or not (_is_learned(run, made) or _is_computed(run, made)):
            continue
        if any(node in run.ran_backward for one in values for node in run.consumers.get(one.first, ())):
            meant = f"{run.case.text(held)}.rsample{run.case.text(call)[len(run.case.text(method)) :]}"
            fix = run.fix(run.case.rename_end(method, "sample", "rsample"), f"`{meant}`", f"`{meant}`")
            yield DRAWN.note(span, [values[-1]], fix, text=run.case.text(call), meant=meant)


def _is_learned(run: Record, made: ast.Call) -> bool:
    """Whether a parameter of a distribution is computed from what an optimizer moves."""
    names = {
        one.id
        for part in (*made.args, *(each.value for each in made.keywords))
        for one in ast.walk(part)
        if isinstance(one, ast.Name)
    }
    return any(one.requires_grad and names & set(one.first.names) for one in run.recorder.entries)


def _is_computed(run: Record, made: ast.Call) -> bool:
    """Whether a parameter of a distribution is computed from what an optimizer moves, by names of a function's own."""
    scope = run.case.enclosing(made, ast.FunctionDef)
    parts = [*made.args, *(one.value for one in made.keywords)]
    names = {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
    for statement in run.case.nodes(ast.Assign):
        stored = {one.id for each in statement.targets for one in ast.walk(each) if isinstance(one, ast.Name)}
        if run.case.enclosing(statement, ast.FunctionDef) is scope and stored & names:
            parts.append(statement.value)
    calls = (one for part in parts for one in ast.walk(part) if isinstance(one, ast.expr))
    return any(out.first in run.learned for one in calls for node in run.made_at(one) for out in node.outputs)


TRAPS: Final = (penalties, cut_derivatives, drawn)
