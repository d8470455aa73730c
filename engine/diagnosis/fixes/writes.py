"""Fixes of in-place writes."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.blocks import block_of
from gradflow.engine.diagnosis.case import Case, insertion, is_in_place, is_simple
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.diagnosis.uses import is_lost
from gradflow.engine.trace import Edit, Fix, Span, Text

OPERATORS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.FloorDiv: "//",
}
"""How an operator is written, by what its assignment in place is made of."""


@fixes(errors.LEAF_INPLACE)
@fixes(errors.LEAF_VIEW_INPLACE)
@fixes(errors.NO_GRAD_VIEW_INPLACE)
@fixes(errors.OUT_GRADIENT)
def _under_no_grad(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    span = case.program.span_of(statement) if statement else None
    if node is None or statement is None or span is None:
        return None
    if case.enclosing(node, ast.Lambda) is not None:
        return _inner_data(case, node)
    last = _last_update(case, statement) or span
    whole = Span(span.line, span.column, last.end_line, last.end_column)
    if not isinstance(statement, ast.AugAssign | ast.Assign | ast.Expr) or not _stands_alone(case, whole):
        return _through_data(case, statement)
    lines = range(span.line + 1, last.end_line + 1)
    if any(_in_string(case, statement, line) for line in lines):
        return None
    torch, imports = case.with_torch()
    indent = case.line(span.line)[: span.column]
    edits = [insertion(span.line, span.column, f"with {torch}.no_grad():\n{indent}    ")]
    edits += [insertion(line, 0, "    ") for line in lines]
    words = Text(f"Write under `{torch}.no_grad()`", f"放进 `with {torch}.no_grad():`")
    return case.fix([*edits, *imports], words=words)


def _last_update(case: Case, statement: ast.stmt) -> Span | None:
    """The last of the updates that stand one behind the other, ``w -= lr * w.grad`` and ``b -= lr * b.grad``, or of the values that are
    given, ``w.uniform_(-r, r)`` and ``b.zero_()``."""
    body = next((body for body in _bodies(case.parents.get(statement)) if statement in body), [statement])
    found = None
    for one in body[body.index(statement) :]:
        span = case.program.span_of(one)
        updates = isinstance(one, ast.AugAssign) and ".grad" in case.text(one.value)
        if not updates and not (_fills(statement) and _fills(one)):
            break
        if span is None or not case.is_plain(span.line):
            break
        if _ends_line(case, span):  # and is not the first of two that share one
            found = span
    return found


def _fills(statement: ast.stmt) -> bool:
    """``self.weight.uniform_(-r, r)``: a statement that writes into a tensor by one of its methods."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name))):
            return name.endswith("_") and not name.startswith("_") and name not in ("requires_grad_", "retain_grad_")
    return False


def _bodies(node: ast.AST | None) -> list[list[ast.stmt]]:
    match node:
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Module(body=body) | ast.FunctionDef(body=body) | ast.With(body=body):
            return [body]
    return []


def _inner_data(case: Case, node: ast.AST) -> Fix | None:
    """``lambda: w.data.zero_()``: the write happens when the function is called."""
    match node:
        case ast.Call(func=ast.Attribute(value=written, attr=attr)) if attr.endswith("_") and is_simple(written):
            return case.fix(case.after(written, ".data"), node)
    return None


def _stands_alone(case: Case, span: Span) -> bool:
    """Whether statements have their lines for themselves."""
    return case.is_plain(span.line) and not case.line(span.line)[: span.column].strip() and _ends_line(case, span)


def _ends_line(case: Case, span: Span) -> bool:
    return not case.line(span.end_line)[span.end_column :].split("#")[0].strip()


def _in_string(case: Case, statement: ast.stmt, line: int) -> bool:
    """Whether a line begins inside of a string, where spaces would be part of it."""
    strings = (node for node in ast.walk(statement) if isinstance(node, ast.Constant | ast.JoinedStr))
    return any(node.lineno < line <= (node.end_lineno or 0) for node in strings)


def _through_data(case: Case, statement: ast.stmt) -> Fix | None:
    """``w.data -= 1``, where there is no room for a block."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
            written = target.value if isinstance(target, ast.Subscript) else target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=written, attr=attr))) if attr.endswith("_"):
            pass
        case _:
            return None
    return case.fix(case.after(written, ".data"), statement) if is_simple(written) else None


@fixes(errors.RESULT_CAST)
@fixes(errors.INPLACE_BROADCAST)
@fixes(errors.MULTI_VIEW_INPLACE)
@fixes(errors.INFERENCE_VIEW_INPLACE)
@fixes(errors.INFERENCE_INPLACE)
@fixes(errors.OVERLAPPING_WRITE)
@fixes(errors.IN_PLACE_DERIVATIVE)
@fixes(errors.ABS_IN_PLACE)
def _out_of_place(case: Case) -> Fix | None:
    node = case.find(ast.AST)
    edits = elsewhere(case, node) if node is not None else []
    return case.fix(edits, case.statement(node)) if node is not None and edits else _inner_name(case)


@fixes(errors.PARTIAL_OVERLAP)
def _from_a_copy(case: Case) -> Fix | None:
    """``x[1:] += x[:-1]``: the part that is read is copied first."""
    node = case.find(ast.AST)
    match case.statement(node) if node is not None else None:
        case (
            ast.AugAssign(value=value)
            | ast.Assign(targets=[ast.Subscript()], value=value)
            | ast.Expr(value=ast.Call(func=ast.Attribute(), args=[value]))
        ) as statement if isinstance(value, ast.Subscript | ast.Name | ast.Call):
            return case.fix(case.followed(value, ".clone()"), statement)
    return None


def _inner_name(case: Case) -> Fix | None:
    """A write in the middle of an expression: the function that makes a new tensor."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(attr=attr) as method) as call if is_in_place(attr):
            if not _is_thrown_away(case, call):
                return case.fix(case.rename_end(method, attr, attr[:-1]), call)
    return None


