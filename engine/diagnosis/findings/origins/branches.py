"""Two ways from one tensor that are added or joined: a stride on one of them, and none on the other."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import changes, operands_of, way
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of

_MOST = 2000


def without_stride(case: Case, pair: Sequence[ast.expr], back: int, said: tuple[str, str]) -> Finding | None:
    """``conv(x, stride=2) + shortcut(x)``, where the shortcut keeps the size."""
    tensors = [Flow(case).tensor(one) for one in pair]
    ends = [one._entry for one in tensors if one is not None and one._entry is not None]
    if len(ends) != 2 or (source := _common(ends[0], ends[1])) is None:
        return None
    for moved, kept in ((0, 1), (1, 0)):
        steps = changes(source, ends[moved], back)
        if len(steps) != 1 or changes(source, ends[kept], back):
            continue
        first = _convolution(case, steps[0].entry)
        others = [_convolution(case, one) for one in way(source, ends[kept])]
        second = next((one for one in others if one is not None), None)
        if first is None or second is None or first[1] is second[1]:
            continue
        return _told(case, pair[kept], (first, second), (steps[0].before, steps[0].after), said)
    return None


def _told(
    case: Case,
    kept: ast.expr,
    layers: tuple[tuple[Layer, ast.Call], tuple[Layer, ast.Call]],
    sizes: tuple[int, int],
    said: tuple[str, str],
) -> Finding | None:
    """That one of two convolutions has a stride, and the other needs it."""
    (first, made), (second, other) = layers
    strides, own = tuple(getattr(first, "stride", ())), tuple(getattr(second, "stride", ()))
    if not strides or set(own) != {1} or strides == own:
        return None
    given, written = argument_of(made, 3, "stride"), argument_of(other, 3, "stride")
    same = given is not None and Flow(case).scope(made) is Flow(case).scope(other)
    value = case.text(given) if same and given is not None else str(strides[0] if len(set(strides)) == 1 else strides)
    text = f"stride={value}"
    edits = case.replace(written, value) if written is not None else case.argument(other, text)
    return finding(
        case,
        f"{said[0]} Both ways begin with the same tensor: {code(case, made)} (line {line(made)}) has the stride {strides[-1]} and makes {sizes[1]} of {sizes[0]}, and"
        f" {code(case, other)} (line {line(other)}), on the way to {code(case, kept)}, has the stride 1 and keeps {sizes[0]}. Give it the same: `{text}`.",
        f"{said[1]}两条路从同一个张量开始：第 {line(made)} 行的 {code(case, made)} 步幅为 {strides[-1]}，把 {sizes[0]} 变成 {sizes[1]}；而通往 {code(case, kept)} 的"
        f" {code(case, other)}（第 {line(other)} 行）步幅为 1，仍是 {sizes[0]}。请给它同样的步幅：`{text}`。",
        case.fix(edits, other) or (),
        other,
    )


def _common(one: TensorEntry, other: TensorEntry) -> TensorEntry | None:
    """The nearest tensor that two tensors were computed from, of as many dimensions."""
    behind = {each.first.number for each in _behind(other)}
    for each in _behind(one):
        leaf = each.is_leaf and each.requires_grad
        if each.first.number in behind and not leaf and each.array.ndim == one.array.ndim:
            return each.first
    return None


def _behind(end: TensorEntry) -> list[TensorEntry]:
    seen, waiting = {end.number}, [end]
    for current in waiting:
        for one in operands_of(current):
            if one.number not in seen and len(seen) < _MOST:
                seen.add(one.number)
                waiting.append(one)
    return waiting


def _convolution(case: Case, entry: TensorEntry) -> tuple[Layer, ast.Call] | None:
    """The layer that gave a tensor, if it is a convolution, and where it was made."""
    operands = operands_of(entry)
    if entry.node is None or entry.node.op is None or not entry.node.op.name.startswith("conv") or len(operands) < 2:
        return None
    weight = operands[1].tensor
    for held in case.values.values():
        for layer in held.modules() if isinstance(held, Layer) else ():
            if getattr(layer, "weight", None) is weight and (made := maker_of(case, layer)) is not None:
                return layer, made
    return None
