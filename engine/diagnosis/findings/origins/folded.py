"""A view to rows of a wrong width, which takes numbers of several samples for one row: told where the rows no longer fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.layers import constant, first_size
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.trace import Edit, Fix

_VIEWS: Final = frozenset({"view", "reshape"})
_WIDE: Final = frozenset({"BatchNorm1d", "LayerNorm"})
_LAST: Final = frozenset({"Linear", "randn", "rand", "zeros", "empty"})
"""What makes the weights that multiply the rows: a layer, or a tensor of the program's own."""
_MOST: Final = 1500
_NEAR: Final = 12
"""How many operations behind the view its layer is looked for."""


@dataclass(frozen=True)
class Fold:
    """A view of samples as rows of another number: the call, what it was of, its width, and the layers that take its rows."""

    call: ast.Call
    before: tuple[int, ...]
    after: tuple[int, ...]
    layers: Sequence[ast.Call]

    @property
    def each(self) -> int:
        """How many numbers a sample has."""
        return prod(self.before[1:])


@finds(errors.TARGET_BATCH, errors.BCE_SIZE, errors.BCE_LOGITS_SIZE, errors.SHAPE_BROADCAST, errors.CAT_SIZE)
def _folded(case: Case) -> Finding | None:
    """``x.view(-1, 256)`` of samples that have another number of elements: rows go across samples."""
    given = [(tuple(map(int, one.array.shape)), one) for one in _met(case)]
    for shape, entry in given:
        for other, _ in given:
            if shape and other and shape[0] != other[0] and (fold := _fold(case, entry, other[0])) is not None:
                return _told(case, fold)
    return None


def _met(case: Case) -> Iterator[TensorEntry]:
    """The tensors that meet in the expression of the error."""
    node = case.find(ast.BinOp) or case.find(ast.Call) or case.find(ast.Compare)
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            parts = [left, right]
        case ast.Call(args=args, keywords=keywords):
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            parts = [*owner, *args, *(one.value for one in keywords)]
        case _:
            parts = []
    flow = Flow(case)
    for part in parts:
        for one in part.elts if isinstance(part, ast.Tuple | ast.List) else [part]:
            tensor = flow.tensor(one)
            if tensor is not None and tensor._entry is not None:
                yield tensor._entry


def _fold(case: Case, end: TensorEntry, samples: int) -> Fold | None:
    """The nearest view on the way back that made other rows of this many samples."""
    waiting, came = [end], {end.number: end}
    for current in waiting:
        for one in operands_of(current):
            if (found := _as_fold(case, one, current, came, samples)) is not None:
                return found
            if one.number not in came and len(came) < _MOST:
                came[one.number] = current
                waiting.append(one)
    return None


def _as_fold(
    case: Case, before: TensorEntry, after: TensorEntry, came: dict[int, TensorEntry], samples: int
) -> Fold | None:
    sizes, rows = tuple(map(int, before.array.shape)), tuple(map(int, after.array.shape))
    if len(sizes) < 3 or len(rows) != 2 or sizes[0] != samples or rows[0] == samples or prod(sizes) != prod(rows):
        return None
    if any(prod(sizes[at:]) == rows[1] for at in range(1, len(sizes))):
        return None  # steps or places taken for samples, as is meant
    call = case.at(ast.Call, after.place)
    if call is None or called(call) not in _VIEWS or _width(call) is None:
        return None
    return Fold(call, sizes, rows, _layers(case, after, came, rows[1]))


def _width(call: ast.Call) -> ast.expr | None:
    """``n`` of ``x.view(-1, n)``, ``x.reshape((-1, n))`` and ``torch.reshape(x, (-1, n))``."""
    last = call.args[-1] if call.args else None
    parts = list(last.elts) if isinstance(last, ast.Tuple | ast.List) else call.args
    return parts[-1] if len(parts) == 2 and ast.unparse(parts[0]) == "-1" else None


def _layers(case: Case, rows: TensorEntry, came: dict[int, TensorEntry], width: int) -> list[ast.Call]:
    """The calls that made the layers which take the rows: a linear one last, before it what keeps the width."""
    found: list[ast.Call] = []
    current = rows
    for _ in range(_NEAR):
        current = came[current.number]
        weights = [one for each in operands_of(current) for one in (each, *operands_of(each)[:1]) if one.is_leaf]
        calls = [call for one in weights if (call := _maker(case, one, width)) is not None]
        found += [one for one in dict.fromkeys(calls) if one not in found]
        if current is came[current.number] or any(called(one) in _LAST for one in found):
            break
    if not any(called(one) in _LAST for one in found):
        linear = [one for one in case.nodes(ast.Call) if called(one) == "Linear"]
        alike = [one for one in linear if constant(case, first_size(one)) == width]
        found += alike if len(alike) == 1 else []
    return found


