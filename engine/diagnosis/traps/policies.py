"""Traps of policies and of attention: rewards at an end, entropy that shrinks, masks and halves at the wrong step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.losses import along_classes
from gradflow.engine.diagnosis.traps.proven.trails import behind
from gradflow.engine.diagnosis.traps.record import REARRANGING, Record, Trap, attributes_of, is_call_of, producer
from gradflow.engine.diagnosis.traps.sharing import is_of, readers_of
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Span

PADDING_AVERAGED: Final = Trap(
    "mean-over-masked",
    "`{text}` divides by all places of the dimension, also by those that the mask sets to 0, so short rows come out too small. Divide the sum by"
    " the number of places that count: `{meant}`.",
    "`{text}` 除以这一维的全部位置数，也包括被掩码置 0 的位置，所以短的行结果偏小。请用和除以有效位置的个数：`{meant}`。",
)


MASKED_LATE: Final = Trap(
    "masked-after-softmax",
    "The weights are multiplied by a mask after softmax, so they do not add up to 1 any more, and what is masked has still taken its share. Mask the"
    " scores before softmax: `masked_fill(mask == 0, float('-inf'))`.",
    "这些权重在 softmax 之后才乘上掩码，于是相加不再等于 1，被遮住的位置也已经占去了份额。请在 softmax 之前遮住得分：`masked_fill(mask == 0, float('-inf'))`。",
)


ENTROPY: Final = Trap(
    "entropy-made-smaller",
    "The entropy is added to the loss, and the optimizer makes a loss smaller: the choices become less and less random. To reward entropy subtract"
    " it: `{meant}`.",
    "熵被加进了损失，而优化器会让损失变小：选择会越来越不随机。要鼓励熵，请减去它：`{meant}`。",
)


END_IGNORED: Final = Trap(
    "end-of-episode-ignored",
    "`{name}` says which steps end an episode, and nothing uses it: the value of the next state is added there, too, where there is none. Leave it"
    " out at the end: `{meant}`.",
    "`{name}` 说明哪些步是一局的结尾，却没有被使用：在没有下一状态的地方也加上了下一状态的价值。请在结尾处去掉它：`{meant}`。",
)


BACKWARD_HALF: Final = Trap(
    "last-step-of-both-directions",
    "`{name}` runs in both directions, and in `{text}` the half of the backward direction has seen the last step alone. Take the last states of both:"
    " `{meant}`.",
    "`{name}` 是双向的，而在 `{text}` 里，反方向的那一半只看过最后一步。请取两个方向的最后状态：`{meant}`。",
)
DRAWN_ACROSS: Final = Trap(
    "softmax-across-samples-drawn",
    "This softmax goes over dimension 0, the samples: the probabilities of one choice add up to 1 over all samples, and those of one sample do"
    " not. One choice is drawn for each row, so each row has to add up to 1: take `dim=1`.",
    "这里的 softmax 沿第 0 维（样本）计算：每个选项的概率在所有样本上加起来是 1，而同一个样本的各个选项加起来不是 1。抽取是每行进行的，每一行都应当加起来为 1：请用 `dim=1`。",
)


PREDICTION_FIXED: Final = Trap(
    "prediction-detached",
    "`{text}` holds the prediction fixed, and what it is compared with is computed from the same parameters and keeps its graph: the gradient moves the target towards the prediction."
    " Detach the target, `{target}`, and leave the prediction its graph.",
    "`{text}` 把预测值固定住了，而与它比较的目标是由同样的参数算出的，并且保留了计算图：梯度移动的是目标，让它去接近预测。请对目标 `{target}` 调用 `detach()`，让预测保留计算图。",
)


def padding_averaged(run: Record) -> Iterator[Note]:
    """``(h * mask).mean(dim=1)``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.BinOp(left=left, op=ast.Mult(), right=right) as product, attr="mean"),
                args=args,
                keywords=keywords,
            ) if len(args) + len(keywords) == 1:
                pass
            case _:
                continue
        masks = [one for one in (left, right) if "mask" in run.case.text(one).lower()]
        if len(masks) != 1:
            continue
        given = ", ".join(run.case.text(one) for one in (*args, *keywords))
        inner = run.case.text(product)
        mask = run.case.text(masks[0])
        own = mask if isinstance(masks[0], ast.Name | ast.Call | ast.Attribute) else f"({mask})"
        meant = f"({inner}).sum({given}) / {own}.sum({given})"
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`")
        yield PADDING_AVERAGED.note(run.program.span_of(call), (), fix, text=run.case.text(call), meant=meant)


def masked_late(run: Record) -> Iterator[Note]:
    """``softmax(scores) * mask`` in front of a product."""
    for node in run.calls("softmax_dim"):
        out = node.outputs[0]
        if out.array.ndim < 2:
            continue
        for reader in run.consumers.get(out.first, ()):
            if not is_call_of(reader, "mul") or len(reader.inputs) != 2:
                continue
            mask = next((one.array for one in reader.inputs if one.first is not out.first), None)
            result = reader.outputs[0]
            masks = (
                mask is not None
                and mask.ndim >= 2
                and mask.size > 1
                and bool(np.isin(mask, (0, 1)).all())
                and not mask.all()
            )
            mixes = [one for one in readers_of(run, result) if one.inputs and is_of(one.inputs[0], result)]
            if masks and mixes and mask is not None and mask.shape[-1] == out.array.shape[-1]:
                yield MASKED_LATE.note(run.span(reader.place), [result], None)


def entropies(run: Record) -> Iterator[Note]:
    """``loss = policy_loss + 0.01 * entropy``."""
    if not run.steps or "entropy" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp() as value) if "loss" in target.lower():
                pass
            case _:
                continue
        term = _entropy_in(value)
        if term is None or not _was_differentiated(run, target):
            continue
        outer = run.case.parents.get(term)
        added = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add) and outer.right is term
        text, own = run.case.text(value), run.case.text(term)
        meant = f"{run.case.text(outer.left)} - {own}" if added and isinstance(outer, ast.BinOp) else f"-{text}"
        node = outer if added and outer is not None else value
        fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`") if added or term is value else None
        yield ENTROPY.note(run.program.span_of(statement), (), fix, meant=meant)


