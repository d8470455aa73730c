"""A second pass through what another optimizer trains: for its own loss that is a given number, and stands in it undetached."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind


@finds(errors.BACKWARD_TWICE)
def _of_other_optimizer(case: Case) -> Finding | None:
    """``advantage = returns - values`` in the loss of the actor, behind the pass and the step of the critic."""
    second, output = case.find(ast.Call), output_of(case)
    first = case.find(ast.Call, case.context.related) if case.context.related else None
    if second is None or output is None or first is None or first is second:
        return None
    other = first.func.value if isinstance(first.func, ast.Attribute) and first.func.attr == "backward" else None
    steps = _step_behind(case, first), _step_behind(case, second)
    own, others = trained(case, steps[1]), trained(case, steps[0])
    if other is None or not own or not others or own & others:
        return None
    uses = _uses(case, output, other, own, others)
    return _told(case, (first, second), steps, uses, output) if uses else None


def _step_behind(case: Case, call: ast.Call) -> ast.Call | None:
    """The step that follows a pass."""
    steps = [one for one in case.nodes(ast.Call) if called(one) == "step" and one.lineno >= call.lineno]
    known = [one for one in steps if trained(case, one)]
    return known[0] if known else None


def _uses(case: Case, output: ast.expr, other: ast.expr, own: set[int], others: set[int]) -> list[ast.Name]:
    """Where the second output, and not the first one, uses by its name what both share and only the first optimizer trains."""
    flow = Flow(case)
    before = set(flow.behind(other))
    shared = {one.id for one in before if isinstance(one, ast.Name)}
    found: list[ast.Name] = []
    for node in flow.behind(output):
        if not isinstance(node, ast.Name) or node in before or node.id not in shared or node is output:
            continue
        tensor = flow.tensor(node)
        entry = tensor._entry if tensor is not None and tensor.requires_grad else None
        leaves = {id(one.tensor) for one in leaves_behind(entry)} if entry is not None else set()
        if leaves & others and not leaves & own:
            found.append(node)
    return found


def _told(
    case: Case,
    passes: tuple[ast.Call, ast.Call],
    steps: tuple[ast.Call | None, ast.Call | None],
    uses: Sequence[ast.Name],
    output: ast.expr,
) -> Finding | None:
    names = list(dict.fromkeys(one.id for one in uses))
    first, use = passes[0], uses[0]
    step = steps[0]
    if len(names) != 1 or step is None or not isinstance(step.func, ast.Attribute):
        return None
    name, optimizer = names[0], case.text(step.func.value)
    last = steps[1].func.value if steps[1] is not None and isinstance(steps[1].func, ast.Attribute) else output
    places = list(dict.fromkeys(str(line(one)) for one in uses))
    lines = f"line{'s' * (len(places) > 1)} {joined(places, 'en')}"
    lines_zh = f"第 {joined(places, 'zh')} 行"
    return finding(
        case,
        f"`{name}` on {lines} still belongs to the graph that {code(case, first)} on line {line(first)} has gone back through and freed, and"
        f" {code(case, output)} is computed from it. Its parameters are trained by `{optimizer}`, not by {code(case, last)}: for this loss it is given, and"
        f" needs no gradient. Write `{name}.detach()` on {lines}.",
        f"{lines_zh}的 `{name}` 仍属于第 {line(first)} 行的 {code(case, first)} 走过并释放的计算图，而 {code(case, output)} 由它算出。它背后的参数由 `{optimizer}` 训练，"
        f"不由 {code(case, last)} 训练：对这个损失来说它是给定的，不需要梯度。请在{lines_zh}写 `{name}.detach()`。",
        case.fix([edit for one in uses for edit in case.followed(one, ".detach()")], case.statement(use)),
        use,
    )
