"""What ``backward()`` gives is kept or handed back as if it were the loss, and is `None`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing import NONE_MET, speaks_of_none, suspects
from gradflow.engine.diagnosis.findings.practice.overwritten import free_name
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes
from gradflow.engine.trace import Edit, Fix

_DEEPEST = 6
"""Names and calls from the error to the pass."""


@finds(*NONE_MET, mistakes.NOT_CALLABLE)
def _pass_kept(case: Case) -> Finding | None:
    """``loss = criterion(model(x), y).backward()`` and ``loss.item()``; ``return loss.backward()``."""
    if not speaks_of_none(case):
        return None
    whole = case.find(ast.expr)
    nodes: list[ast.expr] = [*suspects(case), *([whole] if isinstance(whole, ast.Call) else [])]
    nodes += [one for one in ast.walk(whole or ast.Pass()) if isinstance(one, ast.Name)]
    flow = Flow(case)
    passes = [one for node in nodes for one in _passes_behind(flow, node, _DEEPEST)]
    return _told(case, passes[0]) if passes else None


def _passes_behind(flow: Flow, node: ast.expr, deepest: int) -> Iterator[ast.Call]:
    """The passes whose result a name, an attribute or a call of the program's own functions gives."""
    if deepest == 0:
        return
    match node:
        case ast.Call(func=ast.Attribute(attr="backward")):
            yield node
        case ast.Name(id=name):
            for one in [*flow.assigned(node, name)][:1]:
                yield from _passes_behind(flow, one, deepest - 1)
        case ast.Attribute():
            for one in flow.kept(node):
                yield from _passes_behind(flow, one, deepest - 1)
        case ast.Call():
            for function in [*flow.called(node), *_handed_on(flow, node)]:
                for one in returned(function):
                    yield from _passes_behind(flow, one, deepest - 1)


def _handed_on(flow: Flow, call: ast.Call) -> list[ast.FunctionDef]:
    """``closure`` of ``optimizer.step(closure)``, which gives what the function gives."""
    match call:
        case ast.Call(func=ast.Attribute(attr="step"), args=[ast.Name(id=name)]):
            return [one for one in flow.case.nodes(ast.FunctionDef) if one.name == name][-1:]
    return []


def _told(case: Case, call: ast.Call) -> Finding | None:
    statement = case.statement(call)
    if not isinstance(call.func, ast.Attribute):
        return None
    loss = call.func.value
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is call:
            name = case.text(target)
            who, who_zh = f"`{name}` on line {line(call)} gets", f"第 {line(call)} 行的 `{name}` 得到的是"
        case ast.Return(value=value) if value is call:
            name = case.text(loss) if isinstance(loss, ast.Name) else free_name(case, "loss", "result", "the_loss")
            who, who_zh = f"Line {line(call)} gives back", f"第 {line(call)} 行返回的是"
        case _:
            return None
    text = case.text(loss)
    shown = text if "\n" not in text else f"({text})"
    before = "" if text == name else f"keep the loss first, `{name} = {' '.join(text.split())}`, and "
    before_zh = "" if text == name else f"先保存损失，`{name} = {' '.join(text.split())}`，再"
    after, after_zh = (
        (", and give `" + name + "` back", f"，再返回 `{name}`") if isinstance(statement, ast.Return) else ("", "")
    )
    sentence = f"{before}call `{name}.backward()` on a line of its own{after}."
    return finding(
        case,
        f"{who} what `backward()` gives, which is always `None`: the pass fills in the gradients and has no result. {sentence[:1].upper()}{sentence[1:]}",
        f"{who_zh} `backward()` 的结果，它总是 `None`：反向传播只填好梯度，没有返回值。请{before_zh}单独写一行 `{name}.backward()`{after_zh}。",
        [_fix(case, statement, call, name, shown)],
        call,
    )


def _fix(case: Case, statement: ast.stmt, call: ast.Call, name: str, loss: str) -> Fix | None:
    """The loss under its name, the pass on a line of its own, and what was given back."""
    span = case.program.span_of(statement)
    if (
        span is None
        or case.line(span.line)[: span.column].strip()
        or case.line(span.end_line)[span.end_column :].strip(" )")
    ):
        return None
    rest = case.text(call)[len(case.text(call.func)) :]
    tail = rest if rest.startswith("(") else "()"
    lines = [*([f"{name} = {loss}"] if loss != name else []), f"{name}.backward{tail}"]
    lines += [f"return {name}"] if isinstance(statement, ast.Return) else []
    indent = case.line(span.line)[: span.column]
    title = f"`{'; '.join(' '.join(one.split()) for one in lines)}`"
    return apply(case, [Edit(span, f"\n{indent}".join(lines))], title, title)
