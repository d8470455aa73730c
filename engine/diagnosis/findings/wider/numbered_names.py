"""Numbers of classes that a table gives to names, from one on: they are mended where the table is made, for all that read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit

_COUNTERS: Final = ("enumerate", "range", "count")


@dataclass(frozen=True)
class _Counted:
    """An expression that counts from one, what it is to be, and the edits that make it so."""

    node: ast.expr
    meant: str
    edits: list[Edit]


@finds(errors.TARGET_RANGE)
def _numbered_from_one(case: Case) -> Finding | None:
    """``{name: i for i, name in enumerate(names, 1)}``, and the numbers as targets of as many scores."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, value = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or value is None or value.dtype.is_floating_point or not value.numel() or scores.dim() == 0:
        return None
    classes = int(scores.shape[1] if scores.dim() > 1 else scores.shape[0])
    if int(value._a.min()) < 1 or int(value._a.max()) != classes:
        return None
    found = list(dict.fromkeys(one.node for one in _counted(case, call.args[1])))
    counted = next(_counted(case, call.args[1]), None)
    if counted is None or len(found) != 1 or _shifted_elsewhere(case, counted.node):
        return None
    return finding(
        case,
        f"{code(case, counted.node)} on line {line(counted.node)} numbers the classes from 1 to {classes}, and there are {classes} scores, numbered from 0 to {classes - 1}:"
        f" class {classes} in {code(case, call.args[1])} has none. Count from 0 there, for all that use these numbers: `{counted.meant}`.",
        f"第 {line(counted.node)} 行的 {code(case, counted.node)} 把类别从 1 编到 {classes}，而 {classes} 个得分的编号是 0 到 {classes - 1}："
        f"{code(case, call.args[1])} 里的类别 {classes} 没有对应的得分。请在那里从 0 数起，这样用到这些编号的地方就都对了：`{counted.meant}`。",
        case.fix(counted.edits, counted.node),
        counted.node,
    )


def _counted(case: Case, target: ast.expr) -> Iterator[_Counted]:
    """Where the numbers behind a target are counted from one, in a table of names."""
    for table in _tables(case, target):
        for key_value, generators in table:
            for generator in generators:
                yield from _of_source(case, generator.iter, generator.target, key_value)


def _tables(case: Case, target: ast.expr) -> Iterator[list[tuple[ast.expr, list[ast.comprehension] | list[ast.For]]]]:
    """The tables that a target is looked up in: the expression of the number, with the loops that count."""
    for one in Flow(case).behind(target):
        if not isinstance(one, ast.Subscript) or not isinstance(one.value, ast.Name | ast.Attribute):
            continue
        for made in _made(case, one.value):
            if isinstance(made, ast.DictComp):
                yield [(made.value, made.generators)]
            elif isinstance(made, ast.Dict) and not made.keys:
                yield list(_filled(case, one.value))


def _made(case: Case, table: ast.Name | ast.Attribute) -> Iterator[ast.expr]:
    """What a table was made of."""
    for one in Flow(case).behind(table):
        if isinstance(one, ast.DictComp | ast.Dict):
            yield one
        elif not isinstance(one, ast.Name | ast.Attribute):
            return


def _filled(case: Case, table: ast.Name | ast.Attribute) -> Iterator[tuple[ast.expr, list[ast.For]]]:
    """``for i, name in enumerate(names, 1): ids[name] = i``."""
    for one in case.nodes(ast.Assign):
        match one.targets:
            case [ast.Subscript(value=owner)] if case.text(owner) == case.text(table):
                loop = case.enclosing(one, ast.For)
                if loop is not None and not _told_elsewhere(loop, one.value):
                    yield one.value, [loop]


def _told_elsewhere(loop: ast.For, number: ast.expr) -> bool:
    """Whether a loop reads its counter for something else than the number, too, as to print it."""
    own = {one.id for one in ast.walk(number) if isinstance(one, ast.Name)}
    reads = [one for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    return sum(one.id in own for one in reads) > len(own)


def _of_source(case: Case, source: ast.expr, target: ast.expr, number: ast.expr) -> Iterator[_Counted]:
    """``enumerate(names, 1)`` with ``i`` as the number, or ``enumerate(names)`` with ``i + 1``."""
    if not isinstance(source, ast.Call) or called(source) not in _COUNTERS:
        return
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    start = next((one for one in source.keywords if one.arg == "start"), None)
    begin = start or (source.args[1] if called(source) == "enumerate" and len(source.args) > 1 else None)
    value = begin.value if isinstance(begin, ast.keyword) else begin
    match number:
        case ast.Name(id=name) if isinstance(first, ast.Name) and name == first.id and begin is not None:
            if isinstance(value, ast.Constant) and value.value == 1:
                meant = f"{case.text(source.func)}({case.text(source.args[0])})"
                yield _Counted(source, meant, case.without_argument(source, begin))
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=1)) if (
            isinstance(first, ast.Name) and name == first.id and begin is None
        ):
            plain = called(source) == "enumerate" or len(source.args) == 1
            if plain:
                yield _Counted(number, name, case.replace(number, name))


def _shifted_elsewhere(case: Case, node: ast.expr) -> bool:
    """Whether the program reckons with the one in another place: ``ids[name] - 1``, ``names[predicted + 1]``."""
    for one in case.nodes(ast.BinOp):
        if one is node or not isinstance(one.op, ast.Add | ast.Sub):
            continue
        if isinstance(one.right, ast.Constant) and one.right.value == 1 and not _is_size(case, one):
            outer = case.parents.get(one)
            if isinstance(outer, ast.Subscript) or isinstance(one.left, ast.Subscript):
                return True
    return False


def _is_size(case: Case, node: ast.BinOp) -> bool:
    return isinstance(node.left, ast.Call) and called(node.left) == "len"
