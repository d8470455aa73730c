"""Products with an operand that is a transpose already: without the transposition it fits, or the matrix is made the other way round."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.shapes import product_of
from gradflow.engine.diagnosis.fixes.transposed import unturned
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit

_MAKERS: Final = ("randn", "rand", "zeros", "ones", "empty")
_WRAPPERS: Final = ("Parameter", "Variable")


@dataclass(frozen=True)
class _Turned:
    """An operand that is the transpose of something, and where that transpose is written."""

    operand: ast.expr
    written: ast.expr
    inner: ast.expr

    @property
    def is_here(self) -> bool:
        return self.operand is self.written


@finds(errors.MM_SHAPE, errors.MV_SHAPE, errors.BMM_SHAPE)
def _turned_already(case: Case) -> Finding | None:
    """``x @ A.T``, where ``A`` itself would fit."""
    pair, node = product_of(case)
    shapes = [shape_at(case, one) for one in pair or ()]
    if pair is None or node is None or None in shapes:
        return None
    left, right = (tuple(one or ()) for one in shapes)
    if len(left) != len(right) or len(left) not in (2, 3) or left[:-2] != right[:-2]:
        return None
    fits_right, fits_left = right[-1] == left[-1], left[-2] == right[-2]
    if fits_right == fits_left:  # either of the two, or none
        return None
    at = 1 if fits_right else 0
    found = _turned(case, pair[at])
    if found is None or (len(left) == 3 and not _turns_last(found.written)):
        return None
    return _told(case, node, found, pair[1 - at], (left, right)[at], (left, right)[1 - at])


def _turns_last(node: ast.expr) -> bool:
    """Whether a transposition of a batch is one of its last two dimensions."""
    return (isinstance(node, ast.Attribute) and node.attr == "mT") or (
        isinstance(node, ast.Call) and "-" in ast.unparse(node)
    )


def _turned(case: Case, operand: ast.expr) -> _Turned | None:
    if (inner := unturned(operand)) is not None:
        return _Turned(operand, operand, inner)
    given = list(Flow(case).assigned(operand, operand.id)) if isinstance(operand, ast.Name) else []
    inner = unturned(given[0]) if len(given) == 1 else None
    return _Turned(operand, given[0], inner) if inner is not None else None


def _told(
    case: Case, node: ast.expr, found: _Turned, other: ast.expr, own: Sequence[int], beside: Sequence[int]
) -> Finding | None:
    text = case.operand(found.inner)
    here = case.replace(found.written, text)
    shown = text_with(case, node, found.written, text) if found.is_here else text
    made, sizes = _maker(case, found.inner, own)
    before, after = ("×".join(map(str, one)) for one in ((*own[:-2], own[-1], own[-2]), own))
    turn = _turn(case, found)
    where, where_zh = (
        (f" on line {line(found.written)}", f"第 {line(found.written)} 行的 ")
        if line(found.written) != case.span.line
        else ("", "")
    )
    there, there_zh = (
        (f" ({code(case, made)} on line {line(made)})", f"（第 {line(made)} 行的 {code(case, made)}）")
        if made is not None
        else ("", "")
    )
    fixes = [case.fix(here, node if found.is_here else found.written)]
    or_made, or_made_zh = "", ""
    if made is not None:
        swapped, edits = _swapped(case, made, sizes)
        fixes.append(apply(case, edits, f"`{swapped}`", f"`{swapped}`"))
        or_made, or_made_zh = (
            f"; or make it {after} and keep {turn}: `{swapped}`",
            f"；或者把它创建为 {after}，保留 {turn}：`{swapped}`",
        )
    return finding(
        case,
        f"{code(case, found.inner)}{there} is {before}, and {turn}{where} turns it to {after}, which does not fit {code(case, other)}, {'×'.join(map(str, beside))}. Leave {turn} out:"
        f" `{shown}`{or_made}.",
        f"{code(case, found.inner)}{there_zh} 是 {before}，{where_zh}{turn} 把它变成 {after}，与 {'×'.join(map(str, beside))} 的 {code(case, other)} 不匹配。请去掉 {turn}：`{shown}`{or_made_zh}。",
        fixes,
        made if made is not None else found.written,
    )


def _turn(case: Case, found: _Turned) -> str:
    """The transposition as it is written behind what it turns; of ``torch.t(a)`` all of it."""
    whole, inner = case.text(found.written), case.text(found.inner)
    tail = whole.removeprefix(inner)
    return f"`{tail}`" if tail.startswith(".") else code(case, found.written)


def _maker(case: Case, inner: ast.expr, own: Sequence[int]) -> tuple[ast.Call | None, Sequence[ast.expr]]:
    """The call that made the matrix with its two sizes, where there is one alone."""
    flow = Flow(case)
    given: list[ast.expr] = []
    if isinstance(inner, ast.Name):
        given = list(flow.assigned(inner, inner.id))
    elif isinstance(inner, ast.Attribute) and case.text(inner.value) == "self":
        given = flow.kept(inner)
    if len(given) != 1 or len(own) != 2:
        return None, ()
    node = given[0]
    while True:
        match node:
            case ast.BinOp(left=held, op=ast.Mult() | ast.Div(), right=ast.Constant()):
                node = held
            case ast.Call(args=[held, *_]) if called(node) in _WRAPPERS:
                node = held
            case _:
                break
    if isinstance(node, ast.Call) and called(node) in _MAKERS:
        sizes = (
            node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple | ast.List) else node.args
        )
        return (
            (node, sizes) if len(sizes) == 2 and not any(isinstance(one, ast.Starred) for one in sizes) else (None, ())
        )
    return None, ()


def _swapped(case: Case, made: ast.Call, sizes: Sequence[ast.expr]) -> tuple[str, list[Edit]]:
    first, second = sizes
    edits = [*case.replace(first, case.text(second)), *case.replace(second, case.text(first))]
    whole = case.fix(edits, made)
    return (whole.title.en.strip("`") if whole is not None else ""), edits
