"""Updates that put new tensors in the place of the leaves that are trained: under ``no_grad``, or cut off by ``detach``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, joined, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.switches import switched_off
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_MOST_NAMED: Final = 2
"""Gradients to clear that are all written out."""


@dataclass(frozen=True)
class _Update:
    """A statement that gives the name of a leaf to a new tensor, and what would change the leaf itself."""

    statement: ast.Assign
    own: str
    text: str
    shown: str
    plain: bool
    """Whether it is ``w = w - ...`` of a variable in a block under ``no_grad``."""


@finds(errors.NO_GRAD_FN)
def _nothing_left(case: Case) -> Finding | None:
    """``w = w - lr * w.grad`` and ``b = b - lr * b.grad`` under ``no_grad``: the next turn has no leaf."""
    return _replaced(case, [])


@finds(python.NONE_ATTRIBUTE, mistakes.NONE_OPERAND)
def _no_gradient(case: Case) -> Finding | None:
    """The same, with ``w.grad.zero_()`` below it, or in the next turn where another leaf is left."""
    node = case.find(ast.expr)
    walked = ast.walk(node) if node is not None else ()
    read = [case.text(one.value) for one in walked if isinstance(one, ast.Attribute) and one.attr == "grad"]
    return _replaced(case, read) if read else None


@finds(python.NONE_ATTRIBUTE, mistakes.NONE_OPERAND)
def _element_replaced(case: Case) -> Finding | None:
    """``for i, p in enumerate(params): params[i] = p - lr * p.grad``: from the second turn on ``params`` holds no leaves."""
    node = case.find(ast.expr)
    walked = ast.walk(node) if node is not None else ()
    read = {case.text(one.value) for one in walked if isinstance(one, ast.Attribute) and one.attr == "grad"}
    found = [one for statement in case.nodes(ast.Assign) if (one := _new_element(case, statement)) is not None]
    hit = next((one for one in found if one.own in read), None)
    if hit is None:
        return None
    torch, edits = case.with_torch()
    for one in found:
        edits = [*edits, *one.in_place(case, torch)] if one.owner == hit.owner else edits
    shown = f"{hit.own} {hit.sign}= ..."
    return finding(
        case,
        f"Line {line(hit.statement)} puts new tensors, computed from the leaves, into `{hit.owner}`: they are no leaves, and their `.grad` stays `None` in the next turn. Change"
        f" the leaves in place, under `no_grad`: `{shown}`.",
        f"第 {line(hit.statement)} 行把由叶子张量算出的新张量放进了 `{hit.owner}`：它们不是叶子张量，下一轮它们的 `.grad` 一直是 `None`。请在 `no_grad` 下"
        f"就地修改叶子张量：`{shown}`。",
        apply(case, edits, f"`{shown}` under `no_grad`", f"在 `no_grad` 下 `{shown}`"),
        hit.statement,
    )


@dataclass(frozen=True)
class _NewElement:
    """A statement that puts ``own - step`` in the place of ``own``, an element of ``owner``, or of all of them."""

    statement: ast.Assign
    owner: str
    own: str
    sign: str
    step: str

    def in_place(self, case: Case, torch: str) -> list[Edit]:
        """What changes the leaves themselves, and clears their gradients where nothing does."""
        change, clear = f"{self.own} {self.sign}= {self.step}", f"{self.own}.grad = None"
        rows = [change] if _is_cleared(case, self.own) else [change, clear]
        if isinstance(self.statement.value, ast.ListComp):
            rows = [f"for {self.own} in {self.owner}:", *(f"    {row}" for row in rows)]
        span = case.program.span_of(self.statement)
        head = case.line(span.line)[: span.column] if span is not None else "x"
        text = _joined([f"with {torch}.no_grad():", *(f"    {row}" for row in rows)], head)
        return case.replace(self.statement, text) if not head.strip() else []


def _new_element(case: Case, statement: ast.Assign) -> _NewElement | None:
    owner, names, value = _element(case, statement)
    match value:
        case ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=right) if case.text(left) in names:
            own, step = case.text(left), case.text(right)
            if f"{own}.grad" in step and switched_off(case, statement) is None:
                return _NewElement(statement, owner, own, "-" if isinstance(op, ast.Sub) else "+", step)
    return None


def _element(case: Case, statement: ast.Assign) -> tuple[str, set[str], ast.expr | None]:
    """The container that a statement puts a new element into, what the old one is called there, and the new one."""
    loop = case.enclosing(statement, ast.For)
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=owner)],
            value=ast.ListComp(
                elt=elt, generators=[ast.comprehension(target=ast.Name(id=each), iter=ast.Name(id=same))]
            ),
        ) if owner == same:
            return owner, {each}, elt
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=key) as target], value=value):
            names = {case.text(target)}
        case _:
            return "", set(), None
    match loop:
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=at), ast.Name(id=each)]), iter=ast.Call() as walked):
            of = walked.args[0] if walked.args else getattr(walked.func, "value", walked)
            if called(walked) in ("enumerate", "items") and case.text(key) == at and case.text(of) == case.text(owner):
                names.add(each)
    return case.text(owner), names, value


def _replaced(case: Case, read: Sequence[str]) -> Finding | None:
    """What is told of leaves that were replaced; ``read``: those whose gradient is read, one of which it is then about."""
    updates = [one for statement in case.nodes(ast.Assign) for one in _updates(case, statement)]
    lost = [one for one in updates if _is_lost(case, one)]
    names_lost = {one.own for one in lost}
    missing = next((one for one in read if one in names_lost), None)
    if read and missing is None:
        return None
    if not lost or (len(lost) == 1 and lost[0].plain and missing is None):
        return None
    off = [one for one in lost if switched_off(case, one.statement) is not None]
    if off and len(off) != len(lost):
        return None
    cleared = [one for one in lost if not _is_cleared(case, _clearing(one).removesuffix(".grad = None"))]
    names, texts = [f"`{one.own}`" for one in lost], [f"`{one.shown}`" for one in lost]
    rows, rows_zh = lines_of_all([line(one.statement) for one in lost])
    many = len(lost) > 1 or lost[0].text.startswith("for ")
    give = "give" if rows.startswith("Lines") else "gives"
    named = f"name{'s' * (len(lost) > 1)} {joined(names, 'en')}"
    tensors, leaves, are = ("new tensors", "leaves", "are") if many else ("a new tensor", "leaf", "is")
    how, how_zh = ("made under `no_grad`", "在 `no_grad` 下产生") if off else ("cut off from the graph", "与计算图断开")
    under, under_zh = ("", "") if off else (", under `no_grad`", "在 `no_grad` 下")
    also, also_zh = _to_clear(cleared)
    then, then_zh = (
        ("in the next turn nothing requires a gradient", "下一轮就没有张量需要梯度")
        if missing is None
        else (f"`{missing}.grad` of the new tensor is `None`", f"新张量的 `{missing}.grad` 是 `None`")
    )
    return finding(
        case,
        f"{rows} {give} the {named} to {tensors}, {how} and so without `requires_grad`; the {leaves} that {'were' if many else 'was'} trained {are} gone, and"
        f" {then}. Change the {leaves} in place{under}: {joined(texts, 'en')}{also}.",
        f"{rows_zh}把名字 {joined(names, 'zh')} 给了新张量，{'它们' if many else '它'}{how_zh}，没有 `requires_grad`；原来训练的叶子张量不见了，{then_zh}。"
        f"请{under_zh}就地修改叶子张量：{joined(texts, 'zh')}{also_zh}。",
        _fix(case, lost, cleared, bool(off)) or (),
        lost[0].statement,
    )


def _updates(case: Case, statement: ast.Assign) -> Iterator[_Update]:
    """What a statement replaces; of several names each."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = list(zip(names, values, strict=True))
        case ast.Assign(targets=[target], value=value):
            pairs = [(target, value)]
        case _:
            return
    for target, value in pairs:
        match value:
            case ast.ListComp(
                elt=elt, generators=[ast.comprehension(target=ast.Name(id=each) as name, iter=source, ifs=[])]
            ) if case.text(source) == case.text(target) and (text := _in_place(case, name, elt)) is not None:
                own = case.text(target)
                yield _Update(
                    statement, own, f"for {each} in {own}:\n    {text}", f"for {each} in {own}: {_shown(text)}", False
                )
                continue
        found = _in_place(case, target, value) if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) else None
        if found is not None:
            plain = len(pairs) == 1 and _is_plain(case, target, value)
            yield _Update(statement, case.text(target), found, _shown(found), plain)


