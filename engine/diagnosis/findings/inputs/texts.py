"""Numbers that are still text: settings that were read from a file or a table, and given on as they are."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import names_of, place
from gradflow.engine.diagnosis.findings.words import apply, code, finding
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes, python

_LONGEST: Final = 24


@finds(
    mistakes.UNORDERED,
    python.TYPE,
    errors.ARGUMENT_TYPE,
    errors.MODULE_TYPE,
    errors.INVALID_COMBINATION,
    mistakes.NOT_INTEGER,
    python.VALUE,
)
def _number_as_text(case: Case) -> Finding | None:
    """``lr=cfg["lr"]`` where the settings are text."""
    call = case.find(ast.Call)
    given = [*call.args, *(one.value for one in call.keywords)] if call is not None else []
    texts = {one: case.value(one) for one in given if not isinstance(one, ast.Constant)}
    numbers = {one: kind for one, held in texts.items() if isinstance(held, str) and (kind := kind_of_number(held))}
    if call is None or not numbers:
        return None
    first = next(iter(numbers))
    if any(isinstance(one.value, str) and one.value == texts[first] for one in case.nodes(ast.Constant)):
        return None  # it stands in the program, in quotes
    edits = [edit for one, each in numbers.items() for edit in case.wrapped(one, f"{each}(", ")")]
    shown, shown_zh = names_of([case.text(one) for one in numbers])
    wrapped, wrapped_zh = names_of([f"{each}({case.text(one)})" for one, each in numbers.items()])
    where, where_zh = place(case, first)
    several = len(numbers) > 1
    return finding(
        case,
        f"{shown}{where} {'are' if several else 'is'} text ({code(case, first)} is `{str(texts[first])!r}`), and {code(case, call.func)} computes with numbers: what is read"
        f" from a text stays text. Convert {'them' if several else 'it'}: {wrapped}.",
        f"{shown_zh}{where_zh} 是字符串（{code(case, first)} 是 `{str(texts[first])!r}`），而 {code(case, call.func)} 要用数计算：从字符串读出来的仍是字符串。请转换："
        f"{wrapped_zh}。",
        apply(case, edits, wrapped, wrapped_zh) or (),
        first,
    )


def kind_of_number(text: str) -> str:
    """The type of the number that a text spells."""
    if len(text) > _LONGEST:
        return ""
    for kind in (int, float):
        try:
            kind(text)
        except ValueError:
            continue
        return kind.__name__
    return ""