def _entropy_in(value: ast.expr) -> ast.expr | None:
    """The term of a sum that is the entropy times a number greater than 0."""
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _entropy_in(right) or _entropy_in(left)
        case ast.BinOp(left=left, op=ast.Sub()):
            return _entropy_in(left)
        case ast.BinOp(left=ast.Constant(value=int() | float() as factor), op=ast.Mult(), right=ast.Name(id=name)) if (
            factor > 0
        ):
            return value if name.lower() in ("entropy", "ent") else None
        case ast.Name(id=name):
            return value if name.lower() in ("entropy", "ent") else None
    return None


def _was_differentiated(run: Record, name: str) -> bool:
    return any(name in root.first.names for one in run.passes for root, *_ in one.roots)


_ENDS: Final = re.compile(r"(done|dones|terminal|terminals|terminated|is_done|done_mask)", re.IGNORECASE)


def ends_ignored(run: Record) -> Iterator[Note]:
    """``target = rewards + gamma * q_next.max(1).values``, and ``dones`` is not used."""
    stored = [one for one in run.case.nodes(ast.Name) if isinstance(one.ctx, ast.Store) and _ENDS.fullmatch(one.id)]
    for name in {one.id for one in stored}:
        if any(one.id == name and isinstance(one.ctx, ast.Load) for one in run.case.nodes(ast.Name)):
            continue
        for statement in run.case.nodes(ast.Assign):
            match statement.value:
                case ast.BinOp(
                    left=rewards, op=ast.Add(), right=ast.BinOp(left=ast.Name(id=factor), op=ast.Mult()) as later
                ) if (
                    "reward" in run.case.text(rewards).lower() or run.case.text(rewards) in ("r", "rew")
                ) and factor.lower() in ("gamma", "discount"):
                    pass
                case _:
                    continue
            held = run.namespace.get(name)
            truth = isinstance(held, Tensor) and held._a.dtype.kind == "b"
            keeps = f"(~{name})" if truth else f"(1 - {name})"
            meant = f"{run.case.text(later)} * {keeps}"
            fix = run.fix(run.case.replace(later, meant), f"`{meant}`", f"`{meant}`")
            yield END_IGNORED.note(run.program.span_of(statement), (), fix, name=name, meant=meant)


