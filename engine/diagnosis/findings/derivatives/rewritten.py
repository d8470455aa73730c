"""Small changes of a formula: a factor at one of its terms, another sign, a transposed operand, another number."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.findings.words import text_with

Change = tuple[ast.expr, ast.expr, tuple[str, str]]
"""The formula, the part that is changed, and the new text of the part and of the whole."""


def rewritten(case: Case, formula: ast.expr, inside: Sequence[ast.expr], names: Sequence[str]) -> Iterator[Change]:
    """The changes of a formula and of what its names stand for, the likeliest first."""
    for whole in (formula, *inside):
        for old, new in [
            *_signs(case, whole),
            *_factors(case, whole, names),
            *_sides(case, whole),
            *_numbers(case, whole),
        ]:
            yield whole, old, (new, text_with(case, whole, old, new))


def _terms(whole: ast.expr) -> Iterator[ast.expr]:
    """What is added or subtracted anywhere in a formula."""
    for one in ast.walk(whole):
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub):
            yield from (each for each in (one.left, one.right) if not isinstance(each, ast.Constant))


def _factors(case: Case, whole: ast.expr, names: Sequence[str]) -> Iterator[tuple[ast.expr, str]]:
    """A factor that one of several terms lacks."""
    for term in _terms(whole):
        text = case.text(term)
        used = {case.text(one) for one in ast.walk(term) if isinstance(one, ast.Name | ast.Attribute)}
        sums = isinstance(term, ast.BinOp) and isinstance(term.op, ast.Add | ast.Sub)
        for name in names:
            if name not in used and not sums:
                yield term, f"{name} * {text}"


def _signs(case: Case, whole: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """``1 - s`` for ``1 + s``."""
    for one in ast.walk(whole):
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub):
            mark = "-" if isinstance(one.op, ast.Add) else "+"
            right = case.text(one.right)
            closed = not (isinstance(one.right, ast.BinOp) and isinstance(one.right.op, ast.Add | ast.Sub))
            if closed:
                yield one, f"{case.text(one.left)} {mark} {right}"


def _sides(case: Case, whole: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """``g @ w`` for ``g @ w.t()``."""
    for one in ast.walk(whole):
        if not isinstance(one, ast.BinOp) or not isinstance(one.op, ast.MatMult):
            continue
        for side in (one.right, one.left):
            match side:
                case (
                    ast.Call(func=ast.Attribute(value=value, attr="t"), args=[])
                    | ast.Attribute(value=value, attr="T" | "mT")
                ):
                    yield side, case.text(value)
                case ast.Name() | ast.Attribute():
                    yield side, f"{case.operand(side)}.T"


def _numbers(case: Case, whole: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """``x ** 2`` for ``x ** 3``."""
    for one in ast.walk(whole):
        if isinstance(one, ast.Constant) and type(one.value) is int:
            yield from ((one, str(new)) for new in (one.value - 1, one.value + 1) if new > 0)
