"""Tensors joined along another dimension than the one whose sizes were to add up: their channels or their features."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_FAR: Final = 6
_SIZES: Final = ("in_channels", "num_features", "input_size")


@dataclass(frozen=True)
class _Needed:
    """The size that a layer needs in a dimension of its input, and what the numbers there are called."""

    size: int
    dim: int
    en: str
    zh: str


@finds(errors.CONV_CHANNELS, errors.CHANNEL_COUNT, errors.MODULE_RUNTIME)
def _joined_elsewhere(case: Case) -> Finding | None:
    """``torch.cat([up, skip])`` in front of a convolution for the channels of both."""
    call = case.find(ast.Call)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    needed = _needed(case, given) if given is not None else None
    if call is None or given is None or given._entry is None or needed is None or not _is_first(case, call, needed):
        return None
    for entry in _back(given._entry, needed.dim):
        parts = [tuple(map(int, one.array.shape)) for one in operands_of(entry)]
        span = case.context.span_at(entry.place)
        node = case.find(ast.Call, span) if span is not None else None
        if node is None or not _is_joined(entry):
            continue
        at = _joined_dimension(entry, parts)
        if at is None or at == needed.dim or sum(shape[needed.dim] for shape in parts) != needed.size:
            return None
        return _side_by_side(case, call, node, parts, at, needed)
    return None


def _needed(case: Case, given: Tensor) -> _Needed | None:
    """What the error says that is needed."""
    channels = "channels", "通道"
    weight, wanted = case.details.get("weight"), case.details.get("given")
    if isinstance(weight, list | tuple) and given.dim() == len(weight) and given.dim() > 2:
        groups = case.details.get("groups", 1)
        return _Needed(int(weight[1]) * (groups if isinstance(groups, int) else 1), 1, *channels)
    if isinstance(case.details.get("channels"), int) and isinstance(wanted, int) and given.dim() > 1:
        return _Needed(wanted, 1, *channels)
    told = re.search(r"equal to input_size\. Expected (\d+), got", str(case.details.get("message", "")))
    return _Needed(int(told[1]), given.dim() - 1, "features", "特征") if told is not None else None


def _is_first(case: Case, call: ast.Call, needed: _Needed) -> bool:
    """Whether the first layer that the input meets, in a row of them, is the one that needs this size."""
    layer = case.value(call.func)
    if not isinstance(layer, Layer):
        return True  # a function, and its weight
    sizes = (getattr(one, word, None) for one in layer.modules() for word in _SIZES)
    return next((size for size in sizes if size is not None), None) == needed.size


def _back(entry: TensorEntry, dim: int) -> Iterator[TensorEntry]:
    """A tensor, and what it was computed from by steps that leave its size in a dimension."""
    size = entry.array.shape[dim]
    for _ in range(_FAR):
        yield entry
        before = operands_of(entry)
        if not before or before[0].array.ndim != entry.array.ndim or before[0].array.shape[dim] != size:
            return
        entry = before[0]


def _is_joined(entry: TensorEntry) -> bool:
    return entry.node is not None and entry.node.op is not None and entry.node.op.name == "cat"


def _joined_dimension(entry: TensorEntry, parts: list[tuple[int, ...]]) -> int | None:
    grown = [at for at, size in enumerate(entry.array.shape) if parts and int(size) != parts[0][at]]
    return grown[0] if len(grown) == 1 and len(parts) > 1 else None


def _side_by_side(
    case: Case, call: ast.Call, node: ast.Call, parts: list[tuple[int, ...]], at: int, needed: _Needed
) -> Finding:
    dim = argument_of(node, 1, "dim")
    edits = case.replace(dim, str(needed.dim)) if dim is not None else case.argument(node, f"dim={needed.dim}")
    sizes = " + ".join(str(shape[needed.dim]) for shape in parts)
    left = parts[0][needed.dim]
    unsaid, unsaid_zh = ("", "") if dim is not None else (", as always without `dim`", "（不写 `dim` 时就是如此）")
    batch, batch_zh = (", the batch", "（批量）") if at == 0 else ("", "")
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} joins along dimension {at}{batch}{unsaid},"
        f" so the {needed.en} stay {left}; {code(case, call.func)} needs {needed.size} = {sizes}. Join the {needed.en}: `dim={needed.dim}`.",
        f"第 {line(node)} 行的 {code(case, node)} 沿第 {at} 维{batch_zh}拼接{unsaid_zh}，所以{needed.zh}仍是 {left} 个；而 {code(case, call.func)} 需要"
        f" {needed.size} = {sizes} 个。请沿{needed.zh}拼接：`dim={needed.dim}`。",
        case.fix(edits, node),
        node,
    )
