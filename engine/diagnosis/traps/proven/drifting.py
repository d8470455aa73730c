"""Traps of data that drift: an augmentation writes in place into a part of the data, once more in every turn."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import line_before
from gradflow.engine.diagnosis.traps.proven.trails import behind, leads_to_pass
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Note, Text

DRIFTING: Final = Trap(
    "data-changed-in-every-turn",
    "`{name}` is no copy here, but a part of {data}, and this line writes in place: the data themselves change, once more in every turn, and what the model is trained on"
    " drifts away from what was measured. {meant}",
    "这里的 `{name}` 不是副本，而是 {data} 的一部分，这一行又是就地写入：数据本身被改变了，而且每一轮都再变一次，模型训练用的数据会离原来的数据越来越远。{meant}",
)
_AUGMENTS: Final = re.compile(
    r"(?i)aug|nois|jitter|mask|drop|cut|eras|flip|corrupt|transform|perturb|shift|scale|norm|prepare|preproc|__getitem__"
)
_INPUTS: Final = re.compile(
    r"(?i)x|xb|bx|x_?batch|batch_?x?|imgs?|images?|samples?|inputs?|features?|rows?|pictures?|signals?|series|waves?|data|item"
)
_OF_MODEL: Final = frozenset({"grad", "detach", "backward", "parameters", "weight", "bias", "state_dict"})
_SIGNS: Final = {ast.Mult: "*", ast.Div: "/", ast.Add: "+", ast.Sub: "-", ast.Pow: "**"}
_LEAST: Final = 1e-4
_MOST: Final = 60


def drifting(run: Record) -> Iterator[Note]:
    """``batch += noise`` in a function that is given ``data[i : i + 8]``."""
    groups: dict[tuple[object, TensorEntry], list[EventEntry]] = {}
    for event in run.events() if len(run.passes) > 1 else ():
        if event.kind == "write" and event.told["leaf"] is None and event.told.get("before") is not None:
            group = groups.setdefault((event.place, event.told["after"].first), [])
            if len(group) < _MOST:
                group.append(event)
    told = set()
    for (place, root), events in groups.items():
        statement = run.statement_at(run.span(events[0].place))
        if statement is None or place in told or len(events) < 2 or not _is_data(run, root):
            continue
        name = _alias(run, statement)
        if not name or not _is_of_data(run, statement, name) or not _adds_up(run, statement, events):
            continue
        told.add(place)
        meant, fix = _copied(run, statement, name)
        yield DRIFTING.note(run.program.span_of(statement), [root], fix, name=name, data=run.name(root), meant=meant)


def _is_data(run: Record, root: TensorEntry) -> bool:
    """Whether a tensor is given, neither learned nor computed by a model."""
    if root.requires_grad or root in run.moved or root.array.dtype.kind != "f" or root.grad_of is not None:
        return False
    return root.pass_index is None and not any(one.requires_grad for one in behind(root, 200))


# ---- the statement


def _alias(run: Record, statement: ast.stmt) -> str:
    """The name that a statement writes into, where it is a second one for a part of the data."""
    name = _written(statement)
    function = run.case.enclosing(statement, ast.FunctionDef)
    if function is not None and name in [one.arg for one in (*function.args.posonlyargs, *function.args.args)]:
        return name if name != "self" else ""
    given = list(_given(run, statement, name)) if name else []
    return name if given and all(map(_is_part, given)) else ""


def _written(statement: ast.stmt) -> str:
    match statement:
        case ast.AugAssign(target=target) if type(statement.op) in _SIGNS:
            held: ast.expr = target
        case ast.Assign(targets=[ast.Subscript() as target]):
            held = target
        case (
            ast.Expr(value=ast.Call() as call)
            | ast.Return(value=ast.Call() as call)
            | ast.Assign(value=ast.Call() as call)
        ):
            held = call
            if not _in_place(call):
                return ""
        case _:
            return ""
    while True:
        match held:
            case ast.Subscript(value=inner):
                held = inner
            case ast.Call(func=ast.Attribute(value=inner)) if _in_place(held):
                held = inner
            case _:
                return held.id if isinstance(held, ast.Name) else ""


def _in_place(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=attr)):
            return (
                attr.endswith("_")
                and not attr.startswith("_")
                and attr not in ("copy_", "zero_", "fill_", "requires_grad_")
            )
    return False


def _given(run: Record, statement: ast.stmt, name: str) -> Iterator[ast.expr]:
    """What a name was given above a statement, in the same function."""
    scope = run.case.enclosing(statement, ast.FunctionDef)
    for one in run.case.nodes(ast.stmt):
        if one.lineno >= statement.lineno or run.case.enclosing(one, ast.FunctionDef) is not scope:
            continue
        match one:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    parts = target.elts if isinstance(target, ast.Tuple) else [target]
                    values = (
                        value.elts
                        if isinstance(value, ast.Tuple) and len(value.elts) == len(parts)
                        else [value] * len(parts)
                    )
                    yield from (
                        v for p, v in zip(parts, values, strict=True) if isinstance(p, ast.Name) and p.id == name
                    )
            case ast.For(target=target, iter=source) if any(
                isinstance(part, ast.Name) and part.id == name for part in ast.walk(target)
            ):
                yield ast.Subscript(value=source, slice=ast.Constant(value=0), ctx=ast.Load())


def _is_part(value: ast.expr) -> bool:
    match value:
        case ast.Subscript():
            return True
        case ast.Call(
            func=ast.Attribute(attr="narrow" | "select" | "view" | "reshape" | "squeeze" | "unsqueeze" | "flatten")
        ):
            return True
    return False


def _is_of_data(run: Record, statement: ast.stmt, name: str) -> bool:
    """Whether a write looks like an augmentation, and nothing of a model goes into it."""
    function = run.case.enclosing(statement, ast.FunctionDef)
    named = function is not None and _AUGMENTS.search(function.name) is not None
    value = getattr(statement, "value", None)
    if not named and not _INPUTS.fullmatch(name):
        return False
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        constant = isinstance(value, ast.Constant | ast.UnaryOp)
        reads = value is not None and any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))
        if not reads and not (constant and named):
            return False
    parts = _operands(statement)
    return not any(_is_of_model(run, one) for part in parts for one in ast.walk(part)) and not any(
        _is_of_model(run, one) for part in parts for at, one in enumerate(Flow(run.case).behind(part)) if at < _MOST
    )


def _operands(statement: ast.stmt) -> list[ast.expr]:
    """What is added, multiplied or written."""
    value = getattr(statement, "value", None)
    found: list[ast.expr] = []
    while isinstance(value, ast.Call) and _in_place(value) and isinstance(value.func, ast.Attribute):
        found += [*value.args, *(one.value for one in value.keywords)]
        value = value.func.value
    return found or ([value] if isinstance(value, ast.expr) and not isinstance(value, ast.Name) else [])


def _is_of_model(run: Record, node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=attr) if attr in _OF_MODEL:
            return True
        case ast.Name():
            held = run.case.value(node)
            return isinstance(held, Layer) or (isinstance(held, Tensor) and held.requires_grad)
    return False


# ---- the run


def _adds_up(run: Record, statement: ast.stmt, events: list[EventEntry]) -> bool:
    """Whether what one turn has written another changes again, with a pass between the two; and a pass is computed from it."""
    ends = sorted(one.ended for one in run.passes)
    whole = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript)
    seen: list[tuple[int, np.ndarray]] = []
    for event in events:
        changed = _changed(event, rows=whole)
        if changed is None:
            continue
        for nodes, before in seen:
            if (
                before.shape == changed.shape
                and (before & changed).any()
                and any(nodes <= end <= event.nodes for end in ends)
            ):
                return _is_learned_from(run, statement, event.told["after"].first)
        seen.append((event.nodes, changed))
    return False


def _changed(event: EventEntry, rows: bool) -> np.ndarray | None:
    before, after = event.told["before"].array, event.told["after"].array
    if before.shape != after.shape or not before.size or not before.ndim:
        return None
    difference = np.abs(after - before)
    changed: np.ndarray = difference > _LEAST * max(float(np.abs(before).max()), 1e-12)
    return np.asarray(changed.reshape(len(changed), -1).any(1)) if rows else changed


def _is_learned_from(run: Record, statement: ast.stmt, root: TensorEntry) -> bool:
    function = run.case.enclosing(statement, ast.FunctionDef)
    return leads_to_pass(run, root) or (function is not None and function.name == "__getitem__")


# ---- the fix


def _copied(run: Record, statement: ast.stmt, name: str) -> tuple[Text, Fix | None]:
    text, edits = _out_of_place(run, statement, name)
    if not text:
        text, edits = f"{name} = {name}.clone()", line_before(run.case, statement, f"{name} = {name}.clone()")
        meant = Text(f"Write into a copy: `{text}` before it.", f"请写入副本：在它之前写 `{text}`。")
    else:
        meant = Text(f"Make a new tensor: `{text}`.", f"请得到新的张量：`{text}`。")
    fix = run.fix(edits, f"`{text}`", f"`{text}`") if _is_read_behind(run, statement, name) else None
    return meant, fix


def _out_of_place(run: Record, statement: ast.stmt, name: str) -> tuple[str, list[Edit]]:
    """``batch = batch + noise`` for ``batch += noise``, and ``x = x.mul(2)`` for ``x.mul_(2)``."""
    case = run.case
    match statement:
        case ast.AugAssign(target=ast.Name(), op=op, value=value):
            closed = isinstance(value, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute)
            loose = isinstance(op, ast.Add) or (
                isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div | ast.MatMult)
            )
            plain = closed or (loose and isinstance(op, ast.Add | ast.Sub))
            operand = case.text(value) if plain else f"({case.text(value)})"
            text = f"{name} = {name} {_SIGNS[type(op)]} {operand}"
            return text, case.replace(statement, text)
        case (
            ast.Expr(value=ast.Call() as call)
            | ast.Return(value=ast.Call() as call)
            | ast.Assign(value=ast.Call() as call)
        ):
            chain = ""
            held: ast.expr = call
            while isinstance(held, ast.Call) and isinstance(held.func, ast.Attribute) and _in_place(held):
                chain = f".{held.func.attr[:-1]}{case.text(held)[len(case.text(held.func)) :]}{chain}"
                held = held.func.value
            if not isinstance(held, ast.Name) or any(
                word in chain for word in (".normal(", ".uniform(", ".bernoulli(")
            ):
                return "", []
            text = f"{name}{chain}"
            return (
                (f"{name} = {text}", case.replace(statement, f"{name} = {text}"))
                if isinstance(statement, ast.Expr)
                else (text, case.replace(call, text))
            )
    return "", []


def _is_read_behind(run: Record, statement: ast.stmt, name: str) -> bool:
    """Whether what is written is read by this name afterwards, or given back."""
    if isinstance(statement, ast.Return | ast.Assign) and isinstance(statement.value, ast.Call):
        return True
    scope = run.case.enclosing(statement, ast.FunctionDef)
    return any(
        one.id == name
        and isinstance(one.ctx, ast.Load)
        and one.lineno > (statement.end_lineno or statement.lineno)
        and run.case.enclosing(one, ast.FunctionDef) is scope
        for one in run.case.nodes(ast.Name)
    )


TRAPS: Final = (drifting,)
