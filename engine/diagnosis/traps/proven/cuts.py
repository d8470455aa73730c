"""Traps of gradients that end without a word: at choices, at rounding, at terms of a loss without a graph, at every step of a sequence."""

from __future__ import annotations

import ast
import itertools
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from gradflow.engine.autograd.grad_inputs import array_of
from gradflow.engine.diagnosis.traps import training
from gradflow.engine.diagnosis.traps.edits import joined, kept_itself
from gradflow.engine.diagnosis.traps.proven.trails import behind, forward_from, idle_leaves, leads_to_pass, trains
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.diagnosis.traps.unmoved import behind_numbers, penalty, takes_numbers
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.trace import Fix, Note, Text

CHOICE: Final = Trap(
    "choice-has-no-derivative",
    "{names}: no pass ever reached it, so it is never trained. `{text}` chooses or compares: a small change of its input changes nothing, or makes it jump, so it has"
    " no derivative, and the gradient ends here. Use something smooth in its place, as the weights of `softmax` or `sigmoid`.",
    "{names}：没有任何一次反向传播到达过它，因此它从未被训练。`{text}` 是选择或比较：输入的微小变化不会改变结果，或者让它跳变，所以没有导数，梯度到这里就断了。"
    "请换成平滑的运算，例如 `softmax` 或 `sigmoid` 的权重。",
)
FLAT: Final = Trap(
    "gradient-always-zero",
    "In all {count} passes `{text}` passed on nothing but zeros, so {names} never moved. {why}",
    "在全部 {count} 次反向传播中，`{text}` 传出的梯度全是 0，所以 {names} 从未移动。{why}",
)
TERM: Final = Trap(
    "loss-term-without-graph",
    "What is added to the loss in line {line} was computed from `{text}`, which leaves the graph: the loss is larger, and this term trains nothing. Leave `{cut}` out.",
    "第 {line} 行加到损失上的这一项是由 `{text}` 计算的，它已离开计算图：损失变大了，但这一项什么也没有训练。请去掉 `{cut}`。",
)
EVERY_STEP: Final = Trap(
    "history-cut-at-every-step",
    "`{text}` cuts the graph at every step of the sequence, and a pass goes through the last step alone: what the {count} steps before it computed gets no gradient, so"
    " nothing is learned over time. Cut between sequences, not between their steps.",
    "`{text}` 在序列的每一步都切断计算图，反向传播只经过最后一步：之前 {count} 步的计算得不到梯度，学不到任何跨时间的关系。请在序列之间切断，而不是在每一步之间。",
)

_CHOOSING: Final = "argmax argmin gt lt ge le eq ne gt_scalar_written lt_scalar_written one_hot logical_not isin searchsorted multinomial bernoulli_tensor"
_ROUNDING: Final = "round_whole round_decimals floor ceil trunc sign sgn heaviside"
_LIMITING: Final = "relu clamp_scalar clamp_min_scalar clamp_max_scalar hardtanh threshold relu6"
_FEWEST: Final = 2

TURNED_AROUND: Final = Trap(
    "straight-through-turned",
    "This has the value of `{soft}` and hands its gradient to `{hard}`: the straight-through estimator the wrong way round. To go on with the value of `{hard}`, and to let the"
    " gradient through to `{soft}` as if the two were the same, write `{meant}`.",
    "这里的值是 `{soft}` 的，梯度却传给了 `{hard}`：直通估计写反了。要用 `{hard}` 的值继续计算，同时让梯度像两者相同一样传到 `{soft}`，请写 `{meant}`。",
)


def choices(run: Record) -> Iterator[Note]:
    """``emb(logits.argmax(1))``, and an optimizer that holds what the logits were computed of."""
    if not any(one.complete for one in run.passes):
        return
    found: dict[object, tuple[NodeEntry, list[TensorEntry]]] = {}
    for leaf in idle_leaves(run):
        node = next((one for one in forward_from(run, leaf) if _chooses(run, one)), None)
        if node is not None and not any(is_call_of(one, "detach data") for one in forward_from(run, leaf)):
            found.setdefault(node.place, (node, []))[1].append(leaf)
    for node, leaves in found.values():
        text = " ".join((run.builder.expression(node.place) or "this").split())
        yield CHOICE.note(run.span(node.place), leaves, None, names=run.names(leaves), text=text)


