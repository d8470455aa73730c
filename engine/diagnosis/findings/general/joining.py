"""Tensors that are joined and agree in too few sizes."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import shape_at, size_source, size_told
from gradflow.engine.diagnosis.findings.layers import constant
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.CAT_SIZE)
def _sizes(case: Case) -> Finding | None:
    """``torch.cat([a, b], dim=1)`` of different numbers of rows."""
    call = case.find(ast.Call)
    listed = call.args[0] if call is not None and call.args else None
    if call is None or not isinstance(listed, ast.List | ast.Tuple):
        return None
    shapes = [(one, shape) for one in listed.elts if (shape := shape_at(case, one)) is not None]
    given = argument_of(call, 1, "dim")
    dim = (
        constant(case, given)
        if given is not None and not isinstance(given, ast.UnaryOp)
        else -1
        if given is not None
        else 0
    )
    if len(shapes) < 2 or len({len(shape) for _, shape in shapes}) != 1 or not isinstance(dim, int):
        return None
    dim %= len(shapes[0][1])
    first, base = shapes[0]
    for other, shape in shapes[1:]:
        differing = [at for at, (a, b) in enumerate(zip(base, shape, strict=True)) if a != b and at != dim]
        if not differing:
            continue
        at = differing[0]
        told = [
            one for node, size in ((first, base[at]), (other, shape[at])) if (one := size_told(case, node, size))[0]
        ]
        whose, whose_zh = (
            (f" ({', '.join(one[0] for one in told)})", f"（{'，'.join(one[1] for one in told)}）")
            if told
            else ("", "")
        )
        alone = len(differing) == 1 and base[dim] == shape[dim]
        known = FIXERS.get(errors.CAT_SIZE.code)
        other_way = f"; to put them behind one another in that dimension, `dim={at}`" if alone else ""
        other_way_zh = f"；如果要沿那一维接起来，请写 `dim={at}`" if alone else ""
        source = size_source(case, other, shape[at])
        return finding(
            case,
            f"{code(case, first)} has the shape {list(base)} and {code(case, other)} {list(shape)}; joined along dimension {dim}, they must agree in"
            f" dimension {at}, and there are {base[at]} and {shape[at]}{whose}. Make both the same there{other_way}.",
            f"{code(case, first)} 的形状是 {list(base)}，{code(case, other)} 是 {list(shape)}；沿第 {dim} 维拼接时，第 {at} 维必须一致，而这里是 {base[at]} 和"
            f" {shape[at]}{whose_zh}。请让那一维相同{other_way_zh}。",
            (known(case) if known is not None and alone else None) or (),
            source[0] if source is not None else None,
        )
    return None
