"""Rows of a table that are still text where a tensor is made of them."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds

_CLASSES: Final = re.compile(r"(?:y|labels?|targets?|class(?:es)?|ids?)(?:_|$)")


@finds(errors.DATA_DIMENSIONS)
def _rows_of_text(case: Case) -> Finding | None:
    """``rows.append(row)`` of what ``csv.reader`` or ``split`` gives, and ``torch.tensor(rows)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    if given is None or not (sample := _sample(case, given)):
        return None
    first, flat = sample
    kind = "int" if first.isdigit() and _is_of_classes(case, given) else "float"
    added = _added(case, given)
    place: ast.expr = given
    if isinstance(given, ast.ListComp):
        place = added = given.elt
    elif added is not None and isinstance(added, ast.Name | ast.Call):
        place = added
    shown, shown_zh = (f", such as `{first!r}`", f"，例如 `{first!r}`") if first else ("", "")
    own = case.text(place)
    if flat:
        text = f"{kind}({own})" if place is added else f"[{kind}(text) for text in {own}]"
    else:
        text = (
            f"[{kind}(text) for text in {own}]"
            if place is added
            else f"[[{kind}(text) for text in row] for row in {own}]"
        )
    return finding(
        case,
        f"{code(case, given)} holds text{shown}, and a tensor is made of numbers: what is read from a file or cut from a text stays text, also where"
        f" it looks like a number. Convert it on line {line(place)}: `{text}`.",
        f"{code(case, given)} 里是字符串{shown_zh}，而张量由数组成：从文件读出或从字符串切出的仍是字符串，即使看起来像数。请在第 {line(place)} 行转换：`{text}`。",
        write(case, place, text, case.statement(place)),
        place,
    )


def _is_of_classes(case: Case, given: ast.expr) -> bool:
    """Whether the texts are numbers of classes, by the name of what they stand in or become."""
    statement = case.statement(given)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [case.text(one) for one in (*targets, given) if isinstance(one, ast.Name)]
    return any(_CLASSES.match(one) for one in names)


def _sample(case: Case, given: ast.expr) -> tuple[str, bool] | None:
    """A text of a list that spells a number, where all do, and whether the list has no rows; of what is cut here, nothing is known of the texts."""
    if isinstance(given, ast.Call) and called(given) in ("split", "rsplit", "splitlines"):
        return "", True
    held = _made(case, given) if isinstance(given, ast.ListComp) else case.value(given)
    if not isinstance(held, list) or not held:
        return None
    flat = all(isinstance(one, str) for one in held)
    rows = [held] if flat else held
    if not all(isinstance(row, list) and row and all(map(_is_number, row)) for row in rows):
        return None
    texts = [one for row in rows for one in row if isinstance(one, str)]
    return (texts[0], flat) if texts else None


def _made(case: Case, made: ast.ListComp) -> list[object]:
    """What a comprehension makes of the rows of a list: each row, an element or a part of it; an empty list of others."""
    source = case.value(made.generators[0].iter)
    if len(made.generators) != 1 or made.generators[0].ifs or not isinstance(source, list):
        return []
    name = getattr(made.generators[0].target, "id", "")
    match made.elt:
        case ast.Name(id=one) if one == name:
            return source
        case ast.Subscript(value=ast.Name(id=one), slice=index) if one == name:
            at = _index(case, index)
            rows = [row for row in source if isinstance(row, list)]
            fits = (
                at is not None
                and len(rows) == len(source)
                and (isinstance(at, slice) or all(len(row) > at for row in rows))
            )
            return [row[at] for row in rows] if fits and at is not None else []
    return []


def _index(case: Case, node: ast.expr) -> int | slice | None:
    """A place, or the beginning and end of a part, that are written out."""
    if isinstance(node, ast.Slice) and node.step is None:
        lower, upper = (None if one is None else case.value(one) for one in (node.lower, node.upper))
        plain = all(one is None or type(one) is int for one in (lower, upper))
        return slice(lower, upper) if plain else None
    at = case.value(node)
    return at if type(at) is int and at >= 0 else None


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
