"""Traps of probabilities where a loss expects raw scores: softmax and sigmoid that the loss takes once more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.diagnosis.traps.record import REARRANGING, Record, Trap, is_call_of, produced_by, producer
from gradflow.engine.recording.entries import NodeEntry
from gradflow.engine.sandbox.stand_ins import Module as ModuleStandIn
from gradflow.engine.trace import Edit, Fix, Note

SOFTMAX_TWICE: Final = Trap(
    "softmax-before-cross-entropy",
    "`{text}` makes probabilities of the scores, and the loss on line {line} does so once more: `{loss}` expects raw scores and computes log-softmax itself."
    " All that it gets lies between 0 and 1, so the loss can no longer come near 0, and gradients stay small. Leave the {name} out; use it only to read probabilities.",
    "`{text}` 已经把分数变成概率，而第 {line} 行的损失又做了一次：`{loss}` 需要的是原始分数（logits），它自己会计算 log-softmax。"
    "它得到的数全在 0 和 1 之间，所以损失再也接近不了 0，梯度也一直很小。请去掉这个 {name}，只在需要读概率时使用它。",
)
SIGMOID_TWICE: Final = Trap(
    "sigmoid-before-logits-loss",
    "`{text}` makes probabilities of the scores, and the loss on line {line} does so once more: `{loss}` expects raw scores and applies"
    " sigmoid itself, so what it sees lies between 0.5 and 0.73. Leave the {name} out, or use `{plain}`, which expects probabilities.",
    "`{text}` 已经把分数变成概率，而第 {line} 行的损失又做了一次：`{loss}` 需要的是原始分数，它自己会做 sigmoid，"
    "所以它看到的概率只在 0.5 到 0.73 之间。请去掉这个 {name}，或者改用接受概率的 `{plain}`。",
)
SIGMOID_READ: Final = Trap(
    "sigmoid-before-logits-loss",
    "`{text}` makes probabilities of the scores, and the loss on line {line} does so once more: `{loss}` expects raw scores and applies"
    " sigmoid itself, so what it sees lies between 0.5 and 0.73. The program reads the probabilities elsewhere, too: keep the {name}, and use `{plain}`,"
    " which expects probabilities. Without the {name}, a threshold of 0.5 would have to become 0.",
    "`{text}` 已经把分数变成概率，而第 {line} 行的损失又做了一次：`{loss}` 需要的是原始分数，它自己会做 sigmoid，"
    "所以它看到的概率只在 0.5 到 0.73 之间。程序在别处还要读这些概率：请保留这个 {name}，改用接受概率的 `{plain}`。如果去掉 {name}，阈值 0.5 就要改成 0。",
)

_LONGEST: Final = 40
"""Characters of a call that is shown whole."""


def twice(run: Record) -> Iterator[Note]:
    """Softmax or sigmoid of what one of the two has made, in a loss that expects scores."""
    for node, made in _taken_twice(run):
        trap = SOFTMAX_TWICE if is_call_of(node, "log_softmax_dim") else SIGMOID_TWICE
        shown = _shown(run, made)
        span = run.span(node.place) if shown is None else run.program.span_of(shown)
        text = _name_of(made) if shown is None else _short(run, shown)
        words = {"text": text, "line": run.line(node.place), "name": _name_of(made)}
        words |= _losses(run, trap)
        fix = _without(run, made)
        if trap is SIGMOID_TWICE and fix is None and _is_read_elsewhere(run, made):
            trap, fix = SIGMOID_READ, _of_probabilities(run, str(words["loss"]), str(words["plain"]))
        yield trap.note(span, made.outputs, fix, **words)


def _losses(run: Record, trap: Trap) -> dict[str, str]:
    """What the program calls the loss, and the one that takes probabilities."""
    if trap is SOFTMAX_TWICE:
        module = "CrossEntropyLoss" in run.program.source and "cross_entropy(" not in run.program.source
        return {"loss": "CrossEntropyLoss" if module else "cross_entropy"}
    if "BCEWithLogitsLoss" in run.program.source and "_with_logits(" not in run.program.source:
        return {"loss": "BCEWithLogitsLoss", "plain": "BCELoss"}
    return {"loss": "binary_cross_entropy_with_logits", "plain": "binary_cross_entropy"}


def _taken_twice(run: Record) -> Iterator[tuple[NodeEntry, NodeEntry]]:
    """The functions of losses that take softmax or sigmoid themselves, and those that had made probabilities for them."""
    for node in run.calls("log_softmax_dim binary_cross_entropy_with_logits"):
        made = produced_by(node.inputs[0], "softmax_dim sigmoid") if node.inputs else None
        if made is not None and (is_part_of_loss(run, node) or not is_call_of(node, "log_softmax_dim")):
            yield node, made


def is_part_of_loss(run: Record, node: NodeEntry) -> bool:
    """Whether a function is a part of ``cross_entropy``: one call in the program made both."""
    return any(
        is_call_of(reader, "nll_loss_rows nll_loss_places") for reader in run.consumers.get(node.outputs[0].first, ())
    )


def by_hand(run: Record) -> Iterator[Note]:
    """Rows between 0 and 1 that add up to 1, in every call of ``cross_entropy``."""
    told = {run.span(node.place) for node, _ in _taken_twice(run)}
    groups: dict[object, list[NodeEntry]] = {}
    for node in run.calls("log_softmax_dim"):
        learned = bool(node.inputs) and node.inputs[0].requires_grad and producer(node.inputs[0]) is not None
        if learned and is_part_of_loss(run, node):
            groups.setdefault(node.place, []).append(node)
    for nodes in groups.values():
        span, made = run.span(nodes[0].place), producer(nodes[0].inputs[0])
        if span in told or sum(node.inputs[0].array.shape[0] for node in nodes) <= 3 or not all(map(_adds_up, nodes)):
            continue
        at = run.span(made.place) if made is not None else None
        shown = run.case.find(ast.expr, at) if at is not None else None
        text = _short(run, shown) if shown is not None else "softmax"
        words = {"text": text, "line": run.line(nodes[0].place), "name": "softmax", **_losses(run, SOFTMAX_TWICE)}
        yield SOFTMAX_TWICE.note(at or span, [nodes[0].inputs[0]], None, **words)


def _adds_up(node: NodeEntry) -> bool:
    given, dim = node.inputs[0].array, node.settings[0] if node.settings else -1
    if given.ndim < 2 or given.shape[dim] < 2 or given.min() < 0:
        return False
    return bool(np.allclose(given.sum(dim), 1, atol=1e-5)) and bool(np.ptp(given) > 0)


# -- where it stands ---------------------------------------------------------------------------------------------------


def _name_of(made: NodeEntry) -> str:
    return "sigmoid" if is_call_of(made, "sigmoid") else "softmax"


def _short(run: Record, node: ast.expr) -> str:
    """A call as it is written, without its arguments where they are long."""
    text = " ".join(run.case.text(node).split())
    if len(text) <= _LONGEST or not isinstance(node, ast.Call):
        return text
    return f"{' '.join(run.case.text(node.func).split())}(...)"


def _shown(run: Record, made: NodeEntry) -> ast.expr | None:
    """The call that made probabilities, or the layer that did where a module runs it, if the source has one alone."""
    call = run.call_at(run.span(made.place))
    if call is not None and (called(call) == _name_of(made) or _is_called_itself(run, made)):
        return call
    layers = [one for one in run.case.nodes(ast.Call) if called(one) == _name_of(made).capitalize()]
    return layers[0] if len(layers) == 1 else call


def _is_called_itself(run: Record, made: NodeEntry) -> bool:
    """Whether the program calls the layer, and no module of the library that has it."""
    own = made.within
    if own is None or own.kind != "module" or type(_module(own.what)).__name__ != _name_of(made).capitalize():
        return False
    outer = own.parent
    return outer is None or outer.kind != "module" or run.span(outer.position) != run.span(own.position)


def _module(what: object) -> object:
    return getattr(what, "what", what)


# -- fixes -------------------------------------------------------------------------------------------------------------


def _is_read_elsewhere(run: Record, made: NodeEntry) -> bool:
    """Whether the program reads the numbers themselves somewhere, beside the loss and the largest of them."""
    at = run.span(made.place)
    alike = [node for node in run.calls("softmax_dim sigmoid") if run.span(node.place) == at]
    return any(_reads_numbers(run, reader) for node in alike for reader in run.consumers.get(node.outputs[0].first, ()))


def _reads_numbers(run: Record, reader: NodeEntry) -> bool:
    if is_call_of(reader, "log_softmax_dim binary_cross_entropy_with_logits argmax"):
        return False
    if is_call_of(reader, f"{REARRANGING} detach data"):
        return any(
            _reads_numbers(run, each) for each in run.consumers.get(reader.outputs[0].first, ()) if each is not reader
        )
    largest = reader.op is not None and reader.op.name.startswith("max")
    return not largest or bool(run.consumers.get(reader.outputs[0].first))


def _without(run: Record, made: NodeEntry) -> Fix | None:
    """Take out the function that made probabilities: its call, or its layer where that stands in the source once."""
    if _is_read_elsewhere(run, made):
        return None  # what reads it as probabilities would be given scores
    name = _name_of(made)
    words = f"Without {name}", f"去掉 {name}"
    call = run.call_at(run.span(made.place))
    if call is not None and (edits := _call_removed(run, call, name) or _layer_not_called(run, call, made)):
        return run.fix(edits, *words)
    layers = [one for one in run.case.nodes(ast.Call) if called(one) == name.capitalize()]
    return run.fix(_layer_removed(run, layers[0]), *words) if len(layers) == 1 else None


def _of_probabilities(run: Record, loss: str, plain: str) -> Fix | None:
    """The loss that takes probabilities, in the place of the one that takes scores."""
    calls = [one for one in run.case.nodes(ast.Call) if called(one) == loss]
    if (
        len(calls) != 1
        or not isinstance(calls[0].func, ast.Attribute)
        or {one.arg for one in calls[0].keywords} - _SAME
    ):
        return None
    return run.fix(run.case.rename_end(calls[0].func, loss, plain), f"`{plain}`", f"`{plain}`")


_SAME: Final = {"reduction", "weight"}
"""Arguments that both losses take."""


def _call_removed(run: Record, call: ast.Call, name: str) -> list[Edit]:
    """What the function was given, in the place of its call."""
    if not isinstance(call.func, ast.Attribute | ast.Name) or called(call) != name:
        return []
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_function = owner is None or isinstance(run.case.value(owner), ModuleStandIn)
    is_module = isinstance(owner, ast.Name) and owner.id == "self"
    given = call.args[0] if (is_function or is_module) and call.args else None if is_function else owner
    return [] if given is None else _handed_on(run, call, given)


def _layer_not_called(run: Record, call: ast.Call, made: NodeEntry) -> list[Edit]:
    """What a layer was given, in the place of its call."""
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return []
    return _handed_on(run, call, call.args[0]) if _is_called_itself(run, made) else []


def _handed_on(run: Record, call: ast.Call, given: ast.expr) -> list[Edit]:
    """An argument in the place of a call; a line that then says nothing is taken out."""
    text, statement = run.case.text(given), run.case.statement(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call and name == text:
            return without_line(run.case, statement) or run.case.replace(call, text)
    return run.case.replace(call, text)


def _layer_removed(run: Record, layer: ast.Call) -> list[Edit]:
    """A layer taken out of ``Sequential(...)``, or the line that appends it to what becomes one."""
    outer, statement = run.case.parents.get(layer), run.case.statement(layer)
    match outer:
        case ast.Call(func=ast.Attribute(attr="append" | "add_module")) if isinstance(statement, ast.Expr):
            return without_line(run.case, statement) if statement.value is outer else []
        case ast.Call() if called(outer) == "Sequential":
            return run.case.without_argument(outer, layer)
    return []


TRAPS: Final = (twice, by_hand)
