"""The tuple that ``torch.autograd.grad`` gives, handed on by a function, where its one gradient is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.roots.commas import WHOLE
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Text

_DEEPEST: Final = 8
"""Names and calls on the way to the tuple."""


@dataclass(frozen=True)
class _Made:
    """The call that made the tuple, and the function that hands it on, if one does."""

    call: ast.Call
    function: str = ""


@finds(*WHOLE)
def _gradients_whole(case: Case) -> Finding | None:
    """``return torch.autograd.grad(y.sum(), x)``, and ``slope(x) - 1``."""
    whole = case.find(ast.expr)
    for node in ast.walk(whole) if whole is not None else ():
        if not isinstance(node, ast.Name | ast.Call | ast.Attribute) or not _is_tuple(case, node):
            continue
        made = next(_made(Flow(case), node, "", _DEEPEST), None)
        if made is not None and (made.function or isinstance(made.call.func, ast.Name)):
            return _told(case, node, made)
    return None


def _is_tuple(case: Case, node: ast.expr) -> bool:
    """Whether an expression is a tuple of one tensor, as far as that is known."""
    held = case.value(node)
    if held is UNKNOWN:
        return isinstance(node, ast.Call) and node is not case.find(ast.Call)
    return isinstance(held, tuple) and len(held) == 1 and isinstance(held[0], Tensor)


def _made(flow: Flow, node: ast.expr, function: str, deepest: int) -> Iterator[_Made]:
    if deepest == 0:
        return
    match node:
        case ast.Name(id=name):
            for one in [*flow.assigned(node, name)][:2]:
                place = _place(flow, one, name)
                yield from (
                    _made(flow, one, function, deepest - 1) if place is None else _part(flow, one, place, deepest)
                )
        case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant()):
            yield from _made(flow, left, function, deepest - 1)
        case ast.Attribute():
            for one in flow.kept(node):
                yield from _made(flow, one, function, deepest - 1)
        case ast.Call():
            functions = _called(flow, node)
            if called(node) == "grad" and not functions:
                yield _Made(node, function)
            for each in functions:
                for one in returned(each):
                    yield from _made(flow, one, getattr(each, "name", "lambda"), deepest - 1)


def _called(flow: Flow, call: ast.Call) -> list[ast.FunctionDef | ast.Lambda]:
    """The functions that a call can run, also ``Net()(x)``."""
    match call.func:
        case ast.Call(func=ast.Name(id=name)):
            methods = flow.methods(name)
            return [methods["forward"]] if "forward" in methods else []
    return flow.called(call)


def _place(flow: Flow, value: ast.expr, name: str) -> int | None:
    """Which element of a value a name is given, where it is given one: ``energy, force = model(x)``."""
    match flow.case.parents.get(value):
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=whole) if whole is value:
            names = [getattr(one, "id", "") for one in parts]
            return names.index(name) if name in names else None
    return None


def _part(flow: Flow, value: ast.expr, place: int, deepest: int) -> Iterator[_Made]:
    for each in _called(flow, value) if isinstance(value, ast.Call) else ():
        for one in returned(each):
            if isinstance(one, ast.Tuple) and place < len(one.elts):
                yield from _made(flow, one.elts[place], getattr(each, "name", "lambda"), deepest - 1)


def _of_several(flow: Flow, call: ast.Call) -> bool:
    """Whether the inputs of ``grad`` are a collection, of which there can be more than one."""
    given = next(
        (one.value for one in call.keywords if one.arg == "inputs"), call.args[1] if len(call.args) > 1 else None
    )
    several = (ast.List, ast.Tuple, ast.ListComp)
    return given is not None and any(
        isinstance(one, several) or (isinstance(one, ast.Call) and called(one) in ("list", "tuple", "parameters"))
        for one in (given, *(flow.assigned(given, given.id) if isinstance(given, ast.Name) else ()))
    )


def _told(case: Case, node: ast.expr, made: _Made) -> Finding:
    several = _of_several(Flow(case), made.call)
    taken = node if several else made.call
    text = f"{' '.join(case.text(taken).split())}[0]"
    through, through_zh = (
        (f", and `{made.function}` gives it back", f"，`{made.function}` 把它返回") if made.function else ("", "")
    )
    at, at_zh = ("", "") if several else (f" on line {line(made.call)}", f"在第 {line(made.call)} 行")
    return finding(
        case,
        f"{code(case, made.call)} on line {line(made.call)} gives a tuple, with one gradient for each input{through}, so {code(case, node)} is a tuple"
        f" where a tensor is needed. Take the gradient out of it{at}: `{text}`.",
        f"第 {line(made.call)} 行的 {code(case, made.call)} 给出元组，其中每个输入对应一个梯度{through_zh}，所以 {code(case, node)} 是元组，而这里需要张量。请{at_zh}"
        f"取出梯度：`{text}`。",
        [case.fix(case.followed(taken, "[0]"), None, Text(f"`{text}`", f"`{text}`"))],
        made.call,
    )
