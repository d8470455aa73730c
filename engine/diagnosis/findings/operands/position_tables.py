"""Tables of positions with fewer rows than a sequence has steps: the number that decided their length, and how long they have to be."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import decision, definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.flow import Flow, default_of
from gradflow.engine.trace import Fix


@dataclass(frozen=True)
class Length:
    """The number that decides a length; ``function`` and ``name``: the parameter whose default it is, ``call``: the call that leaves it at that."""

    number: ast.expr
    name: str = ""
    call: ast.Call | None = None


def too_short(case: Case, pair: Sequence[ast.expr], sizes: Sequence[int]) -> Finding | None:
    """``x + self.pe[:x.size(1)]``, where the table has fewer rows than ``x`` has steps."""
    for kept, other in ((1, 0), (0, 1)):
        if sizes[kept] >= sizes[other]:
            continue
        cut = _cut(case, pair[kept])
        needed = _needed(case, cut, sizes[kept], sizes[other]) if cut is not None else None
        made = decision(case, pair[kept], sizes[kept]) if needed is not None else None
        if (
            cut is None
            or needed is None
            or made is None
            or made.before is not None
            or not isinstance(made.node, ast.Call)
        ):
            continue
        for length in _lengths(case, made.node, sizes[kept]):
            return _told(case, cut, length, (sizes[kept], needed))
    return None


def _cut(case: Case, operand: ast.expr) -> ast.Subscript | None:
    """The part of a table of an object that an operand is, through ``unsqueeze`` and the like."""
    made = definition(case, operand)
    for _ in range(3):
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute):
            made = definition(case, made.func.value)
    match made:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"))):
            return made
    return None


def _needed(case: Case, cut: ast.Subscript, rows: int, steps: int) -> int | None:
    """The rows that a part of a table asks for, if these are more than it has."""
    parts = cut.slice.elts if isinstance(cut.slice, ast.Tuple) else [cut.slice]
    for one in parts:
        if not isinstance(one, ast.Slice) or one.upper is None or one.step is not None:
            continue
        end = case.value(one.upper)
        if isinstance(end, int) and end > rows:
            return end
        if one.lower is None and not isinstance(end, int):
            return steps
    return None


def _lengths(case: Case, made: ast.Call, rows: int) -> Iterator[Length]:
    """The numbers of as many rows among what made a table, followed to where they are written."""
    for given in (*made.args, *(one.value for one in made.keywords)):
        if isinstance(given, ast.Call):
            yield from _lengths(case, given, rows)
        for node in given.elts if isinstance(given, ast.Tuple | ast.List) else [given]:
            found = _written(case, node)
            if found is not None and case.value(found.number) == rows:
                yield found


def _written(case: Case, node: ast.expr) -> Length | None:
    """Where the number is written that a name stands for: an assignment, the argument of a call, or the default of a parameter."""
    flow = Flow(case)
    for _ in range(5):
        if isinstance(node, ast.Constant):
            return Length(node)
        if isinstance(node, ast.Attribute):
            kept = definition(case, node)
            if kept is node:
                return None
            node = kept
            continue
        if not isinstance(node, ast.Name):
            return None
        values = list(flow.assigned(node, node.id))
        if len(values) != 1:
            return None
        function = case.enclosing(node, ast.FunctionDef)
        if function is not None and values[0] in default_of(function, node.id):
            return Length(values[0], node.id, _maker(case, function))
        node = values[0]
    return None


def _maker(case: Case, function: ast.FunctionDef) -> ast.Call | None:
    """The one call that runs a function, or makes an object of its class."""
    owner = case.parents.get(function)
    name = owner.name if isinstance(owner, ast.ClassDef) else function.name
    calls = [one for one in case.nodes(ast.Call) if isinstance(one.func, ast.Name) and one.func.id == name]
    return calls[0] if len(calls) == 1 else None


def _told(case: Case, cut: ast.Subscript, length: Length, rows: tuple[int, int]) -> Finding:
    has, needed = rows
    number, call = length.number, length.call
    decided, decided_zh, text, fix = _decided(case, length, needed)
    return finding(
        case,
        f"{code(case, cut)} asks a table for {needed} rows, and it has {has}, so it gives {has}: {decided}. Such a table needs a row for each step"
        f" of the longest sequence, here at least {needed}: `{text}`.",
        f"{code(case, cut)} 要从表中取 {needed} 行，而表只有 {has} 行，所以只得到 {has} 行：{decided_zh}。这样的表必须为最长序列的每一步都有一行，这里至少 {needed} 行：`{text}`。",
        fix or (),
        call if call is not None else number,
    )


def _decided(case: Case, length: Length, needed: int) -> tuple[str, str, str, Fix | None]:
    """What decides the length, in both languages, what to write for it, and the change."""
    number, call = length.number, length.call
    if length.name:
        shown = f"`{length.name}={case.text(number)}`"
        if call is None:
            text = f"{length.name}={needed}"
            told = f"{shown} on line {line(number)} is its default", f"第 {line(number)} 行的 {shown} 是默认值"
            return *told, text, apply(case, case.replace(number, str(needed)), f"`{text}`", f"`{text}`")
        whole = " ".join(case.text(call).split())
        text = f"{whole[:-1].rstrip(', ')}{', ' if call.args or call.keywords else ''}{length.name}={needed})"
        first = f"{length.name}={needed}"
        return (
            f"{shown} on line {line(number)} is the default, and {code(case, call)} on line {line(call)} says nothing else",
            f"第 {line(number)} 行的 {shown} 是默认值，而第 {line(call)} 行的 {code(case, call)} 没有另外指定",
            text,
            apply(case, case.argument(call, first), f"`{first}`", f"`{first}`"),
        )
    outer = case.parents.get(number)
    outer = case.parents.get(outer, outer) if isinstance(outer, ast.keyword | ast.Tuple) else outer
    whole_node = outer if isinstance(outer, ast.Call | ast.Assign) else number
    text = text_with(case, whole_node, number, str(needed))
    told = (
        f"{code(case, whole_node)} on line {line(number)} makes it so long",
        f"这是第 {line(number)} 行的 {code(case, whole_node)} 决定的",
    )
    return *told, text, apply(case, case.replace(number, str(needed)), f"`{text}`", f"`{text}`")
