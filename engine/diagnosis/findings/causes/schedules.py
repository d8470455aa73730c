"""Schedules made for fewer batches than a loop goes through: a division that rounds down."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sized

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called, iterated
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.practice.training import stepped_too_often
from gradflow.engine.diagnosis.findings.words import code, finding, line, ordinal
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.OPTIMIZER_ARGUMENT)
def _rounded_down(case: Case) -> Finding | None:
    """``steps_per_epoch=len(dataset) // batch``, where there is a last, smaller batch."""
    found = stepped_too_often(case)
    if found is None:
        return None
    told, call, schedule = found
    made, loop = definition(case, schedule), case.enclosing(call, ast.For)
    loader = iterated(loop) if loop is not None else None
    batches = _batches(case, loader) if loader is not None else 0
    if not isinstance(made, ast.Call) or loader is None or not batches:
        return None
    for node, whole, size in _quotients(case, made):
        count, each = _count(case, whole), _count(case, size)
        if not count or not each or batches != -(-count // each) or not (rest := count % each):
            continue
        known = definition(case, loader)
        early = line(known) < line(node) and known is not loader and type(case.value(loader)).__name__ == "DataLoader"
        how, how_zh = ("Count the batches themselves", "请直接数批次") if early else ("Round up", "请向上取整")
        text = f"len({case.text(loader)})" if early else f"-(-{case.text(whole)} // {case.text(size)})"
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} rounds down to {count // each}, and {code(case, loader)} on line {line(loader)} gives {batches} batches, the last one with"
            f" {rest} sample{'s' * (rest > 1)}, so the schedule of line {line(made)} was made for {told[2]} steps and here comes the {ordinal(int(told[1]))}. {how}: `{text}`.",
            f"第 {line(node)} 行的 {code(case, node)} 向下取整得 {count // each}，而第 {line(loader)} 行的 {code(case, loader)} 给出 {batches} 个批次，最后一个只有 {rest} 个样本，"
            f"所以第 {line(made)} 行的调度器是按 {told[2]} 步创建的，而这里是第 {told[1]} 步。{how_zh}：`{text}`。",
            [case.fix(case.replace(node, text), case.statement(node))],
            node,
        )
    return None


def _batches(case: Case, loader: ast.expr) -> int:
    """How many batches a loop goes through: those of a loader, of ``order.split(size)``, of several such, or of ``range(0, count, size)``; 0 where that is not known."""
    held = case.value(loader)
    if type(held).__name__ in ("DataLoader", "tuple", "list", "range"):
        return len(held)  # type: ignore[arg-type]  # each has a length
    match loader:
        case ast.Call(func=ast.Attribute(value=whole, attr="split"), args=[size]):
            held = case.value(whole)
        case ast.Call(func=ast.Attribute(attr="split"), args=[whole, size]):
            held = case.value(whole)
        case ast.Call(func=ast.Name(id="zip"), args=parts) if parts:
            return min(_batches(case, one) for one in parts)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0), whole, size]):
            held = range(_count(case, whole))
        case _:
            return 0
    each = _count(case, size)
    return -(-len(held) // each) if isinstance(held, Sized) and each > 0 else 0


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
