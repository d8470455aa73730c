"""Traps of logarithms: of probabilities that are exactly 0 because a mask says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import apply_edits
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, produced_by
from gradflow.engine.recording.entries import NodeEntry
from gradflow.engine.trace import Note

LOG_OF_MASKED: Final = Trap(
    "log-of-masked-probability",
    "What is masked with minus infinity has exactly the probability 0, so `{text}` is -inf there, and 0 times -inf is nan, here and in the gradient. Keep"
    " the logarithm finite: `{meant}`.",
    "用负无穷掩盖的位置概率正好是 0，所以 `{text}` 在那里是 -inf，而 0 乘 -inf 是 nan，这里如此，梯度里也如此。请让对数保持有限：`{meant}`。",
)


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


TRAPS: Final = (log_of_masked,)
