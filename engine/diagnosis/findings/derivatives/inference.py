"""Tensors of inference mode in a computation that is to be differentiated."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.INFERENCE_SAVED)
def _made_in_inference(case: Case) -> Finding | None:
    """``with torch.inference_mode(): features = backbone(x)``, and a head that is trained on the features."""
    switches = [
        item.context_expr
        for one in case.nodes(ast.With)
        for item in one.items
        if isinstance(item.context_expr, ast.Call) and _is_switch(item.context_expr)
    ]
    marks = [each for one in case.nodes(ast.FunctionDef) for each in one.decorator_list if _is_switch(each)]
    found: list[ast.expr] = [*switches, *marks]
    if len(found) != 1:
        return None
    switch = found[0]
    function = switch.func if isinstance(switch, ast.Call) else switch
    meant = case.text(switch).replace("inference_mode", "no_grad")
    given = case.find(ast.Call)
    name = code(case, given.args[0]) if given is not None and given.args else ""
    what, what_zh = (f"{name} was", f"{name} 是") if name else ("The tensor was", "这个张量是")
    return finding(
        case,
        f"{what} made under `{case.text(switch)}` on line {line(switch)}, which keeps nothing that a gradient would need, and here it goes into a computation"
        f" that is recorded. Where results are used in training, write `{meant}`.",
        f"{what_zh}在第 {line(switch)} 行的 `{case.text(switch)}` 下创建的，那里不保留求梯度所需的任何东西，而这里它进入了要记录的计算。结果还要用于训练时，请写 `{meant}`。",
        case.fix(case.rename_end(function, "inference_mode", "no_grad"), switch),
        switch,
    )


def _is_switch(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else node
    plain = not isinstance(node, ast.Call) or (not node.args and not node.keywords)
    return plain and str(getattr(function, "attr", getattr(function, "id", ""))) == "inference_mode"
