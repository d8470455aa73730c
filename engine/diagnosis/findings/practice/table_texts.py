"""Rows of a table that are still text where a tensor is made of them."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds


@finds(errors.DATA_DIMENSIONS)
def _rows_of_text(case: Case) -> Finding | None:
    """``rows.append(row)`` of what ``csv.reader`` or ``split`` gives, and ``torch.tensor(rows)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if given is None or not (sample := _sample(case, given)):
        return None
    first, flat = sample
    added = _added(case, given)
    place: ast.expr = given
    if added is not None and isinstance(added, ast.Name | ast.Call):
        place = added
    shown, shown_zh = (f", such as `{first!r}`", f"，例如 `{first!r}`") if first else ("", "")
    own = case.text(place)
    if flat:
        text = f"float({own})" if place is added else f"[float(text) for text in {own}]"
    else:
        text = (
            f"[float(text) for text in {own}]"
            if place is added
            else f"[[float(text) for text in row] for row in {own}]"
        )
    return finding(
        case,
        f"{code(case, given)} holds text{shown}, and a tensor is made of numbers: what is read from a file or cut from a text stays text, also where"
        f" it looks like a number. Convert it on line {line(place)}: `{text}`.",
        f"{code(case, given)} 里是字符串{shown_zh}，而张量由数组成：从文件读出或从字符串切出的仍是字符串，即使看起来像数。请在第 {line(place)} 行转换：`{text}`。",
        write(case, place, text, case.statement(place)),
        place,
    )


def _sample(case: Case, given: ast.expr) -> tuple[str, bool] | None:
    """A text of a list that spells a number, where all do, and whether the list has no rows; of what is cut here, nothing is known of the texts."""
    if isinstance(given, ast.Call) and called(given) in ("split", "rsplit", "splitlines"):
        return "", True
    held = case.value(given)
    if not isinstance(held, list) or not held:
        return None
    flat = all(isinstance(one, str) for one in held)
    rows = [held] if flat else held
    if not all(isinstance(row, list) and row and all(map(_is_number, row)) for row in rows):
        return None
    texts = [one for row in rows for one in row if isinstance(one, str)]
    return (texts[0], flat) if texts else None


def _is_number(held: object) -> bool:
    """Whether something is a number, or a text that spells one."""
    if not isinstance(held, str):
        return isinstance(held, int | float)
    try:
        float(held)
    except ValueError:
        return False
    return True


def _added(case: Case, given: ast.expr) -> ast.expr | None:
    """What the one ``append`` to a list of this name adds."""
    calls = [
        one.args[0]
        for one in case.nodes(ast.Call)
        if isinstance(one.func, ast.Attribute)
        and one.func.attr == "append"
        and isinstance(given, ast.Name)
        and case.text(one.func.value) == given.id
        and len(one.args) == 1
    ]
    return calls[0] if len(calls) == 1 else None
