"""A batch that was flattened with its samples: all of them in one row."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import failing_linear, maker_of, running, written
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.MM_SHAPE)
def _batch_flattened(case: Case) -> Finding | None:
    """``nn.Flatten(0)`` or ``torch.flatten(x)`` before a layer."""
    outer, _ = running(case)
    layer, given = failing_linear(case, outer), case.details.get("mat1")
    made = maker_of(case, layer) if layer is not None else None
    if layer is None or made is None or not isinstance(given, tuple | list) or len(given) != 2 or given[0] != 1:
        return None
    whole, needed = int(given[1]), int(layer.in_features)
    if not needed or whole % needed or whole == needed:
        return None
    for one in case.nodes(ast.Call):
        name, numbers = (
            called(one),
            [written(each) for each in one.args],
        )
        of_layer = name == "Flatten" and (
            0 in numbers or any(each.arg == "start_dim" and written(each.value) == 0 for each in one.keywords)
        )
        method = name == "flatten" and isinstance(one.func, ast.Attribute) and 1 not in numbers
        if not (of_layer or method) or any(each.arg == "start_dim" for each in one.keywords if method):
            continue
        of_torch = (
            method and isinstance(one.func, ast.Attribute) and case.text(one.func.value) == case.module_alias("torch")
        )
        inside = [case.text(one.args[0])] if of_torch and one.args else []
        text = f"{case.text(one.func)}({', '.join([*inside, *(['1'] if method else [])])})"
        return finding(
            case,
            f"{code(case, one)} on line {line(one)} flattens the batch, too: all {whole // needed} samples become one row of {whole} numbers, and"
            f" {code(case, made)} takes {needed} for each sample. Keep dimension 0: `{text}`.",
            f"第 {line(one)} 行的 {code(case, one)} 把批量维也展平了：{whole // needed} 个样本变成了一行 {whole} 个数，而 {code(case, made)} 要求每个样本"
            f" {needed} 个。请保留第 0 维：`{text}`。",
            write(case, one, text),
            one,
        )
    return None
