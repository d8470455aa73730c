"""Neighbouring texts of a list that Python joins into one, for the comma between them is missing."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, lines_of_all
from gradflow.engine.diagnosis.fixers import WRITTEN
from gradflow.engine.trace import Span

_LONGEST: Final = 28
_MOST: Final = 200
_ENDS_OPEN: Final = tuple(" \n\t-/,:;\\_=+(|")
_GOES_ON: Final = tuple(" \n\t-/.,:;\\_=+)|")
"""How a piece ends that is meant to go on, and how one begins that goes on: a text that is written in parts."""


@dataclass(frozen=True)
class _Join:
    """Two texts that stand side by side, and where the first of them stands."""

    first: str
    second: str
    place: Span
    row: int
    """The line of the second."""


Collection = ast.List | ast.Tuple | ast.Set


def _comma_missing(case: Case) -> Finding | None:
    """``["age", "weight" "height"]``: told where it runs with the comma, or where the error names one of the texts."""
    found: list[tuple[Collection, list[_Join]]] = []
    for node in case.program.nodes:
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and len(node.elts) < _MOST:
            joins = [join for one in node.elts for join in _joins(case, one)]
            if joins and (len(node.elts) > 1 or len(joins) > 1):
                found.append((node, joins))
    if not found:
        return None
    message = str(case.details.get("message", "")) + str(case.details.get("key", ""))
    named = [one for one in found if any(_is_named(join, message) for join in one[1])]
    chosen = named or found
    edits = [insertion(join.place.end_line, join.place.end_column, ",") for _, joins in chosen for join in joins]
    owner, joins = chosen[0]
    first = joins[0]
    rows, rows_zh = lines_of_all([first.place.line, first.row])
    has, needs = len(owner.elts), len(owner.elts) + len(joins)
    whole = _shown(_inner(first.first) + _inner(first.second))
    what, what_zh = _name(case, owner)
    a, b = _shown(_inner(first.first)), _shown(_inner(first.second))
    more = f" The same holds for {len(edits) - 1} more." if len(edits) > 1 else ""
    more_zh = f"另有 {len(edits) - 1} 处也是这样。" if len(edits) > 1 else ""
    return Finding(
        says=finding(
            case,
            f"{rows}: between {a} and {b} a comma is missing, so Python joins the two into one text, {whole}, and {what} has {has} elements, not {needs}. Write the comma behind {a}."
            f"{more}",
            f"{rows_zh}：{a} 和 {b} 之间少了逗号，Python 就把两者连成一个字符串 {whole}，{what_zh}只有 {has} 个元素，而不是 {needs} 个。请在 {a} 后面加上逗号。{more_zh}",
        ).says,
        fixes=[one for one in [apply(case, edits, f"{a} and a comma", f"{a} 后面加逗号")] if one is not None],
        cause=first.place,
        guess=not named,
    )


def _joins(case: Case, node: ast.expr) -> Iterator[_Join]:
    """Where an element of a collection was joined of texts that do not look as if they were one."""
    if not isinstance(node, ast.Constant) or type(node.value) is not str or _is_one(node, node.value):
        return
    span = case.program.span_of(node)
    if span is None or _is_in_brackets(case, span):
        return
    pieces = list(_pieces(case.program.text_at(span), span))
    for (text, place), (following, other) in pairwise(pieces):
        left, right = _inner(text), _inner(following)
        if left and right and not left.endswith(_ENDS_OPEN) and not right.startswith(_GOES_ON):
            yield _Join(text, following, place, other.line)


def _is_one(node: ast.Constant, value: str) -> bool:
    """Whether a text is no longer, as it is written, than itself with its two marks."""
    return node.lineno == node.end_lineno and (node.end_col_offset or 0) - node.col_offset < len(value.encode()) + 4


def _pieces(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """The texts that stand side by side, with their places."""
    if text.count('"') + text.count("'") < 4:
        return
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text})").readline))
    except (tokenize.TokenError, IndentationError):
        return
    for token in tokens:
        if token.type == tokenize.STRING:
            begin, end = token.start, token.end
            left = begin[1] + (span.column - 1 if begin[0] == 1 else 0)
            right = end[1] + (span.column - 1 if end[0] == 1 else 0)
            yield token.string, Span(span.line + begin[0] - 1, left, span.line + end[0] - 1, right)


def _inner(text: str) -> str:
    value = ast.literal_eval(text)
    return value if isinstance(value, str) else ""


def _is_in_brackets(case: Case, span: Span) -> bool:
    """Whether a text stands in brackets of its own, as one does that is written in parts on purpose."""
    before = case.line(span.line)[: span.column].rstrip()
    row = span.line - 1
    while not before and row > 0:
        before, row = case.line(row).split("#")[0].rstrip(), row - 1
    after = case.line(span.end_line)[span.end_column :].split("#")[0].strip()
    row = span.end_line + 1
    while not after and row <= span.end_line + 5:
        after, row = case.line(row).strip(), row + 1
    return before.endswith("(") and after.startswith(")")


def _is_named(join: _Join, message: str) -> bool:
    """Whether an error names the joined text, or one of the two that it should have been."""
    texts = (_inner(join.first), _inner(join.second), _inner(join.first) + _inner(join.second))
    return any(f"'{text}'" in message or f'"{text}"' in message or message == text for text in texts)


def _shown(text: str) -> str:
    flat = " ".join(text.split()).replace("`", "'")
    return f'`"{flat}"`' if len(flat) <= _LONGEST else f'`"{flat[: _LONGEST - 1]}…"`'


def _name(case: Case, owner: Collection) -> tuple[str, str]:
    """What a collection is called."""
    parent = case.parents.get(owner)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    if len(targets) == 1 and isinstance(targets[0], ast.Name | ast.Attribute):
        text = case.text(targets[0])
        return f"`{text}`", f"`{text}` "
    return "the list", "这个列表"


WRITTEN.append(_comma_missing)
