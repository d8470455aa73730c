"""Traps of writes: values that were changed past the version check between forward and backward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.entries import StepEntry
from gradflow.engine.trace import Note

UNSEEN_WRITE: Final = Trap(
    "data-write-before-backward",
    "{name} was written between the forward computation and the backward pass, in a way that the version check does not see"
    " (`.data`, or NumPy). `{function}` keeps a reference to {name}, not a copy, so its backward computed with the new values:"
    " the gradient is not that of the forward computation, and there is no error. Write it after the pass; written under"
    " `torch.no_grad()`, it would have raised one.",
    "{name} 在前向计算与反向传播之间被改写，而这种写法（`.data` 或 NumPy）不会被版本检查发现。`{function}` 保存的是对 {name}"
    " 的引用而不是副本，因此反向传播用的是新值：得到的梯度不是前向计算的梯度，并且不会报错。请在反向传播之后再改写；"
    "如果在 `torch.no_grad()` 下改写，就会报错。",
)


def unseen_writes(run: Record) -> Iterator[Note]:
    """Saved variables that were written past the version check between their function and its backward."""
    for one in run.passes if run.recorder.unchecked_writes else ():
        for step in one.steps:
            yield from _written_between(run, step)


def _written_between(run: Record, step: StepEntry) -> Iterator[Note]:
    if not step.reads:
        return
    forward = {entry.first: entry for entry in (*step.node.inputs, *step.node.outputs)}
    for first, now in step.reads.items():
        if now.index != forward[first].index:
            span = run.span(now.event.place) if now.event is not None else None
            function = step.node.node.printed_name if step.node.node is not None else ""
            text = first.names[0] if first.names else run.builder.expression(first.place)
            name = f"`{text}`" if text else run.name(first)
            yield UNSEEN_WRITE.note(span, [first], name=name, function=function)


TRAPS: Final = (unseen_writes,)
