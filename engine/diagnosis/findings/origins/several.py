"""Several numbers where one is needed: which loss was not reduced, and over what to take the mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


def unreduced(case: Case, node: ast.expr) -> Iterator[ast.Call]:
    """The losses behind a value that give one number for each sample."""
    for one in Flow(case).behind(node):
        if not isinstance(one, ast.Call):
            continue
        layer = case.value(one.func)
        made = maker_of(case, layer) if isinstance(layer, Layer) else one
        for keyword in made.keywords if made is not None else ():
            if made is not None and keyword.arg == "reduction" and getattr(keyword.value, "value", "") == "none":
                yield made


@finds(errors.ITEM_NOT_SCALAR)
def _item_of_several(case: Case) -> Finding | None:
    """``loss.item()`` of a loss with ``reduction="none"``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value
    made, held = next(unreduced(case, owner), None), Flow(case).tensor(owner)
    if made is None or held is None:
        return None
    text = f"{case.text(owner)}.mean().item()"
    return finding(
        case,
        f'{code(case, owner)} holds {held.numel()} numbers, for {code(case, made)} on line {line(made)} is told `reduction="none"` and gives one'
        f" for each sample; `item()` takes one number. Take their mean first: `{text}`.",
        f'{code(case, owner)} 有 {held.numel()} 个数，因为第 {line(made)} 行的 {code(case, made)} 写了 `reduction="none"`，为每个样本给出一个；而 `item()` '
        f"只能取一个数。请先取平均：`{text}`。",
        case.fix(case.followed(owner, ".mean()"), call),
        made,
    )
