"""Traps of data and labels that are put into two different orders before they are tensors."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.data import are_data_and_labels
from gradflow.engine.diagnosis.traps.edits import line_before
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.diagnosis.traps.unrecorded import ONE_SHUFFLED, is_shuffle, order_of
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note

TWO_SHUFFLES: Final = Trap(
    "two-shuffles",
    "`{first}` and `{second}` are shuffled by two calls, into two different orders: row k of the one no longer belongs to row k of the other. Draw one permutation, and index"
    " both with it.",
    "`{first}` 和 `{second}` 由两次调用分别打乱，次序不同：一个的第 k 行不再对应另一个的第 k 行。请只生成一个排列，用它索引两者。",
)


_FEWEST: Final = 4
"""Samples, before their order is thought about."""


def two_shuffles(run: Record) -> Iterator[Note]:
    """``np.random.shuffle(X); np.random.shuffle(y)``, and ``X = X[permutation(n)]; y = y[permutation(n)]``."""
    if run.steps:
        yield from _two_permutations(run)
    if "shuffle" not in run.program.source or not run.steps:
        return
    found: list[tuple[ast.Call, str]] = []
    for call in run.case.nodes(ast.Call):
        if called(call) == "seed":
            found = []
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr="shuffle"), args=[ast.Name(id=name)], keywords=[]) if (
                "random" in run.case.text(owner)
            ):
                found.append((call, name))
    for (first, one), (second, other) in itertools.pairwise(found):
        near = second.lineno - first.lineno <= 2 and run.case.enclosing(first, ast.FunctionDef) is run.case.enclosing(
            second, ast.FunctionDef
        )
        lengths = {_length(run.namespace.get(name)) for name in (one, other)}
        if near and one != other and len(lengths) == 1 and lengths != {0}:
            yield TWO_SHUFFLES.note(run.program.span_of(second), (), None, first=one, second=other)
            return
    if len(found) == 1:
        yield from _one_alone(run, *found[0])


def _one_alone(run: Record, call: ast.Call, name: str) -> Iterator[Note]:
    """``np.random.shuffle(X)``, and ``y`` that was made before and keeps its order."""
    held, statement = run.namespace.get(name), run.case.statement(call)
    for other, value in list(run.namespace.items()):
        same = _length(value) == _length(held) >= _FEWEST and are_data_and_labels(name, other)
        lines = [one.lineno for one in run.case.nodes(ast.Name) if one.id == other and isinstance(one.ctx, ast.Store)]
        if not same or not lines or max(lines) > call.lineno or statement is None:
            continue
        fix = None
        if isinstance(held, np.ndarray) and isinstance(value, np.ndarray):
            numpy = run.case.text(call.func).partition(".")[0]
            texts = (
                f"order = {numpy}.random.permutation(len({name}))",
                f"{name}, {other} = {name}[order], {other}[order]",
            )
            edits = run.case.replace(statement, f"\n{' ' * statement.col_offset}".join(texts))
            fix = run.fix(edits, "`[order]` for both", "两者都用 `[order]`")
        text = run.case.text(call)
        yield ONE_SHUFFLED.note(run.program.span_of(call), (), fix, text=text, name=f"`{other}`")
        return


# -- proven in the loss ------------------------------------------------------------------------------------------------

_COMPARING: Final = "nll_loss_rows nll_loss_places mse_loss binary_cross_entropy_with_logits sub"
_MOST: Final = 3000
"""Tensors that are looked at between a shuffle and a loss."""


def apart_in_loss(run: Record) -> Iterator[Note]:
    """Samples in one random order and targets in another, wherever the two were drawn, that meet in a loss."""
    shuffles = [node for node in run.calls("index index_select") if _rows_taken(node) is not None]
    for node in shuffles if run.steps and len(shuffles) > 1 else ():
        for target, orders in _compared(run, node):
            other, others = _shuffled_behind(target)
            if other is None or other.inputs[0].first is node.inputs[0].first:
                continue
            one, two = _composed(orders), _composed(others)
            if len(one) == len(two) and not np.array_equal(one, two):
                yield _apart(run, node, other)
                return


def _rows_taken(node: NodeEntry) -> np.ndarray | None:
    """The order in which a function takes all rows of data; None where it is none."""
    order = order_of(node)
    if order is None or not is_shuffle(node, order):
        return None
    given = node.settings[0] if node.settings else ()
    if is_call_of(node, "index_select"):
        return order if given == 0 else None
    return order if isinstance(given, tuple) and len(given) == 1 else None


def _composed(orders: Sequence[np.ndarray]) -> np.ndarray:
    """The order that several make, the first of them first."""
    found = orders[0]
    for one in orders[1:]:
        if len(one) != len(found):
            return np.zeros(0)
        found = found[one]
    return found


def _compared(run: Record, node: NodeEntry) -> Iterator[tuple[TensorEntry, list[np.ndarray]]]:
    """The targets that predictions computed from shuffled rows meet in a loss, with the orders on the way."""
    _, before = _shuffled_behind(node.outputs[0])
    waiting, seen = [(node.outputs[0].first, before)], {node.outputs[0].first}
    for current, orders in waiting:
        for reader in run.consumers.get(current, ()):
            given = [one for one in reader.inputs if one.first is not current]
            if current.requires_grad and is_call_of(reader, _COMPARING) and reader in run.ran_backward:
                yield from ((one, orders) for one in given if not one.requires_grad and one.array.ndim)
            more = _rows_taken(reader)
            for out in reader.outputs:
                if out.first not in seen and len(seen) < _MOST:
                    seen.add(out.first)
                    waiting.append((out.first, orders if more is None else [*orders, more]))


def _shuffled_behind(entry: TensorEntry) -> tuple[NodeEntry | None, list[np.ndarray]]:
    """The last shuffle that data went through, and the orders of all, the first of them first."""
    last, orders = None, list[np.ndarray]()
    node = producer(entry)
    while node is not None and node.inputs and not node.outputs[0].requires_grad:
        if (order := _rows_taken(node)) is not None:
            last, orders = last or node, [order, *orders]
        elif len(node.inputs) > 1 and not is_call_of(node, "index index_select"):
            break
        node = producer(node.inputs[0])
    return last, orders


def _apart(run: Record, node: NodeEntry, other: NodeEntry) -> Note:
    first, second = sorted((node, other), key=lambda one: one.number)
    shown = [_shuffling(run, one) for one in (first, second)]
    names = [
        run.name(one.inputs[0]).strip("`") if text is None else text[1]
        for one, text in zip((first, second), shown, strict=True)
    ]
    span = run.span(second.place) if shown[1] is None else run.program.span_of(shown[1][0])
    fix = _shared(run, shown[0], shown[1]) if shown[0] is not None and shown[1] is not None else None
    return TWO_SHUFFLES.note(span, [first.outputs[0], second.outputs[0]], fix, first=names[0], second=names[1])


def _shuffling(run: Record, node: NodeEntry) -> tuple[ast.expr, str] | None:
    """The expression that shuffles, and what it shuffles: that of the call of a function of one parameter which does nothing else."""
    span = run.span(node.place)
    subscript = run.case.find(ast.Subscript, span) if span is not None else None
    if subscript is None:
        return None
    function = run.case.enclosing(subscript, ast.FunctionDef)
    call = (
        run.call_at(run.span(node.within.position)) if node.within is not None and node.within.kind == "call" else None
    )
    if function is None or call is None or not _is_helper(function) or len(call.args) != 1:
        return subscript, run.case.text(subscript.value)
    return call, run.case.text(call.args[0])


def _is_helper(function: ast.FunctionDef) -> bool:
    """``def mixed(t): return t[torch.randperm(len(t))]``."""
    match function.body[-1]:
        case ast.Return(value=ast.Subscript(value=ast.Name(id=name), slice=ast.Call() as order)):
            return (
                len(function.body) == 1
                and [one.arg for one in function.args.args] == [name]
                and called(order) in _PERMUTING
            )
    return False


def _shared(run: Record, first: tuple[ast.expr, str], second: tuple[ast.expr, str]) -> Fix | None:
    """One order for both, drawn before the first."""
    one, other = first[0], second[0]
    statement = run.case.statement(one)
    if re.search(r"\border\b", run.program.source) or statement is None or one is other:
        return None
    if run.case.enclosing(one, ast.FunctionDef) is not run.case.enclosing(other, ast.FunctionDef):
        return None
    drawn = _drawn(run, one, first[1])
    if not drawn or isinstance(one, ast.Call) != isinstance(other, ast.Call):
        return None
    edits = [*line_before(run.case, statement, f"order = {drawn}"), *run.case.replace(one, f"{first[1]}[order]")]
    return run.fix(
        [*edits, *run.case.replace(other, f"{second[1]}[order]")], "`[order]` for both", "两者都用 `[order]`"
    )


def _drawn(run: Record, shuffling: ast.expr, given: str) -> str:
    """What draws the order of rows, as it is written for them."""
    if isinstance(shuffling, ast.Subscript):
        return run.case.text(shuffling.slice) if isinstance(shuffling.slice, ast.Call) else ""
    for function in run.case.nodes(ast.FunctionDef):
        match function.body[-1]:
            case ast.Return(value=ast.Subscript(slice=order)) if (
                isinstance(shuffling, ast.Call)
                and function.name == called(shuffling)
                and re.fullmatch(r"[^\W\d][\w.]*", given)
            ):
                return re.sub(rf"\b{function.args.args[0].arg}\b", given, run.case.text(order))
    return ""


# -- as they are written -----------------------------------------------------------------------------------------------

_NEAR: Final = 2
"""Lines between what belongs together."""
_PERMUTING: Final = frozenset({"permutation", "randperm"})


def _two_permutations(run: Record) -> Iterator[Note]:
    """Data and labels, each indexed with a permutation drawn for it alone, one after the other."""
    statements = run.case.nodes(ast.Assign)
    for first, second in itertools.pairwise(statements):
        if second.lineno - first.lineno <= _NEAR:
            one, other = _permuted(first), _permuted(second)
            if one is None or other is None:
                continue
            if not are_data_and_labels(one[0], other[0]):
                continue
            fix = _one_permutation(run, first, one[1], other[1])
            yield TWO_SHUFFLES.note(run.program.span_of(second), (), fix, first=one[0], second=other[0])
            return


def _permuted(statement: ast.stmt) -> tuple[str, ast.Call] | None:
    """The name that is permuted, and the call that draws the order."""
    match statement:
        case ast.Assign(
            targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=name), slice=ast.Call() as order)
        ) if called(order) in _PERMUTING:
            return name, order
    return None


def _one_permutation(run: Record, statement: ast.stmt, first: ast.Call, second: ast.Call) -> Fix | None:
    if re.search(r"\border\b", run.program.source):
        return None
    drawn = line_before(run.case, statement, f"order = {run.case.text(first)}")
    edits = [*drawn, *run.case.replace(first, "order"), *run.case.replace(second, "order")]
    return run.fix(edits, "`[order]` for both", "两者都用 `[order]`")


def _length(held: object) -> int:
    if isinstance(held, Tensor):
        return int(held._a.shape[0]) if held._a.ndim else 0
    return len(held) if type(held) in (list, np.ndarray) else 0  # type: ignore[arg-type]  # none of the program's own


TRAPS: Final = (two_shuffles, apart_in_loss)
