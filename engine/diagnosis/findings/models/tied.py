"""A weight that two layers are to share, put in its place as what was computed from the other: compute with it where it is used."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, lines_of_all
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit

_COPIES = ("detach", "data", "clone")


@dataclass(frozen=True)
class _Tie:
    """``self.dec.weight = self.enc.weight.t()``: the statement, its two sides, and the parameter on the right."""

    statement: ast.Assign
    target: ast.Attribute
    value: ast.expr
    source: ast.Attribute


@finds(errors.MODULE_ASSIGNMENT)
def _tied(case: Case) -> Finding | None:
    """What is computed from a parameter is none."""
    tie = _tie_at(case)
    if tie is None:
        return None
    uses, shown = _uses(case, tie), code(case, tie.source)
    why = (
        f"{code(case, tie.value)} is computed from {shown}, and only a parameter can take the place of `{tie.target.attr}`; a new parameter"
        f" of these numbers would be trained apart from {shown}. To share one weight,"
    )
    why_zh = f"{code(case, tie.value)} 是由 {shown} 算出的，而 `{tie.target.attr}` 的位置只能放参数；用这些数新建的参数会与 {shown} 分开训练。要共用一个权重，"
    away = f"{case.text(tie.target)} = None"
    if not uses:
        return finding(
            case,
            f"{why} write `{away}` on line {line(tie.statement)}, and compute with {code(case, tie.value)} where the layer is used.",
            f"{why_zh}请在第 {line(tie.statement)} 行写 `{away}`，在用到这一层的地方直接用 {code(case, tie.value)} 计算。",
            (),
            tie.value,
        )
    torch, imports = case.with_torch()
    texts = [
        _written(case, tie, one, case.module_alias("torch.nn.functional") or f"{torch}.nn.functional") for one in uses
    ]
    edits: list[Edit] = case.replace(tie.value, "None") + (imports if torch in texts[0] else [])
    edits += [edit for one, text in zip(uses, texts, strict=True) for edit in case.replace(one, text)]
    rest, rest_zh = lines_of_all([line(one) for one in uses[1:]]) if len(uses) > 1 else ("", "")
    more = f", and likewise on {rest[0].lower()}{rest[1:]}" if rest else ""
    more_zh = f"，{rest_zh}同样" if rest else ""
    return finding(
        case,
        f"{why} leave the place empty on line {line(tie.statement)}, `{away}`, and compute with it where the layer is used, on line {line(uses[0])}:"
        f" `{texts[0]}`{more}.",
        f"{why_zh}请让第 {line(tie.statement)} 行的位置空着：`{away}`，并在第 {line(uses[0])} 行用到这一层的地方直接计算：`{texts[0]}`{more_zh}。",
        apply(case, edits, f"Compute with {code(case, tie.value)}", f"直接用 {code(case, tie.value)} 计算"),
        tie.value,
    )


def _tie_at(case: Case) -> _Tie | None:
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return None
    target, value = statement.targets[0], statement.value
    inside = [one for one in ast.walk(value) if isinstance(one, ast.Attribute)]
    source = next((one for one in inside if one is not value and one.attr in ("weight", "bias")), None)
    if source is None or not isinstance(value, ast.Call | ast.BinOp | ast.Attribute | ast.Subscript):
        return None
    return None if any(one.attr in _COPIES for one in inside) else _Tie(statement, target, value, source)


def _uses(case: Case, tie: _Tie) -> list[ast.Call]:
    """The calls of a linear layer whose weight is shared; of a model's layer those in its class."""
    held = case.value(tie.target.value)
    if tie.target.attr != "weight" or type(held).__name__ != "Linear":
        return []
    layer, inside = case.text(tie.target.value), case.enclosing(tie.statement, ast.ClassDef)
    name = inside.name if inside is not None else ""
    if (owner := _model(case, tie)) is not None:
        layer, name = layer.replace(f"{owner.id}.", "self.", 1), type(case.value(owner)).__name__
    return [
        one
        for one in case.nodes(ast.Call)
        if case.text(one.func) == layer
        and getattr(case.enclosing(one, ast.ClassDef), "name", "") == name
        and len(one.args) == 1
        and not one.keywords
        and not isinstance(one.args[0], ast.Starred)
    ]


def _model(case: Case, tie: _Tie) -> ast.Name | None:
    """The variable of the model, where its layers are named from outside of its class: ``net.dec.weight = ...``."""
    owner = getattr(tie.target.value, "value", None)
    outside = isinstance(owner, ast.Name) and owner.id != "self" and isinstance(case.value(owner), Layer)
    return owner if outside and isinstance(owner, ast.Name) else None


def _written(case: Case, tie: _Tie, use: ast.Call, functional: str) -> str:
    """What computes with the shared weight in the place of a call of the layer."""
    layer, value = case.text(use.func), case.text(tie.value)
    if (owner := _model(case, tie)) is not None:
        value = re.sub(rf"\b{owner.id}\.", "self.", value)
    bias = f", {layer}.bias" if getattr(case.value(tie.target.value), "bias", None) is not None else ""
    return f"{functional}.linear({case.text(use.args[0])}, {value}{bias})"
