"""The maps that are flattened for a linear layer: they tell the factors of its size, where it was written as a product."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.nearer.computed_sizes import sum_written
from gradflow.engine.diagnosis.findings.sizes_written import number, size_written
from gradflow.engine.diagnosis.findings.words import code, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.recording.entries import TensorEntry

_DEPTH = 8


def size_of_maps(case: Case, call: ast.Call, first: ast.expr, rows: tuple[int, ...]) -> tuple[str, str, str]:
    """The new first size of a layer that is given ``rows``, and what was flattened for it in both languages: ``32 * 7 * 7`` for ``16 * 28 * 28``."""
    found = flattened(case, call, rows) if _is_product(first) else None
    if found is None:
        return sum_written(case, call, first, rows[1]) or size_written(case, first, rows[1]), "", ""
    maps, flat = found
    shape = list(map(int, maps.array.shape))
    node = case.at(ast.Call, flat.place) if flat is not None else None
    text = _in_factors(case, first, shape[1:])
    if node is None or called(node) not in ("flatten", "view", "reshape"):
        return text, f" What is flattened for it has the shape {shape}.", f"为它展平的张量形状是 {shape}。"
    return (
        text,
        f" {code(case, node)} on line {line(node)} flattens the shape {shape}.",
        f"第 {line(node)} 行的 {code(case, node)} 展平的形状是 {shape}。",
    )


def _is_product(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and all(
        isinstance(one.op, ast.Mult) for one in ast.walk(node) if isinstance(one, ast.BinOp)
    )


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _in_factors(case: Case, first: ast.expr, sizes: list[int]) -> str:
    """The sizes as a product; what the program has a name for keeps it."""
    factors = list(_factors(first))
    named = [(number(case, one), one) for one in factors if not isinstance(one, ast.Constant)]
    if len(factors) < len(sizes):
        sizes = [one for one in sizes if one != 1] or [1]  # ``28 * 28`` of one channel
    texts: list[str] = []
    for size in sizes:
        own = next((each for each in named if each[0] == size), None)
        if own is not None:
            named.remove(own)
        texts.append(case.operand(own[1]) if own is not None else str(size))
    return " * ".join(texts)


def flattened(case: Case, call: ast.Call, rows: tuple[int, ...]) -> tuple[TensorEntry, TensorEntry | None] | None:
    """The last tensor of maps whose samples have these numbers, and what was made of it, where that is known."""
    span = case.program.span_of(call)
    inside = list(case.context.within_call(span)) if span is not None else []
    source = Flow(case).tensor(call.args[0]) if call.args else None
    current = source._entry if source is not None else None
    for _ in range(_DEPTH):
        before = next(iter(operands_of(current)), None) if current is not None else None
        if current is None or before is None or tuple(current.array.shape) != rows:
            break
        if _are_maps(before, rows):
            return before, current
        current = before
    found = [each for one in inside for each in (one, *operands_of(one)) if _are_maps(each, rows)]
    return (max(found, key=lambda one: one.number), None) if found else None


def _are_maps(entry: TensorEntry, rows: tuple[int, ...]) -> bool:
    shape = entry.array.shape
    return len(shape) in (3, 4) and shape[0] == rows[0] and prod(shape[1:]) == rows[1]