def _maker(case: Case, weight: TensorEntry, width: int) -> ast.Call | None:
    """The call that made a weight of this width: that of its layer, or of a matrix with as many rows."""
    made = case.at(ast.Call, weight.first.place) if width in weight.array.shape else None
    if made is None or called(made) not in _WIDE | _LAST:
        return None
    own = called(made) not in (*_WIDE, "Linear")
    return None if own and (weight.array.ndim != 2 or weight.array.shape[0] != width) else made


def _owner(case: Case, call: ast.Call) -> ast.expr | None:
    """What is viewed: of ``x.view(..)`` and of ``torch.reshape(x, ..)``."""
    if isinstance(call.func, ast.Attribute) and case.text(call.func.value) != case.module_alias("torch"):
        return call.func.value
    return call.args[0] if len(call.args) == 2 else None


def _told(case: Case, fold: Fold) -> Finding | None:
    call, (rows, width), samples = fold.call, fold.after, fold.before[0]
    owner = _owner(case, call)
    if owner is None:
        return None
    flat = f"{case.operand(owner)}.flatten(1)"
    text = flat if not isinstance(owner, ast.BinOp | ast.UnaryOp | ast.IfExp) else f"({case.text(owner)}).flatten(1)"
    number = " × ".join(map(str, fold.before[1:])) + f" = {fold.each}"
    cut = rows % samples == 0
    so, so_zh = (
        (f"so each sample is cut into {rows // samples} rows", f"于是每个样本被切成了 {rows // samples} 行")
        if cut
        else ("so rows go across samples", "于是一行里混进了不同的样本")
    )
    size, size_zh = _other_size(fold, width)
    layer, layer_zh = _to_be_made(case, fold)
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} makes {rows} rows of the {samples} samples: a sample has {number} numbers, and the view takes"
        f" {width} for a row, {so}.{size} Keep each sample in its row: `{text}`{layer}.",
        f"第 {line(call)} 行的 {code(case, call)} 把 {samples} 个样本变成了 {rows} 行：每个样本有 {number} 个数，而这里每行取 {width} 个，{so_zh}。"
        f"{size_zh}请让每个样本占一行：`{text}`{layer_zh}。",
        _both(case, fold, text) or (),
        call,
    )


def _other_size(fold: Fold, width: int) -> tuple[str, str]:
    """For maps of which size the width would be right."""
    if len(fold.before) != 4 or fold.before[2] != fold.before[3] or width % fold.before[1]:
        return "", ""
    channels, side = fold.before[1], isqrt(width // fold.before[1])
    if side * side * channels != width:
        return "", ""
    return (
        f" {width} belongs to maps of {side} × {side}, which images of another size would give.",
        f"{width} 对应的是 {side} × {side} 的特征图，那是另一种尺寸的图像才会得到的。",
    )


def _to_be_made(case: Case, fold: Fold) -> tuple[str, str]:
    """That the layer behind the view takes as many features, in both languages."""
    if not fold.layers:
        return f", and make the layer behind it for {fold.each}", f"，后面的层也要按 {fold.each} 创建"
    told = [f"{code(case, one)} on line {line(one)}" for one in fold.layers]
    told_zh = [f"第 {line(one)} 行的 {code(case, one)}" for one in fold.layers]
    return (
        f" and make {joined(told, 'en')} for {fold.each}",
        f"，并把{joined(told_zh, 'zh')} 改成 {fold.each}",
    )


def _both(case: Case, fold: Fold, text: str) -> Fix | None:
    """The change of the view and of the number that the layers behind it were made for."""
    sizes = [first_size(one) for one in fold.layers]
    edits = [_written_as(case, one, fold) if one is not None else [] for one in sizes]
    if not edits or not all(edits):
        return None
    once = list(dict.fromkeys(edit for each in edits for edit in each))
    return case.fix([*case.replace(fold.call, text), *once], fold.call)


def _written_as(case: Case, size: ast.expr, fold: Fold) -> list[Edit]:
    """The number where it is written, as a product where it is one."""
    place = definition(case, size)
    if place is not size and _is_used_elsewhere(case, size, fold):
        return []
    if not isinstance(place, ast.Constant | ast.BinOp) or constant(case, place) not in (fold.after[1], None):
        return []
    product = isinstance(place, ast.BinOp) and isinstance(place.op, ast.Mult)
    return case.replace(place, " * ".join(map(str, fold.before[1:])) if product else str(fold.each))


def _is_used_elsewhere(case: Case, size: ast.expr, fold: Fold) -> bool:
    """Whether a name for the width stands in more than the view, the layer and where it is given its value."""
    text = case.text(size).rpartition(".")[2]
    own = [one for each in (fold.call, *fold.layers) for one in ast.walk(each)]
    uses: Sequence[ast.expr] = [*case.nodes(ast.Name), *case.nodes(ast.Attribute)]
    return any(
        isinstance(getattr(one, "ctx", None), ast.Load)
        and case.text(one).rpartition(".")[2] == text
        and one not in own
        and not isinstance(case.parents.get(one), ast.Assign)
        for one in uses
    )
