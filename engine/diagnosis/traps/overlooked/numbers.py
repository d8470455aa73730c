"""Traps of numbers that take the place of tensors: what an optimizer is to train leaves the graph by ``item()``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.traps.record import Record
from gradflow.engine.diagnosis.traps.training import cut_off
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.trace import Note

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


TRAPS: Final = (made_numbers,)