def backward_halves(run: Record) -> Iterator[Note]:
    """``out[:, -1]`` of a recurrent layer that runs in both directions."""
    if "bidirectional=True" not in run.program.source:
        return
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=output), state])], value=ast.Call(func=ast.Name(id=layer))
            ):
                held = run.namespace.get(layer)
            case _:
                continue
        if not attributes_of(held).get("bidirectional") or type(held).__name__ not in ("RNN", "GRU", "LSTM"):
            continue
        first = state.elts[0] if isinstance(state, ast.Tuple) else state
        h = run.case.text(first) if isinstance(first, ast.Name) and first.id != "_" else "h"
        for node in run.case.nodes(ast.Subscript):
            if not isinstance(node.value, ast.Name) or node.value.id != output or node.lineno <= statement.lineno:
                continue
            text = " ".join(run.case.text(node).split()).replace(" ", "")
            wanted = (
                (f"{output}[:,-1]", f"{output}[:,-1,:]")
                if attributes_of(held).get("batch_first")
                else (f"{output}[-1]", f"{output}[-1,:,:]")
            )
            if text not in wanted:
                continue
            torch = run.case.module_alias("torch") or "torch"
            meant = f"{torch}.cat([{h}[-2], {h}[-1]], dim=1)"
            known = isinstance(first, ast.Name) and first.id != "_"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`") if known else None
            yield BACKWARD_HALF.note(
                run.program.span_of(node), (), fix, name=layer, text=run.case.text(node), meant=meant
            )


def drawn_across_samples(run: Record) -> Iterator[Note]:
    """Softmax over the samples, of which one choice is drawn or looked up for each row."""
    for node in run.calls("softmax_dim"):
        if not node.inputs or node.inputs[0].array.ndim != 2 or node.settings[:1] not in ((0,), (-2,)):
            continue
        if node.inputs[0].array.shape[0] < 2 or not np.ptp(node.outputs[0].array.sum(1)) > 1e-3:
            continue
        readers = run.consumers.get(node.outputs[0].first, ())
        if any(is_call_of(reader, "multinomial") for reader in readers) or _is_drawn(run, node):
            span = run.span(node.place)
            yield DRAWN_ACROSS.note(span, node.outputs, along_classes(run, run.call_at(span)))


def _is_drawn(run: Record, node: NodeEntry) -> bool:
    """Whether a distribution is made of the result, or one element drawn of each row of it."""
    names = {name for name, one in run.namespace.items() if one is node.outputs[0].tensor}
    return any(
        run.case.text(call.func).rpartition(".")[2] in ("Categorical", "multinomial")
        and any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(call))
        for call in run.case.nodes(ast.Call)
    )


def predictions_detached(run: Record) -> Iterator[Note]:
    """``reward + gamma * value(following) - value(state).detach()``, squared, and trained."""
    if not run.steps or "detach" not in run.program.source:
        return
    for node in run.calls("sub mse_loss smooth_l1_loss huber_loss"):
        for place, fixed in enumerate(node.inputs[:2]):
            cut, other = producer(fixed), node.inputs[1 - place] if len(node.inputs) > 1 else None
            if cut is None or other is None or not is_call_of(cut, "detach") or not other.requires_grad:
                continue
            part = _discounted(other)
            if part is None or not _is_output(cut.inputs[0]) or node not in run.ran_backward:
                continue
            if _leaves(cut.inputs[0]) & _leaves(part.inputs[0]):
                span = run.span(cut.place)
                target = _operand(run, part)
                text = run.case.text(target) if target is not None else run.name(part.inputs[0]).strip("`")
                yield PREDICTION_FIXED.note(
                    span, [fixed], _other_way(run, span, target), text=run.builder.expression(cut.place), target=text
                )
                return


def _discounted(entry: TensorEntry) -> NodeEntry | None:
    """In ``rewards + gamma * values`` the product, whose only operand that is a tensor has a graph."""
    total = producer(entry)
    if total is None or not is_call_of(total, "add"):
        return None
    products = [made for one in total.inputs if (made := producer(one)) is not None and is_call_of(made, "mul")]
    return products[0] if len(products) == 1 and products[0].inputs[0].requires_grad else None


def _is_output(entry: TensorEntry) -> bool:
    """Whether a tensor is what a layer or a table gave, or picked from that."""
    made = producer(entry)
    while made is not None and is_call_of(made, f"{REARRANGING} gather") and made.inputs:
        made = producer(made.inputs[0])
    return made is not None and is_call_of(made, "affine mm mv bmm embedding_rows")


def _leaves(entry: TensorEntry) -> set[TensorEntry]:
    return {one.first for one in behind(entry) if one.requires_grad and one.node is None}


def _operand(run: Record, product: NodeEntry) -> ast.expr | None:
    """The side of ``gamma * value(x)`` that is the tensor."""
    span = run.span(product.place)
    binary = None if span is None else run.case.find(ast.BinOp, span)
    if binary is None:
        return None
    sides = [one for one in (binary.left, binary.right) if not isinstance(run.case.value(one), int | float)]
    return sides[0] if len(sides) == 1 else None


def _other_way(run: Record, span: Span | None, target: ast.expr | None) -> Fix | None:
    call = run.call_at(span)
    if call is None or target is None or not isinstance(target, ast.Name | ast.Call | ast.Subscript):
        return None
    edits = [*run.case.without_tail(call), *run.case.followed(target, ".detach()")]
    return run.fix(edits, "Detach the target", "对目标调用 `detach()`")


TRAPS: Final = (
    predictions_detached,
    drawn_across_samples,
    padding_averaged,
    masked_late,
    entropies,
    ends_ignored,
    backward_halves,
)
