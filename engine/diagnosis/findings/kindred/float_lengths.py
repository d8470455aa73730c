"""Lengths of a random split that are numbers with a point: ``0.8 * len(data)``."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of


@finds(errors.INVALID_COMBINATION)
def _lengths_with_a_point(case: Case) -> Finding | None:
    """``random_split(data, [0.8 * len(data), 0.2 * len(data)])``."""
    call = case.find(ast.Call)
    if call is None or called(call) != "random_split" or case.details.get("function") != "randperm":
        return None
    lengths = argument_of(call, 1, "lengths")
    if isinstance(lengths, ast.Name):
        lengths = next(iter(Flow(case).assigned(lengths, lengths.id)), None)
    if not isinstance(lengths, ast.List | ast.Tuple):
        return None
    parts = list(dict.fromkeys(one for length in lengths.elts for one in _parts(case, length)))
    if not parts:
        return None
    fractions = [one[1] for one in parts]
    first = parts[0][0]
    en = (
        f"{code(case, first)} on line {line(first)} is a `float`, also where it is whole, and `random_split` takes either lengths that are whole numbers or"
        f" fractions that add up to 1."
    )
    zh = f"第 {line(first)} 行的 {code(case, first)} 是 `float`（即使它是整数值），而 `random_split` 只接受整数长度，或者加起来等于 1 的比例。"
    if len(parts) == 1 and len(lengths.elts) > 1:
        text = f"int({case.text(first)})"
        return finding(
            case,
            f"{en} Make it whole: `{text}`.",
            f"{zh}请取整：`{text}`。",
            case.fix(case.wrapped(first, "int(", ")"), case.statement(first)) or (),
            first,
        )
    if len(parts) == len(lengths.elts) and math.isclose(sum(fractions), 1):
        text = f"[{', '.join(f'{one:g}' for one in fractions)}]"
        return finding(
            case,
            f"{en} Give the fractions: `{text}`.",
            f"{zh}请直接给出比例：`{text}`。",
            case.fix(case.replace(lengths, text), case.statement(lengths)) or (),
            first,
        )
    return None


def _parts(case: Case, length: ast.expr) -> Iterator[tuple[ast.BinOp, float]]:
    """The product with a fraction that a length is."""
    if isinstance(length, ast.Name):
        length = next(iter(Flow(case).assigned(length, length.id)), length)
    match length:
        case (
            ast.BinOp(left=ast.Constant(value=float(fraction)), op=ast.Mult())
            | ast.BinOp(op=ast.Mult(), right=ast.Constant(value=float(fraction)))
        ):
            yield length, fraction
