"""Traps of the direction of a default: vectors that are normalised across the steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.trace import Note

OVER_STEPS: Final = Trap(
    "normalized-over-steps",
    "`{text}` says no `dim`, and dimension 1 is taken, which has the {steps} steps of {shape} here: the vectors in the last dimension do not get length 1. Say which one:"
    " `{meant}`.",
    "`{text}` 没有写 `dim`，取的是第 1 维，而在这里的 {shape} 中那是 {steps} 个时间步：最后一维的向量长度并不是 1。请写明：`{meant}`。",
)

_SHAPING: Final = "view unsafe_view reshape_alias add mul relu tanh alias"


def normalized_over_steps(run: Record) -> Iterator[Note]:
    """``F.normalize(proj(x))`` of vectors that stand in the last of three dimensions."""
    if "normalize" not in run.program.source:
        return
    for call in run.case.nodes(ast.Call):
        given = any(one.arg in ("dim", None) for one in call.keywords) or len(call.args) > 2
        if called(call) != "normalize" or given or not call.args or not isinstance(call.func, ast.Attribute):
            continue
        made = run.made_at(call)
        source = next((entry for node in made for entry in node.inputs), None)
        if source is None or source.array.ndim != 3 or not _ends_with_features(source):
            continue
        text = " ".join(run.case.text(call).split())
        meant = f"{text[:-1]}, dim=-1)"
        words = {"text": text, "steps": source.array.shape[1], "shape": list(source.array.shape), "meant": meant}
        fix = run.fix(run.case.argument(call, "dim=-1"), f"`{meant}`", f"`{meant}`")
        yield OVER_STEPS.note(run.program.span_of(call), made[-1].outputs, fix, **words)


def _ends_with_features(entry: TensorEntry) -> bool:
    """Whether the last dimension is that of a linear layer's features, or of a table of vectors."""
    size, current = entry.array.shape[-1], entry
    for _ in range(8):
        made = producer(current)
        if made is None or not made.inputs or current.array.shape[-1] != size:
            return False
        if is_call_of(made, "affine mm bmm addmm embedding_rows embedding_take"):
            return True
        if not is_call_of(made, _SHAPING):
            return False
        current = made.inputs[0]
    return False


TRAPS: Final = (normalized_over_steps,)
