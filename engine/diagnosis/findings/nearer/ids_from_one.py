"""Tensors of indices whose numbers count from 1, where the rows of a tensor count from 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_BY_INDEX: Final = frozenset(
    [
        "index_add",
        "index_add_",
        "index_select",
        "index_copy",
        "index_copy_",
        "index_fill",
        "index_fill_",
        "scatter",
        "scatter_",
        "scatter_add",
        "scatter_add_",
        "scatter_reduce",
        "scatter_reduce_",
        "gather",
    ]
)
_CREATORS: Final = ("tensor", "as_tensor", "from_numpy", "LongTensor")
_FILLS: Final = re.compile(r"pad|unk|填充", re.IGNORECASE)
"""In a program that fills up, 0 is the number of what it fills up with."""
_FEWEST: Final = 3


@dataclass(frozen=True)
class _Index:
    """An index tensor, what it indexes, and how many places that has there."""

    node: ast.expr
    held: Tensor
    owner: ast.expr
    size: int

    @property
    def low(self) -> int:
        return int(self.held._a.min())

    @property
    def high(self) -> int:
        return int(self.held._a.max())

    @property
    def is_full(self) -> bool:
        """Whether most of the numbers from 1 on occur: then they count from it."""
        distinct = len(set(self.held._a.ravel().tolist()))
        return self.low == 1 and distinct >= _FEWEST and 2 * distinct > self.size


@finds(errors.INDEX_RANGE, errors.EMBEDDING_RANGE, errors.GATHER_RANGE, errors.SLICE_RANGE)
def _counted_from_one(case: Case) -> Finding | None:
    """``x[who]`` and ``out.index_add(0, to, x)``, with ids from 1 to as many as there are rows."""
    if _FILLS.search(case.program.source):
        return None
    for one in _indices(case):
        if one.low < 1 or one.high != one.size:
            continue
        numbered = _numbered(case, one.node)
        if numbered is not None:
            return _from_zero(case, one, numbered)
        return _one_off(case, one) if one.is_full else None
    return None


def _indices(case: Case, node: ast.expr | None = None) -> Iterator[_Index]:
    """The index tensors of a subscript or of a call, by default of that at the error, with the places that they choose from."""
    node, flow = node or case.find(ast.expr), Flow(case)
    pairs: list[tuple[ast.expr, ast.expr, int]] = []
    match node:
        case ast.Subscript(value=owner, slice=given):
            parts = given.elts if isinstance(given, ast.Tuple) else [given]
            pairs = [(owner, one, at) for at, one in enumerate(parts)]
            if any(isinstance(one, ast.Constant) for one in parts if getattr(one, "value", 0) in (None, ...)):
                return
        case ast.Call(func=ast.Attribute(value=held), args=args) if called(node) in _BY_INDEX:
            args = args if flow.tensor(held) is not None else args[1:]
            owner = held if flow.tensor(held) is not None else node.args[0]
            dim = case.value(args[0]) if len(args) > 1 else None
            pairs = [(owner, args[1], dim)] if isinstance(dim, int) else []
    for owner, index, at in pairs:
        base, tensor = flow.tensor(owner), flow.tensor(index)
        known = base is not None and tensor is not None and tensor.numel() and not isinstance(index, ast.Slice)
        if known and base is not None and tensor is not None and -base.dim() <= at < base.dim():
            if tensor.dtype.is_floating_point or tensor._a.dtype.kind not in "iu":
                continue
            yield _Index(index, tensor, owner, int(base.shape[at]))


def _numbered(case: Case, index: ast.expr) -> ast.Call | None:
    """``enumerate(names, start=1)`` that numbers what an index was looked up in."""
    for node in Flow(case).behind(index):
        inside = ast.walk(node) if isinstance(node, ast.DictComp | ast.ListComp | ast.GeneratorExp) else [node]
        for part in inside:
            match part:
                case ast.Call(func=ast.Name(id="enumerate"), args=[_, ast.Constant(value=1)], keywords=[]):
                    return part
                case ast.Call(
                    func=ast.Name(id="enumerate"),
                    args=[_],
                    keywords=[ast.keyword(arg="start", value=ast.Constant(value=1))],
                ):
                    return part
    return None


def _from_zero(case: Case, index: _Index, numbered: ast.Call) -> Finding:
    text = f"enumerate({case.text(numbered.args[0])})"
    given = numbered.keywords[0] if numbered.keywords else numbered.args[1]
    return finding(
        case,
        f"{code(case, numbered)} on line {line(numbered)} numbers from 1 on, so {code(case, index.node)} goes up to {index.high}, and the {index.size} places of {code(case, index.owner)}"
        f" are counted from 0 to {index.size - 1}. Number from 0: `{text}`.",
        f"第 {line(numbered)} 行的 {code(case, numbered)} 从 1 开始编号，所以 {code(case, index.node)} 的编号一直到 {index.high}，而 {code(case, index.owner)} 的 {index.size} 个位置从 0 数到"
        f" {index.size - 1}。请从 0 开始编号：`{text}`。",
        case.fix(case.without_argument(numbered, given), numbered) or (),
        numbered,
    )


def _one_off(case: Case, index: _Index) -> Finding:
    made, other = _maker(case, index), _minus_one(case, index.node)
    if other is None and made is not None and line(made) != line(index.node):
        return _off_where_made(case, index, made)
    text = f"{case.operand(index.node)} - 1"
    also, also_zh = (
        (f", as line {line(other)} does", f"（第 {line(other)} 行就是这样做的）") if other is not None else ("", "")
    )
    known = other is not None or made is not None
    fix = case.fix(case.replace(index.node, text), case.parents.get(index.node)) if known else None
    return _told(case, index, ("", ""), (f"here{also}: `{text}`", f"在这里减去 1{also_zh}：`{text}`"), fix, index.node)


def _off_where_made(case: Case, index: _Index, made: ast.Call) -> Finding:
    """One taken off where the ids are made, and those that are made beside them."""
    edits, text = case.followed(made, " - 1"), f"{case.text(made)} - 1"
    others = [one for one in dict.fromkeys(_makers_beside(case, index)) if one is not made]
    for one in others:
        edits += case.followed(one, " - 1")
    also, also_zh = "", ""
    if others:
        rows = [str(line(one)) for one in others]
        also, also_zh = f", and likewise on line {joined(rows, 'en')}", f"，第 {joined(rows, 'zh')} 行也一样"
    return _told(
        case,
        index,
        (f" (from {code(case, made)} on line {line(made)})", f"（来自第 {line(made)} 行的 {code(case, made)}）"),
        (
            f"where they are made, on line {line(made)}: `{text}`{also}",
            f"在产生它们的第 {line(made)} 行减去 1：`{text}`{also_zh}",
        ),
        apply(case, edits, f"`{text}`{also}", f"`{text}`{also_zh}"),
        made,
    )


def _told(
    case: Case, index: _Index, there: tuple[str, str], action: tuple[str, str], fix: Fix | None, place: ast.expr
) -> Finding:
    return finding(
        case,
        f"{code(case, index.node)}{there[0]} holds numbers from 1 to {index.high} and no 0: they count from 1, and the {index.size} places of {code(case, index.owner)} are counted"
        f" from 0 to {index.size - 1}. Take 1 off {action[0]}.",
        f"{code(case, index.node)}{there[1]} 里的编号从 1 到 {index.high}，没有 0：它们从 1 数起，而 {code(case, index.owner)} 的 {index.size} 个位置从 0 数到 {index.size - 1}。请{action[1]}。",
        fix or (),
        place,
    )


def _makers_beside(case: Case, index: _Index) -> Iterator[ast.Call]:
    """The calls that made the other ids of the same statement, which count from 1, too."""
    statement = case.statement(index.node)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Subscript) and node is not case.parents.get(index.node):
            for one in _indices(case, node):
                made = _maker(case, one)
                if (
                    made is not None
                    and one.high == one.size
                    and one.is_full
                    and case.text(one.node) != case.text(index.node)
                ):
                    yield made


def _maker(case: Case, index: _Index) -> ast.Call | None:
    """The one call that made a tensor of the numbers."""
    flow, found = Flow(case), list[ast.Call]()
    for one in flow.behind(index.node):
        if isinstance(one, ast.Call) and called(one) in _CREATORS and one not in found:
            found.append(one)
    held = flow.tensor(found[0]) if len(found) == 1 else None
    whole = (
        held is not None
        and held.numel()
        and held._a.dtype.kind in "iu"
        and int(held._a.min()) == 1
        and int(held._a.max()) == index.high
    )
    return found[0] if whole else None


def _minus_one(case: Case, node: ast.expr) -> ast.BinOp | None:
    """Another use of the same index that takes 1 off."""
    text = case.text(node)
    for one in case.nodes(ast.BinOp):
        match one:
            case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)) if case.text(left) == text:
                return one
    return None
