"""Gradients of copies of a model's parameters, of an output that the model itself gave."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer


@finds(errors.UNUSED_INPUT)
def _of_copies(case: Case) -> Finding | None:
    """``fast = [p.clone() for p in net.parameters()]``, ``grad(mse_loss(net(x), y), fast)``."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2 or not isinstance(asked := call.args[1], ast.Name):
        return None
    made = definition(case, asked)
    owner = _copied_from(case, made) if made is not None else None
    if made is None or owner is None:
        return None
    model = case.text(owner)
    used = next((one for one in Flow(case).behind(call.args[0]) if _is_call_of(case, one, model)), None)
    if not isinstance(used, ast.Call) or not isinstance(case.value(owner), Layer):
        return None
    other = _functional(case, used, asked.id)
    meant = other or f"torch.func.functional_call({model}, ..., {case.text(used.args[0]) if used.args else '...'})"
    fix = apply(case, case.replace(used, other), f"`{other}`", f"`{other}`") if other else None
    return finding(
        case,
        f"{code(case, asked)} (line {line(made)}) are copies of the parameters of `{model}`, and {code(case, call.args[0])} was computed by `{model}` itself,"
        f" {code(case, used)} on line {line(used)}, from the parameters and not from the copies. Compute it from the copies: `{meant}`.",
        f"{code(case, asked)}（第 {line(made)} 行）是 `{model}` 参数的副本，而 {code(case, call.args[0])} 是 `{model}` 自己算出来的（第 {line(used)} 行的"
        f" {code(case, used)}），用的是参数本身，不是这些副本。请用副本来计算：`{meant}`。",
        fix or (),
        used,
    )


def _copied_from(case: Case, made: ast.AST) -> ast.expr | None:
    """The model whose parameters a list holds copies of."""
    whole = made.value if isinstance(made, ast.Assign) else made
    copies = any(
        isinstance(one, ast.Call) and called(one) in ("clone", "detach", "deepcopy") for one in ast.walk(whole)
    )
    for one in ast.walk(whole):
        match one:
            case ast.Call(func=ast.Attribute(value=owner, attr="parameters" | "named_parameters")) if copies:
                return owner
    return None


def _is_call_of(case: Case, node: ast.expr, model: str) -> bool:
    return isinstance(node, ast.Call) and case.text(node.func) == model


def _functional(case: Case, used: ast.Call, copies: str) -> str | None:
    """The same call by a function of the program's that takes such copies."""
    for one in case.nodes(ast.Call):
        names = [getattr(each, "id", "") for each in one.args]
        if copies in names and len(one.args) == 2 and len(used.args) == 1 and isinstance(one.func, ast.Name):
            given = [copies if name == copies else case.text(used.args[0]) for name in names]
            if one.func.id in {each.name for each in case.nodes(ast.FunctionDef)}:
                return f"{one.func.id}({', '.join(given)})"
    return None
