"""Loops over parameters that give the name of their turn a new tensor, and so change none of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.trace import Edit, Fix, Note

REBOUND: Final = Trap(
    "loop-variable-rebound",
    "This line gives the name `{name}` a new tensor, and the loop gives it the next one in its next turn: what `{source}` holds is not changed."
    " Write in place: `{meant}`.",
    "这一行只是让名字 `{name}` 指向一个新张量，而循环下一轮又会让它指向下一个：`{source}` 里的张量没有改变。请就地写入：`{meant}`。",
)
_CHANGES: Final = frozenset({"sub", "add", "mul", "div", "clamp", "clip", "lerp"})
_ALIKE: Final = frozenset({"zeros_like", "ones_like", "randn_like", "rand_like", "full_like"})


def rebound(run: Record) -> Iterator[Note]:
    """``for e, p in zip(averages, parameters): e = 0.9 * e + 0.1 * p``; ``for p in params: p = p - lr * p.grad``."""
    for loop in run.case.nodes(ast.For):
        parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        names = {one.id: at for at, one in enumerate(parts) if isinstance(one, ast.Name)}
        for statement in _direct(loop.body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names and _changes(value, name):
                    pass
                case _:
                    continue
            source = _gone_through(loop.iter, names[name], len(parts))
            if source is None or _is_used_later(run, statement, name) or run.array_of(value) is None:
                continue
            fix, meant = _in_place(run, statement, name, value)
            words = {"name": name, "source": run.case.text(source), "meant": meant}
            yield REBOUND.note(run.program.span_of(statement), (), fix, **words)


def _direct(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop's own turn, also those in a `with` or a condition."""
    for one in body:
        if isinstance(one, ast.With):
            yield from _direct(one.body)
        elif isinstance(one, ast.If):
            yield from _direct([*one.body, *one.orelse])
        else:
            yield one


def _changes(value: ast.expr, name: str) -> bool:
    """Whether what a name is given is computed from what it stood for."""
    reads = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
    match value:
        case ast.BinOp():
            return reads
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr)) if owner == name:
            return attr in _CHANGES
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=given), *_]) if given == name:
            return attr in _ALIKE
    return False


def _gone_through(source: ast.expr, at: int, several: int) -> ast.expr | None:
    """What a loop goes through for one of its names: a list, or the parameters of a model."""
    match source:
        case ast.Call(func=ast.Name(id="zip"), args=args) if several > 1 and at < len(args):
            return args[at]
        case ast.Call(func=ast.Attribute(attr="parameters")) | ast.Name() | ast.Attribute() if several == 1:
            return source
        case ast.Call(func=ast.Attribute(attr="named_parameters" | "items")) | ast.Name() if (at, several) == (1, 2):
            return source
    return None


def _is_used_later(run: Record, statement: ast.stmt, name: str) -> bool:
    """Whether the new tensor is read behind the statement, in the same function."""
    flow, end = Flow(run.case), (statement.end_lineno or 0, statement.end_col_offset or 0)
    scope = flow.scope(statement)
    return any(
        isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Load)
        and (one.lineno, one.col_offset) >= end
        for one in ast.walk(scope)
    )


def _in_place(run: Record, statement: ast.stmt, name: str, value: ast.expr) -> tuple[Fix | None, str]:
    """The write into the tensor itself, under ``no_grad`` where it is a leaf that records."""
    meant = f"{name}.copy_({run.case.text(value)})"
    recorded = (
        ".grad" in meant
        or isinstance(value, ast.Call)
        or any(entry.requires_grad and entry.is_leaf for node in run.made_at(value) for entry in node.inputs)
    )
    span = run.program.span_of(statement)
    if not recorded or _is_without_graph(run, statement) or span is None:
        return run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`"), meant
    torch, _ = run.case.with_torch()
    text = f"with {torch}.no_grad(): {meant}"
    indent = run.case.line(span.line)[: span.column]
    edits = [Edit(span, f"with {torch}.no_grad():\n{indent}    {meant}")] if not indent.strip() else []
    return run.fix(edits, f"`{text}`", f"`{text}`"), text


def _is_without_graph(run: Record, node: ast.AST) -> bool:
    """Whether a statement stands under ``no_grad``, by a block around it or a line over its function."""
    current: ast.AST | None = node
    while current is not None:
        around = [one.context_expr for one in current.items] if isinstance(current, ast.With) else []
        around += current.decorator_list if isinstance(current, ast.FunctionDef) else []
        if any("no_grad" in run.case.text(one) or "inference_mode" in run.case.text(one) for one in around):
            return True
        current = run.case.parents.get(current)
    return False


TRAPS: Final = (rebound,)