def _is_thrown_away(case: Case, call: ast.Call) -> bool:
    """Whether nothing keeps what a chain of calls gives: out of place it would do nothing."""
    outer: ast.AST | None = call
    while isinstance(outer, ast.Call | ast.Attribute):
        outer = case.parents.get(outer)
    return isinstance(outer, ast.Expr)


@fixes(errors.SAVED_MODIFIED)
@fixes(errors.SAVED_MODIFIED_TRACED)
def _write_elsewhere(case: Case) -> Fix | None:
    """Every write of what was saved gives a new tensor instead; a write of a part first makes a copy."""
    edits: list[Edit] = []
    shown: ast.stmt | None = None
    words: Text | None = None
    for span in dict.fromkeys(case.context.writes):
        node = case.find(ast.AST, span)
        statement = case.statement(node) if node is not None else None
        made = elsewhere(case, node) if node is not None else []
        if not made and statement is not None:
            made = _copied_first(case, statement)
            words = Text("Copy it before it is written", "写入之前先复制一份")
        if not made:
            return None
        edits, shown = [*edits, *made], statement
    return case.fix(edits, shown, words)


def _around(case: Case, node: ast.AST) -> str:
    """The blocks that a statement stands in, as they are written."""
    outer = case.enclosing(node, ast.With)
    return "".join(case.text(one.context_expr) for one in outer.items) if outer is not None else ""


def _copied_first(case: Case, statement: ast.stmt) -> list[Edit]:
    """``y = y.clone()`` before a part of y is written."""
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)))
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)))))
        ) if case.rebinds(statement, name) and "no_grad" not in _around(case, statement):
            return case.line_before(statement, f"{name} = {name}.clone()")
    return []


@fixes(errors.SAVED_MODIFIED_LEAF)
def _write_after_backward(case: Case) -> Fix | None:
    """The parameters are written before the backward pass that needs them: the pass comes first."""
    node, pass_ = case.find(ast.AST, case.context.related) if case.context.related else None, case.find(ast.Call)
    write = case.statement(node) if node is not None else None
    statement = case.statement(pass_) if pass_ is not None else None
    if write is None or not isinstance(statement, ast.Expr):
        return None
    body = block_of(case, statement)
    while write is not None and write not in body:
        write = case.enclosing(write, ast.With)
    if write is None or body.index(write) > body.index(statement):
        return None
    return _moved(case, statement, write)


def _moved(case: Case, statement: ast.stmt, target: ast.stmt) -> Fix | None:
    """Put a statement of one line in front of another one."""
    span = case.program.span_of(statement)
    if span is None or span.line != span.end_line or not _stands_alone(case, span):
        return None
    text = case.text(statement)
    edits = case.line_before(target, text)
    previous = len(case.line(span.line - 1))
    gone = Edit(Span(span.line - 1, previous, span.line, len(case.line(span.line))), "")
    words = Text(f"`{text}` before the write", f"先 `{text}`，再写入")
    return case.fix([*edits, gone], words=words) if edits else None


def elsewhere(case: Case, node: ast.AST) -> list[Edit]:
    """``y += 1`` -> ``y = y + 1``; ``y.add_(1)`` -> ``y = y.add(1)``."""
    statement = case.statement(node)
    if statement is not None and is_lost(case, statement):
        return []
    match statement:
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=op, value=value) if type(op) in OPERATORS:
            if not is_simple(target):
                return []
            name, right = case.text(target), case.text(value)
            right = right if isinstance(value, ast.Name | ast.Call | ast.Constant | ast.Subscript) else f"({right})"
            return case.replace(statement, f"{name} = {name} {OPERATORS[type(op)]} {right}")
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr) as method)):
            if not case.rebinds(node, name):
                return []
            if is_in_place(attr) and attr not in _NO_FUNCTION:
                return [*case.before(statement, f"{name} = "), *case.rename_end(method, attr, attr[:-1])]
            if attr == "zero_":
                return case.replace(statement, f"{name} = {case.module_alias('torch') or 'torch'}.zeros_like({name})")
    return []


_NO_FUNCTION: Final = frozenset({"zero_", "fill_", "copy_", "normal_", "uniform_", "set_", "resize_", "requires_grad_"})
