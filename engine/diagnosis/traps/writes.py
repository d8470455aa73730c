"""Traps of writes: values that were changed past the version check between forward and backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.entries import StepEntry
from gradflow.engine.trace import Fix, Note, Span, Text

UNSEEN_WRITE: Final = Trap(
    "data-write-before-backward",
    "{name} was written between the forward computation and the backward pass, in a way that the version check does not see"
    " (`.data`, or NumPy). `{function}` keeps a reference to {name}, not a copy, so its backward computed with the new values:"
    " the gradient is not that of the forward computation, and there is no error. {meant}",
    "{name} 在前向计算与反向传播之间被改写，而这种写法（`.data` 或 NumPy）不会被版本检查发现。`{function}` 保存的是对 {name}"
    " 的引用而不是副本，因此反向传播用的是新值：得到的梯度不是前向计算的梯度，并且不会报错。{meant}",
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
            if span is None:  # no line of the program wrote it: a layer its own buffer
                continue
            function = step.node.node.printed_name if step.node.node is not None else ""
            text = first.names[0] if first.names else run.builder.expression(first.place)
            name = f"`{text}`" if text else run.name(first)
            text, fix = _recorded(run, span) if first.node is not None else ("", None)
            meant = _of_graph(text) if text else _LATER
            yield UNSEEN_WRITE.note(span, [first], fix, name=name, function=function, meant=meant)


_LATER: Final = Text(
    "Write it after the pass; written under `torch.no_grad()`, it would have raised one.",
    "请在反向传播之后再改写；如果在 `torch.no_grad()` 下改写，就会报错。",
)
_OF_VALUES: Final = frozenset(
    {
        "clamp_",
        "clip_",
        "relu_",
        "tanh_",
        "sigmoid_",
        "abs_",
        "exp_",
        "sqrt_",
        "mul_",
        "div_",
        "add_",
        "sub_",
        "pow_",
        "neg_",
    }
)
"""Functions whose results the loss may be meant to be differentiated through."""


def _of_graph(text: str) -> Text:
    return Text(
        f"The graph has to know of a change that the program goes on with: write `{text}`.",
        f"程序接着使用改动后的值，计算图也必须知道这次改动：请写 `{text}`。",
    )


def _recorded(run: Record, span: Span | None) -> tuple[str, Fix | None]:
    """``pre = pre.clamp(-1, 1)`` for ``pre.data.clamp_(-1, 1)`` of a result that the program goes on with."""
    call = run.call_at(span)
    statement = run.case.statement(call) if call is not None else None
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="data"), attr=method)
            ) as whole
        ) if method in _OF_VALUES:
            pass
        case _:
            return "", None
    scope = run.case.enclosing(statement, ast.FunctionDef)
    own = [
        one for one in run.case.nodes(ast.Name) if one.id == name and run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    if not any(isinstance(one.ctx, ast.Load) and one.lineno > whole.end_lineno for one in own):  # type: ignore[operator]  # a call of the source ends somewhere
        return "", None
    meant = f"{name} = {name}.{method[:-1]}{run.case.text(whole)[len(run.case.text(whole.func)) :]}"
    shared = any(
        one.lineno < whole.lineno and isinstance(run.case.parents.get(one), ast.Assign | ast.List)
        for one in own
        if isinstance(one.ctx, ast.Load)
    )
    return meant, None if shared else run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`")


TRAPS: Final = (unseen_writes,)
