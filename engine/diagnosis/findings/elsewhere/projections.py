"""A residual sum of other channels than its input: the shortcut gives the input back as it came, for its projection was not made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import Change, changes, operands_of
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

_CHANNELS = ("Conv", "Linear", "LazyConv")


@dataclass(frozen=True)
class _Sum:
    """The two sides of a sum: what was computed from the input, and what only hands the input on."""

    computed: ast.expr
    kept: ast.expr
    source: ast.expr
    change: Change


@dataclass(frozen=True)
class _Condition:
    """Under what a projection is made, in a class, and whether it is made where that holds."""

    test: ast.expr
    projection: ast.Call
    where_true: bool


@finds(errors.SHAPE_BROADCAST)
def _not_projected(case: Case) -> Finding | None:
    """``self.shortcut(x)`` of an empty `Sequential`, where ``if stride != 1 and c_in != c_out`` would have made a convolution."""
    node = case.find(ast.BinOp)
    met = _sum(case, node) if node is not None and isinstance(node.op, ast.Add | ast.Sub) else None
    if met is None:
        return None
    conditions = list(_conditions(case, met))
    if len(conditions) == 1:
        return _under_condition(case, met, conditions[0])
    return _without_any(case, met) if isinstance(met.kept, ast.Call) and not conditions else None


def _sum(case: Case, node: ast.BinOp) -> _Sum | None:
    flow = Flow(case)
    for kept, computed in ((node.left, node.right), (node.right, node.left)):
        source = _handed_on(case, kept)
        first = flow.tensor(source) if source is not None else None
        last = flow.tensor(computed)
        if source is None or first is None or last is None or first._entry is None or last._entry is None:
            continue
        back = _differing(first, last)
        found = changes(first._entry, last._entry, back) if back else []
        if len(found) >= 1 and found[-1].after == int(last.shape[-back]) != found[0].before:
            return _Sum(computed, kept, source, found[0])
    return None


def _differing(first: Tensor, last: Tensor) -> int:
    """The dimension of the channels, counted from the last, if it is the only one that does not fit; else 0."""
    if first.dim() != last.dim() or first.dim() < 2:
        return 0
    own, other = tuple(first.shape), tuple(last.shape)
    found = [at for at in range(len(own)) if own[at] != other[at] and 1 not in (own[at], other[at])]
    channels = (1, len(own) - 1) if len(own) < 4 else (1,)
    return len(own) - found[0] if len(found) == 1 and found[0] in channels else 0


def _handed_on(case: Case, node: ast.expr) -> ast.expr | None:
    """What a side of a sum is: an input, or what a layer that does nothing was given."""
    match node:
        case ast.Call(func=func, args=[given]) if _does_nothing(case.value(func)):
            return given
        case ast.Name():
            return node
    return None


def _does_nothing(held: object) -> bool:
    if not isinstance(held, Layer):
        return False
    kind = type(held).__name__
    return kind == "Identity" or (kind == "Sequential" and all(_does_nothing(one) for one in held.children()))


# ---- the condition


def _conditions(case: Case, met: _Sum) -> Iterator[_Condition]:
    """The conditions under which the class would have made the projection of the sum."""
    owner, held = case.enclosing(met.kept, ast.ClassDef), case.values.get("self")
    if owner is None and (statement := case.statement(case.find(ast.expr) or met.kept)) is not None:
        owner = case.enclosing(statement, ast.ClassDef)
    for one in ast.walk(owner) if owner is not None and isinstance(held, Layer) else ():
        match one:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                now = getattr(held, name, None)
                if now is None or _does_nothing(now):
                    yield from _around(case, one, value)


def _around(case: Case, statement: ast.Assign, value: ast.expr) -> Iterator[_Condition]:
    if isinstance(value, ast.IfExp):
        for part, where_true in ((value.body, True), (value.orelse, False)):
            if (made := _projection(case, part)) is not None:
                yield _Condition(value.test, made, where_true)
        return
    outer, made = case.parents.get(statement), _projection(case, value)
    if isinstance(outer, ast.If) and made is not None:
        yield _Condition(outer.test, made, statement in outer.body)


def _projection(case: Case, value: ast.expr) -> ast.Call | None:
    """The first layer of an expression that gives other channels than it takes."""
    calls = [one for one in ast.walk(value) if isinstance(one, ast.Call) and len(one.args) >= 2]
    named = [one for one in calls if case.text(one.func).split(".")[-1].startswith(_CHANNELS)]
    return next((one for one in named if case.text(one.args[0]) != case.text(one.args[1])), None)


def _under_condition(case: Case, met: _Sum, condition: _Condition) -> Finding:
    text = _widened(case, condition)
    test, at = code(case, condition.test), line(condition.test)
    when, when_zh = (
        (
            f"under the condition {test} on line {at}, which does not hold here",
            f"在条件 {test}（第 {at} 行）成立时才创建，而这里它不成立",
        )
        if condition.where_true
        else (
            f"where {test} (line {at}) does not hold, and here it does",
            f"在 {test}（第 {at} 行）不成立时才创建，而这里它成立",
        )
    )
    told, told_zh = _told(case, met)
    return finding(
        case,
        f"{told} The projection {code(case, condition.projection)} (line {line(condition.projection)}) is made only {when}."
        f" It is needed wherever the two sizes differ: `{text}`.",
        f"{told_zh}第 {line(condition.projection)} 行的投影 {code(case, condition.projection)} 只{when_zh}。只要两个大小不同就需要它：`{text}`。",
        case.fix(case.replace(condition.test, text), condition.test) or (),
        condition.test,
    )


def _widened(case: Case, condition: _Condition) -> str:
    """The condition, so that it also holds where the channels differ; that of the other case where it is turned round."""
    whole, strict, sign = ("or", ast.And, "!=") if condition.where_true else ("and", ast.Or, "==")
    sizes = [case.text(one) for one in condition.projection.args[:2]]
    differ = [f"{a} {sign} {b}" for a, b in (sizes, sizes[::-1])]
    test = condition.test
    if isinstance(test, ast.BoolOp) and isinstance(test.op, strict):
        parts = [case.text(one) for one in test.values]
        if any(one.strip("()") in differ for one in parts):
            return f" {whole} ".join(parts)
        return f"({case.text(test)}) {whole} {differ[0]}"
    return f"{case.text(test)} {whole} {differ[0]}"


# ---- words


def _told(case: Case, met: _Sum) -> tuple[str, str]:
    made = _layer_of(case, met.change) or case.at(ast.expr, met.change.entry.place)
    shown = code(case, made) if made is not None else "its layer"
    shown_zh = code(case, made) if made is not None else "其中的层"
    at, at_zh = (f" (line {line(made)})", f"第 {line(made)} 行的 ") if made is not None else ("", "")
    before, after = met.change.before, met.change.after
    flat = met.change.entry.array.ndim < 3
    what, what_zh = ("features", "特征") if flat else ("channels", "通道")
    source, kept = code(case, met.source), code(case, met.kept)
    same, same_zh = (
        (f"while {kept} gives {source} back as it came", f"而 {kept} 把 {source} 原样交了回来")
        if isinstance(met.kept, ast.Call)
        else (f"while {source} is added as it came", f"而相加的 {source} 还是原样")
    )
    return (
        f"{code(case, met.computed)} was computed from {source}, and on the way {shown}{at} makes {after} {what} of {before}, {same}.",
        f"{code(case, met.computed)} 是由 {source} 算出的，途中{at_zh}{shown_zh} 把 {before} 个{what_zh}变成了 {after} 个，{same_zh}。",
    )


def _layer_of(case: Case, change: Change) -> ast.Call | None:
    """Where the layer was made whose weight changed the channels."""
    weights = [one.tensor for each in operands_of(change.entry) for one in (each, each.view_of) if one is not None]
    for held in case.values.values():
        for layer in held.modules() if isinstance(held, Layer) else ():
            if any(getattr(layer, "weight", None) is one for one in weights):
                return maker_of(case, layer)
    return None


def _without_any(case: Case, met: _Sum) -> Finding:
    """A shortcut that never has a projection."""
    assert isinstance(met.kept, ast.Call)
    torch, _ = case.with_torch()
    before, after = met.change.before, met.change.after
    shown = case.text(met.kept.func)
    made = next((one.value for one in case.nodes(ast.Assign) if case.text(one.targets[0]) == shown), None)
    ndim = getattr(Flow(case).tensor(met.source), "ndim", 2)
    kind = f"Conv{ndim - 2}d({before}, {after}, 1)" if ndim > 2 else f"Linear({before}, {after})"
    told, told_zh = _told(case, met)
    at, at_zh = (f" (line {line(made)})", f"（第 {line(made)} 行）") if made is not None else ("", "")
    return finding(
        case,
        f"{told} Where the two sizes differ, let {code(case, met.kept.func)}{at} be a layer that brings them to {after}, such as `{torch}.nn.{kind}`.",
        f"{told_zh}两个大小不同时，请让 {code(case, met.kept.func)}{at_zh} 用一层把它变成 {after} 个，例如 `{torch}.nn.{kind}`。",
        (),
        made or met.kept,
    )
