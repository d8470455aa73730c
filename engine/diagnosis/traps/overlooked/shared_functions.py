"""Fixes of what a function of the program computes that is called at several places: at the one place that wants it otherwise."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.traps.record import Record
from gradflow.engine.trace import Fix, Span


def _calls(run: Record, function: ast.FunctionDef) -> list[ast.Call]:
    return [one for one in run.case.nodes(ast.Call) if called(one) == function.name]


def is_shared(run: Record, node: ast.AST) -> bool:
    """Whether a piece of the source stands in a function that several places call."""
    function = run.case.enclosing(node, ast.FunctionDef)
    return function is not None and function.name != "forward" and len(_calls(run, function)) > 1


def logarithm_at(run: Record, softmax: ast.Call, use: Span | None) -> Fix | None:
    """``F.log_softmax(...)`` in the place of the call of a function that gives ``F.softmax(...)``, where its result is used."""
    function, statement = run.case.enclosing(softmax, ast.FunctionDef), run.statement_at(use)
    if function is None or statement is None:
        return None
    calls = [one for one in _calls(run, function) if run.statement_at(run.program.span_of(one)) is statement]
    if len(calls) != 1:
        return None
    text = _inlined(run, function, softmax, calls[0])
    edits = run.case.replace(calls[0], text) if text else run.case.followed(calls[0], ".log()")
    text = text or f"{run.case.text(calls[0])}.log()"
    return run.fix(edits, f"`{text}`", f"`{text}`")


def _inlined(run: Record, function: ast.FunctionDef, softmax: ast.Call, call: ast.Call) -> str:
    """What a function of one line computes of one argument, with the logarithm; nothing where it does more."""
    names, body = [one.arg for one in function.args.args], function.body
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is not softmax:
        return ""
    if len(names) != 1 or len(call.args) != 1 or call.keywords or not run.case.text(softmax.func).endswith("softmax"):
        return ""
    given = run.case.operand(call.args[0])
    span = run.program.span_of(softmax)
    parts = [one for one in ast.walk(softmax) if isinstance(one, ast.Name) and one.id == names[0]]
    places = sorted((place for one in parts if (place := run.program.span_of(one))), key=lambda place: place.column)
    if span is None or any(place.line != span.line or place.end_line != span.line for place in places):
        return ""
    line, text, at = run.case.line(span.line), "", span.column
    for place in places:
        text, at = text + line[at : place.column] + given, place.end_column
    text += line[at : span.end_column]
    return text.replace("softmax(", "log_softmax(", 1) if span.line == span.end_line else ""
