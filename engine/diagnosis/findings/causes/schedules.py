"""Schedules made for fewer batches than the loader gives: a division that rounds down."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sized

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, iterated
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.practice.training import stepped_too_often
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.OPTIMIZER_ARGUMENT)
def _rounded_down(case: Case) -> Finding | None:
    """``steps_per_epoch=len(dataset) // batch``, where the loader has a last, smaller batch."""
    found = stepped_too_often(case)
    if found is None:
        return None
    told, call, schedule = found
    made, loop = definition(case, schedule), case.enclosing(call, ast.For)
    loader = iterated(loop) if loop is not None else None
    held = case.value(loader) if loader is not None else None
    if not isinstance(made, ast.Call) or loader is None or type(held).__name__ != "DataLoader":
        return None
    batches = len(held)  # type: ignore[arg-type]  # a DataLoader has a length
    for node, whole, size in _quotients(case, made):
        count, each = _count(case, whole), _count(case, size)
        if not count or not each or batches != -(-count // each) or not (rest := count % each):
            continue
        known = definition(case, loader)
        early = line(known) < line(node) and known is not loader
        text = f"len({case.text(loader)})" if early else f"-(-{case.text(whole)} // {case.text(size)})"
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} rounds down to {count // each}, and `{case.text(loader)}` gives {batches} batches, the last one with"
            f" {rest} samples, so the schedule of line {line(made)} was made for {told[2]} steps and here comes the {told[1]}th. Count the batches themselves: `{text}`.",
            f"第 {line(node)} 行的 {code(case, node)} 向下取整得 {count // each}，而 `{case.text(loader)}` 给出 {batches} 个批次，最后一个只有 {rest} 个样本，"
            f"所以第 {line(made)} 行的调度器是按 {told[2]} 步创建的，而这里是第 {told[1]} 步。请直接数批次：`{text}`。",
            [case.fix(case.replace(node, text), case.statement(node))],
            node,
        )
    return None


def _count(case: Case, node: ast.expr) -> int:
    """The number that an expression stands for, also of ``len(dataset)``; 0 where it is not known."""
    value = case.value(node)
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[held]) if type(value) is not int:
            whole = case.value(held)
            return len(whole) if isinstance(whole, Sized) else 0
    return value if isinstance(value, int) else 0


def _quotients(case: Case, made: ast.Call) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """The divisions that round down on the way to the arguments of a schedule: the node, what is divided, and by what."""
    for given in [*made.args[1:], *(one.value for one in made.keywords)]:
        for node in Flow(case).behind(given):
            match node:
                case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                    yield node, left, right
                case ast.Call(args=[ast.BinOp(left=left, op=ast.Div(), right=right)]) if called(node) in (
                    "int",
                    "floor",
                ):
                    yield node, left, right
