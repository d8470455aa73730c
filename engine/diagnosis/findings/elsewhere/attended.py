"""Equations of `einsum` that mix values by attention weights, and sum over another dimension than the one of the softmax."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import is_made_by, operands_of
from gradflow.engine.recording.entries import TensorEntry

_FAR: Final = 4
_TURNING: Final = ("transpose", "permute", "swapaxes", "mT")


@dataclass(frozen=True)
class _Weights:
    """Attention weights among the operands: which one, as they were before they were turned, and the dimension of their softmax."""

    at: int
    node: ast.expr
    made: ast.expr
    shape: tuple[int, ...]
    dim: int


@finds(errors.EINSUM_EQUATION, errors.EINSUM_OPERANDS)
def _mixed_over_keys(case: Case) -> Finding | None:
    """``einsum("bij,bid->bjd", weights.transpose(1, 2), values)``."""
    call = case.find(ast.Call)
    text = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(text, ast.Constant) or not isinstance(text.value, str) or len(call.args) != 3:
        return None
    left, arrow, right = text.value.replace(" ", "").partition("->")
    terms = left.split(",")
    weights = next((found for at in (1, 2) if (found := _weights(case, call.args[at], at - 1)) is not None), None)
    if not arrow or len(terms) != 2 or weights is None or not (left.replace(",", "") + right).isalpha():
        return None
    other = call.args[2 - weights.at]
    values = shape_at(case, other)
    equation = _over_keys(terms, right, weights, values) if values is not None else None
    if equation is None or (equation == f"{left}->{right}" and weights.node is call.args[1 + weights.at]):
        return None
    return _told(case, call, text, equation, weights, other)


def _weights(case: Case, operand: ast.expr, at: int) -> _Weights | None:
    node = operand
    match operand:
        case ast.Call(func=ast.Attribute(value=owner)) if called(operand) in _TURNING:
            of_torch = isinstance(owner, ast.Name) and owner.id == case.module_alias("torch")
            node = operand.args[0] if of_torch and operand.args else owner
        case ast.Attribute(value=owner, attr="mT" | "T"):
            node = owner
    tensor = Flow(case).tensor(node)
    entry = tensor._entry if tensor is not None else None
    found = _softmax(entry) if entry is not None else None
    if entry is None or found is None or found.node is None:
        return None
    made, dim = case.at(ast.expr, found.place), found.node.settings[0]
    ndim = entry.array.ndim
    return _Weights(at, node, made, tuple(map(int, entry.array.shape)), int(dim) % ndim) if made is not None else None


def _softmax(entry: TensorEntry) -> TensorEntry | None:
    """What a softmax gave, before steps that leave its shape, such as a dropout."""
    for _ in range(_FAR):
        if entry.node is not None and is_made_by(entry, "softmax_dim"):
            return entry if entry.node.settings and isinstance(entry.node.settings[0], int) else None
        before = [one for one in operands_of(entry) if one.array.shape == entry.array.shape]
        if not before or entry.view_of is not None:
            return None
        entry = before[0]
    return None


def _over_keys(terms: list[str], right: str, weights: _Weights, values: tuple[int, ...]) -> str | None:
    """The equation that sums over the dimension of the softmax, where all sizes then fit; None where there is none."""
    own, other = terms[weights.at], terms[1 - weights.at]
    summed = [one for one in own if one in other and one not in right]
    if len(own) != len(weights.shape) or len(other) != len(values) or len(set(own)) != len(own) or len(summed) != 1:
        return None
    swapped = str.maketrans({summed[0]: own[weights.dim], own[weights.dim]: summed[0]})
    other, right = other.translate(swapped), right.translate(swapped)
    sizes = dict(zip(own, weights.shape, strict=True))
    fits = all(sizes.get(letter, size) == size for letter, size in zip(other, values, strict=True))
    if not fits or own[weights.dim] in right or len(set(other)) != len(other):
        return None
    pair = [other, other]
    pair[weights.at] = own
    return f"{','.join(pair)}->{right}"


def _told(case: Case, call: ast.Call, text: ast.Constant, equation: str, weights: _Weights, other: ast.expr) -> Finding:
    operand, quote = call.args[1 + weights.at], case.text(text)[0]
    edits = case.replace(text, f"{quote}{equation}{quote}")
    turned, turned_zh = "", ""
    if weights.node is not operand:
        edits = [*edits, *case.replace(operand, case.text(weights.node))]
        turned = f" of {code(case, weights.node)}, which {code(case, operand)} moves elsewhere"
        turned_zh = f"（属于 {code(case, weights.node)}，而 {code(case, operand)} 把它移到了别处）"
    head = f"{case.text(call.func)}({quote}{equation}{quote}, "
    pair = [case.text(weights.node), case.text(other)]
    shown = f"{head}{', '.join(pair if weights.at == 0 else pair[::-1])})"
    keys = equation.split(",")[weights.at].split("->")[0][weights.dim]
    return finding(
        case,
        f"{code(case, text)} gives one letter to two sizes. {code(case, weights.made)} on line {line(weights.made)} makes weights along dimension"
        f" {weights.dim}{turned}; they mix the rows of {code(case, other)}: the sum goes over that dimension, the `{keys}` of both. Write `{shown}`.",
        f"{code(case, text)} 让同一个字母表示了两种大小。第 {line(weights.made)} 行的 {code(case, weights.made)} 沿第 {weights.dim} 维给出权重{turned_zh}，用来混合"
        f" {code(case, other)} 的各行：应当沿那一维求和，也就是两者的 `{keys}`。请写 `{shown}`。",
        case.fix(edits, call),
        text,
    )
