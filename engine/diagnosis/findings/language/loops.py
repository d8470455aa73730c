"""Loops: a pair that ``enumerate`` gives, a ``return`` inside that ends the loop in its first turn."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Edit, Fix, Span


@finds(mistakes.OPERAND_TYPES, errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, mistakes.NOT_SUBSCRIPTABLE)
def _enumerated(case: Case) -> Finding | None:
    """``for x, y in enumerate(loader)``: the number of the turn comes first."""
    node = case.find(ast.expr)
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node is not None else set()
    for loop in case.nodes(ast.For):
        match loop:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=first), ast.Name(id=second)]) as target,
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[source, *_]),
            ) if first in used and isinstance(case.values.get(second), list | tuple) and loop.lineno < case.span.line:
                text = f"i, ({first}, {second})"
                return finding(
                    case,
                    f"`enumerate` on line {line(loop)} gives the number of the turn and then what {code(case, source)} gives, a pair:"
                    f" `{first}` is the number and `{second}` the pair. Write `for {text} in ...`.",
                    f"第 {line(loop)} 行的 `enumerate` 先给出轮次编号，再给出 {code(case, source)} 的一对值：`{first}` 是编号，`{second}` 是那一对。"
                    f"请写 `for {text} in ...`。",
                    apply(case, case.replace(target, text), f"`for {text} in ...`", f"`for {text} in ...`"),
                    target,
                )
    return None


@finds(errors.SHAPE_BROADCAST, errors.MM_SHAPE, errors.BCE_SIZE, errors.BCE_LOGITS_SIZE, errors.TARGET_RANGE)
def _first_turn(case: Case) -> Finding | None:
    """``return x`` indented into the loop over the layers."""
    node = case.find(ast.expr)
    if node is None:
        return None
    flow = Flow(case)
    for made in flow.behind(node):
        for function in flow.called(made) if isinstance(made, ast.Call) else ():
            match function.body if isinstance(function, ast.FunctionDef) else []:
                case [*_, ast.For(body=[_, *_, ast.Return() as last]) as loop]:
                    return finding(
                        case,
                        f"The `return` on line {line(last)} stands inside the loop of line {line(loop)}, so `{function.name}` ends in"  # type: ignore[union-attr]
                        f" its first turn. Move it to the left, behind the loop.",
                        f"第 {line(last)} 行的 `return` 在第 {line(loop)} 行的循环里面，所以 `{function.name}` 在第一轮就结束了。请左移，放到循环之后。",  # type: ignore[union-attr]
                        _moved_left(case, last, loop) or (),
                        last,
                    )
    return None


def _moved_left(case: Case, last: ast.stmt, loop: ast.For) -> Fix | None:
    own, outer = case.program.span_of(last), case.program.span_of(loop)
    if own is None or outer is None or own.line != own.end_line or own.column <= outer.column:
        return None
    edit = Edit(Span(own.line, outer.column, own.line, own.column), "")
    return apply(case, [edit], "Move the `return` to the left", "把 `return` 左移")
