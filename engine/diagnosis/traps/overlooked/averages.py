"""Traps of averages and histories of losses: totals that go on from turn to turn and keep the graph of every turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of
from gradflow.engine.diagnosis.traps.statements import LOSS_KEPT, tail_of_kept
from gradflow.engine.recording.entries import CodePosition, NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Note

UNEVEN: Final = Trap(
    "last-batch-counted-full",
    "Every batch is divided by {size}, and the last one of `{loader}` has only {rest} samples: the average comes out too small. Add up what is counted, and divide once by the"
    " number of samples: `len({loader}.dataset)`.",
    "每个批次都除以 {size}，而 `{loader}` 的最后一批只有 {rest} 个样本：平均值偏小。请先累加个数，最后只除一次样本总数：`len({loader}.dataset)`。",
)

_FEWEST: Final = 3
"""Turns whose graphs are kept."""
_DEPTH: Final = 2
"""Dictionaries in one another."""
_CARRIED: Final = 8
"""Passes and places that are remembered of what is carried on."""


def averaged(run: Record) -> Iterator[Note]:
    """``avg = 0.9 * avg + 0.1 * loss`` in every turn, in a loop, a function or a method, of which no pass begins."""
    if len(run.passes) < _FEWEST:
        return
    told: set[ast.stmt] = set()
    for node, losses in _carried_on(run):
        statement = run.statement_at(run.span(node.place))
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Return) or statement in told:
            continue
        told.add(statement)
        names = {name for one in losses for name in one.first.names}
        places = [one for one in ast.walk(statement) if _is_named(run, one, names)] or _given(run, statement)
        if not places:
            continue
        loss, keeper = run.case.text(places[0]), _keeper(run, statement)
        if loss == keeper or not isinstance(places[0], ast.expr):
            continue
        places = [one for one in places if run.case.text(one) == loss] + _first_values(run, statement, keeper, loss)
        yield _kept(run, places, loss, keeper)


def _carried_on(run: Record) -> Iterator[tuple[NodeEntry, set[TensorEntry]]]:
    """The functions that put the loss of a further pass to what the same place had made of those before; no pass runs through them."""
    nodes = [
        node
        for node in run.recorder.nodes
        if node.node is not None and node.outputs and node.outputs[0].array.size == 1 and node not in run.ran_backward
    ]
    if len(nodes) < _FEWEST:
        return
    through: dict[TensorEntry, int] = {}
    for number, one in enumerate(run.passes):
        for step in one.steps:
            through.update((out.first, number) for out in step.node.outputs if out.array.size == 1)
    passes: dict[TensorEntry, frozenset[int]] = {}
    behind: dict[TensorEntry, frozenset[CodePosition | None]] = {}
    losses: dict[TensorEntry, set[TensorEntry]] = {}
    for node in nodes:
        out = node.outputs[0]
        own = {one for one in node.inputs if one.first in through}
        known = frozenset(through[one.first] for one in own).union(*(passes.get(one.first, ()) for one in node.inputs))
        if not known:
            continue
        before = frozenset[CodePosition | None]().union(*(behind.get(one.first, ()) for one in node.inputs))
        fresh = own.union(*(losses.get(one.first, ()) for one in node.inputs if one.first not in through))
        passes[out.first] = known if len(known) <= _CARRIED else frozenset(sorted(known)[-_CARRIED:])
        behind[out.first] = before | {node.place} if len(before) < _CARRIED else before
        losses[out.first] = set(sorted(fresh, key=lambda one: one.index)[-2:])
        if node.place in before and len(known) >= _FEWEST:
            yield node, fresh


def _is_named(run: Record, node: ast.AST, names: set[str]) -> bool:
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return False
    outer = run.case.parents.get(node)
    return run.case.text(node) in names and not isinstance(outer, ast.Attribute | ast.Compare)


def _given(run: Record, statement: ast.stmt) -> list[ast.AST]:
    """The only parameter of a function that a statement names, and that has another name than the loss it was given."""
    function = run.case.enclosing(statement, ast.FunctionDef)
    known = {one.arg for one in function.args.args} - {"self"} if function is not None else set()
    found = [one for one in ast.walk(statement) if _is_named(run, one, known)]
    return found if len({run.case.text(one) for one in found}) == 1 else []


def _keeper(run: Record, statement: ast.Assign | ast.AugAssign | ast.Return) -> str:
    """What the total is called."""
    match statement:
        case ast.Assign(targets=[target, *_]) | ast.AugAssign(target=target):
            return run.case.text(target)
    function = run.case.enclosing(statement, ast.FunctionDef)
    return f"{function.name}(...)" if function is not None else ""


def _first_values(run: Record, statement: ast.stmt, keeper: str, loss: str) -> list[ast.AST]:
    """The losses that the same total begins with, in the same function: ``avg = loss``."""
    scope = run.case.enclosing(statement, ast.FunctionDef)
    return [
        one.value
        for one in run.case.nodes(ast.Assign)
        if run.case.enclosing(one, ast.FunctionDef) is scope
        and run.case.text(one.value) == loss
        and keeper in map(run.case.text, one.targets)
    ]


def _kept(run: Record, places: list[ast.AST], loss: str, keeper: str) -> Note:
    tail = tail_of_kept(run, keeper)
    edits: list[Edit] = [edit for one in places for edit in run.case.after(one, tail)]
    kept = f"{loss}{tail}"
    fix: Fix | None = run.fix(edits, f"`{kept}`", f"`{kept}`")
    return LOSS_KEPT.note(run.program.span_of(places[0]), (), fix, loss=loss, keeper=keeper, kept=kept)


# -- histories ---------------------------------------------------------------------------------------------------------


def histories(run: Record) -> Iterator[Note]:
    """``self.history.append(loss)`` of a loss that a pass began at, and the next one was computed after."""
    if len(run.passes) < _FEWEST or "append(" not in run.program.source:
        return
    begun = {event.told["index"]: event.nodes for event in run.events() if event.kind == "pass"}
    roots = {root.first: at for at, one in enumerate(run.passes) for root, *_ in one.roots}
    held = {name for name, values in _lists(run) if _are_of_turns(values, roots, begun)}
    for call in run.case.nodes(ast.Call) if held else ():
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[ast.Name() | ast.Attribute() as value]):
                name = _last_name(owner)
                if name in held and not isinstance(owner, ast.Name) and _is_loss(run, value, roots):
                    yield _kept(run, [value], run.case.text(value), run.case.text(owner))


def _lists(run: Record) -> Iterator[tuple[str, list[object]]]:
    """The lists that names, keys and attributes have at the end, by the last of their names."""
    waiting: list[tuple[object, int]] = [(held, 0) for held in run.held()]
    for held, depth in waiting:
        parts = held if type(held) is dict else attributes_of(held)
        for name, value in list(parts.items()):
            if isinstance(name, str) and type(value) is list and len(value) >= _FEWEST:
                yield name, value
            elif type(value) is dict and depth < _DEPTH:
                waiting.append((value, depth + 1))


def _are_of_turns(values: list[object], roots: dict[TensorEntry, int], begun: dict[int, int]) -> bool:
    """Whether each is a loss with its graph, computed after the pass of the one before."""
    last = -1
    for one in values:
        entry = one._entry if isinstance(one, Tensor) and one._node is not None else None
        if entry is None or entry.first.node is None or entry.first not in roots or entry.first.node.number < last:
            return False
        last = begun.get(roots[entry.first], -1)
    return True


def _last_name(owner: ast.expr) -> str:
    match owner:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return ""


def _is_loss(run: Record, value: ast.expr, roots: dict[TensorEntry, int]) -> bool:
    text = run.case.text(value)
    return any(text in one.names for one in roots)


def uneven(run: Record) -> Iterator[Note]:
    """``acc += correct / 32`` over batches of which the last one is smaller."""
    loaders = {name: attributes_of(held) for name, held in run.named() if type(held).__name__ == "DataLoader"}
    for statement in run.case.nodes(ast.AugAssign) if loaders else ():
        loop, value = run.case.enclosing(statement, ast.For), statement.value
        divided = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div) and isinstance(statement.op, ast.Add)
        size = run.case.value(value.right) if isinstance(value, ast.BinOp) and divided else None
        if loop is None or type(size) is not int or not isinstance(loop.target, ast.Tuple):
            continue
        over = run.case.text(loop.iter)
        for name, own in loaders.items():
            rest = _samples(own) % size if own.get("batch_size") == size else 0
            if rest and not own.get("drop_last") and (over == name or over not in loaders):
                yield UNEVEN.note(run.program.span_of(statement), (), None, size=size, rest=rest, loader=name)
                break


def _samples(loader: dict[str, object]) -> int:
    """How many samples a loader goes through; 0 where that cannot be told without asking the program."""
    own = attributes_of(loader.get("dataset"))
    tensors = own.get("tensors") or ()
    return len(tensors[0]) if isinstance(tensors, tuple) and tensors and isinstance(tensors[0], Tensor) else 0


TRAPS: Final = (averaged, histories, uneven)
