"""Traps of softmax: what is masked with 0 in front of it, and probabilities of one sample that do not add up to 1."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.traps.losses import along_classes
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Fix, Note

MASKED_WITH_ZERO: Final = Trap(
    "masked-with-zero",
    "`{text}` puts 0 in the places that are to count for nothing, and softmax takes the exponential, which is 1 for 0: these places get a share, up to"
    " {share:.2g} here. Only minus infinity gets none: `{meant}`.",
    "`{text}` 在不应起作用的位置填了 0，而 softmax 要取指数，0 的指数是 1：这些位置仍然分到一份，这里最多有 {share:.2g}。只有负无穷才分不到：`{meant}`。",
)
CHOSEN_ACROSS: Final = Trap(
    "softmax-across-samples-chosen",
    "This softmax goes over dimension 0, the samples, and one class of each sample is taken from it: the probabilities of one sample do not add up"
    " to 1 and depend on the other samples of the batch. The classes are dimension 1: `dim=1`.",
    "这里的 softmax 沿第 0 维（样本）计算，之后却从中为每个样本取一个类别的概率：一个样本的各个概率加起来不是 1，还取决于同一批里的其他样本。类别在第 1 维：`dim=1`。",
)

WEIGHTS_ACROSS: Final = Trap(
    "softmax-weights-across-samples",
    "This softmax goes over dimension 0, the samples, and its results weigh what line {line} adds up along dimension 1: the weights of one sum do not add"
    " up to 1 and depend on the other samples of the batch. What is weighed is dimension 1: `dim=1`.",
    "这里的 softmax 沿第 0 维（样本）计算，而它的结果是第 {line} 行沿第 1 维相加时用的权重：一个和的权重加起来不是 1，还取决于同一批里的其他样本。被加权的是第 1 维：`dim=1`。",
)

_MASK: Final = re.compile(r"mask|pad|valid|tril|causal", re.IGNORECASE)


def masked_with_zero(run: Record) -> Iterator[Note]:
    """``scores.masked_fill(mask, 0).softmax(-1)``, ``(scores * mask).softmax(-1)``."""
    for node in run.calls("softmax_dim"):
        made = producer(node.inputs[0]) if node.inputs else None
        away = _left_out(made) if made is not None else None
        if made is None or away is None or not node.settings or not isinstance(node.settings[0], int):
            continue
        dim = node.settings[0]
        if not (away.any(dim) & ~away.all(dim)).any():
            continue
        meant, fix = _with_infinity(run, made, bool(away.all(dim).any()))
        if not meant:
            continue
        span = run.span(made.place)
        text = run.program.text_at(span) if span is not None else ""
        share = float(node.outputs[0].array[away].max())
        yield MASKED_WITH_ZERO.note(span, made.outputs, fix, text=" ".join(text.split()), share=share, meant=meant)


def _left_out(made: NodeEntry) -> np.ndarray | None:
    """Which places were set to 0 by a mask."""
    shape = made.outputs[0].array.shape
    if is_call_of(made, "masked_fill") and made.settings[:1] == (0,) and len(made.inputs) > 1:
        return np.broadcast_to(np.asarray(made.inputs[1].array, bool), shape)
    if is_call_of(made, "mul") and len(made.inputs) == 2:
        for one in made.inputs:
            if _is_mask(one) and not one.array.all() and one.array.ndim > 1:
                return np.broadcast_to(one.array == 0, shape)
    return None


def _is_mask(entry: TensorEntry) -> bool:
    names = list(entry.first.names)
    before = entry.view_of or next(iter(entry.first.node.inputs if entry.first.node is not None else ()), None)
    if before is not None and before.array.size == entry.array.size:  # another shape of it
        names += before.first.names
    named = any(map(_MASK.search, names))
    return named and not entry.requires_grad and bool(np.isin(entry.array, (0, 1)).all())


def _with_infinity(run: Record, made: NodeEntry, whole: bool) -> tuple[str, Fix | None]:
    """The expression with what gets no share; where a row is masked as a whole a number, as infinity would give nan."""
    low = "-1e9" if whole else 'float("-inf")'
    span = run.span(made.place)
    node = run.case.find(ast.expr, span) if span is not None else None
    match node:
        case ast.Call(func=ast.Attribute(attr="masked_fill" | "masked_fill_")):
            value = argument_of(node, 1, "value")
            if value is None:
                return "", None
            edits = run.case.replace(value, low)
            meant = " ".join(apply_edits(run.program.source, edits, span).split())
            return meant, run.fix(edits, f"`{low}`", f"`{low}`")
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            named = [one for one in (left, right) if _MASK.search(run.case.text(one))]
            if len(named) != 1:
                return "", None
            scores = left if named[0] is right else right
            own = run.case.text(scores)
            held = own if isinstance(scores, ast.Name | ast.Call | ast.Attribute) else f"({own})"
            mask = run.case.text(named[0])
            meant = f"{held}.masked_fill({mask if isinstance(named[0], ast.Name | ast.Call | ast.Attribute | ast.Subscript) else f'({mask})'} == 0, {low})"
            return meant, run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
    return "", None


def chosen_across(run: Record) -> Iterator[Note]:
    """``probs = logits.softmax(0)``, and ``probs.max(dim=1)``."""
    for node in run.calls("softmax_dim"):
        if not node.inputs or node.inputs[0].array.ndim != 2 or node.settings[:1] not in ((0,), (-2,)):
            continue
        out = node.outputs[0]
        if min(out.array.shape) < 2 or not np.ptp(out.array.sum(1)) > 1e-3:
            continue
        readers = list(run.consumers.get(out.first, ()))
        readers += [
            each for one in readers if is_call_of(one, "log") for each in run.consumers.get(one.outputs[0].first, ())
        ]
        if any(is_call_of(one, "max_dim argmax gather") and one.settings[:1] in ((1,), (-1,)) for one in readers):
            span = run.span(node.place)
            yield CHOSEN_ACROSS.note(span, [out], along_classes(run, run.call_at(span)))


def weights_across(run: Record) -> Iterator[Note]:
    """``w = scores.softmax(0)``, and ``(w.unsqueeze(-1) * words).sum(1)``."""
    for node in run.calls("softmax_dim"):
        out = node.outputs[0].array
        first = node.settings[:1] in ((0,), (-out.ndim,))
        if not first or out.ndim not in (2, 3) or min(out.shape[:2]) < 2 or (out.ndim == 3 and out.shape[2] != 1):
            continue
        if not np.ptp(out.sum(1)) > 1e-3:
            continue
        added = _added_along(run, node)
        if added is not None:
            span = run.span(node.place)
            yield WEIGHTS_ACROSS.note(
                span, node.outputs, along_classes(run, run.call_at(span)), line=run.line(added.place)
            )


def _added_along(run: Record, node: NodeEntry) -> NodeEntry | None:
    """The sum along dimension 1 of values that these weights are multiplied by, one for each sample and element."""
    weights = [node.outputs[0]]
    for one in run.consumers.get(node.outputs[0].first, ()):
        samples, *steps = node.outputs[0].array.shape
        if is_call_of(one, "unsqueeze index") and one.outputs[0].array.shape in (
            (samples, *steps, 1),
            (samples, 1, *steps),
        ):
            weights.append(one.outputs[0])
    for weight in weights:
        for product in run.consumers.get(weight.first, ()):
            if is_call_of(product, "bmm") and _mixes(product, weight, node.outputs[0]):
                return product
            others = [each for each in product.inputs if each.first is not weight.first]
            if not is_call_of(product, "mul") or weight.array.ndim != 3 or len(others) != 1:
                continue
            if others[0].array.shape[:2] != weight.array.shape[:2]:
                continue
            for reader in run.consumers.get(product.outputs[0].first, ()):
                if is_call_of(reader, "sum_dim") and _is_second(reader):
                    return reader
    return None


def _mixes(product: NodeEntry, weight: TensorEntry, given: TensorEntry) -> bool:
    """Whether a product of matrices, one for each sample, adds values along the steps: ``bmm(w.unsqueeze(1), values)``."""
    if given.array.ndim != 2 or len(product.inputs) != 2 or product.inputs[0].first is not weight.first:
        return False
    samples, steps = given.array.shape
    return weight.array.shape == (samples, 1, steps) and product.inputs[1].array.shape[:2] == (samples, steps)


def _is_second(node: NodeEntry) -> bool:
    """Whether a sum of three dimensions goes along dimension 1 alone."""
    given = node.settings[0] if node.settings else None
    dims = tuple(given) if isinstance(given, tuple | list) else (given,)
    return dims in ((1,), (-2,))


TRAPS: Final = (masked_with_zero, chosen_across, weights_across)
