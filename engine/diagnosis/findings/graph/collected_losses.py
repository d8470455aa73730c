"""Losses that were collected with their graphs, and that NumPy or the module of statistics is to average: where they were kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import python
from gradflow.engine.tensor import Tensor

_DEEPEST: Final = 4
_ROWS: Final = ("concatenate", "stack", "vstack", "hstack", "column_stack")
"""Functions of NumPy that join rows, and not numbers."""
_JOINING: Final = ("stack", "cat", "hstack", "vstack")


class Kept(NamedTuple):
    """What is put into a list, and what the list is called there."""

    value: ast.expr
    keeper: str


@finds(errors.NUMPY_REQUIRES_GRAD, python.TYPE)
def _graphs_kept(case: Case) -> Finding | None:
    """``np.mean(losses)`` of losses that were kept with their graphs."""
    call = case.find(ast.Call)
    if call is None or not call.args or called(call) in _ROWS or not _is_of_numbers(case, call):
        return None
    if _leads_to_pass(case, call):
        return None
    held = case.value(_whole(call.args[0]))
    if isinstance(held, list | tuple) and not all(isinstance(one, Tensor) and one.numel() == 1 for one in held):
        return None
    found = list(dict.fromkeys(_kept(case, call.args[0], _DEEPEST)))
    if len(found) != 1:
        return None
    kept = Kept(given_from(case, found[0].value), found[0].keeper)
    tensor = Flow(case).tensor(kept.value)
    if not isinstance(held, list | tuple) and (tensor is None or tensor.numel() != 1 or not tensor.requires_grad):
        return None
    return _told(case, call, kept)


def _is_of_numbers(case: Case, call: ast.Call) -> bool:
    """Whether a call is of NumPy, or of the module of statistics, where it failed because of tensors."""
    if "message" in case.details:
        return "'Tensor' to numerator/denominator" in str(case.details["message"])
    match call.func:
        case ast.Attribute(value=ast.Name(id=owner)):
            return owner == case.module_alias("numpy")
    return False


def _whole(node: ast.expr) -> ast.expr:
    """The list of ``losses[-10:]``."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return node


def _kept(case: Case, node: ast.expr, deepest: int) -> Iterator[Kept]:
    """What the elements of a list are, wherever they were put into it."""
    node = _whole(node)
    if deepest == 0:
        return
    if isinstance(node, ast.ListComp):
        yield Kept(node.elt, "")
    elif isinstance(node, ast.Call):
        for function in Flow(case).called(node):
            for one in returned(function):
                yield from _kept(case, one, deepest - 1)
    elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        own = [*_appended(case, node)]
        yield from own
        if not own and isinstance(node, ast.Name):
            for one in [*Flow(case).assigned(node, node.id)][:1]:
                yield from _kept(case, one, deepest - 1)


def _appended(case: Case, keeper: ast.expr) -> Iterator[Kept]:
    """``history.append(y)``, ``history += [y]``."""
    names = {case.text(keeper)}
    if isinstance(keeper, ast.Attribute):
        names.add(f"self.{keeper.attr}")
    for node in case.program.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value]) if case.text(owner) in names:
                yield Kept(value, case.text(owner))
            case ast.AugAssign(target=owner, op=ast.Add(), value=ast.List(elts=[value])) if case.text(owner) in names:
                yield Kept(value, case.text(owner))


def given_from(case: Case, value: ast.expr) -> ast.expr:
    """What the one call of a method like ``update(self, value)`` gives it to keep; of anything else, the expression itself."""
    function = case.enclosing(value, ast.FunctionDef)
    if function is None or not isinstance(value, ast.Name):
        return value
    names = [one.arg for one in function.args.args]
    if value.id not in names or not isinstance(case.parents.get(function), ast.ClassDef):
        return value
    sites = [one for one in case.nodes(ast.Call) if called(one) == function.name]
    at = names.index(value.id) - 1
    return sites[0].args[at] if len(sites) == 1 and not sites[0].keywords and at < len(sites[0].args) else value


def _leads_to_pass(case: Case, node: ast.expr) -> bool:
    """Whether what an expression gives is to be differentiated itself."""
    passes = [one for one in case.nodes(ast.Call) if called(one) == "backward" and isinstance(one.func, ast.Attribute)]
    owners = [one.func.value for one in passes if isinstance(one.func, ast.Attribute)]
    return any(one is node for owner in owners for one in Flow(case).behind(owner))


def _is_differentiated(case: Case, kept: Kept) -> bool:
    """Whether the elements are used as tensors, too: stacked, or added up for a pass."""
    for call in case.nodes(ast.Call):
        if called(call) in _JOINING and call.args and case.text(call.args[0]) == kept.keeper:
            return True
        if called(call) == "backward" and isinstance(call.func, ast.Attribute):
            behind = Flow(case).behind(call.func.value)
            if kept.keeper and any(case.text(one) == kept.keeper for one in behind):
                return True
    return False


def _told(case: Case, call: ast.Call, kept: Kept) -> Finding | None:
    value, function = kept.value, code(case, call.func)
    if _is_differentiated(case, kept):
        return _numbers_alone(case, call, kept)
    text = f"{case.operand(value)}.item()"
    into, into_zh = (f" in `{kept.keeper}`", f"放进了 `{kept.keeper}`") if kept.keeper else ("", "保存下来")
    numpy = "message" not in case.details
    what, what_zh = ("is of NumPy, which takes numbers", "是 NumPy 的函数，只接受数")
    if not numpy:
        what, what_zh = ("is of the module `statistics`, which takes numbers", "是 `statistics` 模块的函数，只接受数")
    return finding(
        case,
        f"Line {line(value)} keeps the tensor {code(case, value)} itself{into}, with the graph that it was computed by, and"
        f" {function} {what}. Keep the number: `{text}`.",
        f"第 {line(value)} 行把张量 {code(case, value)} 本身连同它的计算图{into_zh}，而 {function} {what_zh}。请保存数值：`{text}`。",
        case.fix(case.followed(value, ".item()"), case.parents.get(value)) or (),
        value,
    )


def _numbers_alone(case: Case, call: ast.Call, kept: Kept) -> Finding | None:
    """``np.mean([one.item() for one in losses])``, where the list goes on to be differentiated."""
    given = call.args[0]
    numbers = f"[one.item() for one in {case.text(given)}]"
    return finding(
        case,
        f"{code(case, given)} holds tensors with the graphs that they were computed by, put in on line {line(kept.value)} to be differentiated, and"
        f" {code(case, call.func)} takes numbers. Hand the numbers over: `{numbers}`.",
        f"{code(case, given)} 里是带着计算图的张量，它们在第 {line(kept.value)} 行放进去，是用来求导的，而 {code(case, call.func)} 只接受数。请传入数值：`{numbers}`。",
        case.fix(case.replace(given, numbers), call) or (),
        given,
    )
