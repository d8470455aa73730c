"""Sizes of a linear layer that a function of the program computes, and computes wrongly."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.kindred.flattened import flattened
from gradflow.engine.diagnosis.findings.layers import failing_linear, first_size, maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import number
from gradflow.engine.diagnosis.findings.words import code, finding, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.transposed import sizes
from gradflow.engine.diagnosis.flow import Flow, returned


@finds(errors.MM_SHAPE)
def _from_function(case: Case) -> Finding | None:
    """``nn.Linear(flat_size(side, channels), 10)``, where ``flat_size`` forgets what the convolutions take away."""
    given, weight = sizes(case.details.get("mat1")), sizes(case.details.get("mat2"))
    outer, call = running(case)
    layer = failing_linear(case, outer)
    made = maker_of(case, layer) if layer is not None else None
    first = first_size(made) if made is not None else None
    if call is None or made is None or not isinstance(first, ast.Call) or len(given) != 2 or len(weight) != 2:
        return None
    functions = Flow(case).called(first)
    results = returned(functions[0]) if len(functions) == 1 else []
    maps = flattened(case, call, (given[0], given[1]))
    if (
        len(results) != 1
        or isinstance(results[0], ast.Call)
        or maps is None
        or not isinstance(functions[0], ast.FunctionDef)
    ):
        return None
    shape, result = [int(one) for one in maps[0].array.shape], results[0]
    text = _in_names(case, first, shape[1:])
    name, whole = functions[0].name, text_with(case, made, first, text)
    return finding(
        case,
        f"{code(case, first)} gives {weight[0]} for {code(case, made)} on line {line(made)}, by {code(case, result)} on line {line(result)}, and what is flattened for it has the shape"
        f" {shape}, {given[1]} numbers for each sample. Correct `{name}` on line {line(result)}, so that it gives {given[1]}; or make the layer for these maps: `{whole}`.",
        f"{code(case, first)} 为第 {line(made)} 行的 {code(case, made)} 给出 {weight[0]}（由第 {line(result)} 行的 {code(case, result)} 算出），而为它展平的张量形状是 {shape}，每个样本有"
        f" {given[1]} 个数。请改正第 {line(result)} 行的 `{name}`，使它给出 {given[1]}；或者按这些特征图创建这一层：`{whole}`。",
        write(case, first, text, made),
        result,
    )


def _in_names(case: Case, first: ast.Call, shape: list[int]) -> str:
    """The sizes of the maps as a product: the channels by the name that the function is given for them."""
    names = [one for one in first.args if isinstance(one, ast.Name | ast.Attribute) and number(case, one) == shape[0]]
    texts = [case.text(names[0]) if len(names) == 1 else str(shape[0]), *map(str, shape[1:])]
    return " * ".join(texts)
