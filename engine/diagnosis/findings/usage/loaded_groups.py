"""The state of an optimizer for another one, whose groups differ: how many parameters each has, and where the saved one was made."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import optimizer_kinds
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.trace import Fix

_THAWS: Final = re.compile(r"requires_grad *= *True|requires_grad_\((True)?\)")


@finds(errors.OPTIMIZER_ARGUMENT)
def _groups_loaded(case: Case) -> Finding | None:
    """``opt.load_state_dict(...)`` of an optimizer with other groups."""
    call = case.find(ast.Call)
    message = str(case.details.get("message", ""))
    node = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    owner = case.value(node)
    if call is None or node is None or not message.startswith("loaded state dict") or not isinstance(owner, Optimizer):
        return None
    made, saved = definition(case, node), _saved(case, call, node)
    own, other = _sizes(owner.param_groups), _state_sizes(case, call)
    en, zh = _told(own)
    head = f"{code(case, node)} (line {line(made)}) has {en}"
    head_zh = f"{code(case, node)}（第 {line(made)} 行）有{zh}"
    others, others_zh = _told(other) if other else ("another number", "另一种分组")
    given, given_zh = "", ""
    if saved is not None:
        given = f"; it was saved from the optimizer of {code(case, saved.args[0] if saved.args else saved)} on line {line(saved)}"
        given_zh = f"，它来自第 {line(saved)} 行用 {code(case, saved.args[0] if saved.args else saved)} 创建的优化器"
    fix = _made_alike(case, made, saved) if other and sum(other) < sum(own) else None
    action = (
        f"Make this one of the same: {fix.title.en}"
        if fix is not None
        else "Make it with the same groups, in the same order"
    )
    action_zh = f"请用同样的参数创建这一个：{fix.title.zh}" if fix is not None else "请用同样的分组和次序创建"
    return finding(
        case,
        f"{head}, and the state has {others}{given}. The state of an optimizer fits only one that was made in the same way. {action}.",
        f"{head_zh}，而状态里有{others_zh}{given_zh}。优化器的状态只适合以同样方式创建的优化器。{action_zh}。",
        [fix],
        made,
    )


def _sizes(groups: object) -> list[int]:
    """The numbers of parameters of groups."""
    listed = groups if isinstance(groups, list) else []
    return [len(one["params"]) for one in listed if isinstance(one, dict) and isinstance(one.get("params"), list)]


def _state_sizes(case: Case, call: ast.Call) -> list[int]:
    """Those of the state that is loaded, or of the optimizer that it is the state of."""
    given = call.args[0] if call.args else None
    held = case.value(given)
    if isinstance(held, dict):
        return _sizes(held.get("param_groups"))
    if isinstance(given, ast.Call) and called(given) == "state_dict" and isinstance(given.func, ast.Attribute):
        source = case.value(given.func.value)
        return _sizes(source.param_groups) if isinstance(source, Optimizer) else []
    return []


def _told(sizes: list[int]) -> tuple[str, str]:
    """``2 groups of 2 and 4 parameters``."""
    numbers = [str(one) for one in sizes]
    plural = "s" * (len(sizes) != 1)
    many = "s" * (sizes != [1])
    each = "，各含" if len(sizes) > 1 else "，含"
    return (
        f"{len(sizes)} group{plural} of {joined(numbers, 'en')} parameter{many}",
        f" {len(sizes)} 个参数组{each} {joined(numbers, 'zh')} 个参数",
    )


def _saved(case: Case, call: ast.Call, node: ast.expr) -> ast.Call | None:
    """The call that made the optimizer whose state is loaded: of what is given, or the only other one that gave its state."""
    kinds, own = optimizer_kinds(), definition(case, node)
    given = list(Flow(case).behind(call.args[0])) if call.args else []
    for nodes in (given, case.nodes(ast.Call)):
        found = []
        for one in nodes:
            if not isinstance(one, ast.Call) or called(one) != "state_dict" or not isinstance(one.func, ast.Attribute):
                continue
            made = definition(case, one.func.value)
            if isinstance(made, ast.Call) and called(made) in kinds and made is not own and made not in found:
                found.append(made)
        if len(found) == 1:
            return found[0]
    return None


def _made_alike(case: Case, made: ast.expr, saved: ast.Call | None) -> Fix | None:
    """This optimizer with the parameters of the saved one; not where the program frees parameters to train them, too."""
    if saved is None or not isinstance(made, ast.Call) or not made.args or not saved.args:
        return None
    text = case.text(saved.args[0])
    if case.text(made.args[0]) == text or _THAWS.search(case.program.source):
        return None
    return case.fix(case.replace(made.args[0], text), made)
