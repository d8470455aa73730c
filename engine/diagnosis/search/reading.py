"""One reading of an error that a search came to: the change, the words for it, and where the mistake then stands."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.words import line
from gradflow.engine.trace import Edit, Text

Search = Callable[[Case, Sequence[ast.expr]], Iterator[Reading | None]]
"""Looks for readings in the expressions that the failed one was computed from."""


def reading(
    case: Case, node: ast.AST, edits: Sequence[Edit], en: str, zh: str, shown: ast.AST | None = None
) -> Reading | None:
    """A change at a node, and the two sentences that say why; None where nothing can be written there."""
    fix = case.fix(edits, shown or node)
    place = case.program.span_of(node)
    return Reading(fix, Text(en, zh), place) if fix is not None and place is not None else None


def written(case: Case, node: ast.AST, text: str, en: str, zh: str) -> Reading | None:
    """A change that writes a text in the place of a node."""
    return reading(case, node, case.replace(node, text), en, zh)


def at(case: Case, node: ast.AST) -> tuple[str, str]:
    """`` on line 3``, where a node stands on another line than the error."""
    if line(node) == case.span.line:
        return "", ""
    return f" on line {line(node)}", f"第 {line(node)} 行的 "
