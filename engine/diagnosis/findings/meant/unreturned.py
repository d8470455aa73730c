"""`None` of a `forward` or a function without ``return``, met by what is called next: another layer, the next turn, another function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.language.returns import with_return
from gradflow.engine.diagnosis.findings.nothing import NONE_MET, returns_nothing, speaks_of_none, suspects, where
from gradflow.engine.diagnosis.findings.origins.absent import gives
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer

_MOST = 60


@finds(*NONE_MET, mistakes.NOT_CALLABLE, errors.KEYWORD_TYPE, errors.INVALID_COMBINATION, errors.NO_SIZE)
def _handed_on(case: Case) -> Finding | None:
    """``x = block(x)`` in a loop over layers whose ``forward`` ends without a ``return``."""
    parts = suspects(case)
    failed = case.find(ast.Call)
    if failed is not None and speaks_of_none(case):
        parts += [one for one in failed.args if isinstance(one, ast.Call) and isinstance(case.value(one.func), Layer)]
    if failed is not None and parts and (inside := _inside(case, failed)) is not None:
        return inside
    for part in parts:
        for call, function in _makers(case, part):
            if not gives(function):
                return returns_nothing(case, function, call)
    return None


def _inside(case: Case, call: ast.Call) -> Finding | None:
    """``nn.Sequential(Block(), nn.Linear(4, 1))``: the next layer is given what the block does not return."""
    held = case.value(call.func)
    if not isinstance(held, Layer) or any(case.value(one) is None for one in call.args):
        return None
    functions = [*_unreturned(case, held)]
    return _in_layers(case, functions[0], call) if functions else None


def _in_layers(case: Case, function: ast.FunctionDef, call: ast.Call) -> Finding:
    last, name = function.body[-1], where(case, function)
    fix = with_return(case, function, last)
    result = fix.title.en if fix is not None and fix.title.en.startswith("`return ") else "`return`"
    held = code(case, call.func)
    return finding(
        case,
        f"{name} ends on line {last.end_lineno or line(last)} without a `return`, so what comes behind it in {held} is given `None`. Give the result"
        f" back at its end: {result}.",
        f"{name} 在第 {last.end_lineno or line(last)} 行结束时没有 `return`，所以 {held} 里接在它后面的部分得到的是 `None`。请在末尾返回结果：{result}。",
        fix or (),
        last,
    )


def _unreturned(case: Case, held: Layer) -> Iterator[ast.FunctionDef]:
    """The ``forward`` methods of the program, of a model and the layers in it, that give nothing back."""
    for one in held.modules():
        forward = Flow(case).methods(type(one).__name__).get("forward")
        if forward is not None and not gives(forward):
            yield forward


def _makers(case: Case, part: ast.expr) -> Iterator[tuple[ast.Call, ast.FunctionDef]]:
    """The calls that may have given a value, through the arguments of the functions that run, and what they run."""
    given, level = _outwards(case, part, len(case.frames) - 1)
    seen = 0
    while given is not None and level >= 0 and seen < _MOST:
        seen += 1
        for one in [given] if isinstance(given, ast.Call) else _assigned(case, given):
            if isinstance(one, ast.Call):
                yield from ((one, function) for function in _run(case, one))
        given, level = _outwards(case, given, level - 1)


def _assigned(case: Case, node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name):
        yield from Flow(case).assigned(node, node.id)


def _outwards(case: Case, node: ast.expr, level: int) -> tuple[ast.expr | None, int]:
    """What an argument was given by the call one level further out; at the innermost level the node itself."""
    if level == len(case.frames) - 1:
        return node, level
    function = case.enclosing(node, ast.FunctionDef)
    span = case.frames[level].span if 0 <= level < len(case.frames) else None
    call = case.find(ast.Call, span) if span is not None else None
    if function is None or call is None or not isinstance(node, ast.Name):
        return None, level
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if isinstance(case.parents.get(function), ast.ClassDef) and names[:1] == ["self"] else names
    if node.id not in names or any(isinstance(one, ast.Starred) for one in call.args):
        return None, level
    named = [one.value for one in call.keywords if one.arg == node.id]
    at = names.index(node.id)
    return next(iter(named or call.args[at : at + 1]), None), level


def _run(case: Case, call: ast.Call) -> Iterator[ast.FunctionDef]:
    """The functions of the program that a call can run: what its name stands for, and layers by the text alone."""
    flow, value = Flow(case), case.value(call.func)
    if isinstance(value, Layer):
        yield from _unreturned(case, value)
        return
    functions = {one.name: one for one in case.nodes(ast.FunctionDef) if case.parents.get(one) is case.program.tree}
    for count, one in enumerate(flow.behind(call.func)):
        if count > _MOST:
            return
        if isinstance(one, ast.Name) and one.id in functions and case.value(one) is not UNKNOWN:
            yield functions[one.id]
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            forward = flow.methods(one.func.id).get("forward")
            if forward is not None:
                yield forward
