"""A sum of a tensor and what layers made of it, ``x + f(x)``, whose last layer does not come back to the width of ``x``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import first_size
from gradflow.engine.diagnosis.findings.sizes_written import outputs_of, size_written
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of, way
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.trace import Edit

_LAYERS: Final = ("Linear", "Conv1d", "Conv2d", "Conv3d")
_NORMS: Final = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")
_OUTWARD: Final = re.compile(r"out|planes|输出|new|after|next", re.IGNORECASE)


@dataclass(frozen=True)
class _Made:
    """A layer on the way: the call that made it, and how many numbers it takes and gives."""

    call: ast.Call
    takes: int
    gives: int


@dataclass(frozen=True)
class _Way:
    """The layers from one addend to the other, and the norms behind the last of them."""

    source: ast.expr
    end: ast.expr
    width: int
    layers: Sequence[_Made]
    norms: Sequence[ast.Call]

    @property
    def last(self) -> _Made:
        return self.layers[-1]


@finds(errors.SHAPE_BROADCAST)
def _not_back(case: Case) -> Finding | None:
    """``x + fc2(relu(fc1(x)))`` with ``fc2 = nn.Linear(d_ff, d_ff)``."""
    found = _way(case)
    if found is None:
        return None
    out = _given_out(found.last.call)
    inward = first_size(found.last.call)
    same = out is not None and inward is not None and case.text(out) == case.text(inward)
    if out is None or isinstance(out, ast.Constant) or not same or _OUTWARD.search(case.text(out)):
        return None
    text, edits = _mended(case, found, out)
    en, zh = _said(case, found)
    made = finding(
        case,
        f"{en} Let it come back to {found.width}: `{text}`.",
        f"{zh}请让它回到 {found.width}：`{text}`。",
        case.fix(edits, found.last.call),
        found.last.call,
    )
    return replace(made, guess=True) if made.fixes else None


@finds(errors.SHAPE_BROADCAST)
def _of_two_widths(case: Case) -> Finding | None:
    """The same where the block may be meant to give another width: then ``x`` needs a layer of its own."""
    found = _way(case)
    out = _given_out(found.last.call) if found is not None else None
    if found is None or out is None:
        return None
    en, zh = _said(case, found)
    kind, last = called(found.last.call), found.last
    torch, _ = case.with_torch()
    own = f"{torch}.nn.{kind}({found.width}, {last.gives}{', 1' if kind.startswith('Conv') else ''})"
    if _OUTWARD.search(case.text(out)):
        first = found.layers[0].call
        return finding(
            case,
            f"{code(case, found.end)} was computed from {code(case, found.source)}, and on the way {code(case, first)} (line {line(first)}) makes {found.layers[0].gives} of {found.width}. Bring"
            f" {code(case, found.source)} to {last.gives} by a layer of its own, such as `{own}`.",
            f"{code(case, found.end)} 是由 {code(case, found.source)} 算出的，途中第 {line(first)} 行的 {code(case, first)} 把 {found.width} 变成了 {found.layers[0].gives}。请给"
            f" {code(case, found.source)} 另加一层使它变成 {last.gives}，例如 `{own}`。",
            (),
            first,
        )
    text, edits = _mended(case, found, out)
    return finding(
        case,
        f"{en} If the width is to stay, let it come back to {found.width}: `{text}`. If the block is to change it, bring {code(case, found.source)} to {last.gives} by a layer"
        f" of its own, such as `{own}`.",
        f"{zh}如果宽度应当不变，请让它回到 {found.width}：`{text}`；如果这个块本来就要改变宽度，请给 {code(case, found.source)} 另加一层使它变成 {last.gives}，例如 `{own}`。",
        apply(case, edits, f"If the width is to stay: `{text}`", f"如果宽度应当不变：`{text}`") or (),
        last.call,
    )


def _said(case: Case, found: _Way) -> tuple[str, str]:
    """Which layer gives the wrong width, in both languages."""
    last, first = found.last, found.layers[0]
    widened = "widens" if first.gives > first.takes else "narrows"
    widened_zh = "增加到" if first.gives > first.takes else "减少到"
    end = (
        f"{code(case, last.call)} on line {line(last.call)}, the last layer on the way from {code(case, found.source)} to {code(case, found.end)}, gives {last.gives}, and the"
        f" sum with {code(case, found.source)} needs {found.width}."
    )
    end_zh = (
        f"从 {code(case, found.source)} 到 {code(case, found.end)} 的最后一层，第 {line(last.call)} 行的 {code(case, last.call)}，给出 {last.gives}，而与"
        f" {code(case, found.source)} 相加需要 {found.width}。"
    )
    return (
        f"{end} {code(case, first.call)} (line {line(first.call)}) {widened} it to {first.gives} before.",
        f"{end_zh}在它之前，第 {line(first.call)} 行的 {code(case, first.call)} 把宽度{widened_zh} {first.gives}。",
    )


def _mended(case: Case, found: _Way, out: ast.expr) -> tuple[str, list[Edit]]:
    """The last layer with the width of the sum, by the name that the first one has for it, and the edits with the norms behind it."""
    flow = Flow(case)
    first = first_size(found.layers[0].call)
    beside = first is not None and flow.scope(first) is flow.scope(out)
    text = case.text(first) if beside and first is not None else size_written(case, out, found.width)
    edits = case.replace(out, text)
    for norm in found.norms:
        edits += case.replace(norm.args[0], text)
    return text_with(case, found.last.call, out, text), edits


def _given_out(call: ast.Call) -> ast.expr | None:
    """The argument that says how many numbers a layer gives."""
    return next(iter(outputs_of(call)), None)


def _way(case: Case) -> _Way | None:
    """The layers from one addend to the other: the first leaves its width, and the last keeps that."""
    node, flow = case.find(ast.BinOp), Flow(case)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    for source, end in ((node.left, node.right), (node.right, node.left)):
        first, last = flow.tensor(source), flow.tensor(end)
        if first is None or last is None or first._entry is None or last._entry is None:
            continue
        found = _layers(case, first._entry, last._entry)
        if found is not None:
            return _Way(source, end, *found)
    return None


def _layers(
    case: Case, first: TensorEntry, last: TensorEntry
) -> tuple[int, Sequence[_Made], Sequence[ast.Call]] | None:
    layers, norms = list[_Made](), list[ast.Call]()
    for entry in way(first, last)[1:]:
        for weight in _weights(entry):
            made, shape = case.at(ast.Call, weight.first.place), weight.array.shape
            if made is None:
                return None
            if called(made) in _LAYERS and len(shape) > 1:
                layers, norms = [*layers, _Made(made, int(shape[1]), int(shape[0]))], []
            elif called(made) in _NORMS and made.args:
                norms = [*norms, made]
            elif len(shape) > 1:
                return None
    if len(layers) < 2 or not _is_one_dim(first, last, called(layers[-1].call)):
        return None
    width, end = layers[0].takes, layers[-1]
    makers = [one.call for one in layers]
    if layers[0].gives == width or end.takes == width or end.gives == width or makers.count(end.call) > 1:
        return None
    return width, layers, list(dict.fromkeys(norms))


def _weights(entry: TensorEntry) -> list[TensorEntry]:
    """The parameter, of as many dimensions as its kind of layer has, that a step of the way used."""
    operands = operands_of(entry)
    near = [*operands, *(one for held in operands if held.is_leaf is False for one in operands_of(held)[:1])]
    used = [one.first for one in near if isinstance(one.tensor, Parameter)]
    weights = [one for one in used if one.array.ndim > 1]
    return (weights or used)[:1]


def _is_one_dim(first: TensorEntry, last: TensorEntry, kind: str) -> bool:
    """Whether two tensors differ in the dimension alone that a layer of this kind makes."""
    own, other = first.array.shape, last.array.shape
    if len(own) != len(other):
        return False
    at = len(own) - 1 if kind == "Linear" else len(own) - 1 - int(kind[-2])
    return [k for k in range(len(own)) if own[k] != other[k]] == [at]
