"""Features of a part that no optimizer holds, computed once and gone back through in every turn: they are wanted as numbers alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.autograd.node import AccumulateGrad
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.second_pass import Loop, loop_around
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor

_MOST: Final = 5000


@finds(errors.BACKWARD_TWICE)
def _untrained_before_the_loop(case: Case) -> Finding | None:
    """``features = encoder(x)``, and a loop that trains ``head(features)`` with an optimizer of the head alone."""
    call, output = case.find(ast.Call), output_of(case)
    loop = loop_around(case, call)
    held = _held(case)
    if call is None or output is None or loop is None or not held:
        return None
    made = _made_before(case, output, loop)
    leaves = [leaf for one in made for leaf in _leaves(Flow(case).tensor(one))]
    layers = _layers_with(case, leaves, held)
    if len(made) != 1 or not leaves or layers is None or any(id(one) in held for one in leaves):
        return None
    first, names = made[0], " and ".join(f"`{one}`" for one in layers)
    own = f"{case.operand(first)}.detach()"
    own = own if len(own) < 60 else ".detach()"
    return finding(
        case,
        f"{code(case, first)} is computed once, on line {line(first)}, before the loop, so every turn goes back through that graph, which the first backward pass has"
        f" freed. No optimizer holds the parameters of {names}: these numbers stay the same and need no graph. Cut it off there: `{own}`.",
        f"{code(case, first)} 在循环之前（第 {line(first)} 行）只计算了一次，所以每一轮反向都走那张计算图，而第一次反向传播已经把它释放了。没有优化器包含"
        f" {names.replace(' and ', '、')} 的参数：这些数值不变，不需要计算图。请在那里断开：`{own}`。",
        case.fix(case.followed(first, ".detach()"), case.statement(first)),
        first,
    )


def _held(case: Case) -> set[int]:
    """The identities of the parameters that the optimizers of the program write; none where one of them is not known, or the program writes some itself."""
    if any(one.attr == "grad" for one in case.nodes(ast.Attribute) if case.text(one.value) != "torch.autograd"):
        return set()
    found: set[int] = set()
    for one in case.nodes(ast.Call):
        if isinstance(one.func, ast.Attribute) and one.func.attr == "step":
            owner = case.value(one.func.value)
            if owner is UNKNOWN:
                return set()
            if isinstance(owner, Optimizer):
                found |= trained(case, one)
    return found


def _made_before(case: Case, output: ast.expr, loop: Loop) -> list[ast.expr]:
    """The expressions before the loop that have a graph and that the loop computes with, without those that these were made of."""
    flow = Flow(case)
    inside, found, behind = set(ast.walk(loop)), list[ast.expr](), set[ast.expr]()
    for one in flow.behind(output):
        if one in inside or one in behind or not isinstance(one, ast.Call | ast.BinOp | ast.Subscript):
            continue
        tensor = flow.tensor(one) if _runs_before(case, one, loop) else None
        if tensor is not None and tensor.grad_fn is not None:
            found.append(one)
            behind |= set(flow.behind(one))
    return found


def _runs_before(case: Case, node: ast.expr, loop: Loop) -> bool:
    """Whether an expression stands before the loop, or around the call of the function with the loop."""
    flow = Flow(case)
    scope, own = flow.scope(node), flow.scope(loop)
    if scope is own:
        return node.lineno < loop.lineno
    return any(
        isinstance(one, ast.Call) and own in flow.called(one) and flow.scope(one) is scope and node.lineno < one.lineno
        for one in ast.walk(scope)
    )


def _leaves(tensor: Tensor | None) -> Iterator[object]:
    """The leaves that a tensor was computed from."""
    waiting = [tensor.grad_fn] if tensor is not None and tensor.grad_fn is not None else []
    seen = {id(one) for one in waiting}
    for current in waiting:
        if isinstance(current, AccumulateGrad):
            yield current.variable
        for function, _ in getattr(current, "next_functions", ()):
            if function is not None and id(function) not in seen and len(seen) < _MOST:
                seen.add(id(function))
                waiting.append(function)


def _layers_with(case: Case, leaves: list[object], held: set[int]) -> list[str] | None:
    """The models that have these leaves, and nothing that an optimizer holds; None where one of them is in none."""
    wanted = {id(one) for one in leaves}
    names: list[str] = []
    for name, value in case.values.items():
        for path, part in value.named_modules() if isinstance(value, Layer) else ():
            own = {id(one) for one in part.parameters()}
            if own & wanted and not own & held:
                names.append(f"{name}.{path}" if path else name)
                wanted -= own
    return names if not wanted else None