def _chooses(run: Record, node: NodeEntry) -> bool:
    if node.op is None or not node.inputs or not node.inputs[0].requires_grad or not node.outputs:
        return False
    whole = is_call_of(node, "to_dtype") and node.outputs[0].array.dtype.kind in "iub"
    cut = (whole or is_call_of(node, _CHOOSING)) and not node.outputs[0].requires_grad
    return cut and leads_to_pass(run, node.outputs[0])


# -- zeros -------------------------------------------------------------------------------------------------------------


def flat(run: Record) -> Iterator[Note]:
    """``torch.round(h)``, whose derivative is 0; ``relu`` of what is below 0 for all samples in all turns."""
    passes = [one for one in run.passes if one.kind == "backward" and one.complete and one.accumulations]
    if not _FEWEST <= len(passes) <= 2000 or not run.steps:
        return
    still = _without_gradient(passes)
    lost = [leaf for leaf in still if leaf in run.moved]
    for place, node in _blocking(passes).items() if lost else ():
        own = [leaf for leaf in lost if any(one.first is leaf for one in behind(node.outputs[0]))]
        if own:
            rounding = is_call_of(node, _ROUNDING)
            text = " ".join((run.builder.expression(place) or "this").split())  # type: ignore[arg-type]  # the place of a function
            words = {"names": run.names(own), "text": text, "count": len(passes), "why": Text(*_WHY[rounding])}
            yield FLAT.note(run.span(node.place), own, None, **words)
            return


_WHY: Final = {
    True: (
        "Rounding is flat between its jumps: its derivative is 0 everywhere. To train through it, pass the gradient on as if nothing had been rounded:"
        " `x + (rounded - x).detach()`.",
        "取整在跳变之间是平的，导数处处为 0。要让梯度通过，请像没有取整一样传回去：`x + (rounded - x).detach()`。",
    ),
    False: (
        "All of its inputs lie where it is flat, for every sample, so it can never come back. Begin with smaller weights and a bias near 0, or with a lower rate.",
        "它的所有输入、对每个样本都落在平的那一段，再也回不来。请从较小的权重和接近 0 的偏置开始，或者降低学习率。",
    ),
}


def _without_gradient(passes: list[PassEntry]) -> set[TensorEntry]:
    """The leaves that were reached by all of these passes, with zeros alone."""
    zeros: set[TensorEntry] | None = None
    for one in passes:
        own = {entry.first for entry, _, incoming, *_ in one.accumulations if not incoming.any()}
        zeros = own if zeros is None else zeros & own
        if not zeros:
            break
    return zeros or set()


def _blocking(passes: list[PassEntry]) -> dict[object, NodeEntry]:
    """Of the places where something other than 0 arrived, those that passed on zeros alone in all passes."""
    found: dict[object, NodeEntry] = {}
    through: set[object] = set()
    for one in passes:
        for step in one.steps:
            if not is_call_of(step.node, f"{_ROUNDING} {_LIMITING}"):
                continue
            arrived = _is_some(step.grads)
            passed = _is_some(step.grad_inputs)
            if arrived and not passed:
                found.setdefault(step.node.place, step.node)
            if passed:
                through.add(step.node.place)
    return {place: node for place, node in found.items() if place not in through}


def _is_some(grads: Iterable[object]) -> bool:
    """Whether something other than 0 is among gradients."""
    return any(grad is not None and bool(np.any(array_of(grad))) for grad in grads)


# -- terms of a loss ---------------------------------------------------------------------------------------------------


def terms(run: Record) -> Iterator[Note]:
    """``loss = main + 0.1 * penalty``, where the penalty was computed from ``p.data``."""
    told = set()
    for one in run.passes[:100]:
        for root, *_ in one.roots if one.kind == "backward" and trains(run) else ():
            for node, term in _terms(root):
                cut = _cut_behind(run, term)
                if cut is None or cut.place in told or cut.place is None:
                    continue
                told.add(cut.place)
                text = " ".join((run.builder.expression(cut.place) or "detach").split())
                words = {
                    "line": run.line(node.place),
                    "text": text,
                    "cut": ".detach()" if is_call_of(cut, "detach") else ".data",
                }
                yield TERM.note(run.span(cut.place), [term], joined(run, cut), **words)
    yield from _numbers_added(run)


