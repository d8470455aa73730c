"""A share of a number of samples, which is a float, used as a position: it is made whole where it is computed, for all that use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python

_SAYS_SO: Final = ("slice indices must be integers", "'float' object cannot be interpreted as an integer")
_FAR: Final = 6


@finds(errors.SLICE_TYPE, mistakes.INDICES, mistakes.NOT_INTEGER, python.TYPE)
def _share(case: Case) -> Finding | None:
    """``n = 0.8 * len(x)`` and ``x[:n]``."""
    message = str(case.details.get("message", _SAYS_SO[0] if case.find(ast.Subscript) is not None else _SAYS_SO[1]))
    if not any(words in message for words in _SAYS_SO):
        return None
    for bound in _bounds(case):
        value = case.value(bound)
        if isinstance(value, int) or (isinstance(value, float) and value < 1):
            continue
        made = _product(case, bound, _FAR)
        if made is None or made is bound or "int" in case.values:
            continue
        inner = case.text(made)
        text = f"int({inner})"
        told = f" `{value}`" if isinstance(value, float) and not isinstance(bound, ast.BinOp) else ""
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} gives a float{f',{told},' if told else ', as every product with one does,'} and {code(case, bound)} has to be a whole number"
            f" here. Make it whole where it is computed, for all that use it: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 得到的是浮点数{told or '（与浮点数相乘总是如此）'}，而 {code(case, bound)} 在这里必须是整数。请在计算它的地方取整，"
            f"这样用到它的地方就都对了：`{text}`。",
            write(case, made, text, case.statement(made)),
            made,
        )
    return None


def _bounds(case: Case) -> Iterator[ast.expr]:
    """The bounds of a slice, or what ``range`` is given."""
    node, call = case.find(ast.Subscript), case.find(ast.Call)
    if node is not None:
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            if isinstance(part, ast.Slice):
                yield from (one for one in (part.lower, part.upper, part.step) if one is not None)
    elif call is not None and called(call) == "range":
        yield from call.args


def _product(case: Case, node: ast.expr, far: int) -> ast.BinOp | None:
    """The product that a number comes from: by names, attributes, functions that return it, and sums with others."""
    made = definition(case, node)
    if far == 0:
        return None
    match made:
        case ast.BinOp(op=ast.Mult()):
            return made
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            found = [one for part in (left, right) if (one := _product(case, part, far - 1)) is not None]
            return found[0] if found and made is node else None
        case ast.Call():
            results = [one for function in Flow(case).called(made) for one in returned(function)]
            return _product(case, results[0], far - 1) if len(results) == 1 else None
    return None
