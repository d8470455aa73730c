"""Words that are spelled nearly like another one: names, attributes, keywords, keys, and words in quotes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Reading
from gradflow.engine.diagnosis.findings.words import code
from gradflow.engine.diagnosis.fixes.calls import parameters_of
from gradflow.engine.diagnosis.fixes.names import bound_names, closest, is_one_letter_apart
from gradflow.engine.diagnosis.search.reading import reading
from gradflow.engine.trace import Edit

_LEAST: Final = 0.6


def near(wrong: str, names: Iterable[str]) -> list[str]:
    """The words that can have been meant: those that differ in one letter, and the one that is most alike."""
    known = sorted(set(names))
    known = [
        one for one in known if one.rstrip("0123456789") != wrong.rstrip("0123456789") or wrong.isalpha()
    ]  # w3 is no w2
    alike = closest(wrong, known, _LEAST)
    return list(
        dict.fromkeys([*(one for one in known if is_one_letter_apart(wrong, one)), *([alike] if alike else [])])
    )[:3]


def names(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """A name that nothing has."""
    node = nodes[0] if nodes else None
    if not isinstance(node, ast.Name) or node.id in case.values:
        return
    known = bound_names(case.program.tree) | {one for one in dir(builtins) if one[:1] != "_"}
    for meant in near(node.id, known):
        yield _renamed(case, node, case.replace(node, meant), node.id, meant)


def keywords(case: Case, nodes: Sequence[ast.expr]) -> Iterator[Reading | None]:
    """A keyword that the failed call does not take."""
    call = nodes[0] if nodes else None
    if not isinstance(call, ast.Call):
        return
    known = [one for one in parameters_of(case, call) if one not in ("self", "args", "kwargs")]
    wrong = str(case.details.get("keyword", case.details.get("name", "")))
    for given in call.keywords:
        if given.arg is None or given.arg in known or (wrong and given.arg != wrong):
            continue
        for meant in near(given.arg, known):
            edits = case.replace(given, f"{meant}={case.text(given.value)}")
            yield _renamed(case, given.value, edits, given.arg, meant, code(case, call.func))


def _renamed(
    case: Case, node: ast.expr, edits: Sequence[Edit], wrong: str, meant: str, owner: str = ""
) -> Reading | None:
    en, zh = (f"{owner} has no argument called", f"{owner} 没有名为") if owner else ("Nothing is called", "没有叫")
    end = "的参数" if owner else "的东西"
    return reading(
        case,
        node,
        edits,
        f"{en} `{wrong}`; there is `{meant}`, which is spelled nearly the same. Write `{meant}`.",
        f"{zh} `{wrong}` {end}；有一个拼写相近的 `{meant}`。请写成 `{meant}`。",
        case.parents.get(node),
    )
