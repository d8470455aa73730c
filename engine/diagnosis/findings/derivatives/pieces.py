"""A gradient with respect to a piece that was cut afterwards."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow


@finds(errors.UNUSED_INPUT)
def _new_piece(case: Case) -> Finding | None:
    """``grad(y, x[0])``: the index makes a tensor that the computation never saw."""
    call, index = case.find(ast.Call), case.details.get("index")
    if call is None or len(call.args) < 2 or not isinstance(index, int):
        return None
    wanted = call.args[1].elts if isinstance(call.args[1], ast.Tuple | ast.List) else [call.args[1]]
    lost = wanted[index] if index < len(wanted) else None
    if not isinstance(lost, ast.Subscript) or not isinstance(lost.value, ast.Name):
        return None
    whole = lost.value.id
    if whole not in {one.id for one in Flow(case).behind(call.args[0]) if isinstance(one, ast.Name)}:
        return None
    return finding(
        case,
        f"`{case.text(lost)}` makes a new tensor here, and {code(case, call.args[0])} was computed from `{whole}`, before it was made."
        f" Differentiate with respect to `{whole}` and take the element of the gradient.",
        f"`{case.text(lost)}` 在这里才生成一个新张量，而 {code(case, call.args[0])} 在此之前已由 `{whole}` 算出。请对 `{whole}` 求导，再取梯度中的元素。",
        (),
        lost,
    )