def _terms(root: TensorEntry) -> Iterator[tuple[NodeEntry, TensorEntry]]:
    """What is added up to a loss and has no graph, with the sum that adds it."""
    waiting = [root]
    for current in waiting[:200]:
        node = producer(current)
        if node is None or not is_call_of(node, "add sub mul div neg add_scalar"):
            continue
        for one in node.inputs:
            if one.requires_grad and one.array.ndim == 0:
                waiting.append(one)
            elif is_call_of(node, "add sub") and one.array.ndim == 0 and len(node.inputs) == 2:
                yield node, one


def _cut_behind(run: Record, term: TensorEntry) -> NodeEntry | None:
    """Where what a term was computed from left the graph; not where that is the loss itself, or a part of it."""
    for one in behind(term, 200):
        node = producer(one)
        if node is not None and is_call_of(node, "detach data") and node.inputs[0].requires_grad:
            source = node.inputs[0]
            scalar = source.array.ndim == 0 and source.first in run.ran_through
            return None if scalar or (one is term and _is_kept(run, source)) else node
    return None


def _is_kept(run: Record, source: TensorEntry) -> bool:
    """Whether a loss that another pass begins at is a part here."""
    return any(root.first is source.first for one in run.passes for root, *_ in one.roots)


def _numbers_added(run: Record) -> Iterator[Note]:
    """``loss = main + 0.1 * z.abs().mean().item()``."""
    if "item()" not in run.program.source or not run.steps:
        return
    told = {note.span for note in penalty(run)}
    losses = set(_losses(run))
    for statement in run.case.nodes(ast.Assign):
        if not any(isinstance(one, ast.Name) and one.id in losses for one in statement.targets):
            continue
        for part in _flattened(statement.value):
            call = _number_of(run, part, statement)
            span = run.program.span_of(call) if call is not None else None
            if call is None or span in told or not isinstance(call.func, ast.Attribute):
                continue
            source = run.program.span_of(call.func.value)
            made = [one for one in run.recorder.entries if run.span(one.place) == source and one.requires_grad]
            if made and not any(one.first in run.ran_through for one in made):
                fix = run.fix(run.case.without_tail(call), "Without `.item()`", "去掉 `.item()`")
                text = " ".join(run.case.text(call).split())
                yield TERM.note(span, made[-1:], fix, line=statement.lineno, text=text, cut=".item()")


def _losses(run: Record) -> Iterator[str]:
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward")):
                yield name


