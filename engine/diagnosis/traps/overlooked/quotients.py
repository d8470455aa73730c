"""Traps of quotients that `//` rounds to 0: factors of a learning rate, and weights that grow over a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note

RATE_ROUNDED: Final = Trap(
    "rate-factor-rounded",
    "`{text}` is rounded down by `//`, to 0 where it is less than 1: the learning rate is 0 in {zero} of {count} steps, which move nothing. Divide with `/`.",
    "`{text}` 被 `//` 向下取整，小于 1 时就是 0：{count} 步里有 {zero} 步的学习率是 0，什么也没有移动。请用 `/` 相除。",
)
WEIGHT_ROUNDED: Final = Trap(
    "weight-rounded-to-zero",
    "`{text}` is rounded down by `//`, and `{name}` stays below `{whole}`: it is 0 at least until the last turn, so what it weighs counts for nothing. Divide with `/`.",
    "`{text}` 被 `//` 向下取整，而 `{name}` 一直小于 `{whole}`：至少在最后一轮之前它都是 0，它所加权的一项不起任何作用。请用 `/` 相除。",
)

_FEWEST: Final = 2
_SCHEDULES: Final = ("LambdaLR", "MultiplicativeLR")
_LIMITS: Final = ("min", "max", "float")


def rates(run: Record) -> Iterator[Note]:
    """``LambdaLR(opt, lambda step: min(1.0, step // warmup))``, and steps at a rate of 0."""
    if "//" not in run.program.source or not run.steps:
        return
    found = [max((_rate(group.get("lr")) for _, group, _ in step.told["groups"]), default=1.0) for step in run.steps]
    zero = sum(one == 0 for one in found)
    made = [one for one in run.case.nodes(ast.Call) if called(one) in _SCHEDULES]
    if zero < _FEWEST or len(made) != 1:
        return
    quotients, limited = _factors(run, argument_of(made[0], 1, "lr_lambda"))
    if not quotients or (zero == len(found) and not limited):
        return
    words = {"text": run.case.text(quotients[0]), "zero": zero, "count": len(found)}
    yield RATE_ROUNDED.note(run.program.span_of(quotients[0]), (), _divided(run, quotients), **words)


def _rate(given: object) -> float:
    return float(given) if isinstance(given, int | float) and not isinstance(given, Tensor) else 1.0


def _factors(run: Record, given: ast.expr | None) -> tuple[list[ast.BinOp], bool]:
    """The quotients that a function gives as they are, and whether it limits them or chooses among several."""
    values: list[ast.expr] = []
    chosen = False
    match given:
        case ast.Lambda(body=body):
            values = [body]
        case ast.Name(id=name) | ast.Attribute(attr=name):
            values = _given_back(run, [one for one in run.case.nodes(ast.FunctionDef) if one.name == name])
        case ast.Call(func=ast.Name(id=name)):  # an object that is called, or what a function makes
            values = _given_back(run, _called_later(run, name))
    found: list[ast.BinOp] = []
    chosen = len(values) > 1
    for value in values:
        quotients, limited = _whole(value)
        found += quotients
        chosen = chosen or limited
    return sorted(found, key=lambda one: one.lineno), chosen


def _given_back(run: Record, functions: Sequence[ast.FunctionDef]) -> list[ast.expr]:
    """What the one function of a name gives back."""
    if len(functions) != 1:
        return []
    own = [one for one in ast.walk(functions[0]) if isinstance(one, ast.Return) and one.value]
    return [one.value for one in own if one.value and run.case.enclosing(one, ast.FunctionDef) is functions[0]]


def _called_later(run: Record, name: str) -> list[ast.FunctionDef]:
    """The ``__call__`` of a class, or the function that is defined in another one."""
    functions = run.case.nodes(ast.FunctionDef)
    inner = [one for one in functions if getattr(run.case.enclosing(one, ast.FunctionDef), "name", "") == name]
    called_later = [
        one for one in functions if one.name == "__call__" and getattr(run.case.parents.get(one), "name", "") == name
    ]
    return called_later or inner


def _whole(value: ast.expr) -> tuple[list[ast.BinOp], bool]:
    """The quotients that a value is a product or a limit of; not those in an exponent, which count stairs."""
    match value:
        case ast.BinOp(op=ast.FloorDiv()):
            return [value], False
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            parts, limited = [left, right], False
        case ast.Call(func=ast.Name(id=name), args=args) if name in _LIMITS:
            parts, limited = args, True
        case ast.IfExp(body=body, orelse=orelse):
            parts, limited = [body, orelse], True
        case _:
            return [], False
    found = [_whole(one) for one in parts]
    return [one for each, _ in found for one in each], limited or any(each for _, each in found)


def weights(run: Record) -> Iterator[Note]:
    """``weight = epoch // epochs`` for ``epoch in range(epochs)``, and a loss that it is a factor of."""
    if "//" not in run.program.source or len(run.passes) < _FEWEST:
        return
    for loop in run.case.nodes(ast.For):
        match loop:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[whole], keywords=[])
            ) if isinstance(whole, ast.Name | ast.Constant):
                pass
            case _:
                continue
        text = run.case.text(whole)
        for quotient in (one for one in ast.walk(loop) if isinstance(one, ast.BinOp)):
            if not _is_share(run, quotient, name, text) or not _weighs(run, loop, quotient):
                continue
            words = {"text": run.case.text(quotient), "name": name, "whole": text}
            yield WEIGHT_ROUNDED.note(run.program.span_of(quotient), (), _divided(run, [quotient]), **words)


def _is_share(run: Record, quotient: ast.BinOp, name: str, whole: str) -> bool:
    """``i // n`` or ``(i + 1) // n``, of the turns of a loop."""
    if not isinstance(quotient.op, ast.FloorDiv) or run.case.text(quotient.right) != whole:
        return False
    match quotient.left:
        case ast.Name(id=own) | ast.BinOp(left=ast.Name(id=own), op=ast.Add(), right=ast.Constant(value=1)):
            return own == name
    return False


def _weighs(run: Record, loop: ast.For, quotient: ast.BinOp) -> bool:
    """Whether a quotient, or the name that it gets, is a factor in the loop."""
    node: ast.AST = quotient
    outer = run.case.parents.get(node)
    while isinstance(outer, ast.Call) and called(outer) in _LIMITS:
        node, outer = outer, run.case.parents.get(outer)
    match outer:
        case ast.BinOp(op=ast.Mult()):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            products = (one for one in ast.walk(loop) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult))
            return any(
                isinstance(side, ast.Name) and side.id == name for one in products for side in (one.left, one.right)
            )
    return False


def _divided(run: Record, quotients: Sequence[ast.BinOp]) -> Fix | None:
    """``/`` in the place of every ``//``."""
    edits = [edit for one in quotients for edit in run.case.replace(one, _divided_text(run, one))]
    return run.fix(edits, "`/`", "`/`")


def _divided_text(run: Record, one: ast.BinOp) -> str:
    text, left = run.case.text(one), run.case.text(one.left)
    right = run.case.text(one.right)
    between = text[text.index(left) + len(left) : text.rindex(right)]
    return (
        text[: text.index(left)] + left + between.replace("//", "/") + right + text[text.rindex(right) + len(right) :]
    )


TRAPS: Final = (rates, weights)
