"""Traps of a loss without a graph that is made a leaf: the error is gone, and so is the gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.edits import without_line
from gradflow.engine.diagnosis.traps.proven.cuts import _CHOOSING
from gradflow.engine.diagnosis.traps.proven.trails import behind, idle_leaves
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Edit, Fix, Note, Text

MADE_LEAF: Final = Trap(
    "loss-made-leaf",
    "{names}: no pass ever reached it, so nothing is learned. {why} So the loss has no graph, and `{leaf}` on line {line} only silences the error: it makes the loss a"
    " leaf, and every pass ends where it begins. {meant}",
    "{names}：没有任何一次反向传播到达过它，所以什么也没有学到。{why}因此损失没有计算图，而第 {line} 行的 `{leaf}` 只是让报错消失：它把损失变成叶子张量，每次反向传播都在起点结束。{meant}",
)
_WHY: Final = {
    "compares": Text(
        "`{text}` compares, which has no derivative: the graph ends here.",
        "`{text}` 是比较，没有导数，计算图到这里就断了。",
    ),
    "chooses": Text(
        "`{text}` gives places or choices, which have no derivative: the graph ends here.",
        "`{text}` 得到的是位置或选择，没有导数，计算图到这里就断了。",
    ),
    "whole": Text(
        "`{text}` makes whole numbers, which have no derivative: the graph ends here.",
        "`{text}` 得到的是整数，没有导数，计算图到这里就断了。",
    ),
    "unrecorded": Text(
        "`{text}` is computed under `no_grad`, which records no graph.",
        "`{text}` 是在 `no_grad` 之下计算的，那里不记录计算图。",
    ),
}
_MEANT: Final = {
    True: Text(
        "Delete that, and compute the loss of `{soft}` itself; keep `{text}` for what is only reported.",
        "请删去它，并直接用 `{soft}` 计算损失；`{text}` 只用于报告结果。",
    ),
    False: Text("Delete that, and compute the loss outside of it.", "请删去它，并在那之外计算损失。"),
}
_COMPARING: Final = "gt lt ge le eq ne gt_scalar_written lt_scalar_written"


def silenced(run: Record) -> Iterator[Note]:
    """``loss = ((prob > 0.5).float() - y).mean()`` and ``loss.requires_grad = True``."""
    lost = idle_leaves(run) if "requires_grad" in run.program.source else []
    told = set()
    for event in run.events() if lost and run.passes else ():
        if event.kind != "mark" or event.place in told:
            continue
        for entry in event.told["tensors"]:
            if entry.array.size != 1 or entry.first not in run.reached:
                continue
            told.add(event.place)
            if (note := _note(run, event, entry)) is not None:
                yield note


def _note(run: Record, event: EventEntry, loss: TensorEntry) -> Note | None:
    sources = {one.first for one in behind(loss)}
    own = [one for one in idle_leaves(run) if one in sources]
    cuts = [node for one in behind(loss) if (node := one.first.node) is not None and _is_cut(node)]
    kinds = [(node, kind) for node in cuts if (kind := _kind(node))]
    if not own or not kinds or len(kinds) < len(cuts):
        return None
    node, kind = next((one for one in kinds if one[1] != "unrecorded"), kinds[0])
    text, soft = _text(run, node), _soft(run, node)
    span, leaf = run.span(event.place), run.statement_at(run.span(event.place))
    if leaf is None or not text:
        return None
    meant = _MEANT[kind != "unrecorded"]
    words = {"text": text, "soft": soft}
    shown = run.case.text(leaf) if _is_alone(leaf) else f".{run.builder.expression(event.place).rpartition('.')[2]}"
    return MADE_LEAF.note(
        run.span(node.place),
        own,
        _fix(run, node, leaf, soft) if kind == "compares" else None,
        names=run.names(own),
        why=_filled(_WHY[kind], words),
        leaf=" ".join(shown.split()),
        line=span.line if span is not None else 0,
        meant=_filled(meant, words),
    )


def _filled(text: Text, words: dict[str, str]) -> Text:
    return Text(text.en.format(**words), text.zh.format(**words))


def _is_cut(node: NodeEntry) -> bool:
    """Whether gradients went to what a function was given, and do not go to what it gave."""
    return any(one.requires_grad for one in node.inputs) and not any(one.requires_grad for one in node.outputs)


def _kind(node: NodeEntry) -> str:
    """Why the graph ends at a function; nothing where it was cut on purpose, which is told of elsewhere."""
    if is_call_of(node, "detach data"):
        return ""
    if is_call_of(node, _COMPARING):
        return "compares"
    if is_call_of(node, _CHOOSING):
        return "chooses"
    return "whole" if node.outputs[0].array.dtype.kind in "iub" else "unrecorded"


def _text(run: Record, node: NodeEntry) -> str:
    return " ".join((run.builder.expression(node.place) or "").split())


def _soft(run: Record, node: NodeEntry) -> str:
    """What is smooth: the operand of a comparison or a choice, as the program writes it."""
    part = _operand(run, node)
    return " ".join(run.case.text(part).split()) if part is not None else run.name(node.inputs[0]).strip("`")


def _operand(run: Record, node: NodeEntry) -> ast.expr | None:
    span = run.span(node.place)
    match run.case.find(ast.expr, span) if span is not None else None:
        case ast.Compare(left=left, comparators=[right]):
            return right if isinstance(left, ast.Constant) else left
        case ast.Call(func=ast.Attribute(value=owner), args=args):
            torch = isinstance(owner, ast.Name) and owner.id == run.case.module_alias("torch")
            return args[0] if torch and args else owner
    return None


def _is_alone(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but to make a leaf."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="requires_grad_"))):
            return True
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(), attr="requires_grad")]):
            return True
    return False


# ---- the loss of the probabilities themselves


def _fix(run: Record, node: NodeEntry, leaf: ast.stmt, soft: str) -> Fix | None:
    """The probability in the place of what it was compared to, in the loss alone, and no leaf."""
    span = run.span(node.place)
    compared = run.case.find(ast.Compare, span) if span is not None else None
    if compared is None or produced_by(node.inputs[0], "sigmoid softmax_dim") is None:
        return None
    used = _used(run, compared, leaf)
    undone = _undone(run, leaf)
    if used is None or not undone:
        return None
    return run.fix(
        [*run.case.replace(used, soft), *undone], f"The loss of `{soft}` itself", f"直接用 `{soft}` 计算损失"
    )


def _undone(run: Record, leaf: ast.stmt) -> list[Edit]:
    if _is_alone(leaf):
        return list(without_line(run.case, leaf))
    match leaf:
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="requires_grad_")) as call):
            return run.case.without_tail(call)
    return []


def _used(run: Record, compared: ast.Compare, leaf: ast.stmt) -> ast.expr | None:
    """Where the loss reads what was compared: the one use in a difference or a function of a loss between the two lines."""
    number = _as_number(run, compared)
    statement = run.case.statement(number)
    if _is_in_loss(run, number):
        return number
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is number:
            scope = run.case.enclosing(statement, ast.FunctionDef)
            uses = [
                one
                for one in run.case.nodes(ast.Name)
                if one.id == name
                and isinstance(one.ctx, ast.Load)
                and statement.lineno < one.lineno <= leaf.lineno
                and run.case.enclosing(one, ast.FunctionDef) is scope
            ]
            return uses[0] if len(uses) == 1 and _is_in_loss(run, uses[0]) else None
    return None


def _as_number(run: Record, compared: ast.Compare) -> ast.expr:
    """``(prob > 0.5).float()`` around the comparison."""
    outer = run.case.parents.get(compared)
    call = (
        run.case.parents.get(outer) if isinstance(outer, ast.Attribute) and outer.attr in ("float", "double") else None
    )
    return call if isinstance(call, ast.Call) else compared


def _is_in_loss(run: Record, node: ast.expr) -> bool:
    match run.case.parents.get(node):
        case ast.BinOp(op=ast.Sub()):
            return not isinstance(node, ast.Compare)
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return "loss" in name or "criterion" in name or name == "binary_cross_entropy"
    return False


TRAPS: Final = (silenced,)
