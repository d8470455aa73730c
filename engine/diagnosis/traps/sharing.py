"""Traps of what is shared or kept without being meant: one model under two names, graphs in a sum, weights along the wrong side."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps import statements
from gradflow.engine.diagnosis.traps.edits import copying
from gradflow.engine.diagnosis.traps.record import (
    Record,
    Trap,
    attributes_of,
    children_of,
    is_call_of,
    is_to_stay,
    modules_in,
    parameters_in,
    producer,
)
from gradflow.engine.recording.entries import CodePosition, NodeEntry, TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.sandbox.stand_ins import Module as StandIn
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

REARRANGED: Final = Trap(
    "view-instead-of-transpose",
    "`{text}` keeps the elements in their order and only counts them otherwise: the sizes {before} become {after}, but each"
    " row is now filled with what stood one after another, across the rows of before. To exchange dimensions write `{meant}`.",
    "`{text}` 不改变元素的次序，只是重新划分：形状从 {before} 变成 {after}，而现在的每一行是按原来的顺序依次填入的，混进了原来不同行的数。要交换维度请写 `{meant}`。",
)
CLASSES_LAST: Final = Trap(
    "view-moves-no-classes",
    "`{text}` asks for the shape that is there already, {shape}, and so changes nothing: the classes are still in the last dimension, and the loss takes dimension 1 for them, that of the"
    " steps, which only happens to be as long. To exchange the two write `{meant}`.",
    "`{text}` 要的形状就是现有的 {shape}，所以什么也没有改变：类别仍在最后一维，而损失把第 1 维（时间步）当作类别，只是两者碰巧一样长。要交换这两维请写 `{meant}`。",
)
LIKELIHOOD: Final = Trap(
    "log-probability-as-loss",
    "This loss is the logarithm of the probability of what is right, and an optimizer makes a loss smaller: it makes the right"
    " answer less and less likely. Put a minus sign before it.",
    "这个损失是正确答案概率的对数，而优化器会让损失变小：正确答案的概率会越来越低。请在前面加上负号。",
)
COPIED_TERM: Final = Trap(
    "loss-term-is-a-number",
    "`{text}` makes a new tensor of a plain number: its value is added to the loss, and no gradient goes through it, so this term trains"
    " nothing. Use the tensor itself: `{meant}`.",
    "`{text}` 用普通的数创建了新张量：它的数值加进了损失，但没有梯度通过，所以这一项什么也没有训练。请直接使用张量：`{meant}`。",
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
        others = _is_used(run, other, statement.lineno) or is_to_stay(name)
        if _is_used(run, name, statement.lineno) and others:
            copy, imports = copying(run)
            edits = [*imports, *run.case.wrapped(value, f"{copy}(", ")")]
            fix = run.fix(edits, f"`{copy}({other})`", f"`{copy}({other})`")
            yield TWO_NAMES.note(run.program.span_of(value), (), fix, name=name, other=other)


def two_attributes(run: Record) -> Iterator[Note]:
    """``self.target = self.online``, and the optimizer moves the one that there is."""
    moved = {id(entry.tensor) for step in run.steps for entry in step.told["tensors"]}
    for statement in run.case.nodes(ast.Assign) if moved else ():
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner) as target, attr=name)],
                value=ast.Attribute(value=ast.Name(id=same), attr=other) as value,
            ) if owner == same and is_to_stay(name) and name != other:
                pass
            case _:
                continue
        if not any(_are_one(held, name, other, moved) for held in run.held()):
            continue
        copy, imports = copying(run)
        text = run.case.text(value)
        fix = run.fix([*imports, *run.case.wrapped(value, f"{copy}(", ")")], f"`{copy}({text})`", f"`{copy}({text})`")
        yield TWO_NAMES.note(run.program.span_of(value), (), fix, name=f"{target.id}.{name}", other=text)


def _are_one(held: object, name: str, other: str, moved: set[int]) -> bool:
    """Whether two attributes of an object are one module, whose parameters an optimizer moved."""
    own = attributes_of(held)
    inside = {**own, **children_of(own)}
    model = inside.get(name)
    if model is None or model is not inside.get(other):
        return False
    return any(id(one) in moved for _, part in modules_in(model) for one in parameters_in(part))


def _is_used(run: Record, name: str, after: int) -> bool:
    """Whether a model is called, or asked for its parameters, under a name, below a line and in a loop."""
    for node in run.case.nodes(ast.Name):
        outer = run.case.parents.get(node)
        called = isinstance(outer, ast.Call) and outer.func is node
        asked = isinstance(outer, ast.Attribute) and outer.attr in ("parameters", "state_dict", "load_state_dict")
        again = run.case.enclosing(node, ast.For) is not None or is_to_stay(name)
        if node.id == name and node.lineno > after and (called or asked or is_to_stay(name)) and again:
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
                kept = f"{text}{(tail := statements.tail_of_kept(run, keeper))}"
                fix = run.fix(run.case.after(loss, tail), f"`{kept}`", f"`{kept}`")
                yield statements.LOSS_KEPT.note(
                    run.program.span_of(loss), nodes[-1].outputs, fix, loss=text, keeper=keeper, kept=kept
                )


def over_queries(run: Record) -> Iterator[Note]:
    """Attention whose weights add up to 1 over the queries."""
    for node in run.calls("softmax_dim"):
        out = node.outputs[0]
        ndim = out.array.ndim
        if ndim < 3 or node.settings[:1] in ((ndim - 1,), (-1,)) or out.array.shape[-1] < 2:
            continue
        mixes = [one for one in readers_of(run, out) if one.inputs and is_of(one.inputs[0], out)]
        square = out.array.shape[-1] == out.array.shape[-2]
        if (square or _of_product(node.inputs[0])) and mixes:
            span = run.span(node.place)
            call = run.call_at(span)
            method = call is not None and isinstance(call.func, ast.Attribute) and _is_tensor(run, call.func.value)
            given = argument_of(call, 0 if method else 1, "dim") if call is not None else None
            fix = run.fix(run.case.replace(given, "-1"), "`dim=-1`", "`dim=-1`") if given is not None else None
            yield OVER_QUERIES.note(span, [out], fix, dim=node.settings[0] % ndim)


def _is_tensor(run: Record, node: ast.expr) -> bool:
    """Whether a function is a method of a tensor, not one of a module."""
    return not isinstance(run.namespace.get(getattr(node, "id", "")), StandIn)


_PRODUCTS: Final = "mm bmm"
_SHAPING: Final = (
    "view expand unsafe_view reshape_alias unsqueeze permute"  # a product by subscripts goes through several
)
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


def readers_of(run: Record, entry: TensorEntry) -> Iterator[NodeEntry]:
    """The products that read a tensor, also through another shape of it."""
    for one in run.consumers.get(entry.first, ()):
        if is_call_of(one, _PRODUCTS):
            yield one
        elif is_call_of(one, _SHAPING):
            yield from readers_of(run, one.outputs[0])


def is_of(entry: TensorEntry, source: TensorEntry) -> bool:
    """Whether a tensor is another one, or a view of it that has the same rows."""
    rows = source.array.shape[-1:]
    if entry.array.shape[-1:] != rows or not np.array_equal(
        entry.array.reshape(-1, *rows), source.array.reshape(-1, *rows)
    ):
        return False
    while entry.first is not source.first:
        made = producer(entry)
        if made is None or not made.inputs or not is_call_of(made, _SHAPING):
            return False
        entry = made.inputs[0]
    return True


def rearranged(run: Record) -> Iterator[Note]:
    """``x.view(10, 4, 6)`` of what is 4×10×6."""
    for node in run.calls("view reshape_alias"):
        before, after = node.inputs[0].array.shape, node.outputs[0].array.shape
        if sorted(before) != sorted(after) or (len(before) < 3 and not _is_turned(run, node)):
            continue
        call, way = run.call_at(run.span(node.place)), _exchange(tuple(before), tuple(after))
        if before == after:
            yield from _classes_last(run, node, call)
            continue
        if not way or call is None or not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr not in ("view", "reshape"):
            continue
        yield arranged(run, REARRANGED, node, call, f"{run.case.text(call.func.value)}{way}")


def _is_turned(run: Record, node: NodeEntry) -> bool:
    """Whether a matrix gets the sizes of its transpose for a product that learns."""
    before, out = node.inputs[0].array.shape, node.outputs[0]
    turned = len(before) == 2 and before[0] != before[1] and 1 not in before and out.array.shape == before[::-1]
    readers = run.consumers.get(out.first, ()) if turned else ()
    return any(is_call_of(one, "mm affine addmm mv") and one in run.ran_backward for one in readers)


def _classes_last(run: Record, node: NodeEntry, call: ast.Call | None) -> Iterator[Note]:
    """``loss(scores.view(batch, classes, steps), targets)`` where there are as many classes as steps."""
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr not in ("view", "reshape"):
        return
    if _goes_to_classes(run, node):
        meant = f"{run.case.text(call.func.value)}.transpose(1, 2)"
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        words = {"text": run.case.text(call), "shape": list(node.outputs[0].array.shape), "meant": meant}
        yield CLASSES_LAST.note(run.span(node.place), node.outputs, fix, **words)


def _goes_to_classes(run: Record, node: NodeEntry) -> bool:
    """Whether a view that changes no size stands between scores, whose last dimension is that of the classes, and a loss that
    looks for the classes in dimension 1, where as many steps are."""
    out, made = node.outputs[0], producer(node.inputs[0])
    read = [one for one in run.consumers.get(out.first, ()) if is_call_of(one, "log_softmax_dim")]
    square = out.array.ndim == 3 and out.array.shape[1] == out.array.shape[2]
    while made is not None and is_call_of(made, "view unsafe_view add reshape_alias") and made.inputs:
        made = producer(made.inputs[0])
    return square and bool(read) and made is not None and is_call_of(made, "affine mm bmm addmm")


def arranged(run: Record, trap: Trap, node: NodeEntry, call: ast.Call, meant: str) -> Note:
    """The note of a view whose shape is right and whose order is not, and what was meant in its place."""
    fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
    before, after = list(node.inputs[0].array.shape), list(node.outputs[0].array.shape)
    words = {"text": run.case.text(call), "before": before, "after": after, "meant": meant}
    return trap.note(run.span(node.place), node.outputs, fix, **words)


def _exchange(before: tuple[int, ...], after: tuple[int, ...]) -> str:
    """The method that brings the dimensions of one shape into the order of another: one of them moved, or two swapped."""
    count = len(before)
    moved = [
        (*rest[:to], at, *rest[to:])
        for at in range(count)
        for to in range(count)
        for rest in [[one for one in range(count) if one != at]]
        if at != to and tuple(before[k] for k in (*rest[:to], at, *rest[to:])) == after
    ]
    swaps = [one for one in moved if sum(k != at for at, k in enumerate(one)) == 2]
    if swaps:
        first, second = (at for at, k in enumerate(swaps[0]) if k != at)
        return f".transpose({first}, {second})"
    if moved:
        return f".permute({', '.join(map(str, moved[0]))})"
    different = [at for at, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    return f".transpose({different[0]}, {different[1]})" if len(different) == 2 else ""


_CHOOSING: Final = "index gather select squeeze_all squeeze_dim squeeze_dims view unsafe_view mean_all sum_all"


def likelihoods(run: Record) -> Iterator[Note]:
    """The mean of log-probabilities, made smaller."""
    if not run.steps or "maximize" in run.program.source:
        return
    for one in run.passes:
        for root, *_ in one.roots:
            made = producer(root)
            if made is None:
                continue
            entry, chosen = root, False
            while (node := producer(entry)) is not None and node.inputs:
                if is_call_of(node, _CHOOSING):
                    entry, chosen = node.inputs[0], chosen or is_call_of(node, "index gather")
                elif (weighed := _weighed(node)) is not None:
                    entry = weighed
                else:
                    break
            if chosen and node is not None and is_call_of(node, "log_softmax_dim") and node.inputs[0].requires_grad:
                span = run.span(made.place)
                call = run.case.find(ast.expr, span) if span is not None else None
                fix = (
                    run.fix(run.case.before(call, "-"), "Put a minus sign before it", "在前面加上负号")
                    if call is not None
                    else None
                )
                yield LIKELIHOOD.note(span, [root], fix)


def _weighed(node: NodeEntry) -> TensorEntry | None:
    """What is multiplied by numbers that are all greater than 0, or divided by them."""
    if not is_call_of(node, "mul div") or not node.inputs or not node.inputs[0].requires_grad:
        return None
    others = [one.array if isinstance(one, TensorEntry) else one for one in node.operands[1:2]]
    learned = any(one.requires_grad for one in node.inputs[1:])
    return node.inputs[0] if others and not learned and bool(np.all(np.asarray(others[0]) > 0)) else None


def copied_terms(run: Record) -> Iterator[Note]:
    """``loss = main + torch.tensor(smooth.item())``."""
    if ".item()" not in run.program.source:
        return
    for call in run.case.nodes(ast.Call):
        inner = call.args[0] if call.args else None
        made = getattr(call.func, "attr", "") in ("tensor", "as_tensor", "Tensor")
        if not made or not isinstance(inner, ast.Call) or getattr(inner.func, "attr", "") != "item":
            continue
        assert isinstance(inner.func, ast.Attribute)
        own, meant = run.program.span_of(call), inner.func.value
        at = [entry for entry in run.recorder.entries if entry.node is None and run.span(entry.place) == own]
        source = run.program.span_of(meant)
        learned = any(entry.requires_grad and run.span(entry.place) == source for entry in run.recorder.entries)
        if learned and at and _is_added(run, at[0]):
            text = run.case.text(meant)
            fix = run.fix(run.case.replace(call, text), f"`{text}`", f"`{text}`")
            yield COPIED_TERM.note(own, [at[0]], fix, text=" ".join(run.case.text(call).split()), meant=text)


def _is_added(run: Record, entry: TensorEntry) -> bool:
    """Whether a number is added, perhaps times another one, to what a pass begins at."""
    for _ in range(6):
        readers = run.consumers.get(entry.first, ())
        if not readers:
            return False
        node = readers[0]
        if is_call_of(node, "add") and any(one.requires_grad for one in node.inputs):
            return node in run.ran_backward
        if not is_call_of(node, "mul div neg add") or len(node.inputs) != 1:
            return False
        entry = node.outputs[0]
    return False


TRAPS: Final = (rearranged, likelihoods, copied_terms, two_names, two_attributes, losses_added, over_queries)
