"""``"a" or "b" in name``: a condition with a text in the place of a question, which is always true."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.words import text_with


@dataclass(frozen=True)
class AlwaysTrue:
    """The ``or`` of a condition, the text in it that is true by itself, and the condition with the question asked of each."""

    whole: ast.BoolOp
    text: ast.Constant
    asked: str


def always_true(case: Case, test: ast.expr) -> AlwaysTrue | None:
    """The part of a condition that is true whatever the names are."""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.Or):
        return None
    texts = [one for one in test.values if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value]
    question = next((found for one in test.values if (found := _question(one)) is not None), None)
    if not texts or question is None or len(texts) + 1 < len(test.values):
        return None
    part, word = question
    asked = [text_with(case, part, word, case.text(one)) if one in texts else case.text(one) for one in test.values]
    return AlwaysTrue(test, texts[0], " or ".join(asked))


def _question(node: ast.expr) -> tuple[ast.expr, ast.Constant] | None:
    """A question about a text, ``"b" in name``, ``name == "b"`` or ``name.startswith("b")``, and that text."""
    match node:
        case ast.Compare(left=ast.Constant(value=str()) as word, ops=[ast.In()]):
            return node, word
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str()) as word]):
            return node, word
        case ast.Call(func=ast.Attribute(), args=[ast.Constant(value=str()) as word], keywords=[]):
            return node, word
    return None
