"""Pieces of the sentences that findings say, in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from gradflow.engine.diagnosis.case import Case, apply_edits
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.trace import Edit, Fix, Span, Text

_LONGEST: Final = 48
ALLOWED: Final = (
    "; or allow it with `allow_unused=True`, which gives `None` for it",
    "；或者用 `allow_unused=True` 允许这种情况，这时得到的是 `None`",
)
_LINES: Final = re.compile(r"\s*\n\s*")


def finding(
    case: Case,
    en: str,
    zh: str,
    fix: Fix | Sequence[Fix | None] | None = None,
    cause: ast.AST | Span | None = None,
) -> Finding:
    """A finding of these words, with its fix or its several fixes; ``cause`` is the place of the mistake.

    Without any the fix that is known for the error is taken; with an empty sequence there is none.
    """
    fixes = [fix] if isinstance(fix, Fix) else [one for one in fix or () if one is not None]
    place = cause if isinstance(cause, Span) or cause is None else case.program.span_of(cause)
    text = Text(_LINES.sub(" ", en), _LINES.sub(" ", zh.replace("） ", "）")))
    return Finding(text, fixes, place, open=fix is None)


def code(case: Case, node: ast.AST) -> str:
    """The text of a node in backticks, on one line and not too long."""
    text = " ".join(case.text(node).replace("\\\n", " ").split())
    return f"`{text}`" if len(text) <= _LONGEST else f"`{text[: _LONGEST - 1]}…`"


def line(node: ast.AST) -> int:
    """The line of a node."""
    return int(getattr(node, "lineno", 0))


def on_line(node: ast.AST | None) -> tuple[str, str]:
    """`` (line 3)``, in both languages, to stand after a name; nothing of a node that is not known."""
    return ("", "") if node is None else (f" (line {line(node)})", f"（第 {line(node)} 行）")


def on_other_line(node: ast.AST, than: ast.AST) -> tuple[str, str]:
    """`on_line`, where a node stands on another line than the one that is told of."""
    return on_line(node) if line(node) != line(than) else ("", "")


def apply(case: Case, edits: Sequence[Edit], en: str, zh: str) -> Fix | None:
    """A fix with a title of words."""
    return case.fix(edits, words=Text(en, zh))


def write(case: Case, node: ast.AST, text: str, shown: ast.AST | None = None) -> Fix | None:
    """A fix that puts a text in the place of a node."""
    return case.fix(case.replace(node, text), shown or node)


def text_with(case: Case, node: ast.AST, part: ast.AST, text: str) -> str:
    """The text of a node, with another text in the place of a part of it."""
    span = case.program.span_of(node)
    whole = apply_edits(case.program.source, case.replace(part, text), span) if span is not None else ""
    return " ".join(whole.split())


def joined(names: Sequence[str], language: str) -> str:
    """Several names in one sentence."""
    if language == "zh":
        return "、".join(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def lines_of_all(numbers: Sequence[int]) -> tuple[str, str]:
    """``Lines 3 and 4``, in both languages, to begin a sentence."""
    rows = [str(one) for one in dict.fromkeys(numbers)]
    return f"Line{'s' * (len(rows) > 1)} {joined(rows, 'en')}", f"第 {joined(rows, 'zh')} 行"


def ordinal(number: int) -> str:
    """``22nd``, as English counts."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
