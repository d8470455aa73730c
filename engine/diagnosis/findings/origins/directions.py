"""Why there are twice as many features: a recurrent layer that goes both ways."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.words import code, line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer

_JOINING = ("cat", "concat", "hstack", "flatten", "reshape", "view")


def both_ways(case: Case, given: ast.expr, size: int) -> tuple[str, str]:
    """That a bidirectional layer gave the features of an input, as a sentence; nothing where none did."""
    joining: ast.Call | None = None
    for count, one in enumerate(Flow(case).behind(given)):
        if count > _MOST:
            break
        if not isinstance(one, ast.Call):
            continue
        if called(one) in _JOINING:
            joining = joining or one
        layer = case.value(one.func)
        if not isinstance(layer, Layer) or not getattr(layer, "bidirectional", False):
            continue
        made, hidden = _made(case, layer), int(getattr(layer, "hidden_size", 0))
        if made is None or size != 2 * hidden:
            continue
        joined, joined_zh = "gives that for each step", "每一步给出"
        if joining is not None and line(joining) != line(one):
            joined = f"{code(case, joining)} on line {line(joining)} joins both"
            joined_zh = f"第 {line(joining)} 行的 {code(case, joining)} 把两者拼在一起，得到"
            return (
                f" {code(case, made)} on line {line(made)} is bidirectional, with {hidden} numbers for each direction, and {joined}: 2 × {hidden} = {size}.",
                f"第 {line(made)} 行的 {code(case, made)} 是双向的，每个方向 {hidden} 个数，{joined_zh} 2 × {hidden} = {size}。",
            )
        return (
            f" {code(case, made)} on line {line(made)} is bidirectional and {joined}: {hidden} for each direction, 2 × {hidden} = {size}.",
            f"第 {line(made)} 行的 {code(case, made)} 是双向的，{joined_zh}两个方向各 {hidden} 个数，即 2 × {hidden} = {size}。",
        )
    return "", ""


def _made(case: Case, layer: Layer) -> ast.Call | None:
    """The one call of the program that made such a layer go both ways."""
    calls = [one for one in case.nodes(ast.Call) if called(one) == type(layer).__name__]
    found = [one for one in calls if any(word.arg == "bidirectional" for word in one.keywords)]
    return found[0] if len(found) == 1 else None


_MOST = 80
