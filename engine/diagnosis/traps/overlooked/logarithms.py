"""Traps of logarithms: of probabilities that are exactly 0 because a mask says so, and of those that are held at a bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Note

LOG_OF_MASKED: Final = Trap(
    "log-of-masked-probability",
    "What is masked with minus infinity has exactly the probability 0, so `{text}` is -inf there, and 0 times -inf is nan, here and in the gradient. Keep"
    " the logarithm finite: `{meant}`.",
    "用负无穷掩盖的位置概率正好是 0，所以 `{text}` 在那里是 -inf，而 0 乘 -inf 是 nan，这里如此，梯度里也如此。请让对数保持有限：`{meant}`。",
)

HELD: Final = Trap(
    "clamped-probability",
    "{count} of the {all} probabilities lie outside of the bound and are replaced by it here, and a bound has no gradient: exactly the samples that are the most wrong teach nothing."
    " Compute the logarithm from the scores, which has no such end: `{meant}`.",
    "这里的 {all} 个概率里有 {count} 个超出了界限，被换成了界限值，而界限没有梯度：恰恰是错得最厉害的样本什么也教不了。请直接由得分计算对数，那里没有这样的尽头：`{meant}`。",
)
_SHARE: Final = 0.05
"""Of the probabilities that must be held in one call before it is told."""


def held_at_bound(run: Record) -> Iterator[Note]:
    """``-torch.log(p.clamp(min=1e-8))`` of a softmax that is 0 for some samples."""
    told = set()
    for node in run.calls("clamp_scalar"):
        source, out = node.inputs[0], node.outputs[0]
        made = _probabilities(source)
        readers = run.consumers.get(out.first, ())
        logs = [one for one in readers if is_call_of(one, "log") and one in run.ran_backward]
        held = int((source.array != out.array).sum())
        if made is None or not logs or held <= _SHARE * source.array.size or (span := run.span(node.place)) in told:
            continue
        told.add(span)
        meant = "F.log_softmax(...)" if is_call_of(made, "softmax_dim") else "F.logsigmoid(...)"
        yield HELD.note(span, [out], None, count=held, all=source.array.size, meant=meant)


def _probabilities(entry: TensorEntry) -> NodeEntry | None:
    """The softmax or the sigmoid whose values these are, or a choice of them."""
    for _ in range(4):
        made = producer(entry)
        if made is None or not made.inputs or is_call_of(made, "softmax_dim sigmoid"):
            return made if made is not None and made.inputs else None
        if not is_call_of(made, "index gather select view unsafe_view squeeze_dim squeeze_all"):
            return None
        entry = made.inputs[0]
    return None


def log_of_masked(run: Record) -> Iterator[Note]:
    """``probs * probs.log()`` of a softmax of scores that are masked with minus infinity."""
    for node in run.calls("log"):
        made = produced_by(node.inputs[0], "softmax_dim") if node.inputs else None
        if made is not None and (found := of_masked(run, node, made)) is not None:
            yield found


def of_masked(run: Record, node: NodeEntry, made: NodeEntry) -> Note | None:
    """The logarithm of probabilities that are 0 because a mask says so, multiplied by something that is 0 there."""
    given, out, span = made.inputs[0].array, node.outputs[0], run.span(node.place)
    call = run.call_at(span)
    away = np.isneginf(out.array)
    if call is None or given.shape != away.shape or not np.isneginf(given[away]).all():
        return None
    times = [one for one in run.consumers.get(out.first, ()) if is_call_of(one, "mul")]
    if not any(np.isnan(one.outputs[0].array).any() for one in times):
        return None
    function = call.func
    method = isinstance(function, ast.Attribute) and not call.args
    operand = function.value if isinstance(function, ast.Attribute) and method else call.args[0] if call.args else None
    if operand is None:
        return None
    edits = run.case.followed(operand, ".clamp_min(1e-8)")
    meant = " ".join(apply_edits(run.program.source, edits, span).split())
    return LOG_OF_MASKED.note(
        span, [out], run.fix(edits, f"`{meant}`", f"`{meant}`"), text=" ".join(run.case.text(call).split()), meant=meant
    )


TRAPS: Final = (log_of_masked, held_at_bound)
