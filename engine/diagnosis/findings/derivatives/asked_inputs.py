"""Inputs of a derivative that were computed from data alone: where the gradient is to be switched on for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.diagnosis.fixes.origins import is_maker
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.switches import switched_off
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Text

_MADE = ast.BinOp | ast.Call | ast.Subscript | ast.UnaryOp
_SWITCH = ".requires_grad_()"


@finds(errors.NO_GRAD_FN)
def _asked_of_frozen(case: Case) -> Finding | None:
    """``grad(net(x).sum(), x)`` where nothing but `x` is to have a gradient, and `x` was computed, or detached, without one."""
    call = case.find(ast.Call)
    inputs = without_flag(case, call) if call is not None and called(call) == "grad" else []
    held = Flow(case).tensor(inputs[0]) if inputs else None
    made = case.at(ast.expr, held._entry.place) if held is not None and held._entry is not None else None
    if call is None or not isinstance(made, _MADE) or (isinstance(made, ast.Call) and is_maker(made)):
        return None
    if switched_off(case, made) is not None:
        return None
    return _told(case, call, inputs, made)


@finally_finds(errors.INPUT_NO_GRAD)
def _computed_from_data(case: Case) -> Finding | None:
    """``grad(out.sum(), mid)`` where `mid` was computed from data, and from what was detached, alone."""
    call = case.find(ast.Call)
    inputs = without_flag(case, call) if call is not None else []
    if call is None or not inputs:
        return None
    given = inputs[0]
    made = _computed(case) or definition(case, given)
    loop = next((one for one in case.nodes(ast.For) if one.iter is made), None)
    if loop is not None:
        return _of_loop(case, given, loop)
    return None if isinstance(made, ast.Name | ast.Attribute) else _told(case, call, inputs, made)


def _told(case: Case, call: ast.Call, inputs: list[ast.expr], made: ast.expr) -> Finding:
    """The words, and the gradient switched on wherever the inputs are made."""
    given = inputs[0]
    places = [made, *(one for each in inputs[1:] for one in [definition(case, each)] if isinstance(one, _MADE))]
    places += [one for one in _made_again(case, call, given) if one not in places]
    text = f"({case.text(made)})" if isinstance(made, ast.BinOp | ast.UnaryOp) else case.text(made)
    names, others = [code(case, one) for one in inputs], [line(one) for one in places if line(one) != line(made)]
    also = f", and on line {joined([str(one) for one in others], 'en')}" if others else ""
    also_zh = f"，第 {joined([str(one) for one in others], 'zh')} 行也一样" if others else ""
    was, it = ("was", "it") if len(inputs) == 1 else ("were", "them")
    how, how_zh = "computed", "由不需要梯度的张量算出"
    why = " from tensors that require no gradient"
    if isinstance(made, ast.Call) and called(made) == "detach":
        how, how_zh, why = "detached", "用 `detach()` 从计算图中取出", " with `detach()`"
    words = Text(f"`{_SWITCH[1:]}` for {joined(names, 'en')}", f"对 {joined(names, 'zh')} 写 `{_SWITCH[1:]}`")
    return finding(
        case,
        f"{joined(names, 'en')} {was} {how} on line {line(made)}{why}, so nothing was recorded for {it}. Switch the"
        f" gradient on before the output is computed: `{text}{_SWITCH}`{also}.",
        f"{joined(names, 'zh')} 在第 {line(made)} 行{how_zh}，所以没有为它做任何记录。请在计算输出之前打开梯度：`{text}{_SWITCH}`{also_zh}。",
        case.fix(
            [edit for one in dict.fromkeys(places) for edit in case.followed(one, _SWITCH)],
            case.statement(made),
            words if len(places) > 1 else None,
        ),
        made,
    )


def without_flag(case: Case, call: ast.Call) -> list[ast.expr]:
    """The inputs of ``grad`` that require no gradient, as far as that is known."""
    given = argument_of(call, 1, "inputs")
    parts = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    named = [one for one in parts if isinstance(one, ast.Name | ast.Attribute | ast.Subscript)]
    held = [(one, Flow(case).tensor(one)) for one in named]
    return [one for one, tensor in held if tensor is not None and not tensor.requires_grad]


def _computed(case: Case) -> ast.expr | None:
    """The computation that gave the tensor of the error, by the record of the run."""
    subject = next(iter(case.context.origins()), None)
    if subject is None or subject.span is None or not subject.operation:
        return None
    made = case.find(ast.expr, subject.span)
    return made if isinstance(made, _MADE) else None


def _made_again(case: Case, call: ast.Call, given: ast.expr) -> Iterator[ast.expr]:
    """``x = x.detach() - step * g`` behind the call, in its loop: the next turn asks for the gradient of that."""
    loop = case.enclosing(call, ast.For)
    if loop is None or not isinstance(given, ast.Name):
        return
    for one in ast.walk(loop):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                name == given.id and one.lineno > call.lineno and isinstance(value, _MADE)
            ):
                if not isinstance(value, ast.Call) or called(value) != "requires_grad_":
                    yield value


def _of_loop(case: Case, given: ast.expr, loop: ast.For) -> Finding | None:
    """The samples of a loader, which are data."""
    name = case.text(given)
    if not isinstance(case.value(given), Tensor) or not any(
        isinstance(one, ast.Name) and one.id == name for one in ast.walk(loop.target)
    ):
        return None
    text = f"{name}.requires_grad_()"
    return finding(
        case,
        f"`{name}` comes from {code(case, loop.iter)} on line {line(loop)}: data, which requires no gradient, so nothing was recorded for it. Switch"
        f" the gradient on at the beginning of the loop, before the output is computed: `{text}`.",
        f"`{name}` 来自第 {line(loop)} 行的 {code(case, loop.iter)}：它是数据，不需要梯度，所以没有为它做任何记录。请在循环开头、计算输出之前打开梯度：`{text}`。",
        apply(case, case.line_before(loop.body[0], text), f"`{text}`", f"`{text}`") or (),
        loop.target,
    )
