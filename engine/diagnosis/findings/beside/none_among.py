"""`None` among the elements of a list: a function of the program gave some of them, and in some cases it gives nothing back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.language.returns import falls_through
from gradflow.engine.diagnosis.findings.nothing import returns_nothing, speaks_of_none
from gradflow.engine.diagnosis.findings.origins.absent import gives, returns_sometimes
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python


@finds(
    errors.SEQUENCE_ELEMENT,
    errors.ELEMENT_TYPE,
    errors.DATA_DTYPE_UNKNOWN,
    mistakes.NONE_OPERAND,
    mistakes.UNORDERED,
    python.TYPE,
)
def _none_among(case: Case) -> Finding | None:
    """``sum([grade(score) for score in scores])``, where ``grade`` returns in an ``if`` alone."""
    call = case.find(ast.Call)
    if call is None or not (speaks_of_none(case) or "NoneType" in str(case.details)):
        return None
    for given in call.args:
        held = case.value(given)
        if held is not UNKNOWN and not (isinstance(held, list | tuple) and any(one is None for one in held)):
            continue
        for made in _elements(case, given):
            functions = [one for one in Flow(case).called(made) if isinstance(one, ast.FunctionDef)]
            if functions and not gives(functions[0]):
                return returns_nothing(case, functions[0], made)
            if functions and (end := falls_through(functions[0])) is not None:
                return returns_sometimes(case, functions[0], end, made)
    return None


def _elements(case: Case, given: ast.expr) -> Iterator[ast.Call]:
    """The calls that gave the elements of a list: in a comprehension, or where they were appended."""
    made = definition(case, given)
    match made:
        case ast.ListComp(elt=ast.Call() as one) | ast.GeneratorExp(elt=ast.Call() as one):
            yield one
    if isinstance(given, ast.Name | ast.Attribute):
        for call in case.nodes(ast.Call):
            match call:
                case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[ast.expr() as value]) if case.text(
                    owner
                ) == case.text(given):
                    value = definition(case, value)
                    if isinstance(value, ast.Call):
                        yield value
