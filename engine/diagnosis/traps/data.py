"""Traps of data and of modules: shuffled apart, rounded down, parameters that a module does not know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gradflow.engine.diagnosis.fixes.modules import last_as_list
from gradflow.engine.diagnosis.traps.edits import line_after, line_before
from gradflow.engine.diagnosis.traps.proven.trails import forward_from
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, modules_in, parameters_in
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Note

APART: Final = Trap(
    "shuffled-apart",
    "{first} and {second} are put into two different orders, by two calls of `randperm`: row k of one no longer belongs to"
    " row k of the other. Draw one permutation, and index both with it.",
    "{first} 和 {second} 被两次 `randperm` 打乱成了两种不同的顺序：一个的第 k 行不再对应另一个的第 k 行。请只生成一个排列，用它同时索引两者。",
)
ROUNDED: Final = Trap(
    "rounded-down",
    "`//` rounds down: {name} lost its fraction here, in a value that the loss depends on. `/` keeps it.",
    "`//` 会向下取整：{name} 在这里丢掉了小数部分，而损失依赖这个值。用 `/` 可以保留小数。",
)
HIDDEN: Final = Trap(
    "parameters-in-plain-list",
    "`{attribute}` of {owner} is a plain Python {kind}, and a module does not look into it: its parameters are missing from"
    " `parameters()`, so no optimizer trains them and no `state_dict` saves them. Use `{holder}`.",
    "{owner} 的 `{attribute}` 是普通的 Python {kind}，模块不会到里面去找：其中的参数不在 `parameters()` 里，"
    "优化器不会训练它们，`state_dict` 也不会保存它们。请使用 `{holder}`。",
)
UNREGISTERED: Final = Trap(
    "tensor-is-no-parameter",
    "`{attribute}` of {owner} requires gradients but is a plain tensor: `parameters()` does not contain it, so the optimizer"
    " never moves it. Wrap it: `nn.Parameter(...)`.",
    "{owner} 的 `{attribute}` 需要梯度，却只是普通张量：它不在 `parameters()` 里，优化器永远不会更新它。请用 `nn.Parameter(...)` 包起来。",
)


# -- data --------------------------------------------------------------------------------------------------------------


def shuffled_apart(run: Record) -> Iterator[Note]:
    """Two tensors of one length, each in a random order of its own."""
    orders: dict[int, tuple[TensorEntry, NodeEntry]] = {}
    drawn = [entry for entry in run.recorder.entries if _is_permutation(entry)]
    for node in run.calls("index index_select"):
        order = next((entry for entry in drawn if _uses(node, entry)), None)
        if order is None or not node.inputs or not _is_written(run, node):
            continue
        known = orders.setdefault(len(order.array), (order, node))
        other = known[1]
        if known[0] is not order and other.within is node.within and _are_rows_of_one(node, other):
            names: dict[str, Any] = {"first": run.name(other.inputs[0]), "second": run.name(node.inputs[0])}
            alike = other.inputs[0].array.shape == node.inputs[0].array.shape
            pair = not alike or are_data_and_labels(names["first"].strip("`"), names["second"].strip("`"))
            if names["first"] != names["second"] and pair:
                yield APART.note(
                    run.span(node.place), [*other.outputs, *node.outputs], _one_order(run, other, node), **names
                )


_LABELS: Final = re.compile(r"[yt]\d?|[yt]_\w+|.*(?:label|target|class).*", re.IGNORECASE)
_DATA: Final = re.compile(r"x\d?|x_\w+|.*(?:data|feat|imag|img|input|sample|point).*", re.IGNORECASE)


def are_data_and_labels(one: str, other: str) -> bool:
    """Whether one name is that of data and the other that of what belongs to them, row by row."""
    return any(_DATA.fullmatch(x) and _LABELS.fullmatch(y) for x, y in ((one, other), (other, one)))


def _is_permutation(entry: TensorEntry) -> bool:
    array = entry.array
    if array.ndim != 1 or array.dtype.kind != "i" or not 3 < array.size <= 10_000 or entry.node is not None:
        return False
    ordered = np.arange(array.size)
    return not np.array_equal(array, ordered) and np.array_equal(np.sort(array), ordered)


def _is_written(run: Record, node: NodeEntry) -> bool:
    """Whether the program itself takes rows here, and not a function that sorts for its own purpose (packed sequences)."""
    span = run.span(node.place)
    expression = run.case.find(ast.expr, span) if span is not None else None
    call = expression.func if isinstance(expression, ast.Call) else None
    return not isinstance(call, ast.Attribute | ast.Name) or "index" in run.case.text(call)


def _uses(node: NodeEntry, order: TensorEntry) -> bool:
    """Whether a function takes rows in an order."""
    if any(entry.first is order.first for entry in node.inputs[1:]):
        return True
    given: Any = node.settings[0] if node.settings else ()
    return isinstance(given, tuple) and any(each is order.array for each in given)


def _are_rows_of_one(one: NodeEntry, other: NodeEntry) -> bool:
    """Whether two functions take all rows of two different tensors of one length."""
    first, second = one.inputs[0], other.inputs[0]
    return first.first is not second.first and first.array.shape[:1] == second.array.shape[:1]


def _one_order(run: Record, first: NodeEntry, second: NodeEntry) -> Fix | None:
    """The order of the first for both; it gets a name where it has none."""
    one, other = (_subscript(run, node) for node in (first, second))
    statement = run.statement_at(run.span(first.place))
    if one is None or other is None or statement is None:
        return None
    if isinstance(one.slice, ast.Name):
        order, edits = one.slice.id, list[Edit]()
    else:
        order = "order"
        if order in run.namespace:
            return None
        line = f"{order} = {run.case.text(one.slice)}"
        edits = [*line_before(run.case, statement, line), *run.case.replace(one.slice, order)]
    return run.fix([*edits, *run.case.replace(other.slice, order)], f"`[{order}]` for both", f"两者都用 `[{order}]`")


def _subscript(run: Record, node: NodeEntry) -> ast.Subscript | None:
    span = run.span(node.place)
    return None if span is None else run.case.find(ast.Subscript, span)


_NUMBERED: Final = "nll_loss_rows nll_loss_places embedding_rows index index_select gather take"
"""What takes whole numbers alone: numbers of classes, rows and places."""


def rounded(run: Record) -> Iterator[Note]:
    """Quotients of integers that were rounded, in what a pass goes through."""
    for node in run.calls("floor_divide"):
        out = node.outputs[0]
        lost_all = out.array.size > 2 and bool((out.array == out.array.flat[0]).all())
        readers = forward_from(run, out) if lost_all else run.consumers.get(out.first, ())
        if (
            not any(reader in run.ran_backward and not is_call_of(reader, _NUMBERED) for reader in readers)
            or not node.inputs
        ):
            continue
        left, right = (o.array if isinstance(o, TensorEntry) else o for o in node.operands[:2])
        if not np.array_equal(np.true_divide(left, right), out.array):
            span = run.span(node.place)
            binary = None if span is None else run.case.find(ast.BinOp, span)
            quotient = binary if binary is not None and isinstance(binary.op, ast.FloorDiv) else None
            if quotient is not None and _is_meant(run, quotient):
                continue
            edits = [] if quotient is None else run.case.replace(quotient, _true_quotient(run, quotient))
            yield ROUNDED.note(span, [out], run.fix(edits, "`/`", "`/`"), name=run.name(out))


def _is_meant(run: Record, quotient: ast.BinOp) -> bool:
    """Whether the program rounds the same quotient elsewhere, or takes what remains of it: it counts in whole numbers."""
    alike = [
        each
        for each in run.case.nodes(ast.BinOp)
        if isinstance(each.op, ast.FloorDiv | ast.Mod)
        and ast.dump(each.left) == ast.dump(quotient.left)
        and ast.dump(each.right) == ast.dump(quotient.right)
    ]
    return len(alike) > 1


def _true_quotient(run: Record, quotient: ast.BinOp) -> str:
    return f"{run.case.text(quotient.left)} / {run.case.text(quotient.right)}"


# -- modules -----------------------------------------------------------------------------------------------------------


def hidden(run: Record) -> Iterator[Note]:
    """Modules and parameters in a list, or tensors in place of parameters, in a module whose parameters are asked for."""
    trained = {id(entry.tensor) for step in run.steps for entry in step.told["tensors"]}
    trained |= {id(leaf) for step in run.steps for leaf in step.told["idle"]}
    if not trained and ".parameters()" not in run.program.source:
        return
    held_by_modules = [own for held in run.held() for _, own in modules_in(held)]
    trained |= {id(p) for own in held_by_modules for p in parameters_in(own)}
    for name, held in run.named():
        for path, own in modules_in(held, name):
            found = [
                note for key, value in list(own.items()) for note in _hidden(run, f"`{path}`", key, value, trained)
            ]
            yield from _mended_together(run, found)


def _mended_together(run: Record, found: list[Note]) -> Iterator[Note]:
    """The notes of one module, each with a fix of all its lists: of two lists, one alone trains no more than half."""
    lists = {note.fix.edits[0].span: note.fix for note in found if note.code == HIDDEN.code and note.fix is not None}
    edits = [edit for fix in lists.values() for edit in fix.edits]
    together = run.fix(edits, "All of them in holders", "把它们都放进容器") if len(lists) > 1 else None
    for note in found:
        yield replace(note, fix=together) if together is not None and note.code == HIDDEN.code else note


def _hidden(run: Record, owner: str, attribute: str, value: object, trained: set[int]) -> Iterator[Note]:
    if isinstance(value, Tensor) and value._rg and value._node is None and value._entry is not None:
        if id(value) not in trained and value._entry.first in run.reached:
            entry = value._entry.first
            fix = _as_parameter(run, attribute)
            yield UNREGISTERED.note(run.span(entry.place), [entry], fix, owner=owner, attribute=attribute)
        return
    if not isinstance(value, list | tuple | dict) or attribute.startswith("_"):
        return
    members = list(value.values()) if isinstance(value, dict) else list(value)
    leaves = [leaf for member in members for leaf in _leaves(member)]
    found = [leaf._entry.first for leaf in leaves if leaf._entry is not None and id(leaf) not in trained]
    if leaves and len(found) == len(leaves):
        of_modules = not any(isinstance(member, Tensor) for member in members)
        holder = ("nn.Module" if of_modules else "nn.Parameter") + ("Dict" if isinstance(value, dict) else "List")
        made = _set_to(run, attribute)
        if isinstance(made, ast.Tuple) and any(
            getattr(one.func, "attr", "") == attribute for one in run.case.nodes(ast.Call)
        ):
            return  # it is called, so there is a comma too many, of which the error tells
        yield HIDDEN.note(
            run.span(found[0].place) if made is None else run.program.span_of(made),
            found,
            _in_holder(run, attribute, holder),
            owner=owner,
            attribute=attribute,
            kind=type(value).__name__,
            holder=f"{holder}(...)",
        )


def _in_holder(run: Record, attribute: str, holder: str) -> Fix | None:
    """What the attribute is set to, put into a holder of modules or parameters."""
    made = _set_to(run, attribute)
    if not isinstance(made, ast.List | ast.ListComp | ast.Dict | ast.DictComp):
        return None
    edits, statement = run.case.wrapped(made, f"{_nn(run)}.{holder[3:]}(", ")"), run.case.statement(made)
    if (
        isinstance(statement, ast.Assign)
        and isinstance(target := statement.targets[0], ast.Attribute)
        and (last := last_as_list(run.case, statement, target)) is not None
    ):
        text = run.case.text(target)
        edits = line_after(run.case, last, f"{text} = {_nn(run)}.{holder[3:]}({text})")
    return run.fix(edits, f"`{holder}(...)`", f"`{holder}(...)`")


def _as_parameter(run: Record, attribute: str) -> Fix | None:
    made = _set_to(run, attribute)
    if made is None:
        return None
    return run.fix(run.case.wrapped(made, f"{_nn(run)}.Parameter(", ")"), "`nn.Parameter(...)`", "`nn.Parameter(...)`")


def _set_to(run: Record, attribute: str) -> ast.expr | None:
    """The one expression that an attribute of this name is set to; None where there are several, or none."""
    made = [
        statement.value
        for statement in run.case.nodes(ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Attribute) and target.attr == attribute
    ]
    return made[0] if len(made) == 1 else None


def _nn(run: Record) -> str:
    """What the program calls ``torch.nn``."""
    if "nn" in run.namespace:
        return "nn"
    return run.case.module_alias("torch.nn") or f"{run.case.module_alias('torch') or 'torch'}.nn"


def _leaves(member: object) -> list[Tensor]:
    """The tensors that require gradients in a member of a list."""
    if isinstance(member, Tensor):
        return [member] if member._rg and member._node is None else []
    return [p for _, own in modules_in(member) for p in parameters_in(own) if p._rg]


TRAPS: Final = (shuffled_apart, rounded, hidden)
