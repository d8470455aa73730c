"""Samples of distributions, which end the graph of the parameters that they are drawn by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.trace import Span

_MOST: Final = 8
"""Names and calls on the way to the distribution."""
_AROUND: Final = frozenset({"Independent", "TransformedDistribution"})
"""Distributions that are made of another one."""


@finds(errors.NO_GRAD_FN)
def _sample_without_gradient(case: Case) -> Finding | None:
    """``Normal(mu, sigma).sample()`` on the way to the loss."""
    loss = output_of(case)
    flow = Flow(case)
    for one in flow.behind(loss) if loss is not None else ():
        match one:
            case ast.Call(func=ast.Attribute(value=owner, attr="sample") as method) if _is_on_the_way(case, one):
                made = next(_distributions(case, owner), None)
            case _:
                continue
        kind = case.value(made.func) if made is not None else None
        if made is None or not isinstance(kind, type):
            continue
        given = [each for each in (*made.args, *(word.value for word in made.keywords)) if flow.requires_grad(each)]
        if given and getattr(kind, "has_rsample", None) is True:
            return _smooth(case, one, method, given[0])
        if given:
            return _jumping(case, one, kind, given[0])
    return _by_record(case)


def _by_record(case: Case) -> Finding | None:
    """A sample that the record of the run has between the output and what requires a gradient, however its distribution is reached."""
    origins = case.context.origins()
    kept = {origin.span for origin in origins if origin.requires_grad}
    ended = dict.fromkeys(origin.span for origin in origins if not origin.requires_grad and origin.operation)
    calls = [case.find(ast.Call, span) for span in ended if span is not None] if kept else []
    for call in calls:
        match call:
            case ast.Call(func=ast.Attribute(attr="sample") as method):
                found = next(_fed(case, kept), None)
            case _:
                continue
        if found is not None:
            kind, given = found
            smooth = getattr(kind, "has_rsample", None) is True
            return _smooth(case, call, method, given) if smooth else _jumping(case, call, kind, given)
    return None


def _fed(case: Case, kept: set[Span | None]) -> Iterator[tuple[type, ast.expr]]:
    """The distributions that were made of what requires a gradient, and that."""
    for call in case.nodes(ast.Call):
        kind = case.value(call.func)
        if not isinstance(kind, type) or not hasattr(kind, "has_rsample") or kind.__name__ in _AROUND:
            continue
        for given in (*call.args, *(word.value for word in call.keywords)):
            parts = [part for part in ast.walk(given) if isinstance(part, ast.expr)]
            made = [definition(case, part) for part in parts if isinstance(part, ast.Name)]
            if any(case.program.span_of(part) in kept for part in (*parts, *made)):
                yield kind, given
                break


def _is_on_the_way(case: Case, call: ast.Call) -> bool:
    """Whether the output was computed from what a call gave, as far as the record of the run tells."""
    origins = case.context.origins()
    return not origins or case.program.span_of(call) in {origin.span for origin in origins}


def _distributions(case: Case, owner: ast.expr) -> Iterator[ast.Call]:
    """The calls that may have made a distribution: also in the functions and layers of the program that give it."""
    flow, waiting = Flow(case), [owner]
    for count, current in enumerate(waiting):
        if count > _MOST:
            return
        match current:
            case ast.Call(func=func, args=args):
                kind = case.value(func)
                name = getattr(kind, "__name__", "")
                if name in _AROUND:
                    waiting += args[:1]
                elif isinstance(kind, type) and hasattr(kind, "has_rsample"):
                    yield current
                else:
                    waiting += [each for function in flow.called(current) for each in returned(function)]
            case ast.Name(id=name):
                waiting += list(flow.assigned(current, name))[:2]
            case ast.Attribute() if (made := definition(case, current)) is not current:
                waiting.append(made)


def _smooth(case: Case, call: ast.Call, method: ast.Attribute, given: ast.expr) -> Finding:
    text = f"{case.operand(method.value)}.rsample{case.text(call)[len(case.text(method)) :]}"
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} draws numbers and keeps no graph, so no gradient goes back through them to {code(case, given)}. `rsample` draws the same"
        f" numbers as a computation from its parameters, through which gradients flow: `{text}`.",
        f"第 {line(call)} 行的 {code(case, call)} 只取出随机数，不保留计算图，所以梯度无法通过它们回到 {code(case, given)}。`rsample` 取出同样的数，但作为由参数算出的结果，梯度可以通过："
        f"`{text}`。",
        case.fix(case.rename_end(method, "sample", "rsample"), call),
        call,
    )


def _jumping(case: Case, call: ast.Call, kind: type, given: ast.expr) -> Finding:
    name, text = kind.__name__, "log_prob(sample)"
    return finding(
        case,
        f"{code(case, call)} on line {line(call)} draws from `{name}`, whose samples jump from one value to another, so no gradient goes back through them to"
        f" {code(case, given)}. Weigh what the sample brings with its log-probability, which has one: the loss is `-{text} * reward`.",
        f"第 {line(call)} 行的 {code(case, call)} 从 `{name}` 取样，它的样本从一个值跳到另一个值，所以梯度无法通过它们回到 {code(case, given)}。请用样本的对数概率来加权，它有梯度：损失写成 `-{text} *"
        f" reward`。",
        (),
        call,
    )