def _is_plain(case: Case, target: ast.expr, value: ast.expr) -> bool:
    match target, value:
        case ast.Name(id=name), ast.BinOp(left=ast.Name(id=same), op=ast.Sub() | ast.Add()):
            return name == same and isinstance(switched_off(case, value), ast.With)
    return False


def _shown(text: str) -> str:
    head, sign, _ = text.partition("= ")
    return f"{head}= ..." if sign else text


def _in_place(case: Case, target: ast.expr, value: ast.expr) -> str | None:
    """What changes the leaf itself, for the new value that is computed from it and its gradient."""
    own = case.text(target)
    itself = (own, f"{own}.data", f"{own}.detach()")
    if f"{own}.grad" not in case.text(value) and not _is_trained(case, target, value):
        return None
    match value:
        case ast.BinOp(left=left, op=ast.Sub() | ast.Add() as op, right=right) if case.text(left) in itself:
            return f"{own} {'-' if isinstance(op, ast.Sub) else '+'}= {case.text(right)}"
        case ast.BinOp(left=left, op=ast.Add(), right=right) if case.text(right) in itself:
            return f"{own} += {case.text(left)}"
        case ast.BinOp():
            return f"{own}.copy_({case.text(value)})"
        case (
            ast.Call(func=ast.Attribute(value=inner, attr="detach" | "clone"), args=[])
            | ast.Attribute(value=inner, attr="data")
        ):
            return _in_place(case, target, inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="sub" | "add" as name)) if case.text(inner) in itself:
            return f"{own}.{name}_{case.text(value)[len(case.text(value.func)) :]}"
    return None


