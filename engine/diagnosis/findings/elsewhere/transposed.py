"""Transposed convolutions that lead back to a size that is too small by a step: ``output_padding`` is left out."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.provenance import Change
from gradflow.engine.sandbox.positions import argument_of


def too_small(
    case: Case, source: ast.expr, end: ast.expr, found: Sequence[Change], said: tuple[str, str]
) -> Finding | None:
    """28, 14, 7 and then 13, 25, where each step back could have given one more.

    Where it doubles exactly, 12 and then 24, the side of the input is the mistake.
    """
    smaller, larger = [one for one in found if one.after < one.before], [one for one in found if one.after > one.before]
    wanted = [one.before for one in reversed(smaller)]
    if [*smaller, *larger] != list(found) or len(wanted) != len(larger):
        return None
    if all(one.after % one.before == 0 for one in larger):
        return None
    makers: dict[ast.Call, int] = {}
    told, size = list[str](), larger[0].before if larger else 0
    for change, want in zip(larger, wanted, strict=True):
        made = _maker(case, change)
        step = (change.entry.node.settings or (None,))[0] if change.entry.node is not None else None
        stride = step[-1] if isinstance(step, tuple) and step else step
        if made is None or not isinstance(stride, int) or argument_of(made, 5, "output_padding") is not None:
            return None
        more = want - (change.after + stride * (size - change.before))
        if not 0 <= more < stride or makers.setdefault(made, more) != more:
            return None
        told, size = [*told, f"{change.before} → {change.after}"], want
    short = {made: more for made, more in makers.items() if more}
    if not short or size != found[0].before:
        return None
    first, *_ = short
    text = f"output_padding={short[first]}"
    places, places_zh = (
        joined([f"{code(case, one)} (line {line(one)})" for one in short], "en"),
        joined([f"{code(case, one)}（第 {line(one)} 行）" for one in short], "zh"),
    )
    edits = [edit for one, more in short.items() for edit in case.argument(one, f"output_padding={more}")]
    each, each_zh = ("both" if len(short) == 2 else "each", "都") if len(short) > 1 else ("it", "")
    return finding(
        case,
        f"{said[0]} On the way back {places} make{'s' if len(short) == 1 else ''} {', '.join(told)}, and {size} is wanted in the end: a stride leaves open how"
        f" large the side was that it came from. Say it: `{text}` in {each}.",
        f"{said[1]}回来的路上 {places_zh} 得到 {'，'.join(told)}，而最后应当是 {size}：步幅没有说明原来的边长是哪一个。请说明它：{each_zh}加上 `{text}`。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        first,
    )


def _maker(case: Case, change: Change) -> ast.Call | None:
    """Where the transposed convolution that made a tensor was made: there its weights were drawn."""
    node = change.entry.node
    for operand in node.inputs if node is not None else ():
        made = case.at(ast.Call, operand.first.place) if operand.is_leaf and operand.requires_grad else None
        if made is not None and called(made).startswith("ConvTranspose"):
            return made
    return None
