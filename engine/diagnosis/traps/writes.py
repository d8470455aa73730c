"""Traps of writes: values that were changed past the version check, or past the graph, between forward and backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import StepEntry, TensorEntry
from gradflow.engine.trace import Edit, Fix, Note, Span, Text

UNSEEN_WRITE: Final = Trap(
    "data-write-before-backward",
    "{name} was written between the forward computation and the backward pass, in a way that the version check does not see"
    " (`.data`, or NumPy). `{function}` keeps a reference to {name}, not a copy, so its backward computed with the new values:"
    " the gradient is not that of the forward computation, and there is no error. {meant}",
    "{name} 在前向计算与反向传播之间被改写，而这种写法（`.data` 或 NumPy）不会被版本检查发现。`{function}` 保存的是对 {name}"
    " 的引用而不是副本，因此反向传播用的是新值：得到的梯度不是前向计算的梯度，并且不会报错。{meant}",
)
UNSEEN_FACTOR: Final = Trap(
    "factor-missing-in-gradient",
    "{name} is multiplied here in a way that the graph does not see ({way}), and the loss is computed from the product: what {name} was computed from gets the"
    " gradient without this factor, as if nothing had been masked or scaled, and there is no error. The graph has to know of it: write `{meant}`.",
    "{name} 在这里被乘上了一个因子，但计算图看不到（{way}），而损失是由乘积算出的：梯度传回 {name} 的来源时缺少这个因子，好像没有遮住或缩放过，并且不会报错。"
    "计算图必须知道这次改动：请写 `{meant}`。",
)


UNSEEN_CHANGE: Final = Trap(
    "change-missing-in-gradient",
    "{name} is changed here in a way that the graph does not see ({way}), and the loss is computed from what it is now: the gradient that flows back is that without"
    " the change, also where it is flat, and there is no error. The graph has to know of it: write `{meant}`.",
    "{name} 在这里被改动，但计算图看不到（{way}），而损失是由改动后的值算出的：传回去的梯度是没有改动时的梯度，即使在被截断的地方也一样，并且不会报错。计算图必须知道这次改动：请写 `{meant}`。",
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
            if now.event is not None and (alias := _alias(run, now.event, first)) is not None:
                yield _with_copy(run, alias, first, name=name, function=function)
                continue
            text, fix = _recorded(run, span, first) if first.node is not None else ("", None)
            meant = _of_graph(text, _multiplies(run.statement_at(span))) if text else _LATER
            yield UNSEEN_WRITE.note(span, [first], fix, name=name, function=function, meant=meant)


def _alias(run: Record, event: EventEntry, first: TensorEntry) -> ast.Assign | None:
    """``h = h.data`` of a function that writes into `h` for itself: nothing that is differentiated reads it afterwards."""
    if any(node.number >= event.nodes and node in run.ran_backward for node in run.consumers.get(first, ())):
        return None
    statement = run.statement_at(run.span(event.place))
    scope = run.case.enclosing(statement, ast.FunctionDef) if statement is not None else None
    target: ast.expr | None = statement.target if isinstance(statement, ast.AugAssign) else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        target = statement.value.func.value if isinstance(statement.value.func, ast.Attribute) else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        target = statement.targets[0]
    while isinstance(target, ast.Subscript):
        target = target.value
    if statement is None or scope is None or not isinstance(target, ast.Name):
        return None
    given = [
        one
        for one in ast.walk(scope)
        if isinstance(one, ast.Assign) and [run.case.text(each) for each in one.targets] == [target.id]
    ]
    before = [one for one in given if one.lineno < statement.lineno]
    return given[0] if len(given) == len(before) == 1 and getattr(given[0].value, "attr", "") == "data" else None


def _with_copy(run: Record, alias: ast.Assign, first: TensorEntry, **words: str) -> Note:
    """The note at the line that gives a second name to the memory, with a copy in its place."""
    text = f"{run.case.text(alias.value)}.clone()"
    own = run.case.text(alias)
    meant = Text(
        f"`{own}` on line {alias.lineno} copies nothing: what is written into `{run.case.text(alias.targets[0])}` below it is written into the values that the pass needs."
        f" Write into a copy: `{text}`.",
        f"第 {alias.lineno} 行的 `{own}` 什么也不复制：下面写入 `{run.case.text(alias.targets[0])}` 的内容，就写进了反向传播需要的值。请写入副本：`{text}`。",
    )
    fix = run.fix(run.case.followed(alias.value, ".clone()"), f"`{text}`", f"`{text}`")
    return UNSEEN_WRITE.note(run.program.span_of(alias), [first], fix, **words, meant=meant)


_LATER: Final = Text(
    "Write it after the pass; written under `torch.no_grad()`, it would have raised one.",
    "请在反向传播之后再改写；如果在 `torch.no_grad()` 下改写，就会报错。",
)
_OF_VALUES: Final = frozenset(
    [
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
        "multiply_",
        "divide_",
    ]
)
"""Functions whose results the loss may be meant to be differentiated through."""
_FACTORS: Final = frozenset({"mul_", "div_", "multiply_", "divide_"})
_SIGNS: Final = {ast.Mult: "*", ast.Div: "/", ast.Add: "+", ast.Sub: "-", ast.Pow: "**"}


def _of_graph(text: str, factor: bool) -> Text:
    missing = Text(" The factor is missing in the gradient, too.", "梯度里还缺少这个因子。") if factor else Text("", "")
    return Text(
        f"The graph has to know of a change that the program goes on with: write `{text}`.{missing.en}",
        f"程序接着使用改动后的值，计算图也必须知道这次改动：请写 `{text}`。{missing.zh}",
    )


def _recorded(run: Record, span: Span | None, first: TensorEntry) -> tuple[str, Fix | None]:
    """``pre = pre.clamp(-1, 1)`` for ``pre.data.clamp_(-1, 1)`` of a result that the program goes on with."""
    statement = run.statement_at(span)
    name, meant = _out_of_place(run, statement)
    if statement is None or not meant:
        return "", None
    scope = run.case.enclosing(statement, ast.FunctionDef)
    given = {one.arg for one in scope.args.args} if scope is not None else set()
    if name not in first.names and name not in given:
        return "", None  # of an alias
    own = [
        one for one in run.case.nodes(ast.Name) if one.id == name and run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    end = statement.end_lineno or statement.lineno
    if not any(isinstance(one.ctx, ast.Load) and one.lineno > end for one in own):
        return "", None
    shared = any(
        one.lineno < statement.lineno and isinstance(run.case.parents.get(one), ast.Assign | ast.List)
        for one in own
        if isinstance(one.ctx, ast.Load)
    )
    edits = [] if shared else _in_its_place(run, statement, meant)
    return meant, run.fix(edits, f"`{meant}`", f"`{meant}`")


def _out_of_place(run: Record, statement: ast.stmt | None) -> tuple[str, str]:
    """The name that a statement writes into past the graph, and the assignment that does it within: ``h = h.mul(mask)``."""
    text = run.case.text
    match statement:
        case ast.Expr(value=ast.Call() as call):
            calls: list[tuple[str, str]] = []
            held: ast.expr = call
            while isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr in _OF_VALUES:
                calls.append((held.func.attr[:-1], text(held)[len(text(held.func)) :]))
                held = held.func.value
            name = _behind_graph(held)
            chain = "".join(f".{method}{given}" for method, given in reversed(calls))
            return (name, f"{name} = {name}{chain}") if name and calls else ("", "")
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _SIGNS and _behind_graph(target):
            name = _behind_graph(target)
            operand = text(value) if isinstance(value, ast.Name | ast.Constant | ast.Call) else f"({text(value)})"
            return name, f"{name} = {name} {_SIGNS[type(op)]} {operand}"
    return "", ""


def _behind_graph(node: ast.expr) -> str:
    """``h`` of ``h.data``, of ``h.detach()``, and of ``h`` itself."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="data") | ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="detach"), args=[]):
            return name
    return ""


