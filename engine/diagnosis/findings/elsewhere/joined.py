"""Tensors joined along another dimension than the one whose sizes were to add up: their channels or their features."""

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
from gradflow.engine.diagnosis.provenance import is_made_by, operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of

_FAR: Final = 6
_CHANNELS: Final = ("in_channels", "num_features", "num_channels")
_FEATURES: Final = ("in_features", "input_size", "normalized_shape")
_STACKING: Final = ("stack", "vstack", "row_stack", "dstack")


@dataclass(frozen=True)
class _Needed:
    """The size that a layer needs in a dimension of its input, and what the numbers there are called."""

    size: int
    dim: int
    en: str
    zh: str


@finds(
    errors.CONV_CHANNELS,
    errors.CONV_INPUT,
    errors.CHANNEL_COUNT,
    errors.GROUP_PARAMETER,
    errors.NORMALIZED_SHAPE,
    errors.MM_SHAPE,
    errors.MODULE_RUNTIME,
)
def _joined_elsewhere(case: Case) -> Finding | None:
    """``torch.cat([up, skip])`` in front of a convolution for the channels of both."""
    call = case.find(ast.Call)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    if call is None or given is None or given._entry is None:
        return None
    for entry in _back(given._entry):
        parts = [tuple(map(int, one.array.shape)) for one in operands_of(entry)]
        node = case.at(ast.Call, entry.place)
        if node is None or not is_made_by(entry, "cat stack") or len(parts) < 2 or len(set(map(len, parts))) > 1:
            continue
        if case.details.get("mat1") is not None and called(node) not in _STACKING:
            return None  # rows below one another have words of their own
        needed = _needed(case, call, len(parts[0]))
        at = _joined_dimension(entry, parts)
        if needed is None or at == needed.dim or sum(shape[needed.dim] for shape in parts) != needed.size:
            return None
        return _side_by_side(case, call, node, parts, at, needed)
    return None


def _needed(case: Case, call: ast.Call, ndim: int) -> _Needed | None:
    """What the first layer that the input meets needs, of inputs with so many dimensions."""
    layer, weight = case.value(call.func), case.details.get("weight")
    if not isinstance(layer, Layer):
        groups = case.details.get("groups", 1)
        shared = groups if isinstance(groups, int) else 1
        known = isinstance(weight, list | tuple) and len(weight) == ndim > 2
        return _Needed(int(weight[1]) * shared, 1, "channels", "通道") if known else None  # type: ignore[index]  # known
    for one in layer.modules():
        for word in (*_CHANNELS, *_FEATURES):
            held = getattr(one, word, None)
            size = held[-1] if isinstance(held, tuple) and held else held
            if isinstance(size, int) and ndim > 1:
                return (
                    _Needed(size, 1, "channels", "通道")
                    if word in _CHANNELS
                    else _Needed(size, ndim - 1, "features", "特征")
                )
    return None


def _back(entry: TensorEntry) -> Iterator[TensorEntry]:
    """A tensor, and what it was computed from by steps that leave its size."""
    for _ in range(_FAR):
        yield entry
        before = operands_of(entry)
        if not before or before[0].array.ndim != entry.array.ndim or before[0].array.shape[:2] != entry.array.shape[:2]:
            return
        entry = before[0]


def _joined_dimension(entry: TensorEntry, parts: list[tuple[int, ...]]) -> int | None:
    """The dimension that grew; None for a new one."""
    if entry.array.ndim != len(parts[0]):
        return None
    grown = [at for at, size in enumerate(entry.array.shape) if int(size) != parts[0][at]]
    return grown[0] if len(grown) == 1 else None


def _side_by_side(
    case: Case, call: ast.Call, node: ast.Call, parts: list[tuple[int, ...]], at: int | None, needed: _Needed
) -> Finding:
    dim = argument_of(node, 1, "dim")
    sizes = " + ".join(str(shape[needed.dim]) for shape in parts)
    left, action = parts[0][needed.dim], f"`dim={needed.dim}`"
    if called(node) in _STACKING:
        torch, imports = case.with_torch()
        text = f"{torch}.cat({case.text(node.args[0])}, dim={needed.dim})"
        edits, action = [*case.replace(node, text), *imports], f"`{text}`"
    else:
        edits = case.replace(dim, str(needed.dim)) if dim is not None else case.argument(node, f"dim={needed.dim}")
    plain = dim is not None or called(node) in _STACKING
    unsaid, unsaid_zh = ("", "") if plain else (", as always without `dim`", "（不写 `dim` 时就是如此）")
    batch, batch_zh = (", the batch", "（批量）") if at == 0 else ("", "")
    how, how_zh = f"joins along dimension {at}{batch}{unsaid}", f"沿第 {at} 维{batch_zh}拼接{unsaid_zh}"
    if at is None:
        how, how_zh = "puts its tensors along a dimension of their own", "把各个张量沿新的一维叠起来"
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} {how}, so the {needed.en} stay {left}; {code(case, call.func)} needs {needed.size} = {sizes}."
        f" Join the {needed.en}: {action}.",
        f"第 {line(node)} 行的 {code(case, node)} {how_zh}，所以{needed.zh}仍是 {left} 个；而 {code(case, call.func)} 需要 {needed.size} = {sizes} 个。请沿{needed.zh}拼接："
        f"{action}。",
        case.fix(edits, node),
        node,
    )
