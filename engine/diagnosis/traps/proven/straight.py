"""Traps of straight-through estimators: the value of what was rounded, with a gradient that is not that of what it was rounded from."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.proven.cuts import _LOOKED_UP, _ROUNDING
from gradflow.engine.diagnosis.traps.proven.trails import behind, leads_to_pass
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Fix, Note, Text

WRONG_GRADIENT: Final = Trap(
    "straight-through-gradient",
    "The value of this is that of `{hard}`, and {what} A straight-through estimator passes the gradient on to `{soft}` once, as if nothing had been done to it: `{soft}`"
    " stays in the graph, and the whole difference is cut off, `{meant}`.",
    "这里的值是 `{hard}` 的，而{what}直通估计应当把梯度原样传给 `{soft}` 一次，好像什么也没有做过：`{soft}` 留在计算图里，整个差值脱离计算图，`{meant}`。",
)
_WHAT: Final = {
    0: Text(
        "no gradient gets to `{soft}`: in what stays in the graph it stands not at all, or is taken away again.",
        "没有梯度传到 `{soft}`：在留在计算图里的部分中，它根本没有出现，或者又被减掉了。",
    ),
    -1: Text(
        "the gradient gets to `{soft}` with its sign turned round: the `{soft}` that is added is cut off, and the one that is taken away is not.",
        "传到 `{soft}` 的梯度符号相反：加上的那个 `{soft}` 脱离了计算图，减去的那个却没有。",
    ),
    2: Text("the gradient gets to `{soft}` twice.", "传到 `{soft}` 的梯度多算了一份。"),
}
_FLAT: Final = f"{_ROUNDING} {_LOOKED_UP} gt lt ge le eq ne gt_scalar_written lt_scalar_written argmax argmin"
_CUT: Final = "detach data"
_DEEPEST: Final = 8
_FARTHEST: Final = 40


def straight_through(run: Record) -> Iterator[Note]:
    """``x.detach() + (x.round() - x)``, and other sums that have the value of ``x.round()`` and not the gradient of ``x``."""
    if not run.calls(_FLAT) or not run.passes:
        return
    told = set()
    for node in run.calls("add sub"):
        found = _turned(node) if node.place not in told and len(node.inputs) == 2 else None
        if found is None or not (node in run.ran_backward or leads_to_pass(run, node.outputs[0])):
            continue
        told.add(node.place)
        soft, hard, factor = found
        texts = _texts(run, node)
        one, other = texts or (run.name(hard).strip("`"), run.name(soft).strip("`"))
        meant = f"{other} + ({one} - {other}).detach()"
        what = _WHAT[max(-1, min(factor, 2))]
        words = {"hard": one, "soft": other, "meant": meant, "what": _filled(what, other)}
        yield WRONG_GRADIENT.note(run.span(node.place), node.outputs, _fix(run, node, meant, texts), **words)


def _filled(text: Text, soft: str) -> Text:
    return Text(text.en.format(soft=soft), text.zh.format(soft=soft))


def _turned(node: NodeEntry) -> tuple[TensorEntry, TensorEntry, int] | None:
    """What a sum is the value of, what cancels out in it, and how often that has the gradient; nothing where it is once."""
    value: Counter[TensorEntry] = Counter()
    graph: Counter[TensorEntry] = Counter()
    for entry, sign, recorded in _parts(node.outputs[0], 1, True, _DEEPEST):
        value[entry] += sign
        graph[entry] += sign if recorded and entry.requires_grad else 0
    left = [entry for entry, count in value.items() if count]
    gone = [entry for entry, count in value.items() if not count and entry.requires_grad]
    if len(left) != 1 or len(gone) != 1 or value[left[0]] != 1 or graph[gone[0]] == 1:
        return None
    return (gone[0], left[0], graph[gone[0]]) if _is_flat_of(left[0], gone[0]) else None


def _parts(entry: TensorEntry, sign: int, recorded: bool, depth: int) -> Iterator[tuple[TensorEntry, int, bool]]:
    """What is added up to a tensor, with its sign, and whether the gradient of the sum gets to it."""
    node = producer(entry)
    if node is not None and depth and is_call_of(node, _CUT):
        yield from _parts(node.inputs[0], sign, False, depth - 1)
    elif node is not None and depth and _is_plain_sum(node):
        recorded = recorded and node.outputs[0].requires_grad
        yield from _parts(node.inputs[0], sign, recorded, depth - 1)
        yield from _parts(node.inputs[1], sign if is_call_of(node, "add") else -sign, recorded, depth - 1)
    else:
        yield entry.first, sign, recorded


def _is_plain_sum(node: NodeEntry) -> bool:
    """Whether a function adds or takes away a tensor of the same shape, once."""
    if not is_call_of(node, "add sub") or len(node.inputs) != 2 or node.settings not in ((), (1,)):
        return False
    return node.inputs[0].array.shape == node.inputs[1].array.shape


def _is_flat_of(hard: TensorEntry, soft: TensorEntry) -> bool:
    """Whether a tensor was computed from another by rounding, choices or tables, and in no other way."""
    seen, waiting, flat = {hard.first}, [hard.first], False
    for current in waiting:
        if current is soft.first or len(waiting) > _FARTHEST:
            return False
        node = producer(current)
        if node is None:
            continue
        if is_call_of(node, _FLAT):
            # the places of a table are no operands of the look-up
            flat = flat or is_call_of(node, _LOOKED_UP) or any(one.first is soft.first for one in behind(current, 200))
            continue
        new = [one.first for one in node.inputs if one.first not in seen]
        seen.update(new)
        waiting += new
    return flat


def _texts(run: Record, node: NodeEntry) -> tuple[str, str] | None:
    """How the source writes what such a sum is the value of, and what cancels out, where both stand in one expression."""
    span = run.span(node.place)
    total = None if span is None else run.case.find(ast.BinOp, span)
    if total is None:
        return None
    counts: Counter[str] = Counter()
    for part, sign in _written(run, total, 1):
        counts[run.case.text(part)] += sign
    left, gone = [one for one in counts if counts[one]], [one for one in counts if not counts[one]]
    return (left[0], gone[0]) if len(left) == len(gone) == 1 and counts[left[0]] == 1 else None


def _written(run: Record, node: ast.expr, sign: int) -> Iterator[tuple[ast.expr, int]]:
    """What an expression adds up, with its sign; a name of a sum that was given once is looked through."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            yield from _written(run, left, sign)
            yield from _written(run, right, sign if isinstance(op, ast.Add) else -sign)
        case ast.Call(func=ast.Attribute(value=inner, attr="detach"), args=[], keywords=[]):
            yield from _written(run, inner, sign)
        case ast.Attribute(value=inner, attr="data"):
            yield from _written(run, inner, sign)
        case ast.Name() if (given := _given(run, node)) is not None:
            yield from _written(run, given, sign)
        case _:
            yield node, sign


def _given(run: Record, name: ast.Name) -> ast.expr | None:
    """The sum, or what was cut off, that a name stands for in its function."""
    scope = run.case.enclosing(name, ast.FunctionDef)
    stores = [one for one in run.case.nodes(ast.Name) if one.id == name.id and isinstance(one.ctx, ast.Store)]
    own = [one for one in stores if run.case.enclosing(one, ast.FunctionDef) is scope]
    match run.case.parents.get(own[0]) if len(own) == 1 else None:
        case ast.Assign(targets=[ast.Name()], value=ast.BinOp(op=ast.Add() | ast.Sub()) as value):
            return value
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="detach")) as value):
            return value
    return None


def _fix(run: Record, node: NodeEntry, meant: str, texts: tuple[str, str] | None) -> Fix | None:
    span = run.span(node.place)
    total = None if span is None or texts is None else run.case.find(ast.BinOp, span)
    if total is None or not set(texts or ()) <= {run.case.text(one) for one in ast.walk(total)}:
        return None  # what it is made of was given a name before
    return run.fix(run.case.replace(total, meant), f"`{meant}`", f"`{meant}`")


TRAPS: Final = (straight_through,)
