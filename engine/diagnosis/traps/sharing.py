"""Traps of what is shared or kept without being meant: one model under two names, graphs in a sum, weights along the wrong side."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.edits import copying
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, is_call_of, producer
from gradflow.engine.diagnosis.traps.statements import LOSS_KEPT
from gradflow.engine.recording.entries import CodePosition, NodeEntry, TensorEntry
from gradflow.engine.trace import Note

TWO_NAMES: Final = Trap(
    "model-is-no-copy",
    "`{name} = {other}` makes no second model, but a second name for the same one: every step that changes the parameters of"
    " `{other}` changes those of `{name}`, too. `copy.deepcopy({other})` makes a model of its own.",
    "`{name} = {other}` 并没有得到第二个模型，只是同一个模型的另一个名字：对 `{other}` 参数的每一步更新也同样改变了 `{name}`。"
    "`copy.deepcopy({other})` 才会得到独立的模型。",
)
OVER_QUERIES: Final = Trap(
    "softmax-over-queries",
    "These weights are multiplied with the values along the last dimension, and softmax runs over dimension {dim}: the weights"
    " that mix the values of one place do not add up to 1. Softmax belongs to the dimension that the product sums over:"
    " `dim=-1`.",
    "这些权重与值相乘时沿最后一维求和，而 softmax 却沿第 {dim} 维计算：混合出一个位置的各个权重相加并不等于 1。"
    "softmax 应当沿乘积求和的那一维：`dim=-1`。",
)


def two_names(run: Record) -> Iterator[Note]:
    """``target = net``, and both are used as models while the optimizer moves the one that there is."""
    if not run.steps:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other) as value) if name != other:
                held = run.namespace.get(name)
            case _:
                continue
        if held is None or held is not run.namespace.get(other) or "_parameters" not in attributes_of(held):
            continue
        if _is_used(run, name, statement.lineno) and _is_used(run, other, statement.lineno):
            copy, imports = copying(run)
            edits = [*imports, *run.case.wrapped(value, f"{copy}(", ")")]
            fix = run.fix(edits, f"`{copy}({other})`", f"`{copy}({other})`")
            yield TWO_NAMES.note(run.program.span_of(value), (), fix, name=name, other=other)


def _is_used(run: Record, name: str, after: int) -> bool:
    """Whether a model is called, or asked for its parameters, under a name, below a line and in a loop."""
    for node in run.case.nodes(ast.Name):
        outer = run.case.parents.get(node)
        called = isinstance(outer, ast.Call) and outer.func is node
        asked = isinstance(outer, ast.Attribute) and outer.attr in ("parameters", "state_dict", "load_state_dict")
        if node.id == name and node.lineno > after and (called or asked) and run.case.enclosing(node, ast.For):
            return True
    return False


def losses_added(run: Record) -> Iterator[Note]:
    """Losses that were differentiated, and are added up with their graphs by a function or in an object."""
    roots = {root.first for one in run.passes for root, *_ in one.roots if root.array.size == 1}
    sums: dict[CodePosition, list[NodeEntry]] = defaultdict(list)
    for node in run.calls("add"):
        if node.node is not None and node.place is not None and any(one.first in roots for one in node.inputs):
            sums[node.place].append(node)
    for place, nodes in sums.items():
        made = {out.first for node in nodes for out in node.outputs}
        grown = [node for node in nodes[1:] if any(one.first in made for one in node.inputs)]
        if len(grown) < 1 or made & (roots | run.ran_through):
            continue
        statement = run.statement_at(run.span(place))
        match statement:
            case ast.AugAssign(
                target=ast.Attribute() | ast.Subscript() as target, value=ast.Name() | ast.Attribute() as loss
            ):
                text, keeper = run.case.text(loss), run.case.text(target)
                fix = run.fix(run.case.after(loss, ".item()"), f"`{text}.item()`", f"`{text}.item()`")
                yield LOSS_KEPT.note(run.program.span_of(loss), nodes[-1].outputs, fix, loss=text, keeper=keeper)


def over_queries(run: Record) -> Iterator[Note]:
    """Attention whose weights add up to 1 over the queries."""
    for node in run.calls("softmax_dim"):
        out = node.outputs[0]
        ndim = out.array.ndim
        if ndim < 3 or node.settings[:1] not in ((ndim - 2,), (-2,)) or out.array.shape[-1] < 2:
            continue
        mixes = [one for one in _readers(run, out) if one.inputs and _is_of(one.inputs[0], out)]
        if _of_product(node.inputs[0]) and mixes:
            span = run.span(node.place)
            call = run.call_at(span)
            given = next((one.value for one in call.keywords if one.arg == "dim"), None) if call is not None else None
            fix = run.fix(run.case.replace(given, "-1"), "`dim=-1`", "`dim=-1`") if given is not None else None
            yield OVER_QUERIES.note(span, [out], fix, dim=ndim - 2)


_PRODUCTS: Final = "mm bmm"
_BETWEEN: Final = "view unsafe_view expand reshape_alias mul div masked_fill add sub clone"


def _of_product(entry: TensorEntry) -> bool:
    """Whether scores are those of a product, scaled and masked."""
    for _ in range(12):
        made = producer(entry)
        if made is None or not made.inputs:
            return False
        if is_call_of(made, _PRODUCTS):
            return True
        if not is_call_of(made, _BETWEEN):
            return False
        entry = made.inputs[0]
    return False


def _readers(run: Record, entry: TensorEntry) -> Iterator[NodeEntry]:
    """The products that read a tensor, also through another shape of it."""
    for one in run.consumers.get(entry.first, ()):
        if is_call_of(one, _PRODUCTS):
            yield one
        elif is_call_of(one, "view expand unsafe_view reshape_alias"):
            yield from _readers(run, one.outputs[0])


def _is_of(entry: TensorEntry, source: TensorEntry) -> bool:
    """Whether a tensor is another one, or a view of it."""
    while entry.first is not source.first:
        made = producer(entry)
        if made is None or not made.inputs or not is_call_of(made, "view expand unsafe_view reshape_alias"):
            return False
        entry = made.inputs[0]
    return True


TRAPS: Final = (two_names, losses_added, over_queries)
