"""Samples and targets of which one was cut at an end: the same cut, or that at the other end, is missing in the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Fix

End = Literal["front", "back"]
_ENDS: tuple[End, ...] = ("front", "back")


@finds(errors.DATA_SIZES)
def _cut_at_an_end(case: Case) -> Finding | None:
    """``TensorDataset(series[:-1].unsqueeze(1), series)``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) != 2:
        return None
    sizes = [(shape_at(case, one) or (0,))[0] for one in call.args]
    short, long = (0, 1) if sizes[0] < sizes[1] else (1, 0)
    less = sizes[long] - sizes[short]
    cuts = list(_cuts(case, call.args[short], less))
    kinds = {kind for _, kind, _ in cuts}
    if not cuts or not 0 < less < sizes[short]:
        return None
    same = any(_shares(case, cut, call.args[long]) for cut, _, _ in cuts)
    if same and kinds == {"front"}:
        return None
    cut, _, by = next(one for one in cuts if len(kinds) == 1 or one[1] == "back")
    place = _where_cut(case, call.args[long])
    texts = {"front": f"[{by}:]", "back": f"[:-{by}]"}
    ends: list[End] = ["front"] if same else sorted(_ENDS, key=lambda one: one not in kinds)
    fixes = [_fix(case, place, texts[one], _which(one, kinds, by, same=same)) for one in ends]
    name, other, written = code(case, call.args[long]), code(case, call.args[short]), code(case, cut)
    whole = case.text(place)
    where = f" on line {line(place)}"
    after, after_zh = _which("front", kinds, by, same=True)
    if same:
        action = f"The target of each row is {after}, so cut at the beginning{where}: `{whole}{texts['front']}`"
        action_zh = f"每一行的目标要{after_zh}，所以请在第 {line(place)} 行去掉开头：`{whole}{texts['front']}`"
    else:
        said = [f"`{whole}{texts[one]}` for {_which(one, kinds, by, same=same)[0]}" for one in ends]
        said_zh = [f"要{_which(one, kinds, by, same=same)[1]}写 `{whole}{texts[one]}`" for one in ends]
        action = f"Cut {name}{where} as well: {', or '.join(said)}"
        action_zh = f"请在第 {line(place)} 行把 {name} 也截短：{'，'.join(said_zh)}"
    return finding(
        case,
        f"{written} on line {line(cut)} leaves {sizes[short]} of {sizes[long]} rows for {other}, and {name} still has all {sizes[long]}. {action}.",
        f"第 {line(cut)} 行的 {written} 让 {other} 只剩 {sizes[long]} 行中的 {sizes[short]} 行，而 {name} 仍有全部 {sizes[long]} 行。{action_zh}。",
        fixes,
        place,
    )


def _fix(case: Case, place: ast.expr, text: str, which: tuple[str, str]) -> Fix | None:
    shown = f"`{case.text(place)}{text}`"
    return apply(case, case.followed(place, text), f"{shown}: {which[0]}", f"{shown}：{which[1]}")


def _which(end: End, kinds: set[End], by: str, *, same: bool) -> tuple[str, str]:
    """What a row is paired with after a cut at an end."""
    if len(kinds) == 2 and not same:
        return ("the later of the two rows", "取两行中后一行的值") if end == "front" else _EARLIER
    if end in kinds and not same:
        return "what stands at the same place", "取同一位置的值"
    rows = "one row" if by == "1" else f"{by if by.isdigit() else f'`{by}`'} rows"
    rows_zh = f" {by if by.isdigit() else f'`{by}`'} "
    return (
        (f"the value {rows} later", f"取后{rows_zh}行的值")
        if end == "front"
        else (f"the value {rows} earlier", f"取前{rows_zh}行的值")
    )


_EARLIER = ("the earlier of the two rows", "取两行中前一行的值")


def _cuts(case: Case, node: ast.expr, less: int) -> Iterator[tuple[ast.Subscript, End, str]]:
    """Slices by which a value lost so many rows, at which end, and the number as it is written."""
    for one in Flow(case).behind(node):
        if not isinstance(one, ast.Subscript):
            continue
        rows = one.slice.elts[0] if isinstance(one.slice, ast.Tuple) and one.slice.elts else one.slice
        match rows:
            case ast.Slice(lower=ast.expr() as begin, upper=None, step=None) if _is(case, begin, less):
                yield one, "front", case.text(begin)
            case ast.Slice(lower=None, upper=ast.UnaryOp(op=ast.USub(), operand=left), step=None) if _is(
                case, left, less
            ):
                yield one, "back", case.text(left)


def _is(case: Case, node: ast.expr, number: int) -> bool:
    """Whether an expression is a number, or a variable of the whole program that has it."""
    if not isinstance(node, ast.Constant | ast.Name):
        return False
    return case.value(node) == number and not isinstance(case.value(node), bool)


def _shares(case: Case, cut: ast.Subscript, long: ast.expr) -> bool:
    """Whether a slice was taken of what the other argument holds."""
    flow = Flow(case)
    names = {(one.id, flow.scope(one)) for one in flow.behind(cut.value) if isinstance(one, ast.Name)}
    values = {(one.id, flow.scope(one)) for one in _aliases(flow, long)}
    return bool(names & values)


def _aliases(flow: Flow, node: ast.expr) -> Iterator[ast.Name]:
    """The names under which the very values of an expression stand."""
    for _ in range(5):
        match node:
            case ast.Name():
                yield node
                before = list(flow.assigned(node, node.id))
                if len(before) != 1:
                    return
                node = before[0]
            case ast.Call(func=ast.Attribute(value=value)) if called(node) in ("clone", "unsqueeze", "float", "view"):
                node = value
            case _:
                return


def _where_cut(case: Case, node: ast.expr) -> ast.expr:
    """Where the longer one is to be cut: where it got its name from another one, else where it is given."""
    if not isinstance(node, ast.Name):
        return node
    before = list(Flow(case).assigned(node, node.id))
    uses = [one for one in case.nodes(ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Load)]
    alias = len(before) == 1 and isinstance(before[0], ast.Name) and len(uses) == 1
    return before[0] if alias else node
