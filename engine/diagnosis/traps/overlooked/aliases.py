"""Traps of what stays shared, or does not: an alias for a copy, tensors of one array that goes on changing, a tie of weights that a new layer undoes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.diagnosis.traps.proven.trails import memory_of
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.tensor import address
from gradflow.engine.trace import Edit, Note, Span

ARRAY_SHARED: Final = Trap(
    "tensors-share-one-array",
    "`{text}` copies nothing: the tensor is the memory of `{array}`, which line {line} goes on writing into, so all {count} tensors that were made here show its last"
    " values. Copy them: `{meant}`.",
    "`{text}` 什么也不复制：张量就是 `{array}` 的内存，而第 {line} 行还在往里写，所以这里创建的 {count} 个张量显示的都是它最后的值。请复制：`{meant}`。",
)
ALIAS: Final = Trap(
    "alias-instead-of-copy",
    "{kept} is no copy of the old values, but another name for the memory of the tensor, which is written in place later: the difference of the two is"
    " always 0. `.clone()` makes a copy.",
    "{kept} 不是旧值的副本，而是同一块内存的另一个名字，那个张量后来被就地改写：两者的差永远是 0。用 `.clone()` 才会得到副本。",
)
UNTIED: Final = Trap(
    "tie-undone",
    "Line {line} ties `{one}` and `{other}`, and here `{owner}` is replaced: the new one has a weight of its own, so the two are not tied any more. Tie them after both are"
    " complete.",
    "第 {line} 行把 `{one}` 和 `{other}` 绑定在一起，而这里 `{owner}` 被换成了新的：新的有自己的权重，两者不再共享。请在两者都建好之后再绑定。",
)


def same_memory(run: Record) -> Iterator[Note]:
    """The difference of a tensor that was written in place and what was meant to be a copy of it."""
    for node in run.calls("sub"):
        if len(node.inputs) != 2:
            continue
        one, other = (entry.tensor for entry in node.inputs)
        same = one._st.memory is other._st.memory and address(one._a) == address(other._a)
        if (
            not same
            or one._a.shape != other._a.shape
            or one._a.strides != other._a.strides
            or node.outputs[0].array.any()
        ):
            continue
        span = run.span(node.place)
        binary = None if span is None else run.case.find(ast.BinOp, span)
        case = run.case_at(span or Span(1, 0, 1, 0))
        kept = None if binary is None else _other_name(case, binary)
        if kept is None:
            continue
        name, made, entry = kept[0], kept[1], node.inputs[kept[2]]
        if _written_since(run, entry, case.program.span_of(made)):
            fix = run.fix(case.followed(made, ".clone()"), "`.clone()`", "`.clone()`")
            yield ALIAS.note(case.program.span_of(made), node.inputs, fix, kept=f"`{name}`")


def _other_name(case: Case, binary: ast.BinOp) -> tuple[str, ast.expr, int] | None:
    """Of the two sides the one that was meant as a copy, where it got its value, and which side it is."""
    sides = [binary.left, binary.right]
    for at in (1, 0):
        name, other = sides[at], sides[1 - at]
        if not isinstance(name, ast.Name) or case.text(other) == name.id:
            continue
        made = case.assignment(name.id)
        inner = {one.id for one in ast.walk(made) if isinstance(one, ast.Name)} if made is not None else set()
        roots = {one.id for one in ast.walk(other) if isinstance(one, ast.Name)}
        if made is not None and inner & roots:
            return name.id, made, at
    return None


def _written_since(run: Record, entry: TensorEntry, made: Span | None) -> bool:
    """Whether memory was written by an event of the program behind a line."""
    memory = entry.tensor._st.memory
    return made is not None and any(
        event.kind in ("write", "step")
        and run.line(event.place) > made.line
        and any(each.tensor._st.memory is memory for each in event.tensors())
        for event in run.events()
    )


def arrays_shared(run: Record) -> Iterator[Note]:
    """``buffer.append(torch.from_numpy(state))`` of a state that the next turn writes into."""
    calls = [one for one in run.case.nodes(ast.Call) if called(one) in ("from_numpy", "as_tensor") and one.args]
    if not calls:
        return
    made: dict[object, list[TensorEntry]] = {}
    for entry in run.recorder.entries:
        if entry.node is None and entry.first is entry:
            made.setdefault(run.span(entry.place), []).append(entry)
    shared = [one for one in calls if _show_one_memory(run, made.get(run.program.span_of(one), []))]
    for call in shared:
        array, span = run.case.text(call.args[0]), run.program.span_of(call)
        line = _written_at(run, call)
        if not line:
            continue
        name = run.case.text(call.func).rpartition(".")[0]
        meant = f"{name}.tensor({array})" if name else f"torch.tensor({array})"
        edits: list[Edit] = [edit for one in shared for edit in run.case.rename_end(one.func, called(one), "tensor")]
        fix = run.fix(edits, f"`{meant}`", f"`{meant}`") if name else None
        words = {"text": run.case.text(call), "array": array, "line": line, "count": len(made[span]), "meant": meant}
        yield ARRAY_SHARED.note(span, made[span][:1], fix, **words)


def _show_one_memory(run: Record, entries: list[TensorEntry]) -> bool:
    """Whether several tensors are one memory that had other values each time, and one function reads several of them."""
    if len(entries) < 2 or len({memory_of(one.tensor) for one in entries}) != 1 or memory_of(entries[0].tensor) is None:
        return False
    if all(np.array_equal(one.array, entries[0].array, equal_nan=True) for one in entries[1:]):
        return False
    own = set(entries)
    return any(len(own & {one.first for one in node.inputs}) > 1 for node in run.consumers.get(entries[0], ()))


def _written_at(run: Record, call: ast.Call) -> int:
    """The line of the program that writes into places of an array, or into what is given itself; 0 where there is none."""
    given = run.case.text(call.args[0])
    for statement in run.case.nodes(ast.stmt):
        match statement:
            case ast.AugAssign(target=ast.Subscript()) | ast.Assign(targets=[ast.Subscript()]):
                return statement.lineno
            case ast.AugAssign(target=target) if run.case.text(target) == given:
                return statement.lineno
    return 0


def ties_undone(run: Record) -> Iterator[Note]:
    """``self.decoder.weight = self.encoder.weight``, and then another ``self.encoder``."""
    for tie in run.case.nodes(ast.Assign):
        match tie:
            case ast.Assign(
                targets=[ast.Attribute(value=first, attr="weight") as one],
                value=ast.Attribute(value=second, attr="weight") as other,
            ):
                scope = run.case.enclosing(tie, ast.FunctionDef)
            case _:
                continue
        owners = {run.case.text(first), run.case.text(second)}
        texts = {run.case.text(one), run.case.text(other)}
        for statement in run.case.nodes(ast.Assign):
            target = run.case.text(statement.targets[0])
            later = statement.lineno > tie.lineno and run.case.enclosing(statement, ast.FunctionDef) is scope
            if not later or not (target in owners or target in texts) or not _ran(run, statement):
                continue
            words = {"one": run.case.text(one), "other": run.case.text(other), "owner": target, "line": tie.lineno}
            last = _outermost(run, statement, tie)
            fix = (
                run.fix(moved_behind(run.case, tie, last), "Tie them last", "最后再绑定") if last is not None else None
            )
            yield UNTIED.note(run.program.span_of(statement), (), fix, **words)
            break


def _ran(run: Record, statement: ast.stmt) -> bool:
    """Whether what a statement makes was made in the run: it may stand under a condition that did not hold."""
    span = run.program.span_of(statement)
    return any(
        (own := run.span(entry.place)) is not None and span is not None and span.line <= own.line <= span.end_line
        for entry in run.recorder.entries
        if entry.first.node is None
    )


def _outermost(run: Record, statement: ast.stmt, beside: ast.stmt) -> ast.stmt | None:
    """The statement of the block of ``beside`` that another one lies in."""
    current: ast.AST | None = statement
    while current is not None and run.case.parents.get(current) is not run.case.parents.get(beside):
        current = run.case.parents.get(current)
    return current if isinstance(current, ast.stmt) else None


TRAPS: Final = (same_memory, arrays_shared, ties_undone)