def _flattened(value: ast.expr) -> Iterator[ast.expr]:
    """What is added up by an expression, factors apart."""
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            yield from _flattened(left)
            yield from _flattened(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield from (one for one in (left, right) if isinstance(one, ast.Name | ast.Call))
        case _:
            yield value


def _number_of(run: Record, part: ast.expr, statement: ast.stmt) -> ast.Call | None:
    """The ``item()`` that a term is, or that its name was given by in the same function."""
    match part:
        case ast.Call(func=ast.Attribute(attr="item")):
            return part
        case ast.Name(id=name):
            scope = run.case.enclosing(statement, ast.FunctionDef)
            made = [
                one.value
                for one in run.case.nodes(ast.Assign)
                if any(isinstance(each, ast.Name) and each.id == name for each in one.targets)
                and run.case.enclosing(one, ast.FunctionDef) is scope
            ]
            if len(made) == 1 and isinstance(made[0], ast.Call) and getattr(made[0].func, "attr", "") == "item":
                return made[0]
    return None


def through_numbers(run: Record) -> Iterator[Note]:
    """``torch.tensor([score(v).item() for v in h])``, wherever it stands."""
    lost = idle_leaves(run)
    told = {note.span for note in behind_numbers(run)} if lost else set()
    for call in run.case.nodes(ast.Call) if lost and run.reached else ():
        if getattr(call.func, "attr", "") not in ("tensor", "as_tensor", "from_numpy", "Tensor") or not call.args:
            continue
        inner = next((one for one in ast.walk(call.args[0]) if takes_numbers(one)), None)
        if inner is None or run.program.span_of(call) in told:
            continue
        source = run.program.span_of(inner.func.value)  # type: ignore[attr-defined]  # a method, as was looked
        own = [leaf for leaf in lost if any(run.span(node.place) == source for node in forward_from(run, leaf))]
        if own:
            text = " ".join(run.case.text(call).split())
            yield training.cut_off(run, run.program.span_of(call), own, _kept(run, call), f"`{text}`")


def _kept(run: Record, call: ast.Call) -> Fix | None:
    """``torch.stack([... for ...])`` of numbers that were taken one by one; of a whole tensor's numbers the tensor itself."""
    match call:
        case ast.Call(
            func=ast.Attribute(attr="tensor"),
            args=[ast.ListComp(elt=ast.Call(func=ast.Attribute(attr="item", value=held)) as elt)],
            keywords=[],
        ):
            edits = [
                *run.case.rename_end(call.func, "tensor", "stack"),
                *run.case.replace(elt, f"{run.case.text(held)}.squeeze()"),
            ]
            return run.fix(edits, "Keep the tensors: `torch.stack`", "保留张量：`torch.stack`")
        case ast.Call(args=[ast.Call(func=ast.Attribute(value=held)) as taken], keywords=[]) if takes_numbers(taken):
            return kept_itself(run, call, held)
    return None


# -- sequences ---------------------------------------------------------------------------------------------------------


def every_step(run: Record) -> Iterator[Note]:
    """``h = torch.tanh(i2h(x) + h2h(h.data))`` in the loop over the steps, and one loss behind it."""
    if not run.steps or idle_leaves(run):
        return
    groups: dict[object, list[NodeEntry]] = {}
    for node in run.calls("detach data"):
        if node.inputs[0].requires_grad and producer(node.inputs[0]) is not None:
            groups.setdefault(node.place, []).append(node)
    ends = sorted(one.ended for one in run.passes)
    for nodes in groups.values():
        wasted = [one for one in nodes if producer(one.inputs[0]) not in run.ran_backward and not one.inputs[0].is_leaf]
        chained = [one for a, one in itertools.pairwise(wasted) if _follows(ends, a, one)]
        if len(wasted) < len(nodes) or len(chained) < len(wasted) // 2 or len(chained) < _FEWEST:
            continue
        text = " ".join((run.builder.expression(nodes[0].place) or "detach").split())
        fix = joined(run, nodes[0])
        count = len(chained) // max(1, len(run.passes)) + 1
        yield EVERY_STEP.note(run.span(nodes[0].place), nodes[:1][0].outputs, fix, text=text, count=count)


def _follows(ends: list[int], first: NodeEntry, second: NodeEntry) -> bool:
    """Whether what a cut let through goes into what the next one cuts, without a pass that ``ends`` between the two."""
    if bisect_right(ends, first.number) < bisect_right(ends, second.number):
        return False
    return any(one.first is first.outputs[0].first for one in behind(second.inputs[0], 60))


_LOOKED_UP: Final = "index index_select embedding_rows embedding_take gather one_hot"
_VIEWS: Final = "view unsafe_view permute transpose t unsqueeze squeeze_all squeeze_dim squeeze_dims"


def turned_around(run: Record) -> Iterator[Note]:
    """``q + (z - q).detach()``, where ``q`` is what was rounded or looked up for ``z``."""
    if "detach()" not in run.program.source:
        return
    for node in run.calls("add"):
        span = run.span(node.place)
        total = None if span is None else run.case.find(ast.BinOp, span)
        match total:
            case ast.BinOp(
                left=hard,
                op=ast.Add(),
                right=ast.Call(
                    func=ast.Attribute(value=ast.BinOp(left=soft, op=ast.Sub(), right=again), attr="detach"), args=[]
                ),
            ) if run.case.text(hard) == run.case.text(again):
                pass
            case _:
                continue
        if not node.inputs or not _is_quantised(node.inputs[0]):
            continue
        one, other = run.case.text(hard), run.case.text(soft)
        meant = f"{other} + ({one} - {other}).detach()"
        fix = run.fix(run.case.replace(total, meant), f"`{meant}`", f"`{meant}`")
        yield TURNED_AROUND.note(span, node.outputs, fix, hard=one, soft=other, meant=meant)
        return


def _is_quantised(entry: TensorEntry) -> bool:
    """Whether a tensor is what was rounded, or looked up in a table, views of it included."""
    node = producer(entry)
    while node is not None and is_call_of(node, _VIEWS) and node.inputs:
        node = producer(node.inputs[0])
    return node is not None and is_call_of(node, f"{_ROUNDING} {_LOOKED_UP}")


TRAPS: Final = (choices, flat, terms, through_numbers, every_step, turned_around)
