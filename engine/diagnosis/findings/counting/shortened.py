"""The end of a ``range`` that goes too far, written as the program writes it; and numbers that follow from a loop's variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.known import computed
from gradflow.engine.tensor import Tensor


def number_at(case: Case, node: ast.expr, variable: str, value: int) -> int | None:
    """A whole number that an expression gives while a variable has a value; None where that is not known."""
    match node:
        case ast.Name(id=name) if name == variable:
            return value
        case ast.BinOp(left=left, op=op, right=right):
            one, other = number_at(case, left, variable, value), number_at(case, right, variable, value)
            made = computed(op, one, other)
            return made if type(made) is int else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = number_at(case, operand, variable, value)
            return None if number is None else -number
        case ast.Call(func=ast.Name(id="len"), args=[held]):
            return _size(case, held, 0, length=True)
        case ast.Call(func=ast.Attribute(value=held, attr="size"), args=[ast.Constant(value=int(dim))]):
            return _size(case, held, dim)
        case ast.Subscript(value=ast.Attribute(value=held, attr="shape"), slice=ast.Constant(value=int(dim))):
            return _size(case, held, dim)
        case ast.Call(func=ast.Attribute(value=held, attr="numel"), args=[]):
            tensor = Flow(case).tensor(held)
            return int(tensor.numel()) if tensor is not None else None
    found = case.value(node)
    return found if type(found) is int else None


def _size(case: Case, node: ast.expr, dim: int, *, length: bool = False) -> int | None:
    value = case.value(node)
    if length and isinstance(value, list | tuple | str):
        return len(value)
    if isinstance(value, np.ndarray):
        return int(value.shape[dim]) if dim < value.ndim else None
    held = value if isinstance(value, Tensor) else Flow(case).tensor(node)
    return int(held.shape[dim]) if held is not None and dim < held.dim() else None


def shortened(
    case: Case,
    source: ast.Call,
    index: ast.expr,
    variable: str,
    turns: range,
    good: int,
    counted: str | None,
    length: str = "",
) -> str | None:
    """The end with which a ``range`` has its first turns alone; ``counted``: the length that a bare index has to end with.

    ``length`` is how the program can write the length of what is indexed, to stand in the place of a number that is it.
    """
    stop = source.args[0 if len(source.args) == 1 else 1]
    over = len(turns) - good
    for less, text in _written(case, stop, index, variable, over, turns.step, counted, length):
        if range(turns.start, turns.stop - less, turns.step) == turns[:good]:
            return text
    return None


def _written(
    case: Case, stop: ast.expr, index: ast.expr, variable: str, over: int, step: int, counted: str | None, length: str
) -> Iterator[tuple[int, str]]:
    """By how much an end can be taken back, and its text then, the most natural one first."""
    ahead = _ahead(index, variable)
    match stop:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            more = number_at(case, right, "", 0)
            if more is not None:
                yield more, case.text(left)
                if isinstance(right, ast.Constant) and more > over * step > 0:
                    yield over * step, f"{case.text(left)} + {more - over * step}"
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(before))):
            if ahead is not None and number_at(case, ahead, "", 0) == before + over * step:
                yield over * step, f"{case.text(left)} - {_closed(case, ahead)}"
            yield over * step, f"{case.text(left)} - {before + over * step}"
        case ast.Constant(value=int(end)) if counted is None:
            if length and ahead is not None and number_at(case, ahead, "", 0) == over * step:
                yield over * step, f"{length} - {_closed(case, ahead)}"
            yield over * step, str(end - over * step)
    if counted is not None:
        yield over * step, counted
    text = case.text(stop)
    if isinstance(stop, ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda | ast.NamedExpr):
        text = f"({text})"
    if ahead is not None and (number := number_at(case, ahead, "", 0)) is not None and number > 0:
        yield number, f"{text} - {_closed(case, ahead)}"
    yield over * step, f"{text} - {over * step}"


def _closed(case: Case, node: ast.expr) -> str:
    text = case.text(node)
    return f"({text})" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else text


def _ahead(index: ast.expr, variable: str) -> ast.expr | None:
    """What an index adds to the variable."""
    match index:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=more) if name == variable:
            return more
        case ast.BinOp(left=more, op=ast.Add(), right=ast.Name(id=name)) if name == variable:
            return more
    return None