def _in_its_place(run: Record, statement: ast.stmt, meant: str) -> list[Edit]:
    """The statement replaced; with the block under ``no_grad`` that holds it alone."""
    outer = run.case.enclosing(statement, ast.With)
    if outer is None or "no_grad" not in "".join(run.case.text(one.context_expr) for one in outer.items):
        return run.case.replace(statement, meant)
    return run.case.replace(outer, meant) if outer.body == [statement] and len(outer.items) == 1 else []


# -- factors that the graph does not know of ---------------------------------------------------------------------------


def unseen_factors(run: Record) -> Iterator[Note]:
    """``h.data.mul_(mask)``, ``h.detach().mul_(mask)``, or ``h *= mask`` under ``no_grad``, and a loss of ``h``."""
    told = {run.statement_at(note.span) for note in unseen_writes(run)}
    for event in run.events():
        if event.kind != "write" or event.told["leaf"] is not None:
            continue
        statement = run.statement_at(run.span(event.place))
        if statement is None or statement in told or not _is_of_loss(run, event):
            continue
        told.add(statement)
        span, first = run.program.span_of(statement), event.told["after"].first
        meant, fix = _recorded(run, span, first)
        if meant:
            words = {"name": run.name(first), "way": _way(statement), "meant": meant}
            yield (UNSEEN_FACTOR if _multiplies(statement) else UNSEEN_CHANGE).note(span, [first], fix, **words)


def _multiplies(statement: ast.stmt | None) -> bool:
    """Whether all that a statement does is to multiply or divide in place."""
    match statement:
        case ast.AugAssign(op=ast.Mult() | ast.Div()):
            return True
        case ast.Expr(value=ast.Call() as held):
            count = 0
            while isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and held.func.attr in _FACTORS:
                count, held = count + 1, held.func.value  # type: ignore[assignment]  # of a call or not
            return count > 0
    return False


def _way(statement: ast.stmt | None) -> str:
    text = ast.unparse(statement) if statement is not None else ""
    return next((f"`{one}`" for one in (".data", ".detach()") if one in text), "`torch.no_grad()`")


def _is_of_loss(run: Record, event: EventEntry) -> bool:
    """Whether a result was written past the graph, and a pass went from what was computed of it later to what had made it."""
    first = event.told["after"].first
    if first.node is None or not first.requires_grad or first.node not in run.ran_backward:
        return False
    outer = run.case.enclosing(run.statement_at(run.span(event.place)) or run.program.tree, ast.With)
    if outer is not None and any("inference_mode" in run.case.text(one.context_expr) for one in outer.items):
        return False  # what is made there has no graph to be told of it
    past = event.told["by"] in ("data", "no_grad") or ".detach()" in run.builder.statement(event.place)
    return past and any(
        node.number >= event.nodes and node in run.ran_backward for node in run.consumers.get(first, ())
    )


TRAPS: Final = (unseen_writes, unseen_factors)
