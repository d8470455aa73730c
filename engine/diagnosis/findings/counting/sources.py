"""Loops that count something else than what they index: another dimension, another sequence, a number that wraps too late."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.counting.shortened import number_at
from gradflow.engine.diagnosis.findings.counting.turns import (
    Loop,
    Place,
    loops_around,
    position_of,
    source_of,
    variable_of,
    written,
)
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_line, write
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix


def of_another(case: Case, loop: Loop, place: Place, turns: range, asked: int) -> Finding | None:
    """The cause where the range is right for something else."""
    if (wrapped := _wrapped_late(case, place)) is not None:
        return wrapped
    source = source_of(loop)
    if len(source.args) != 1 or not isinstance(place.index, ast.Name) or not isinstance(loop.target, ast.Name):
        return None
    counted = _counted(source.args[0])
    if counted is None:
        return None
    owner, dim = counted
    if case.text(owner) == case.text(place.node.value):
        return _other_dimension(case, loop, place, turns, owner, dim)
    return _other_sequence(case, loop, place, turns, owner, asked)


def _wrapped_late(case: Case, place: Place) -> Finding | None:
    """``a[(i + 1) % 5]`` of four."""
    match place.index:
        case ast.BinOp(op=ast.Mod(), right=right) if place.index is written(place):
            around = number_at(case, right, "", 0)
        case _:
            return None
    if around is None or around <= place.size:
        return None
    text = f"{case.operand(place.node.value)}[{case.text(place.index)[: -len(case.text(right))]}{place.length}]"
    return finding(
        case,
        f"{code(case, place.index)} on line {line(place.index)} begins anew after {around - 1}, and {code(case, place.node.value)} has the places 0 to"
        f" {place.size - 1}. Begin anew with its own length: `{text}`.",
        f"第 {line(place.index)} 行的 {code(case, place.index)} 到 {around - 1} 之后才回到开头，而 {code(case, place.node.value)} 的编号只有 0 到 {place.size - 1}。请按它自己的"
        f"长度回到开头：`{text}`。",
        write(case, right, place.length, place.node),
        place.index,
    )


def _counted(stop: ast.expr) -> tuple[ast.expr, int] | None:
    """What a range has as many turns as, and in which dimension."""
    match stop:
        case ast.Call(func=ast.Name(id="len"), args=[owner]):
            return owner, 0
        case ast.Call(func=ast.Attribute(value=owner, attr="size"), args=[ast.Constant(value=int(dim))]):
            return owner, dim
        case ast.Subscript(value=ast.Attribute(value=owner, attr="shape"), slice=ast.Constant(value=int(dim))):
            return owner, dim
    return None


def _other_dimension(case: Case, loop: Loop, place: Place, turns: range, owner: ast.expr, dim: int) -> Finding | None:
    """``for t in range(x.size(1)): x[t]``; of two loops whose bounds are exchanged both."""
    tensor, at, own = Flow(case).tensor(owner), position_of(place), case.text(owner)
    if not isinstance(tensor, Tensor) or dim < 0 or dim == at or at >= tensor.dim():
        return None
    stop, variable = source_of(loop).args[0], str(variable_of(loop))
    right = _of_dimension(case, stop, own, at)
    fixes: list[Fix | None] = []
    partner = _exchanged(case, place, dim, at, own)
    if partner is not None:
        edits = [*case.replace(stop, right), *case.replace(partner, _of_dimension(case, partner, own, dim))]
        fixes.append(case.fix(edits, source_of(loop)))
        action, action_zh = (
            f"Exchange the two ranges: `range({right})` here",
            f"请交换两个范围：这里写 `range({right})`",
        )
    else:
        fixes.append(write(case, stop, right, source_of(loop)))
        other = f"{own}[{', '.join([':'] * dim + [variable])}]"
        alone = place.node.slice is place.index
        if alone:
            fixes.append(write(case, place.node, other))
        action = f"Count that one, `range({right})`" + (f", or index the other: `{other}`" if alone else "")
        action_zh = f"请数这一维：`range({right})`" + (f"；或者在另一维上取：`{other}`" if alone else "")
    return finding(
        case,
        f"{code(case, source_of(loop))} on line {line(stop)} counts dimension {dim} of `{own}` ({len(turns)}), and {code(case, place.node)} takes `{variable}`"
        f" in dimension {at}, which has the places 0 to {place.size - 1}. {action}.",
        f"第 {line(stop)} 行的 {code(case, source_of(loop))} 数的是 `{own}` 的第 {dim} 维（{len(turns)} 个），而 {code(case, place.node)} 把 `{variable}` 用在第 {at} 维，"
        f"那里的编号只有 0 到 {place.size - 1}。{action_zh}。",
        fixes,
        stop,
    )


def _of_dimension(case: Case, written: ast.expr, own: str, dim: int) -> str:
    """The size of another dimension, written as that of the one is."""
    return f"{own}.size({dim})" if ".size(" in case.text(written) else f"{own}.shape[{dim}]"


def _exchanged(case: Case, place: Place, dim: int, at: int, own: str) -> ast.expr | None:
    """The end of the other loop, where that counts the dimension which this one should."""
    given: Sequence[ast.expr] = place.node.slice.elts if isinstance(place.node.slice, ast.Tuple) else []
    other = given[dim] if dim < len(given) else None
    for one in loops_around(case, place.node):
        if isinstance(other, ast.Name) and variable_of(one) == other.id and isinstance(one.target, ast.Name):
            source = source_of(one)
            counted = _counted(source.args[0]) if len(source.args) == 1 else None
            if counted is not None and case.text(counted[0]) == own and counted[1] == at:
                return source.args[0]
    return None


def _other_sequence(case: Case, loop: Loop, place: Place, turns: range, owner: ast.expr, asked: int) -> Finding | None:
    """``for i in range(len(x)): x[i] - y[i]``, where ``y`` is shorter: nothing tells which length was meant."""
    own, variable = case.text(owner), str(variable_of(loop))
    outer = loop if isinstance(loop, ast.For) else case.parents.get(loop)
    uses = [one for one in ast.walk(outer) if isinstance(one, ast.Subscript)] if outer is not None else []
    both = any(
        case.text(one.value) == own and isinstance(one.slice, ast.Name) and one.slice.id == variable for one in uses
    )
    if not both:
        return None
    short = place.node.value
    made = next(iter(Flow(case).assigned(short, short.id)), None) if isinstance(short, ast.Name) else None
    where, where_zh = on_line(made)
    whole = f"range({place.length})"
    return finding(
        case,
        f"{code(case, source_of(loop))} on line {line(source_of(loop))} counts the {len(turns)} places of `{own}`, and {code(case, short)}{where} has {place.size}: at"
        f" `{variable}` = {asked} there is no {code(case, place.node)}. Make both of the same length; or, if the rest of `{own}` is to be left out, count the"
        f" shorter one: `{whole}`.",
        f"第 {line(source_of(loop))} 行的 {code(case, source_of(loop))} 数的是 `{own}` 的 {len(turns)} 个位置，而 {code(case, short)}{where_zh} 只有 {place.size} 个："
        f"`{variable}` = {asked} 时没有 {code(case, place.node)}。请让两者一样长；如果本来就要舍去 `{own}` 的其余部分，请数较短的那个：`{whole}`。",
        (),
        source_of(loop),
    )