def _is_trained(case: Case, target: ast.expr, value: ast.expr) -> bool:
    """``w = w - lr * step`` under ``no_grad``, of a variable that was made to be trained."""
    match target, value:
        case ast.Name(id=name), ast.BinOp(left=ast.Name(id=same), op=ast.Sub() | ast.Add()):
            if name != same or switched_off(case, value) is None:
                return False
        case _:
            return False
    made = [one.value for one in case.nodes(ast.Assign) if case.text(one.targets[0]) == name]
    return any(
        isinstance(one, ast.Call)
        and (called(one) == "Parameter" or any(each.arg == "requires_grad" for each in one.keywords))
        for one in made
    )


def _is_lost(case: Case, update: _Update) -> bool:
    """Whether what has the name now is no leaf that requires a gradient, and nothing switches that on again."""
    source, own = case.program.source, update.own
    if f"{own}.requires_grad" in source or ".requires_grad_(" in case.text(update.statement):
        return False
    off = switched_off(case, update.statement) is not None
    cut = any(getattr(one, "attr", "") in ("detach", "data") for one in ast.walk(update.statement.value))
    if not off and not cut:
        return False
    held = case.value(update.statement.targets[0])
    return not isinstance(held, Tensor) or not held.requires_grad


def _is_cleared(case: Case, own: str) -> bool:
    """Whether the program clears the gradient of a leaf somewhere, by its name or by that of a loop."""
    each = {one.target.id for one in case.nodes(ast.For) if isinstance(one.target, ast.Name)}
    if not any(f"{name}.grad" in case.program.source for name in {own, *each}):
        return True  # nothing adds up: no `backward` fills it, or nobody reads it
    return "zero_grad" in case.program.source or any(
        f"{name}.grad{rest}" in case.program.source
        for name in {own, *each}
        for rest in (".zero_", " = None", "=None", ".fill_", " = torch.zeros", ".data.zero_", ".detach_")
    )


def _clearing(update: _Update) -> str:
    return f"{update.text.split()[1]}.grad = None" if update.text.startswith("for ") else f"{update.own}.grad = None"


def _to_clear(updates: Sequence[_Update]) -> tuple[str, str]:
    """The words for gradients that nothing clears."""
    if not updates:
        return "", ""
    texts = [f"`{_clearing(one)}`" for one in updates]
    their = "their gradients" if len(updates) > 1 or updates[0].text.startswith("for ") else "its gradient"
    shown, shown_zh = joined(texts, "en"), joined(texts, "zh")
    if len(texts) > _MOST_NAMED:
        shown, shown_zh = f"{texts[0]} and so on", f"{texts[0]} 等"
    return f", and clear {their}, which would add up: {shown}", f"，并清除梯度，否则会累加：{shown_zh}"


def _fix(case: Case, lost: Sequence[_Update], cleared: Sequence[_Update], off: bool) -> Fix | None:
    """All updates in place, and behind the last of each block the gradients cleared."""
    statements = list(dict.fromkeys(one.statement for one in lost))
    torch, imports = case.with_torch() if not off else ("torch", [])
    edits: list[Edit] = [*imports]
    before: ast.Assign | None = None
    for at, statement in enumerate(statements):
        span, block = case.program.span_of(statement), case.parents.get(statement)
        if span is None or case.line(span.line)[: span.column].strip():
            return None
        rows = [row for one in lost if one.statement is statement for row in _rows(one, cleared)]
        if not off:
            goes_on = before is not None and case.parents.get(before) is block and line(statement) == line(before) + 1
            rows = [*([] if goes_on else [f"with {torch}.no_grad():"]), *(f"    {row}" for row in rows)]
        if at == len(statements) - 1 or case.parents.get(statements[at + 1]) is not block:
            own = [one for one in cleared if case.parents.get(one.statement) is block]
            rows += [_clearing(one) for one in own if not one.text.startswith("for ")]
        head = case.line(span.line)[: span.column]
        edits += case.replace(statement, _joined(rows, head))
        before = statement
    shown = [f"`{one.shown}`" for one in lost]
    return apply(case, edits, f"{joined(shown, 'en')} in place", f"就地修改：{joined(shown, 'zh')}")


def _joined(rows: Sequence[str], head: str) -> str:
    return f"\n{head}".join(rows)


def _rows(update: _Update, cleared: Sequence[_Update]) -> list[str]:
    rows = update.text.split("\n")
    return [*rows, f"    {_clearing(update)}"] if len(rows) > 1 and update in cleared else rows
