"""A comma at the end of a line, which makes a tuple of one element that nobody meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.trace import Span

_MOST: Final = 8
"""Names and calls on the way to the tuple."""
WHOLE: Final = (
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    python.TYPE,
    errors.INDEX_NOT_SCALAR,
    errors.ARGUMENT_TYPE,
    errors.INVALID_COMBINATION,
    errors.ELEMENT_TYPE,
    errors.KEYWORD_TYPE,
    errors.SEQUENCE_ELEMENT,
    errors.INDEX_KIND,
    errors.INDEX_DTYPE,
    errors.INDEX_COUNT,
    mistakes.OPERAND_TYPES,
    mistakes.CONCATENATION,
    mistakes.UNORDERED,
)
"""Errors of a collection where one value is needed."""


@finds(*WHOLE, errors.NO_SIZE, mistakes.NOT_CALLABLE, mistakes.NOT_INTEGER)
def _comma_before(case: Case) -> Finding | None:
    """``return loss,`` in a function whose result is used as a tensor, also through further names and calls."""
    node = case.find(ast.expr)
    for one in ast.walk(node) if node is not None else ():
        if not isinstance(one, ast.Name | ast.Attribute | ast.Call):
            continue
        held = case.value(one)
        alone = isinstance(held, tuple) and len(held) == 1
        if not alone and not (isinstance(one, ast.Call) and held is UNKNOWN and case.details.get("type") == "tuple"):
            continue
        made = next(_stray(case, one), None)
        if made is None or (alone and _is_size(case, one, node)):
            continue
        end, inner = made.end_lineno or line(made), code(case, made.elts[0])
        span = case.program.span_of(made)
        edits = (
            [case.cut(Span(span.end_line, span.end_column - 1, span.end_line, span.end_column))]
            if span is not None
            else []
        )
        return finding(
            case,
            f"The comma at the end of line {end} makes a tuple of {inner}, so {code(case, one)} is a tuple that holds it, not the value itself."
            f" Take the comma away.",
            f"第 {end} 行末尾的逗号把 {inner} 变成了元组，所以 {code(case, one)} 是装着它的元组，而不是这个值本身。请去掉这个逗号。",
            apply(case, edits, f"Take the comma on line {end} away", f"去掉第 {end} 行的逗号"),
            Span(span.end_line, 0, span.end_line, span.end_column) if span is not None else made,
        )
    return None


def _is_size(case: Case, node: ast.expr, failed: ast.AST | None) -> bool:
    """Whether a tuple of one whole number was given to a call that took it: ``torch.zeros(shape)``."""
    held, call = case.value(node), case.enclosing(node, ast.Call)
    return isinstance(held, tuple) and type(held[0]) is int and call is not None and call is not failed


def _stray(case: Case, node: ast.expr) -> Iterator[ast.Tuple]:
    """The tuple of one element without brackets that a name, an attribute or a call stands for."""
    flow, waiting = Flow(case), [node]
    for count, current in enumerate(waiting):
        if isinstance(current, ast.Tuple) and len(current.elts) == 1 and case.text(current).endswith(","):
            yield current
        if count > _MOST:
            return
        match current:
            case ast.Call():
                waiting += [each for function in flow.called(current) for each in returned(function)]
            case ast.Name(id=name):
                waiting += list(flow.assigned(current, name))[:2]
            case ast.Attribute() if (made := definition(case, current)) is not current:
                waiting.append(made)
