"""Methods that PyTorch calls and a class has not, under the name of which it has another."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import finding, line
from gradflow.engine.diagnosis.fixers import finally_finds
from gradflow.engine.diagnosis.fixes.modules import renamed_method
from gradflow.engine.errors.language import mistakes, python

_WANTED = re.compile(
    r"implement (\w+)|has no (len)\(\)|missing the required \"(\w+)\"|object is not (subscriptable|iterable|callable)"
)
_SPECIAL = {"len": "__len__", "subscriptable": "__getitem__", "iterable": "__iter__", "callable": "__call__"}


@finally_finds(
    python.UNCLASSIFIED,
    mistakes.NO_LENGTH,
    mistakes.NOT_SUBSCRIPTABLE,
    mistakes.NOT_ITERABLE,
    mistakes.NOT_CALLABLE,
    python.TYPE,
)
def _other_name(case: Case) -> Finding | None:
    """``get_item`` for ``__getitem__``."""
    told = _WANTED.search(str(case.details.get("message", "")))
    if told is None:
        return None
    word = next(one for one in told.groups() if one)
    wanted = _SPECIAL.get(word, word)
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        plain = {name.replace("_", "").lower(): name for name in methods if name not in ("__init__", wanted)}
        near = get_close_matches(wanted.replace("_", ""), plain, 1, 0.7)
        if wanted in methods or not near:
            continue
        method = methods[plain[near[0]]]
        return finding(
            case,
            f"`{owner.name}` has no `{wanted}`, which is called here; the method on line {line(method)} is called `{method.name}`. Name it"
            f" `{wanted}`.",
            f"`{owner.name}` 没有这里要调用的 `{wanted}`；第 {line(method)} 行的方法叫作 `{method.name}`。请改名为 `{wanted}`。",
            renamed_method(case, method, wanted),
            method,
        )
    return None
