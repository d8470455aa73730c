"""Traps of numbers that take the place of tensors: what an optimizer is to train leaves the graph by ``item()``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of
from gradflow.engine.diagnosis.traps.training import cut_off
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Note

TERM_OF_NUMBERS: Final = Trap(
    "loss-term-of-numbers",
    "`{text}` copies the numbers of its parts into a new tensor that has no graph: what line {line} adds to the loss makes it larger, and trains nothing. Put the tensors"
    " themselves together: `{meant}`.",
    "`{text}` 把各部分的数值复制到一个没有计算图的新张量里：第 {line} 行加到损失上的这一项只让损失变大，什么也没有训练。请直接把张量本身放在一起：`{meant}`。",
)

_MOST: Final = 5000
"""Tensors that are looked at."""


def made_numbers(run: Record) -> Iterator[Note]:
    """``omega = k.sqrt().item()``, and a loss that is computed from ``omega``, where ``k`` is to be trained."""
    if ".item()" not in run.program.source or not any(one.complete for one in run.passes):
        return
    idle = [entry for entry in run.idle if entry not in run.reached]
    read = {span: call for call in _computed_with(run) if (span := run.program.span_of(call.func.value)) is not None}  # type: ignore[attr-defined]  # a method's
    for entry in idle:
        call = next(
            (
                read[at]
                for one in _dead_ends(run, entry)
                if one.node is not None and (at := run.span(one.node.place)) in read
            ),
            None,
        )
        if call is not None and entry not in run.moved:
            fix = run.fix(run.case.without_tail(call), "Without `.item()`", "去掉 `.item()`")
            how = f"`{run.case.text(call)}`"
            yield cut_off(run, run.program.span_of(call), [entry], fix, how)


def read_as_numbers(run: Record) -> Iterator[Note]:
    """``for weight in self.weights.tolist()``, where ``weights`` are to be trained."""
    if not any(one.complete for one in run.passes):
        return
    for entry in run.idle:
        if (
            entry in run.reached
            or entry in run.moved
            or any(_before_end(run, one) for one in run.consumers.get(entry, ()))
        ):
            continue
        name = run.name(entry).strip("`").rpartition(".")[2]
        call = next(
            (one for one in run.case.nodes(ast.Call) if _read(one) == name and _is_computed_with(run, one)), None
        )
        if call is not None:
            yield cut_off(run, run.program.span_of(call), [entry], None, f"`{run.case.text(call)}`")


def _before_end(run: Record, node: NodeEntry) -> bool:
    """Whether a function ran before the last pass had ended."""
    return any(node.number < one.ended for one in run.passes)


def _read(call: ast.Call) -> str:
    """The last name of the tensor whose numbers a call gives: ``w`` of ``self.w.tolist()`` and of ``float(self.w)``."""
    match call:
        case ast.Call(func=ast.Attribute(value=read, attr="item" | "tolist"), args=[]):
            pass
        case ast.Call(func=ast.Name(id="float"), args=[read]):
            pass
        case _:
            return ""
    return read.attr if isinstance(read, ast.Attribute) else getattr(read, "id", "")


def _is_computed_with(run: Record, call: ast.Call) -> bool:
    """Whether a call stands in a function or a loop, and not in what is printed or kept there."""
    if run.case.enclosing(call, ast.FunctionDef) is None and run.case.enclosing(call, ast.For) is None:
        return False
    outer: ast.AST | None = call
    while outer is not None and not isinstance(outer, ast.stmt):
        if isinstance(outer, ast.JoinedStr) or (isinstance(outer, ast.Call) and called(outer) in ("print", "append")):
            return False
        outer = run.case.parents.get(outer)
    return True


def terms_of_numbers(run: Record) -> Iterator[Note]:
    """``penalty = torch.tensor([p.abs().sum() for p in ...]).sum()``, and a loss that it is added to."""
    for _, text, place in run.recorder.warnings if run.passes else ():
        span = run.span(place)
        call = run.call_at(span)
        if not text.startswith(_TO_NUMBER) or call is None or called(call) not in _MAKING or len(call.args) != 1:
            continue
        made = [one for one in run.recorder.entries if one.node is None and run.span(one.place) == span]
        added = next((node for one in made if (node := _added(run, one)) is not None), None)
        if added is None or not isinstance(call.func, ast.Attribute):
            continue
        meant = f"{run.case.text(call.func.value)}.stack({' '.join(run.case.text(call.args[0]).split())})"
        # of a list of lists it would have more dimensions
        plain = not call.keywords and any(one.array.ndim == 1 for one in made)
        fix = run.fix(run.case.replace(call, meant), f"`{meant}`", f"`{meant}`") if plain else None
        words = {"text": " ".join(run.case.text(call).split()), "line": run.line(added.place), "meant": meant}
        yield TERM_OF_NUMBERS.note(span, made[-1:], fix, **words)


_TO_NUMBER: Final = "Converting a tensor with requires_grad=True to a scalar"
_MAKING: Final = frozenset({"tensor", "as_tensor", "Tensor", "FloatTensor"})


def _added(run: Record, entry: TensorEntry) -> NodeEntry | None:
    """The sum that adds what was computed of numbers to a loss that a pass went through; not where they are weights."""
    seen, waiting = {entry.first}, [entry.first]
    for current in waiting:
        for node in run.consumers.get(current, ()):
            if node in run.ran_backward:
                if is_call_of(node, "add sub") and not node.outputs[0].array.ndim:
                    return node
                continue
            for out in (out.first for out in node.outputs if not out.requires_grad):
                if out not in seen and len(seen) < _MOST:
                    seen.add(out)
                    waiting.append(out)
    return None


def _computed_with(run: Record) -> Iterator[ast.Call]:
    """The calls of ``item`` whose numbers get a name that something is computed with."""
    operands = {
        id(part): part.id
        for one in run.case.nodes(ast.BinOp)
        for part in ast.walk(one)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Call() | ast.BinOp(), attr="item"), args=[]) as call,
            ) if name in operands.values():
                yield call


def _dead_ends(run: Record, entry: TensorEntry) -> Iterator[TensorEntry]:
    """What was computed from a leaf, and read by no further function."""
    seen, waiting = {entry}, [entry]
    for current in waiting:
        readers = run.consumers.get(current, ())
        if not readers:
            yield current
        for out in (out.first for node in readers for out in node.outputs):
            if out not in seen and len(seen) < _MOST:
                seen.add(out)
                waiting.append(out)


TRAPS: Final = (made_numbers, read_as_numbers, terms_of_numbers)
