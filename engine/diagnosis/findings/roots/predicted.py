"""A loss of what a function of predictions gives, the classes it chose: the scores that it chose them by are meant."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import Case, apply_edits, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.cuts import Cut
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.roots.classified import (
    along_classes,
    are_classes,
    as_numbers,
    compared,
    functional_of,
)
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.trace import Edit

_OF_CLASSES: Final = frozenset(
    {"CrossEntropyLoss", "NLLLoss", "cross_entropy", "nll_loss", "BCELoss", "BCEWithLogitsLoss"}
)


@dataclass(frozen=True)
class Use:
    """A loss of a prediction: its call, the scores as they are written for it, and the classes."""

    whole: ast.Call
    site: ast.Call
    scores: str
    target: ast.expr


def predicted(case: Case, output: ast.expr, cut: Cut) -> Finding | None:
    """``criterion(predict(x), y.float())``, where ``predict`` ends with an ``argmax``: ``criterion(model(x), y)``."""
    use = _use(case, output, cut) if cut.kind == "choice" and along_classes(case, cut) else None
    if use is None:
        return None
    edits, text, new = with_scores(case, use)
    target, name = case.text(use.target), case.text(use.site.func)
    also, also_zh = (f", with {new}", f"（{new}）") if new else ("", "")
    return finding(
        case,
        f"{code(case, cut.node)} on line {line(cut.node)} gives positions, whole numbers that jump and so have no gradient, and `{name}` gives them to"
        f" the loss. Give the scores, `{use.scores}`, and `{target}`, left whole numbers, to the cross-entropy: `{text}`{also}. Keep `{name}` for the accuracy.",
        f"第 {line(cut.node)} 行的 {code(case, cut.node)} 给出的是位置，即跳变的整数，没有梯度，而 `{name}` 把它交给了损失。请把得分 `{use.scores}` 和保持为整数的"
        f" `{target}` 交给交叉熵：`{text}`{also_zh}。`{name}` 只用来算准确率。",
        case.fix(edits, case.statement(use.whole)),
        cut.node,
    )


def chosen_here(case: Case, output: ast.expr, cut: Cut, alone: bool) -> Finding | None:
    """``criterion(out.argmax(1).float(), y.float())``: ``criterion(out, y)``; unless ``alone``, where another change would not do."""
    whole, flow = definition(case, output), Flow(case)
    scores = flow.tensor(cut.operand)
    sides = sides_of(case, whole) if cut.kind == "choice" and along_classes(case, cut) else None
    if sides is None or scores is None or scores.dim() != 2 or not isinstance(whole, ast.Call):
        return None
    if flow.scope(cut.node) is not flow.scope(whole):
        return None
    for chosen, other in (sides, sides[::-1]):
        target = as_numbers(other)
        held = flow.tensor(target)
        if not any(one is cut.node for one in flow.behind(chosen)) or held is None or not are_classes(held, scores):
            continue
        if not alone and not (_is_of_classes(case, whole) and (other is not target or _is_used_more(case, chosen))):
            return None
        use = Use(whole, whole, case.text(cut.operand), target)
        edits, text, new = with_scores(case, use)
        also, also_zh = (f", with {new}", f"（{new}）") if new else ("", "")
        return finding(
            case,
            f"{code(case, cut.node)} on line {line(cut.node)} gives positions, whole numbers that jump and so have no gradient. Give the scores"
            f" `{use.scores}` and `{case.text(target)}`, left whole numbers, to the cross-entropy: `{text}`{also}. The positions are for the accuracy alone.",
            f"第 {line(cut.node)} 行的 {code(case, cut.node)} 给出的是位置，即跳变的整数，没有梯度。请把得分 `{use.scores}` 和保持为整数的 `{case.text(target)}` 交给交叉熵："
            f"`{text}`{also_zh}。位置只用来算准确率。",
            case.fix(edits, case.statement(whole)),
            cut.node,
        )
    return None


def _use(case: Case, output: ast.expr, cut: Cut) -> Use | None:
    flow, function = Flow(case), case.enclosing(cut.node, ast.FunctionDef)
    whole, scores = definition(case, output), flow.tensor(cut.operand)
    sides = sides_of(case, whole)
    if function is None or sides is None or not isinstance(whole, ast.Call) or scores is None or scores.dim() != 2:
        return None
    for chosen, other in (sides, sides[::-1]):
        site, target = definition(case, as_numbers(chosen)), as_numbers(other)
        held = flow.tensor(target)
        if not isinstance(site, ast.Call) or function not in flow.called(site) or len(returned(function)) != 1:
            continue
        text = _written_at(case, cut.operand, function, site)
        if held is not None and text is not None and are_classes(held, scores):
            return Use(whole, site, text, target)
    return None


def sides_of(case: Case, whole: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What a loss compares: its two arguments, or what it is the distance of."""
    if not isinstance(whole, ast.Call) or len(whole.args) != 2:
        return compared(case, whole)
    return (whole.args[0], whole.args[1]) if _is_of_classes(case, whole) else compared(case, whole)


