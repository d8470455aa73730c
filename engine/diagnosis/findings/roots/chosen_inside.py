"""A loss of what ``forward`` gives, the classes it chose: it is meant to give the scores, and the loss to be the cross-entropy of them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.roots.classified import along_classes, are_classes, as_numbers
from gradflow.engine.diagnosis.findings.roots.predicted import Use, sides_of, with_scores
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer

_SQUASHED: Final = re.compile("softmax|sigmoid", re.IGNORECASE)
_OF_MODULES: Final = frozenset(
    {"parameters", "named_parameters", "train", "eval", "zero_grad", "state_dict", "to", "load_state_dict"}
)
"""What is asked of a layer besides calling it."""


@dataclass(frozen=True)
class _Inside:
    """What ``forward`` gives, and the one loss that is made of it."""

    given: ast.expr
    use: Use


def chosen_inside(case: Case, output: ast.expr, cut: Cut) -> Finding | None:
    """``return self.net(x).argmax(1)`` and ``mse_loss(model(x), y.float())``: ``return self.net(x)`` and ``cross_entropy(model(x), y)``."""
    found = _inside(case, output, cut) if cut.kind == "choice" and along_classes(case, cut) else None
    if found is None:
        return None
    use, scores = found.use, case.text(cut.operand)
    edits, text, new = with_scores(case, use)
    statement = case.statement(found.given)
    if statement is None:
        return None
    given = case.text(statement).replace(case.text(found.given), scores)
    target, place = case.text(use.target), line(use.whole)
    also, also_zh = (f", with {new}", f"（{new}）") if new else ("", "")
    return finding(
        case,
        f"{code(case, cut.node)} on line {line(cut.node)} gives positions, whole numbers that jump and so have no gradient, and `forward` gives nothing else to"
        f" the loss. Let it give the scores, `{given}`, and on line {place} give these and `{target}`, left whole numbers, to the cross-entropy: `{text}`{also}."
        f" Positions are for the accuracy alone.",
        f"第 {line(cut.node)} 行的 {code(case, cut.node)} 给出的是位置，即跳变的整数，没有梯度，而 `forward` 交给损失的只有它。请让它返回得分：`{given}`，并在第 {place} 行把得分和"
        f"保持为整数的 `{target}` 交给交叉熵：`{text}`{also_zh}。位置只用来算准确率。",
        case.fix([*case.replace(found.given, scores), *edits], statement),
        cut.node,
    )


def _inside(case: Case, output: ast.expr, cut: Cut) -> _Inside | None:
    flow, function, whole = Flow(case), case.enclosing(cut.node, ast.FunctionDef), definition(case, output)
    given = _given(case, function, cut) if function is not None and function.name == "forward" else None
    held = flow.tensor(cut.operand)
    sides = _sides(case, whole)
    if given is None or sides is None or held is None or held.dim() != 2 or not isinstance(whole, ast.Call):
        return None
    if held.grad_fn is None or _SQUASHED.search(held.grad_fn.name()):
        return None  # the cross-entropy takes scores that are not squashed yet
    for chosen, other in (sides, sides[::-1]):
        name, target = as_numbers(chosen), as_numbers(other)
        site, classes = as_numbers(definition(case, name)), flow.tensor(target)
        if not isinstance(site, ast.Call) or not isinstance(site.func, ast.Name) or function not in flow.called(site):
            continue
        alone = _is_alone(case, site.func) and (name is site or _is_read_once(case, name))
        if alone and classes is not None and are_classes(classes, held):
            return _Inside(given, Use(whole, site, case.text(name), target))
    return None


def _sides(case: Case, whole: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What a loss compares: by a distance, or by counting what differs, ``(model(x) != y).float().mean()``."""
    match whole:
        case ast.Call(func=ast.Attribute(value=counted, attr="mean" | "sum"), args=[], keywords=[]) if isinstance(
            differing := as_numbers(counted), ast.Compare
        ):
            if len(differing.ops) == 1 and isinstance(differing.ops[0], ast.NotEq):
                return differing.left, differing.comparators[0]
            return None
    return sides_of(case, whole)


def _given(case: Case, function: ast.FunctionDef, cut: Cut) -> ast.expr | None:
    """What a function gives back, where that is the choice and nothing else."""
    values = returned(function)
    value = values[0] if len(values) == 1 else None
    if isinstance(value, ast.Name):
        reads = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == value.id]
        value = definition(case, value) if sum(isinstance(one.ctx, ast.Load) for one in reads) == 1 else None
    return value if value is not None and as_numbers(value) is cut.node else None


def _is_alone(case: Case, layer: ast.Name) -> bool:
    """Whether a layer is called at one place, and goes nowhere from where it could be called."""
    held = case.value(layer)
    if not isinstance(held, Layer):
        return False
    for one in case.nodes(ast.Name):
        if one is layer or not isinstance(one.ctx, ast.Load) or (one.id != layer.id and case.value(one) is not held):
            continue
        outer = case.parents.get(one)
        if not (isinstance(outer, ast.Attribute) and outer.attr in _OF_MODULES):
            return False
    return True


def _is_read_once(case: Case, name: ast.expr) -> bool:
    uses = [one for one in case.nodes(ast.Name) if isinstance(name, ast.Name) and one.id == name.id]
    return sum(isinstance(one.ctx, ast.Load) for one in uses) == 1
