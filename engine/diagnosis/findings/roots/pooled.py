"""Features that were taken together in front of the layer that needs them: a reduction or a pooling over the wrong dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.layers import failing_linear, running, written
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

_REDUCED: Final = frozenset(
    {"sum", "mean", "amax", "amin", "prod", "logsumexp", "max", "min", "median", "std", "var", "norm"}
)
_POOLS: Final = ("AdaptiveAvgPool1d", "AdaptiveMaxPool1d", "AvgPool1d", "MaxPool1d", "LPPool1d")
_POOLING: Final = frozenset({"adaptive_avg_pool1d", "adaptive_max_pool1d", "avg_pool1d", "max_pool1d", "lp_pool1d"})


@finds(errors.MM_SHAPE)
def _features_together(case: Case) -> Finding | None:
    """``h.max(dim=2).values`` or ``pool(h)`` of (batch, steps, features) in front of a linear layer."""
    outer, call = running(case)
    layer = failing_linear(case, outer)
    if layer is None or call is None or not call.args:
        return None
    needed = int(layer.in_features)
    for node in _before(case, call.args[0]):
        of_torch = isinstance(node.func, ast.Attribute) and case.text(node.func.value) == case.module_alias("torch")
        method = isinstance(node.func, ast.Attribute) and not of_torch and called(node) in _REDUCED
        if called(node) in _REDUCED and (method or (of_torch and node.args)):
            source = node.func.value if method and isinstance(node.func, ast.Attribute) else node.args[0]
            dim = argument_of(node, 0 if method else 1, "dim")
            if (found := _other_dimension(case, call, node, source, dim, needed)) is not None:
                return found
        if _is_pool(case, node) and node.args and (found := _pooled(case, call, node, needed)) is not None:
            return found
    return None


def _before(case: Case, given: ast.expr) -> Iterator[ast.Call]:
    """The calls that an input was computed by, but those of layers with weights."""
    for one in Flow(case).behind(given):
        held = case.value(one.func) if isinstance(one, ast.Call) else None
        weighted = isinstance(held, Layer) and any(part.ndim > 1 for part in held.parameters())
        if isinstance(one, ast.Call) and not weighted:
            yield one


def _is_pool(case: Case, node: ast.Call) -> bool:
    return called(node) in _POOLING or type(case.value(node.func)).__name__ in _POOLS


def _other_dimension(
    case: Case, call: ast.Call, node: ast.Call, source: ast.expr, dim: ast.expr | None, needed: int
) -> Finding | None:
    shape, said = shape_at(case, source), written(dim)
    dims = [said] if isinstance(said, int) else said if isinstance(said, list | tuple) else None
    if shape is None or dim is None or not dims or len(shape) < 3 or not all(isinstance(one, int) for one in dims):
        return None
    own = [one % len(shape) for one in dims]
    features = [at for at, size in enumerate(shape) if size == needed and at]
    if len(features) != 1 or features[0] not in own or 0 in own:
        return None
    others = [at for at in range(1, len(shape)) if at != features[0]]
    if len(others) != len(own):
        return None
    new = str(others[0]) if isinstance(said, int) else _written_as(case.text(dim), others)
    text = text_with(case, node, dim, new)
    which, which_zh = " and ".join(map(str, own)), "、".join(map(str, own))
    plural = "s" if len(own) > 1 else ""
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} takes dimension{plural} {which} of {code(case, source)}, of shape {list(shape)}, away, and the {needed}"
        f" features in dimension {features[0]} are what {code(case, call.func)} needs. Reduce over the rest: `{text}`.",
        f"第 {line(node)} 行的 {code(case, node)} 去掉了 {code(case, source)}（形状 {list(shape)}）的第 {which_zh} 维，而第 {features[0]} 维的 {needed} 个特征正是"
        f" {code(case, call.func)} 需要的。请沿其余的维计算：`{text}`。",
        case.fix(case.replace(dim, new), case.statement(node)),
        node,
    )


def _written_as(before: str, dims: Sequence[int]) -> str:
    inner = ", ".join(map(str, dims))
    return f"[{inner}]" if before.startswith("[") else f"({inner})"


def _pooled(case: Case, call: ast.Call, node: ast.Call, needed: int) -> Finding | None:
    given = node.args[0]
    tensor = Flow(case).tensor(given)
    shape = tuple(map(int, tensor.shape)) if isinstance(tensor, Tensor) else ()
    if len(shape) != 3 or shape[2] != needed or shape[1] == needed:
        return None
    inner = case.text(given) if isinstance(given, ast.Name | ast.Attribute | ast.Call) else f"({case.text(given)})"
    text = text_with(case, node, given, f"{inner}.transpose(1, 2)")
    return finding(
        case,
        f"{code(case, node)} on line {line(node)} pools the last dimension of {code(case, given)}, of shape {list(shape)}, and its {needed} features"
        f" are what {code(case, call.func)} needs: pooling takes the features in dimension 1. Move them there: `{text}`.",
        f"第 {line(node)} 行的 {code(case, node)} 池化的是 {code(case, given)}（形状 {list(shape)}）的最后一维，而其中的 {needed} 个特征正是"
        f" {code(case, call.func)} 需要的：池化要求特征在第 1 维。请先移过去：`{text}`。",
        case.fix(case.followed(given, ".transpose(1, 2)"), case.statement(node)),
        node,
    )