def _is_of_classes(case: Case, loss: ast.Call) -> bool:
    return called(loss) in _OF_CLASSES or type(case.value(loss.func)).__name__ in _OF_CLASSES


def _is_used_more(case: Case, chosen: ast.expr) -> bool:
    """Whether the program reads the positions elsewhere, too."""
    name = as_numbers(chosen)
    uses = [one for one in case.nodes(ast.Name) if isinstance(name, ast.Name) and one.id == name.id]
    return sum(isinstance(one.ctx, ast.Load) for one in uses) > 1


def _written_at(case: Case, operand: ast.expr, function: ast.FunctionDef, site: ast.Call) -> str | None:
    """The scores of a function, with what it is called with in the place of its parameters."""
    made = operand
    if isinstance(operand, ast.Name):
        given = [one for one in Flow(case).assigned(operand, operand.id) if isinstance(one, ast.Call)]
        made = given[0] if len(given) == 1 else operand
    span = case.program.span_of(made)
    names = [one.arg for one in function.args.args]
    if span is None or not isinstance(made, ast.Call) or site.keywords or function.args.vararg is not None:
        return None
    values = [case.text(one) for one in site.args]
    if names[:1] == ["self"]:
        values = [case.text(site.func.value) if isinstance(site.func, ast.Attribute) else "", *values]
    parts = dict(zip(names, values, strict=False))
    own = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    edits = list[Edit]()
    for one in (each for each in ast.walk(made) if isinstance(each, ast.Name)):
        if one.id in own or (one.id in names and not parts.get(one.id)):
            return None
        edits += case.replace(one, parts[one.id]) if one.id in parts else []
    text = " ".join(apply_edits(case.program.source, edits, span).split())
    return text.replace(".forward(", "(", 1)


def with_scores(case: Case, use: Use) -> tuple[list[Edit], str, str]:
    """The loss of the scores, and how the criterion is made anew for it: by the criterion, where it is used here alone, else by the function."""
    made, target = definition(case, use.whole.func), case.text(use.target)
    uses = [one for one in case.nodes(ast.Call) if case.text(one.func) == case.text(use.whole.func)]
    if isinstance(made, ast.Call) and called(made).endswith("Loss") and len(uses) == 1 and len(use.whole.args) == 2:
        edits = [*case.replace(use.whole.args[0], use.scores), *case.replace(use.whole.args[1], target)]
        kind = called(made)
        new = ""
        if kind != "CrossEntropyLoss":
            edits += case.rename_end(made.func, kind, "CrossEntropyLoss") if not (made.args or made.keywords) else []
            new = f"`{case.text(made.func)[: -len(kind)]}CrossEntropyLoss()`"
        return edits, f"{case.text(use.whole.func)}({use.scores}, {target})", new
    functional, imports = functional_of(case)
    text = f"{functional}.cross_entropy({use.scores}, {target})"
    return [*case.replace(use.whole, text), *imports], text, ""
