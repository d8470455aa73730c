"""Traps that a program walked into without an error, read from the recorder's notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradflow.engine.recording.entries import StepEntry, TensorEntry, tensor_id
from gradflow.engine.sandbox.sessions.magics import DroppedLine
from gradflow.engine.trace import Note, Span, Text

_SHOWN = 60
"""Characters of a line that a note repeats."""

if TYPE_CHECKING:
    from gradflow.engine.recording.trace_builder import TraceBuilder


def notes(builder: TraceBuilder) -> list[Note]:
    """The notes of a run, each once."""
    found: dict[tuple[str, Span | None], Note] = {}
    selected = builder.selection
    for _, one in selected.passes if builder.recorder.unchecked_writes else ():
        for step in filter(lambda step: selected.has_node(step.node), one.steps):
            for note in _written_between(builder, step):
                found.setdefault((note.tensors[0], note.span), note)
    return [*map(_dropped, builder.program.dropped if builder.program else ()), *found.values()]


def _dropped(line: DroppedLine) -> Note:
    """A line of IPython in a pasted notebook."""
    span = Span(line.line, line.column, line.line, line.end_column)
    return Note(
        "ipython-line",
        span,
        Text(
            f"`{line.text[:_SHOWN]}` speaks to IPython, the program behind a notebook, and not to Python. There is no"
            " IPython here, so the line is passed over; the rest runs.",
            f"`{line.text[:_SHOWN]}` 是写给 IPython（笔记本背后的程序）的，不是 Python。这里没有 IPython，因此跳过这一行，其余照常运行。",
        ),
        None,
        [],
    )


def _written_between(builder: TraceBuilder, step: StepEntry) -> Iterator[Note]:
    """Saved variables that were written past the version check between their function and its backward."""
    forward = {entry.first: entry for entry in (*step.node.inputs, *step.node.outputs)}
    for first, now in (step.reads or {}).items():
        if now.index != forward[first].index:
            span = builder.span(now.event.place) if now.event is not None else None
            yield Note("data-write-before-backward", span, _explanation(builder, step, first), None, [tensor_id(first)])


def _explanation(builder: TraceBuilder, step: StepEntry, tensor: TensorEntry) -> Text:
    name = tensor.names[0] if tensor.names else builder.expression(tensor.place) or "a tensor"
    function = step.node.node.printed_name if step.node.node is not None else ""
    return Text(
        f"{name} was written between the forward computation and the backward pass, in a way that the version check does"
        f" not see (.data, or NumPy). {function} keeps a reference to {name}, not a copy, so its backward computed with"
        " the new values: the gradient is not that of the forward computation, and there is no error. Written under"
        " torch.no_grad(), it would have raised one.",
        f"{name} 在前向计算与反向传播之间被改写，而这种写法（.data 或 NumPy）不会被版本检查发现。{function} 保存的是对 {name}"
        " 的引用而不是副本，因此反向传播用的是新值：得到的梯度不是前向计算的梯度，并且不会报错。如果在 torch.no_grad() 下改写，"
        "就会报错。",
    )
