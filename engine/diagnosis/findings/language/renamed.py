"""Another name for a variable that took the name of an import, wherever the variable is meant and not the import."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case, iterated
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.trace import Edit

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def renamed(case: Case, taken: ast.Name, value: object) -> tuple[str, list[ast.Name], list[Edit]] | None:
    """The new name, where the variable is meant, and the edits; None where some use leaves open which of both it means.

    ``taken`` is where the variable gets its value, the only such place, and ``value`` what it then is.
    """
    scope = Flow(case).scope(taken)
    meant = [taken]
    for use in case.nodes(ast.Name):
        if use.id != taken.id or use is taken:
            continue
        outer = case.parents.get(use)
        of_import = isinstance(outer, ast.Attribute) and outer.value is use and not hasattr(type(value), outer.attr)
        if of_import:
            continue
        later = (use.lineno, use.col_offset) > (taken.lineno, taken.col_offset)
        if not later or _scope(case, use) is not scope:
            return None
        meant.append(use)
    bound = {one for node in case.nodes(ast.Global) for one in node.names}
    name = next(_names(case, taken))
    edits = [edit for one in meant for edit in case.replace(one, name)]
    return None if taken.id in bound or len(edits) != len(meant) else (name, meant, edits)


def _scope(case: Case, node: ast.AST) -> ast.AST:
    """The function, class or program that a node stands in."""
    current = case.parents.get(node)
    while current is not None and not isinstance(current, _SCOPES):
        current = case.parents.get(current)
    return current or case.program.tree


def _names(case: Case, taken: ast.Name) -> Iterator[str]:
    """Free names: the singular of what a loop goes through, or the old one with a word behind it."""
    used = {one.id for one in case.nodes(ast.Name)} | {one.arg for one in case.nodes(ast.arg)}
    used |= {*dir(builtins), *keyword.kwlist, *case.values}
    loop = case.parents.get(taken)
    source = iterated(loop) if isinstance(loop, ast.For) and loop.target is taken else None
    word = getattr(source, "id", getattr(source, "attr", ""))
    if word.endswith("s") and len(word) > 3 and word[:-1].isidentifier() and word[:-1] not in used:
        yield word[:-1]
    yield from (one for end in ("_value", "_one", "_own", "_other") if (one := f"{taken.id}{end}") not in used)
