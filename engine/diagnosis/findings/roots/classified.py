"""A distance between chosen classes and class numbers as a loss: the cross-entropy of the scores that is meant."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.findings.cuts import Cut
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_DISTANCES: Final = frozenset({"MSELoss", "L1Loss", "SmoothL1Loss", "mse_loss", "l1_loss", "smooth_l1_loss"})
_TO_FLOAT: Final = frozenset({"float", "double"})


def classified(case: Case, output: ast.expr, cut: Cut) -> Fix | None:
    """``((scores.argmax(1).float() - y) ** 2).mean()``: ``cross_entropy(scores, y)``."""
    whole, scores = definition(case, output), Flow(case).tensor(cut.operand)
    sides = compared(case, whole) if cut.kind == "choice" else None
    if sides is None or scores is None or scores.dim() != 2 or not along_classes(case, cut):
        return None
    flow = Flow(case)
    chosen = [one for one in sides if any(each is cut.node for each in flow.behind(one))]
    others = [as_numbers(one) for one in sides if one not in chosen]
    target = flow.tensor(others[0]) if len(chosen) == 1 and len(others) == 1 else None
    if target is None or not are_classes(target, scores):
        return None
    functional, imports = functional_of(case)
    text = f"{functional}.cross_entropy({case.text(cut.operand)}, {case.text(others[0])})"
    return case.fix([*case.replace(whole, text), *imports], case.statement(whole))


def functional_of(case: Case) -> tuple[str, list[Edit]]:
    """What the program calls ``torch.nn.functional``, and the imports that are missing for it."""
    torch, imports = case.with_torch()
    return case.module_alias("torch.nn.functional") or _imported(case) or f"{torch}.nn.functional", imports


def compared(case: Case, whole: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of a loss that is nothing but the distance between them."""
    if not isinstance(whole, ast.Call):
        return None
    kind = type(case.value(whole.func)).__name__
    if (called(whole) in _DISTANCES or kind in _DISTANCES) and len(whole.args) == 2:
        return whole.args[0], whole.args[1]
    if called(whole) not in ("mean", "sum"):
        return None
    differences = [one for one in ast.walk(whole) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
    if len(differences) != 1:
        return None
    inner = {id(one) for one in ast.walk(differences[0])}
    held = [one for one in ast.walk(whole) if isinstance(one, ast.Name) and id(one) not in inner]
    plain = not any(isinstance(case.value(one), Tensor) for one in held)
    return (differences[0].left, differences[0].right) if plain else None


def along_classes(case: Case, cut: Cut) -> bool:
    """Whether the best of each row is chosen."""
    call = cut.node
    if not isinstance(call, ast.Call) or called(call) not in ("argmax", "max"):
        return False
    of_itself = isinstance(call.func, ast.Attribute) and call.func.value is cut.operand
    given = argument_of(call, 0 if of_itself else 1, "dim") or argument_of(call, 10**6, "axis")
    return given is not None and (ast.unparse(given) == "-1" or case.value(given) in (1, -1))


def as_numbers(node: ast.expr) -> ast.expr:
    """``y`` of ``y.float()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in _TO_FLOAT:
            return value
    return node


def are_classes(target: Tensor, scores: Tensor) -> bool:
    """Whether a target has one class number for each row of scores."""
    if target.dtype.is_floating_point or target.dim() != 1 or target.shape[0] != scores.shape[0] or not target.numel():
        return False
    return str(target.dtype) == "torch.int64" and int(target._a.min()) >= 0 and int(target._a.max()) < scores.shape[1]


def _imported(case: Case) -> str | None:
    """What ``from torch.nn import functional as F`` calls it, or ``nn.functional``."""
    for one in case.nodes(ast.ImportFrom):
        for alias in one.names:
            if one.module == "torch.nn" and alias.name == "functional":
                return alias.asname or alias.name
            if one.module == "torch" and alias.name == "nn":
                return f"{alias.asname or alias.name}.functional"
    nn = case.module_alias("torch.nn")
    return f"{nn}.functional" if nn else None
