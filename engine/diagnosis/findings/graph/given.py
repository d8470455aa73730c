"""A loss behind another optimizer's step that goes back into what that one trains: for this loss it is a given value."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line
from gradflow.engine.diagnosis.findings.writes import last_write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import leaves_behind


@finds(errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED)
def _made_before_step(case: Case) -> Finding | None:
    """``d_loss = bce(D(fake), zeros)`` behind ``opt_g.step()``, of a ``fake`` from before it."""
    pass_, step, output = case.find(ast.Call), last_write(case), output_of(case)
    if pass_ is None or not isinstance(step, ast.Call) or output is None or line(step) >= line(pass_):
        return None
    others, own_step = trained(case, step), _own_step(case, pass_)
    own = trained(case, own_step)
    if own_step is None or not others or not own or own & others or not _is_over(case, step, pass_):
        return None
    uses = _uses(case, output, step, own, others)
    names = list(dict.fromkeys(one.id for one in uses))
    made = next(iter(Flow(case).assigned(uses[0], names[0])), None) if len(names) == 1 else None
    if made is None or line(made) >= line(step):
        return None
    name, places = names[0], list(dict.fromkeys(str(line(one)) for one in uses))
    there = f"line{'s' * (len(places) > 1)} {joined(places, 'en')}"
    there_zh = f"第 {joined(places, 'zh')} 行"
    optimizer, other = (case.text(one.func).removesuffix(".step") for one in (own_step, step))
    return finding(
        case,
        f"{code(case, output)} is computed from `{name}` on {there}, so {code(case, pass_)} runs on into the weights that line {line(made)} made `{name}` with,"
        f" and {code(case, step)} on line {line(step)} has changed them since. `{other}` trains them, and `{optimizer}`, which this loss is for, does not: for"
        f" this loss `{name}` is given. Cut it off on {there}: `{name}.detach()`.",
        f"{code(case, output)} 是由{there_zh}的 `{name}` 算出的，所以 {code(case, pass_)} 会一直走回第 {line(made)} 行生成 `{name}` 时所用的权重，而第 {line(step)} 行的"
        f" {code(case, step)} 已经改变了它们。训练这些权重的是 `{other}`，而不是这个损失所属的 `{optimizer}`：对这个损失来说 `{name}` 是给定的。请在{there_zh}把它断开："
        f"`{name}.detach()`。",
        case.fix([edit for one in uses for edit in case.followed(one, ".detach()")], case.statement(uses[0])),
        uses[0],
    )


def _own_step(case: Case, pass_: ast.Call) -> ast.Call | None:
    """The first step behind a pass, in the same function."""
    scope = case.enclosing(pass_, ast.FunctionDef)
    known = [one for one in case.nodes(ast.Call) if called(one) == "step" and trained(case, one)]
    behind = [one for one in known if line(one) >= line(pass_) and case.enclosing(one, ast.FunctionDef) is scope]
    return min(behind, key=lambda one: (one.lineno, one.col_offset), default=None)


def _is_over(case: Case, step: ast.Call, pass_: ast.Call) -> bool:
    """Whether the optimizer of a step takes no other one behind a pass, and clears what the pass would leave it."""
    owner = case.text(step.func).removesuffix("step")
    calls = [case.text(one.func) for one in case.nodes(ast.Call) if line(one) > line(pass_)]
    return f"{owner}step" not in calls and any(
        case.text(one.func) == f"{owner}zero_grad" for one in case.nodes(ast.Call)
    )


def _uses(case: Case, output: ast.expr, step: ast.Call, own: set[int], others: set[int]) -> list[ast.Name]:
    """Where a loss, behind a step, uses by its name what was computed from what the step wrote, and from nothing of its own."""
    flow, scope, found = Flow(case), case.enclosing(step, ast.FunctionDef), []
    for node in flow.behind(output):
        if not isinstance(node, ast.Name) or node is output or line(node) <= line(step) or _is_shape(case, node):
            continue
        leaves = _leaves(flow, node)
        if leaves & others and not leaves & own and case.enclosing(node, ast.FunctionDef) is scope:
            found.append(node)
    return sorted(set(found), key=lambda one: (one.lineno, one.col_offset))


def _leaves(flow: Flow, node: ast.Name) -> set[int]:
    """The identities of the leaves that a tensor was computed from."""
    tensor = flow.tensor(node)
    entry = tensor._entry if tensor is not None and tensor.requires_grad else None
    return {id(one.tensor) for one in leaves_behind(entry, graph=True)} if entry is not None else set()


def _is_shape(case: Case, node: ast.Name) -> bool:
    """``zeros_like(fake)`` and ``fake.size(0)`` ask for the shape alone."""
    outer = case.parents.get(node)
    if isinstance(outer, ast.Attribute):
        return outer.attr in ("shape", "size", "device", "dtype", "detach", "data")
    return isinstance(outer, ast.Call) and node in outer.args and called(outer).endswith("_like")
