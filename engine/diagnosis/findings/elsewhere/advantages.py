"""A second pass through what another optimizer trains: for its own loss that is a given number, and stands in it undetached."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind

Pair = tuple[ast.Call, ast.Call]
_GIVEN: Final = re.compile(
    r"adv|delta|td|err|val|baseline|target|critic|q_|reward|return|teacher|fake|^[qv]$", re.IGNORECASE
)
"""Names of what a loss takes as it is, though another loss trains it."""


@finds(errors.BACKWARD_TWICE)
def _of_other_optimizer(case: Case) -> Finding | None:
    """``advantage = returns - values`` in the loss of the actor, behind the pass and the step of the critic."""
    second, output = case.find(ast.Call), output_of(case)
    first = case.find(ast.Call, case.context.related) if case.context.related else None
    if second is None or output is None or first is None or first is second:
        return None
    other = first.func.value if isinstance(first.func, ast.Attribute) and first.func.attr == "backward" else None
    steps = _steps(case, (first, second), (other, output)) if other is not None else None
    if other is None or steps is None:
        return None
    own, others = trained(case, steps[1]), trained(case, steps[0])
    uses = _uses(case, output, other, own, others)
    if line(steps[0]) > line(second) and not all(_GIVEN.search(one.id) for one in uses):
        return None  # the other optimizer may be meant to use both gradients
    return _told(case, (first, second), steps, uses, output) if uses else None


def _steps(case: Case, passes: Pair, outputs: tuple[ast.expr, ast.expr]) -> Pair | None:
    """The steps of two passes: those that follow them, or of the optimizers of the parameters that each output is computed from."""
    known = [one for one in case.nodes(ast.Call) if called(one) == "step" and trained(case, one)]
    behind = [next((one for one in known if one.lineno >= each.lineno), None) for each in passes]
    if behind[0] is not None and behind[1] is not None and not trained(case, behind[0]) & trained(case, behind[1]):
        return behind[0], behind[1]
    before, after = (_leaves(case, one) for one in outputs)
    first = [one for one in known if trained(case, one) & before]
    second = [one for one in known if trained(case, one) & after and not trained(case, one) & before]
    return (first[0], second[0]) if first and second else None


def _leaves(case: Case, node: ast.expr) -> set[int]:
    """The identities of the leaves that a tensor was computed from."""
    tensor = Flow(case).tensor(node)
    entry = tensor._entry if tensor is not None and tensor.requires_grad else None
    return {id(one.tensor) for one in leaves_behind(entry, graph=True)} if entry is not None else set()


def _uses(case: Case, output: ast.expr, other: ast.expr, own: set[int], others: set[int]) -> list[ast.Name]:
    """Where the second output, and not the first one, uses by its name what both share and only the first optimizer trains."""
    flow = Flow(case)
    before = set(flow.behind(other))
    shared = {one.id for one in before if isinstance(one, ast.Name)}
    found: list[ast.Name] = []
    for node in flow.behind(output):
        if not isinstance(node, ast.Name) or node in before or node.id not in shared or node is output:
            continue
        leaves = _leaves(case, node)
        if leaves & others and not leaves & own:
            found.append(node)
    return found


def _told(case: Case, passes: Pair, steps: Pair, uses: Sequence[ast.Name], output: ast.expr) -> Finding | None:
    names = list(dict.fromkeys(one.id for one in uses))
    first, use = passes[0], uses[0]
    optimizers = [case.text(one.func.value) for one in steps if isinstance(one.func, ast.Attribute)]
    if len(names) != 1 or len(optimizers) != 2:
        return None
    name, (optimizer, last) = names[0], optimizers
    places = list(dict.fromkeys(str(line(one)) for one in uses))
    lines = f"line{'s' * (len(places) > 1)} {joined(places, 'en')}"
    lines_zh = f"第 {joined(places, 'zh')} 行"
    return finding(
        case,
        f"`{name}` on {lines} still belongs to the graph that {code(case, first)} on line {line(first)} has gone back through and freed, and"
        f" {code(case, output)} is computed from it. Its parameters are trained by `{optimizer}`, not by `{last}`: for this loss it is given, and"
        f" needs no gradient. Write `{name}.detach()` on {lines}.",
        f"{lines_zh}的 `{name}` 仍属于第 {line(first)} 行的 {code(case, first)} 走过并释放的计算图，而 {code(case, output)} 由它算出。它背后的参数由 `{optimizer}` 训练，"
        f"不由 `{last}` 训练：对这个损失来说它是给定的，不需要梯度。请在{lines_zh}写 `{name}.detach()`。",
        case.fix([edit for one in uses for edit in case.followed(one, ".detach()")], case.statement(use)),
        use,
    )
