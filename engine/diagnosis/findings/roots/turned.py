"""Masks that lie across because what they were made of was transposed before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import padding_mask, shape_at
from gradflow.engine.diagnosis.findings.layers import written
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.MODULE_ASSERTION, errors.MODULE_RUNTIME)
def _made_of_turned(case: Case) -> Finding | None:
    """``(ids.t() == PAD)`` for a model that has the batch first."""
    told = padding_mask(case)
    if told is None:
        return None
    given, rows, wrong = told
    for one in _behind(case, given.value):
        inner = _transposed(one)
        if inner is None or one is given.value:
            continue
        shape, turned = shape_at(case, inner), shape_at(case, one)
        if (shape or (turned or ())[::-1]) != (rows, wrong):
            continue
        shape = rows, wrong
        name = case.text(inner)
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} turns {code(case, inner)}, which has the shape {list(shape)}, round, and {code(case, given.value)} is"
            f" made of that; but `{given.arg}` has one row for each of the {rows} samples and one column for each step, as {code(case, inner)} itself."
            f" Leave the transposition out: `{name}`.",
            f"第 {line(one)} 行的 {code(case, one)} 把形状为 {list(shape)} 的 {code(case, inner)} 转置了，{code(case, given.value)} 就是由它得到的；而"
            f" `{given.arg}` 应为 {rows} 个样本各一行、每一步一列，与 {code(case, inner)} 本身一样。请不要转置：`{name}`。",
            case.fix(case.replace(one, name), case.statement(one)),
            one,
        )
    return None


def _behind(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    """What a mask was made of; of one that is handed on under its name, also what other functions call so."""
    yield from Flow(case).behind(node)
    for one in case.nodes(ast.Assign) if isinstance(node, ast.Name) else ():
        if isinstance(node, ast.Name) and node.id in [case.text(target) for target in one.targets]:
            yield from Flow(case).behind(one.value)


def _transposed(node: ast.expr) -> ast.expr | None:
    """What a transposition of two dimensions turns round."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="t"), args=[]):
            return inner
        case ast.Attribute(value=inner, attr="T" | "mT"):
            return inner
        case ast.Call(func=ast.Attribute(value=inner), args=[first, second]) if called(node) in (
            "transpose",
            "permute",
            "swapaxes",
        ):
            dims = written(first), written(second)
            swaps = dims == (1, 0) if called(node) == "permute" else set(dims) in ({0, 1}, {-1, -2}, {0, -1})
            return inner if swaps else None
    return None
