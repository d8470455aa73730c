"""Training that ends in the first turn of its loop, for the function returns there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.trace import Edit, Fix, Note, Span

FIRST_TURN: Final = Trap(
    "training-ends-in-first-turn",
    "This `return` stands inside the loop on line {line}, so `{name}` ends in the first turn of that loop, and no later turn is ever run. Indented as far as"
    " the `for`, it returns after all turns.",
    "这个 `return` 写在第 {line} 行的循环里面，所以 `{name}` 在第一轮就结束了，后面的各轮都不会运行。把它缩进到与 `for` 对齐，就会在所有轮次之后返回。",
)


def first_turns(run: Record) -> Iterator[Note]:
    """``for epoch in range(100): ...; optimizer.step(); return loss``."""
    if not run.steps:
        return
    for loop in run.case.nodes(ast.For):
        last, function = loop.body[-1], run.case.enclosing(loop, ast.FunctionDef)
        if not isinstance(last, ast.Return) or function is None or loop.orelse or not _trains(run, loop):
            continue
        if any(isinstance(one, ast.Name) and one.id in _grown(loop) for one in ast.walk(last)):
            continue  # which is told of as a sum that is returned too early
        words = {"line": loop.lineno, "name": function.name}
        yield FIRST_TURN.note(run.program.span_of(last), (), _moved(run, loop, last), **words)


def _trains(run: Record, loop: ast.For) -> bool:
    """Whether the turns of a loop are steps of a training, of which there are to be several."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0 | 1)]):
            return False
    called = [
        one.func.attr for one in ast.walk(loop) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    ]
    ends = [one for one in ast.walk(loop) if isinstance(one, ast.Return | ast.Break | ast.Continue | ast.Yield)]
    spans = {run.program.span_of(one) for one in ast.walk(loop) if isinstance(one, ast.Call)}
    stepped = any(run.span(step.place) in spans for step in run.steps)
    return "backward" in called and "step" in called and len(ends) == 1 and stepped


def _grown(loop: ast.For) -> set[str]:
    """The names of sums and lists that the turns add to."""
    found = {one.target.id for one in loop.body if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}
    for one in ast.walk(loop):
        match one:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend")):
                found.add(name)
    return found


def _moved(run: Record, loop: ast.For, last: ast.Return) -> Fix | None:
    own, head = run.program.span_of(last), run.program.span_of(loop)
    if own is None or head is None or own.line != own.end_line or own.line <= head.line:
        return None
    edit = Edit(Span(own.line, head.column, own.line, own.column), "")
    return run.fix([edit], "Move it out of the loop", "把它移出循环")


TRAPS: Final = (first_turns,)
